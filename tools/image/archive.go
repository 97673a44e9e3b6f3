package main

import (
	"archive/tar"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// Annotations by which importers name an image: containerd reads its own first and takes it as it is.
const (
	containerdName = "io.containerd.image.name"
	ociName        = "org.opencontainers.image.ref.name"
)

// writeArchive writes an image or an index under all names as an OCI layout in a tar, and returns its digest.
func writeArchive(temp, out string, names []string, content mutate.Appendable) (string, error) {
	top := v1.ImageIndex(empty.Index)
	for _, n := range names {
		top = mutate.AppendManifests(top, mutate.IndexAddendum{
			Add:        content,
			Descriptor: v1.Descriptor{Annotations: map[string]string{containerdName: n, ociName: n}},
		})
	}
	dir := filepath.Join(temp, "layout")
	if _, err := layout.Write(dir, top); err != nil {
		return "", fmt.Errorf("writing the image: %w", err)
	}
	file := filepath.Join(temp, "out.tar")
	if err := packLayout(dir, file); err != nil {
		return "", err
	}
	if err := os.Rename(file, out); err != nil {
		return "", fmt.Errorf("putting the archive in place: %w", err)
	}
	digest, err := content.Digest()
	if err != nil {
		return "", fmt.Errorf("reading the digest: %w", err)
	}
	return digest.String(), nil
}

// packLayout writes the files of a layout, in the order of their names, as entries that do not tell when, or by whom.
func packLayout(dir, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("creating the archive: %w", err)
	}
	defer func() { _ = f.Close() }()
	t := tar.NewWriter(f)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: rel + "/", Mode: 0o755, ModTime: epoch})
		}
		return addFile(t, path, &tar.Header{Typeflag: tar.TypeReg, Name: rel, Mode: 0o644, ModTime: epoch})
	})
	if err != nil {
		return fmt.Errorf("packing the image: %w", err)
	}
	if err := t.Close(); err != nil {
		return fmt.Errorf("packing the image: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("packing the image: %w", err)
	}
	return nil
}
