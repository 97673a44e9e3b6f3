// Package image writes a docker archive of one layer that holds a few static programs: all that the cluster's own images
// (pause, argoexec) are. containerd imports it under any name, so neither a registry nor docker is needed.
//
//  1. Write the layer once into a checksum: an image names its layer by content.
//  2. Describe it (config, manifest).
//  3. Write the archive, and the layer once more into it. Nothing is held in memory, and same files give same bytes.
package image

import (
	"archive/tar"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// Image is one image of static programs.
type Image struct {
	Name         string   // as kubelets ask for it, with a tag
	Architecture string   // Go's name of it
	Entrypoint   []string // the command
	Files        []File
}

// File is one program of an image.
type File struct {
	Path   string // absolute, in the image
	Source string // on this machine
}

// searchPath lets an entry point be named without its folder.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// Write writes the archive of an image.
func Write(out io.Writer, image Image) error {
	sum, size := sha256.New(), counter(0)
	if err := writeLayer(io.MultiWriter(sum, &size), image.Files); err != nil {
		return fmt.Errorf("reading the files of image %s: %w", image.Name, err)
	}
	digest := hex.EncodeToString(sum.Sum(nil))
	config, err := json.Marshal(map[string]any{
		"architecture": image.Architecture,
		"os":           "linux",
		"config":       map[string]any{"Env": []string{searchPath}, "Entrypoint": image.Entrypoint},
		"rootfs":       map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + digest}},
	})
	if err != nil {
		return fmt.Errorf("describing image %s: %w", image.Name, err)
	}
	configSum := sha256.Sum256(config)
	configName, layerName := hex.EncodeToString(configSum[:])+".json", digest+"/layer.tar"
	manifest, err := json.Marshal([]map[string]any{{"Config": configName, "RepoTags": []string{image.Name}, "Layers": []string{layerName}}})
	if err != nil {
		return fmt.Errorf("describing image %s: %w", image.Name, err)
	}

	archive := tar.NewWriter(out)
	err = firstError(
		func() error { return writeBytes(archive, configName, config) },
		func() error { return archive.WriteHeader(header(layerName, int64(size), 0o644)) },
		func() error { return writeLayer(archive, image.Files) },
		func() error { return writeBytes(archive, "manifest.json", manifest) },
		archive.Close,
	)
	if err != nil {
		return fmt.Errorf("writing image %s: %w", image.Name, err)
	}
	return nil
}

func writeLayer(out io.Writer, files []File) error {
	layer := tar.NewWriter(out)
	for _, file := range files {
		if err := writeFile(layer, file); err != nil {
			return err
		}
	}
	return layer.Close()
}

func writeFile(layer *tar.Writer, file File) error {
	in, err := os.Open(file.Source)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	info, err := in.Stat()
	if err != nil {
		return err
	}
	if err := layer.WriteHeader(header(strings.TrimPrefix(path.Clean(file.Path), "/"), info.Size(), 0o755)); err != nil {
		return err
	}
	_, err = io.Copy(layer, in)
	return err
}

func writeBytes(archive *tar.Writer, name string, content []byte) error {
	if err := archive.WriteHeader(header(name, int64(len(content)), 0o644)); err != nil {
		return err
	}
	_, err := archive.Write(content)
	return err
}

func header(name string, size, mode int64) *tar.Header {
	return &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: mode}
}

func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
