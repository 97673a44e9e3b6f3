package main

import (
	"debug/elf"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// program is one file of a binary image.
type program struct {
	source string // on this machine
	dest   string // in the image: absolute and clean
}

// machines are the architectures an image can have, by their Go and OCI name.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// parsePrograms reads ARCH=FILE[:/DEST] arguments into the programs of each architecture, sorted by destination.
// DEST is /NAME of the file when absent. Each architecture must hold the same destinations, the entrypoint among them.
func parsePrograms(args []string, entrypoint string) (map[string][]program, error) {
	byArch := map[string][]program{}
	for _, arg := range args {
		arch, file, ok := strings.Cut(arg, "=")
		if !ok || file == "" {
			return nil, usagef("argument %q is not ARCH=FILE[:/DEST]", arg)
		}
		if _, ok := machines[arch]; !ok {
			return nil, usagef("argument %q: architecture is not one of amd64, arm64", arg)
		}
		p := program{source: file, dest: "/" + filepath.Base(file)}
		if i := strings.LastIndex(file, ":/"); i > 0 {
			p = program{source: file[:i], dest: file[i+1:]}
		}
		if err := checkDest(p.dest); err != nil {
			return nil, usagef("argument %q: %v", arg, err)
		}
		if slices.ContainsFunc(byArch[arch], func(q program) bool { return q.dest == p.dest }) {
			return nil, usagef("argument %q: %s is there twice for %s", arg, p.dest, arch)
		}
		byArch[arch] = append(byArch[arch], p)
	}
	if len(byArch) == 0 {
		return nil, usagef("no program: give ARCH=FILE for each architecture")
	}
	return byArch, checkSame(byArch, entrypoint)
}

// checkDest refuses a destination that could land elsewhere than it says, or undo a lower layer.
func checkDest(dest string) error {
	switch {
	case !path.IsAbs(dest) || path.Clean(dest) != dest || dest == "/":
		return fmt.Errorf("destination %q is not an absolute clean path of a file", dest)
	case strings.ContainsFunc(dest, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }):
		return fmt.Errorf("destination %q has a control character or a backslash", dest)
	case strings.HasPrefix(path.Base(dest), whiteout):
		return fmt.Errorf("destination %q would delete a file when it is unpacked", dest)
	}
	return nil
}

func checkSame(byArch map[string][]program, entrypoint string) error {
	var first []string
	for _, arch := range slices.Sorted(maps.Keys(byArch)) {
		programs := byArch[arch]
		slices.SortFunc(programs, func(a, b program) int { return strings.Compare(a.dest, b.dest) })
		var dests []string
		for _, p := range programs {
			dests = append(dests, p.dest)
		}
		if !slices.Contains(dests, entrypoint) {
			return usagef("--entrypoint %q is none of the %s programs %v", entrypoint, arch, dests)
		}
		if first == nil {
			first = dests
		}
		if !slices.Equal(first, dests) {
			return usagef("architectures differ in their programs: %v and %v", first, dests)
		}
	}
	return nil
}

// checkStatic refuses a file that an image without anything else could not run on that architecture.
func checkStatic(file, arch string) error {
	f, err := elf.Open(file)
	if err != nil {
		return fmt.Errorf("reading program %s: %w", file, err)
	}
	defer func() { _ = f.Close() }()
	if f.Machine != machines[arch] {
		return fmt.Errorf("program %s is built for %v, not for %s", file, f.Machine, arch)
	}
	for _, segment := range f.Progs {
		if segment.Type == elf.PT_INTERP {
			return fmt.Errorf("program %s needs a dynamic loader, which the image lacks; build it with CGO_ENABLED=0", file)
		}
	}
	return nil
}

// checkRoots refuses folders that are none, the machine's own root, and an archive that would hold itself.
func checkRoots(dirs []string, out string) error {
	if len(dirs) == 0 {
		return usagef("no folder: give the root folder of the image")
	}
	file, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("finding %s: %w", out, err)
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return usagef("folder %s: %v", dir, err)
		}
		root, err := filepath.Abs(dir)
		if err != nil {
			return fmt.Errorf("finding %s: %w", dir, err)
		}
		machine, err := os.Stat("/")
		if err != nil {
			return fmt.Errorf("reading the root folder: %w", err)
		}
		switch {
		case !info.IsDir():
			return usagef("%s is not a folder", dir)
		case os.SameFile(info, machine):
			return usagef("%s is this machine's own root", dir)
		case strings.HasPrefix(file, root+"/"):
			return usagef("--out %s lies in %s, which it is made of", out, dir)
		}
	}
	return nil
}
