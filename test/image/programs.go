package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// collectives are the names of the one program, which chooses by the name that it is called by.
var collectives = []string{"all_reduce_perf_mpi", "all_gather_perf_mpi", "reduce_scatter_perf_mpi"}

// links are the symlinks of the layer above Debian. Called by an absolute path, mpirun looks for its helpers on the
// other hosts under the same prefix (/usr/local/mpi/bin/orted), so the whole prefix has to be there, not mpirun alone.
var links = [][2]string{{"usr/local/mpi", "/usr"}}

// compileArgs compile a program of the image, in the folder of its sources.
func compileArgs(src string) map[string][]string {
	file := func(names ...string) (paths []string) {
		for _, n := range names {
			paths = append(paths, filepath.Join(src, n+".c"))
		}
		return paths
	}
	flags := []string{"-std=gnu17", "-O2", "-Wall", "-Wextra", "-Werror"}
	return map[string][]string{
		"mpicc": append(append(flags[:len(flags):len(flags)], file("collective", "fault", "op", "options", "table")...), "-lm"),
		"gcc":   append(flags[:len(flags):len(flags)], file("sshd", "fault")...),
	}
}

// buildLayer fills dir with what the image has above Debian.
func buildLayer(ctx context.Context, dir string, log io.Writer) error {
	if err := os.Chmod(dir, 0o755); err != nil {
		return fmt.Errorf("preparing the layer: %w", err)
	}
	if err := copyTree(sources, "overlay", dir); err != nil {
		return err
	}
	if err := buildCollectives(ctx, filepath.Join(dir, "usr/local/bin"), log); err != nil {
		return err
	}
	if err := compile(ctx, "gcc", filepath.Join(dir, "usr/sbin/sshd"), log); err != nil {
		return err
	}
	for _, link := range links {
		if err := os.Symlink(link[1], filepath.Join(dir, link[0])); err != nil {
			return fmt.Errorf("linking %s: %w", link[0], err)
		}
	}
	return nil
}

// buildCollectives compiles the stand-ins for nccl-tests into dir, under all of their names.
func buildCollectives(ctx context.Context, dir string, log io.Writer) error {
	if err := compile(ctx, "mpicc", filepath.Join(dir, collectives[0]), log); err != nil {
		return err
	}
	for _, name := range collectives[1:] {
		if err := os.Symlink(collectives[0], filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("linking %s: %w", name, err)
		}
	}
	return nil
}

// compile compiles what that compiler has to compile into out.
func compile(ctx context.Context, compiler, out string, log io.Writer) error {
	src, err := os.MkdirTemp("", "seatrial-src-")
	if err != nil {
		return fmt.Errorf("unpacking the sources: %w", err)
	}
	defer func() { _ = os.RemoveAll(src) }()
	if err := copyTree(sources, "src", src); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		return fmt.Errorf("compiling %s: %w", out, err)
	}
	return run(ctx, log, compiler, append([]string{"-o", out}, compileArgs(src)[compiler]...)...)
}

// copyTree writes the files below root of tree to dir.
func copyTree(tree fs.FS, root, dir string) error {
	return fs.WalkDir(tree, root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			return fmt.Errorf("unpacking the sources: %w", err)
		}
		return writeTo(filepath.Join(dir, strings.TrimPrefix(path, root+"/")), content, 0o644)
	})
}
