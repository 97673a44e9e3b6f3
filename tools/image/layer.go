package main

import (
	"archive/tar"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// whiteout begins the names that delete a lower layer's file when an image is unpacked (OCI image spec, "Whiteouts").
const whiteout = ".wh."

// epoch is the time of every entry and image: a real one would change the digest.
var epoch = time.Unix(0, 0).UTC()

// writeLayer writes what add puts into the tar to file, compressed, and returns it as a layer. The file must stay
// until the layer was written to its image.
func writeLayer(file string, add func(*tar.Writer) error) (v1.Layer, error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, fmt.Errorf("creating a layer: %w", err)
	}
	defer func() { _ = f.Close() }()
	// Speed before size: three nodes unpack the test image once, nobody stores it for long.
	z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("compressing a layer: %w", err)
	}
	t := tar.NewWriter(z)
	if err := add(t); err != nil {
		return nil, err
	}
	for _, c := range []io.Closer{t, z, f} {
		if err := c.Close(); err != nil {
			return nil, fmt.Errorf("writing a layer: %w", err)
		}
	}
	layer, err := tarball.LayerFromFile(file, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, fmt.Errorf("reading a layer back: %w", err)
	}
	return layer, nil
}

// addPrograms writes programs, sorted by destination, with the folders above them. All belong to root: the user that
// runs them must not be able to change them.
func addPrograms(programs []program) func(*tar.Writer) error {
	return func(t *tar.Writer) error {
		made := map[string]bool{}
		for _, p := range programs {
			parts := strings.Split(path.Dir(p.dest)[1:], "/")
			for i := range parts {
				dir := strings.Join(parts[:i+1], "/")
				if dir == "" || made[dir] {
					continue
				}
				made[dir] = true
				if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: epoch}); err != nil {
					return fmt.Errorf("adding folder %s: %w", dir, err)
				}
			}
			if err := addFile(t, p.source, &tar.Header{Typeflag: tar.TypeReg, Name: p.dest[1:], Mode: 0o755, ModTime: epoch}); err != nil {
				return err
			}
		}
		return nil
	}
}

// addFile writes the header, with the size of the opened file, and the file's content.
func addFile(t *tar.Writer, source string, header *tar.Header) error {
	f, err := os.Open(source)
	if err != nil {
		return fmt.Errorf("adding a file: %w", err)
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("adding %s: %w", source, err)
	}
	header.Size = info.Size()
	if err := t.WriteHeader(header); err != nil {
		return fmt.Errorf("adding %s: %w", source, err)
	}
	if _, err := io.Copy(t, f); err != nil {
		return fmt.Errorf("adding %s: %w", source, err)
	}
	return nil
}
