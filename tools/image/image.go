package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// searchPath is what a shell finds programs by in a container that does not say otherwise.
const searchPath = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// buildBinary writes an index of one image per architecture and returns its digest.
func buildBinary(names []string, out string, byArch map[string][]program, entrypoint string, user int) (string, error) {
	return inTemp(out, func(temp string) (string, error) {
		index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
		for _, arch := range slices.Sorted(maps.Keys(byArch)) {
			for _, p := range byArch[arch] {
				if err := checkStatic(p.source, arch); err != nil {
					return "", err
				}
			}
			layer, err := writeLayer(filepath.Join(temp, arch+".tar.gz"), addPrograms(byArch[arch]))
			if err != nil {
				return "", err
			}
			config := v1.Config{Entrypoint: []string{entrypoint}, User: strconv.Itoa(user), Env: []string{searchPath}, WorkingDir: "/"}
			image, err := imageOf(arch, config, layer)
			if err != nil {
				return "", err
			}
			index = mutate.AppendManifests(index, mutate.IndexAddendum{
				Add:        image,
				Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
			})
		}
		return writeArchive(temp, out, names, index)
	})
}

// buildRootfs writes one image with a layer per folder and returns its digest.
func buildRootfs(names []string, out string, dirs []string) (string, error) {
	return inTemp(out, func(temp string) (string, error) {
		var layers []v1.Layer
		for i, dir := range dirs {
			layer, err := writeLayer(filepath.Join(temp, strconv.Itoa(i)+".tar.gz"), addTree(filepath.Clean(dir)))
			if err != nil {
				return "", err
			}
			layers = append(layers, layer)
		}
		image, err := imageOf(runtime.GOARCH, v1.Config{Env: []string{searchPath}, Cmd: []string{"/bin/sh"}}, layers...)
		if err != nil {
			return "", err
		}
		return writeArchive(temp, out, names, image)
	})
}

// imageOf returns a Linux image of these layers, the lowest first.
func imageOf(arch string, config v1.Config, layers ...v1.Layer) (v1.Image, error) {
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, layer := range layers {
		var err error
		if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, MediaType: types.OCILayer}); err != nil {
			return nil, fmt.Errorf("adding a layer: %w", err)
		}
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("reading the image's config: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture, file.Config, file.Created = "linux", arch, config, v1.Time{Time: epoch}
	if image, err = mutate.ConfigFile(image, file); err != nil {
		return nil, fmt.Errorf("setting the image's config: %w", err)
	}
	return image, nil
}

// inTemp calls build with a folder beside out, so that the result can be renamed into place, and removes the folder.
func inTemp(out string, build func(temp string) (string, error)) (string, error) {
	temp, err := os.MkdirTemp(filepath.Dir(out), ".image-")
	if err != nil {
		return "", fmt.Errorf("making a temporary folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(temp) }()
	return build(temp)
}
