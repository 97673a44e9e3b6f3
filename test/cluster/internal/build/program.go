package build

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// interruptPatience is how long `go build` may take to end when it is interrupted.
const interruptPatience = 10 * time.Second

// program builds the binaries of one module into the scratch folder and then moves them.
func (b *Builder) program(ctx context.Context, program program) error {
	version := ""
	if program.module != "" {
		var err error
		if version, err = b.pins.Version(program.name, program.module); err != nil {
			return err
		}
	}
	folder := filepath.Join(b.modules, program.name)
	if program.name == argo {
		var err error
		if folder, err = b.argoSource(ctx, version); err != nil {
			return err
		}
	}
	scratch, err := os.MkdirTemp(b.scratch(), program.name+"-")
	if err != nil {
		return err
	}
	for _, packages := range batches(program.binaries) {
		argv := []string{"go", "build", "-buildvcs=false", "-ldflags", program.ldflags(version), "-o", packages.output(scratch)}
		if err := b.goRun(ctx, program.name, folder, append(argv, packages.paths...)...); err != nil {
			return err
		}
	}
	for _, binary := range slices.Sorted(maps.Keys(program.binaries)) {
		if err := os.Rename(filepath.Join(scratch, binary), filepath.Join(b.bin, binary)); err != nil {
			return err
		}
	}
	return nil
}

// batch is what one `go build` makes: several programs at once, which share what they import, or one with a name of its own.
type batch struct {
	file  string // name of the only program; empty: each is named after its package
	paths []string
}

// output is what -o takes: a file, or a folder by the slash at its end.
func (b batch) output(folder string) string { return folder + "/" + b.file }

func batches(binaries map[string]string) []batch {
	if len(binaries) == 1 {
		for file, path := range binaries {
			return []batch{{file: file, paths: []string{path}}}
		}
	}
	return []batch{{paths: slices.Sorted(maps.Values(binaries))}}
}

// goRun runs the go command; what it prints goes to the step's log, and its end into the error.
func (b *Builder) goRun(ctx context.Context, name, folder string, argv ...string) error {
	path := filepath.Join(b.folder, "log", name+".log")
	log, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	command := goCommand(ctx, folder, argv...)
	command.Stdout, command.Stderr = log, log
	if err := command.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted; the next build goes on from here: %w", ctx.Err())
		}
		text, _ := os.ReadFile(path)
		return fmt.Errorf("%s: %w\n%s\nall of it: %s", strings.Join(argv, " "), err, tail(text, 20), path)
	}
	return nil
}

func goCommand(ctx context.Context, folder string, argv ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, argv[0], argv[1:]...)
	command.Dir = folder
	// GOFLAGS of the caller must not undo the pins; and what is built runs here.
	command.Env = append(os.Environ(), "GOFLAGS=-mod=readonly", "GOWORK=off", "CGO_ENABLED=0", "GOOS=", "GOARCH=")
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	command.WaitDelay = interruptPatience
	return command
}

// moduleFolder downloads a pinned module, checked against go.sum, and returns its folder in the module cache.
func (b *Builder) moduleFolder(ctx context.Context, name, module string) (string, error) {
	version, err := b.pins.Version(name, module)
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	command := goCommand(ctx, filepath.Join(b.modules, name), "go", "mod", "download", "-json", module+"@"+version)
	command.Stdout, command.Stderr = &stdout, &stderr
	runErr := command.Run()
	var answer struct{ Dir, Error string }
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || runErr != nil || answer.Error != "" || answer.Dir == "" {
		return "", fmt.Errorf("downloading %s@%s: %w: %s", module, version, errors.Join(runErr, err), answer.Error+tail(stderr.Bytes(), 5))
	}
	return answer.Dir, nil
}

// tail returns the last lines of a text.
func tail(text []byte, lines int) string {
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
