// Command image builds the CPU test image and prints the path of its archive.
//
//	go run ./test/image         what MPI and exec jobs need
//	go run ./test/image torch   PyTorch and torchrun as well, 600 MB
//
// The image is Debian with openssh-server and Open MPI, and programs that stand in for nccl-tests (src/): they run
// and check real collectives, and misbehave on request. It has the name of the published example's image, so that
// the example's file runs as it is, and mpirun where that file expects it.
//
// The pipeline, in order:
//  1. what is missing on this machine is installed (apt.go)
//  2. debootstrap → the Debian root, cached by its recipe (root.go)
//  3. src/ and overlay/ → the layer above it (programs.go)
//  4. tools/image → one archive of both layers, cached by all of the sources
//
// The cache is $SEATRIAL_CACHE, else $XDG_CACHE_HOME/seatrial, else ~/.cache/seatrial. The path goes to stdout,
// steps and their times to stderr. Needs root, for the root folder's owners.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// variant is one of the images that differ by their Debian packages.
type variant struct {
	packages string // as debootstrap takes them
	names    []string
}

// variants by the command's argument. The plain one has the published example's name, and one of our own.
var variants = map[string]variant{
	"":      {"openssh-server,openssh-client,openmpi-bin", []string{"nvcr.io/nvidia/pytorch:26.01-py3", "seatrial.dev/test-image:1"}},
	"torch": {"openssh-server,openssh-client,openmpi-bin,python3-torch", []string{"seatrial.dev/test-image-torch:1"}},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	v, known := variants[strings.Join(os.Args[1:], " ")]
	if !known {
		fmt.Fprintln(os.Stderr, "usage: go run ./test/image [torch]")
		os.Exit(2)
	}
	archive, err := v.build(ctx, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "test image:", err)
		os.Exit(1)
	}
	fmt.Println(archive)
}

// build returns the path of the archive, which it makes when the cache has none of these sources.
func (v variant) build(ctx context.Context, log io.Writer) (archive string, err error) {
	repo, err := findRepo()
	if err != nil {
		return "", err
	}
	cache, err := openCache()
	if err != nil {
		return "", err
	}
	sources, err := v.hashSources(repo)
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "image-"+sources)
	archive = filepath.Join(dir, "test-image.tar")
	if _, err := os.Stat(archive); err == nil {
		_, _ = fmt.Fprintln(log, "test image: unchanged, from the cache")
		return archive, nil
	}
	if os.Geteuid() != 0 {
		return "", fmt.Errorf("building needs root: the image's files belong to root and debootstrap uses chroot")
	}
	steps := stepper{log: log, total: 4}
	var root string
	layer, err := os.MkdirTemp(cache, "layer-")
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(layer) }()
	if err := steps.do("tools: debootstrap, a C compiler, Open MPI's headers", func() error {
		return ensurePackages(ctx, log, buildTools)
	}); err != nil {
		return "", err
	}
	if err := steps.do("Debian root (2 to 4 minutes, once)", func() error {
		root, err = v.debianRoot(ctx, cache, log)
		return err
	}); err != nil {
		return "", err
	}
	if err := steps.do("programs", func() error { return buildLayer(ctx, layer, log) }); err != nil {
		return "", err
	}
	if err := steps.do("archive", func() error {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("making the cache's folder: %w", err)
		}
		args := []string{"run", "-C", filepath.Join(repo, "tools"), "./image", "rootfs", "--out", archive}
		for _, n := range v.names {
			args = append(args, "--name", n)
		}
		return run(ctx, log, "go", append(args, root, layer)...)
	}); err != nil {
		return "", err
	}
	return archive, nil
}

// stepper says which step runs, of how many, and how long it took.
type stepper struct {
	log      io.Writer
	n, total int
}

func (s *stepper) do(what string, f func() error) error {
	s.n++
	_, _ = fmt.Fprintf(s.log, "test image: [%d/%d] %s\n", s.n, s.total, what)
	start := time.Now()
	if err := f(); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(s.log, "test image: [%d/%d] done in %.1f s\n", s.n, s.total, time.Since(start).Seconds())
	return nil
}

// run runs a program with its output to the log; in an error it names the whole command.
func run(ctx context.Context, log io.Writer, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("running %s: %w", cmd, err)
	}
	return nil
}
