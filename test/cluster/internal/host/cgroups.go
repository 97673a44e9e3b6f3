package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

const cgroupRoot = "/sys/fs/cgroup"

// controllers are what a kubelet bounds pods by; without one of them it does not start.
var controllers = []string{"cpu", "cpuset", "memory", "pids"}

// hierarchies is how cgroups are mounted: one folder for each controller (version 1), or one for all (version 2).
type hierarchies struct {
	unified bool
	folders []string // absolute
}

// readCgroups looks how cgroups are mounted, on the file system at cgroupRoot.
func readCgroups(root fs.FS) (hierarchies, error) {
	if text, err := fs.ReadFile(root, "cgroup.controllers"); err == nil {
		there := strings.Fields(string(text))
		for _, controller := range controllers {
			if !slices.Contains(there, controller) {
				return hierarchies{}, fmt.Errorf("cgroup version 2 at %s has no controller %s, only %s", cgroupRoot, controller, strings.Join(there, " "))
			}
		}
		return hierarchies{unified: true, folders: []string{cgroupRoot}}, nil
	}
	entries, err := fs.ReadDir(root, ".")
	if err != nil {
		return hierarchies{}, fmt.Errorf("reading %s: %w", cgroupRoot, err)
	}
	var out hierarchies
	for _, entry := range entries {
		if entry.IsDir() && entry.Name() != "unified" { // version 2 without controllers, beside version 1
			out.folders = append(out.folders, filepath.Join(cgroupRoot, entry.Name()))
		}
	}
	for _, controller := range controllers {
		if !slices.ContainsFunc(out.folders, func(folder string) bool {
			return slices.Contains(strings.Split(filepath.Base(folder), ","), controller)
		}) {
			return hierarchies{}, fmt.Errorf("cgroup version 1 at %s has no controller %s", cgroupRoot, controller)
		}
	}
	return out, nil
}

// MakeCgroup makes the cgroup of a node in every hierarchy.
func MakeCgroup(name string) error {
	found, err := readCgroups(os.DirFS(cgroupRoot))
	if err != nil {
		return fmt.Errorf("making cgroup %s: %w", name, err)
	}
	if found.unified {
		enable := []byte("+" + strings.Join(controllers, " +"))
		if err := os.WriteFile(filepath.Join(cgroupRoot, "cgroup.subtree_control"), enable, 0); err != nil {
			return fmt.Errorf("making cgroup %s: handing controllers down: %w; in a container: move its processes out of the root cgroup", name, err)
		}
	}
	for _, folder := range found.folders {
		made := filepath.Join(folder, name)
		if err := os.MkdirAll(made, 0o755); err != nil {
			return fmt.Errorf("making cgroup %s: %w", name, err)
		}
		if found.unified || !strings.Contains(filepath.Base(folder), "cpuset") {
			continue
		}
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} { // version 1: empty in a new cgroup, and empty takes no process
			value, err := os.ReadFile(filepath.Join(folder, file))
			if err == nil {
				err = os.WriteFile(filepath.Join(made, file), value, 0)
			}
			if err != nil {
				return fmt.Errorf("making cgroup %s: %w", name, err)
			}
		}
	}
	return nil
}

// cgroupPatience is how long the processes of a cgroup, once killed, may take to leave it.
const cgroupPatience = 15 * time.Second

// RemoveCgroups kills every process in the cgroups of the given names and removes them. A name that is nowhere is no error.
func RemoveCgroups(names []string) error {
	trees, err := treesOf(names)
	if err != nil {
		return err
	}
	for deadline := time.Now().Add(cgroupPatience); ; time.Sleep(100 * time.Millisecond) {
		err := removeTrees(trees)
		if err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

// KillCgroups kills every process in the cgroups of the given names, and leaves the cgroups.
func KillCgroups(names []string) error {
	trees, err := treesOf(names)
	if err != nil {
		return err
	}
	var failed []error
	for _, tree := range trees {
		for _, folder := range foldersOf(tree) {
			failed = append(failed, kill(folder))
		}
	}
	return errors.Join(failed...)
}

// treesOf finds the cgroups of the given names, which may be patterns, in every hierarchy.
func treesOf(names []string) ([]string, error) {
	var trees []string
	for _, pattern := range []string{cgroupRoot, cgroupRoot + "/*"} {
		for _, name := range names {
			found, err := filepath.Glob(filepath.Join(pattern, name))
			if err != nil {
				return nil, fmt.Errorf("looking for cgroup %s: %w", name, err)
			}
			trees = append(trees, found...)
		}
	}
	return trees, nil
}

// foldersOf returns a tree's folders, the deepest first.
func foldersOf(tree string) []string {
	var folders []string
	_ = filepath.WalkDir(tree, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() { // with an error it went away meanwhile, which is what we want
			folders = append(folders, path)
		}
		return nil
	})
	slices.Reverse(folders)
	return folders
}

func removeTrees(trees []string) error {
	var failed []error
	for _, tree := range trees {
		for _, folder := range foldersOf(tree) {
			if err := kill(folder); err != nil {
				failed = append(failed, err)
			}
			if err := syscall.Rmdir(folder); err != nil && !errors.Is(err, syscall.ENOENT) {
				failed = append(failed, fmt.Errorf("removing cgroup %s: %w", folder, err))
			}
		}
	}
	return errors.Join(failed...)
}

// kill ends the processes that are in one cgroup. They are known by being in it, so they are looked up and ended at once.
func kill(folder string) error {
	text, err := os.ReadFile(filepath.Join(folder, "cgroup.procs"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENODEV) || errors.Is(err, syscall.EOPNOTSUPP) {
		return nil // it went away meanwhile, or is of a kind that holds none
	}
	if err != nil {
		return fmt.Errorf("looking into cgroup %s: %w", folder, err)
	}
	var identities []proc.Identity
	for _, line := range strings.Fields(string(text)) {
		pid, err := strconv.Atoi(line)
		if err != nil || pid <= 0 {
			continue
		}
		if identity, err := proc.Identify(proc.Proc{}, pid); err == nil {
			identities = append(identities, identity)
		}
	}
	return proc.Stop(identities, 0)
}
