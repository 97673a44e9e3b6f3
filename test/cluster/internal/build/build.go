// Package build makes everything the local cluster runs from pinned Go modules, once, into a cache outside the work tree.
//
//  1. Name the cache folder after the content of the pins, so that a changed pin builds anew.
//  2. Programs: one `go build` a module; Argo from a writable copy of its source.
//  3. Manifests of the controllers, rendered from the same modules.
//  4. Images that hold one of the programs each.
//
// Each step leaves all of its files or none, so a build that was interrupted goes on where it was. Each says what is left
// and about how long that takes.
package build

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/host"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/pins"
)

// recipe changes when the steps below make something else from the same pins.
const recipe = "2"

// Say tells the user one line of progress.
type Say func(format string, args ...any)

// Builder builds from one modules folder into one cache folder.
type Builder struct {
	modules                string // the folder of pinned modules
	root                   string // the cache, shared by all versions
	folder                 string // of this version
	bin, manifests, images string // below folder
	pins                   pins.Set
	say                    Say
}

// New reads the pins of the modules folder and chooses the cache folder below root.
func New(modules, root string, say Say) (*Builder, error) {
	set, err := pins.Load(os.DirFS(modules))
	if err != nil {
		return nil, err
	}
	b := &Builder{modules: modules, root: root, folder: filepath.Join(root, "cluster", set.Hash("recipe "+recipe, runtime.GOARCH)), pins: set, say: say}
	b.bin, b.manifests, b.images = Folders(b.folder)
	return b, nil
}

// CacheRoot returns where built things are kept, from the environment.
func CacheRoot(env func(string) string) (string, error) {
	switch {
	case env("SEATRIAL_CACHE") != "":
		return filepath.Abs(env("SEATRIAL_CACHE"))
	case env("XDG_CACHE_HOME") != "":
		return filepath.Join(env("XDG_CACHE_HOME"), "seatrial"), nil
	case env("HOME") != "":
		return filepath.Join(env("HOME"), ".cache", "seatrial"), nil
	}
	return "", fmt.Errorf("choosing the cache: none of SEATRIAL_CACHE, XDG_CACHE_HOME and HOME is set")
}

// Folders returns the folders of programs, manifests and image archives of a cache folder.
func Folders(folder string) (bin, manifests, images string) {
	return filepath.Join(folder, "bin"), filepath.Join(folder, "manifests"), filepath.Join(folder, "images")
}

// Folder is the cache folder of this version. Any other beside it may be deleted.
func (b *Builder) Folder() string { return b.folder }

// Complete tells whether everything is built.
func (b *Builder) Complete() bool {
	for _, step := range b.steps() {
		if !step.done() {
			return false
		}
	}
	return true
}

// Build makes what is missing.
func (b *Builder) Build(ctx context.Context) error {
	if b.Complete() {
		return nil
	}
	release, err := host.Lock(filepath.Join(b.root, "build.lock"), func() { b.say("waiting for another build to end") })
	if err != nil {
		return err
	}
	defer release()
	if err := os.RemoveAll(b.scratch()); err != nil { // of a build that was interrupted
		return fmt.Errorf("clearing the scratch folder: %w", err)
	}
	for _, folder := range []string{b.bin, b.manifests, b.images, b.scratch(), filepath.Join(b.folder, "log")} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return fmt.Errorf("making the cache: %w", err)
		}
	}
	b.say("building the cluster into %s", b.folder)
	if err := runSteps(ctx, b.say, b.steps(), time.Now); err != nil {
		return err
	}
	return os.RemoveAll(b.scratch())
}

func (b *Builder) scratch() string { return filepath.Join(b.folder, "scratch") }
