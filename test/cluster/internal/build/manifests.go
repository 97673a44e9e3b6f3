package build

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/image"
	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
)

// kustomization is where a controller's manifests are in its module.
type kustomization struct {
	name, module string
	tree         string // copied: a kustomization may name files above it
	entry        string // below tree
	without      string // resources with this text are left out of the entry
}

var kustomizations = []kustomization{
	// The CRDs without schemas, which Argo's own installation uses too; those with schemas are 7.5 MB and add nothing here, as `argo lint` checks.
	{name: argo, module: argoModule, tree: "manifests/base/crds", entry: "minimal"},
	{name: "jobset", module: "sigs.k8s.io/jobset", tree: "config", entry: "default"},
	// Trainer's overlay fetches JobSet from the network; ours is installed before it.
	{name: "trainer", module: "github.com/kubeflow/trainer/v2", tree: "manifests", entry: "overlays/manager", without: "third-party/jobset"},
}

// renderManifests renders what the controllers need in the API server.
func (b *Builder) renderManifests(ctx context.Context) error {
	for _, k := range kustomizations {
		source, err := b.moduleFolder(ctx, k.name, k.module)
		if err != nil {
			return err
		}
		scratch := filepath.Join(b.scratch(), "manifests-"+k.name)
		if err := os.CopyFS(scratch, os.DirFS(filepath.Join(source, filepath.FromSlash(k.tree)))); err != nil {
			return fmt.Errorf("copying manifests of %s: %w", k.name, err)
		}
		entry := filepath.Join(scratch, filepath.FromSlash(k.entry))
		if err := leaveOut(filepath.Join(entry, "kustomization.yaml"), k.without); err != nil {
			return fmt.Errorf("changing manifests of %s: %w", k.name, err)
		}
		var stdout, stderr bytes.Buffer
		command := exec.CommandContext(ctx, filepath.Join(b.bin, "kubectl"), "kustomize", entry)
		command.Stdout, command.Stderr = &stdout, &stderr
		if err := command.Run(); err != nil {
			return fmt.Errorf("rendering manifests of %s: %w: %s", k.name, err, tail(stderr.Bytes(), 5))
		}
		if err := b.place(filepath.Join(b.manifests, k.name+".yaml"), func(file *os.File) error {
			_, err := file.Write(stdout.Bytes())
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// leaveOut removes the lines with a text, which must be there: else the module has changed and so must we.
func leaveOut(path, text string) error {
	if text == "" {
		return nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(content)) {
		if !strings.Contains(line, text) {
			kept.WriteString(line)
		}
	}
	if kept.Len() == len(content) {
		return fmt.Errorf("%s: no line with %q to leave out", path, text)
	}
	return os.WriteFile(path, []byte(kept.String()), 0o644)
}

// writeImages writes the archives of the cluster's own images.
func (b *Builder) writeImages(context.Context) error {
	for file, made := range map[string]image.Image{
		"pause.tar": {Name: plan.PauseImage, Entrypoint: []string{"/pause"},
			Files: []image.File{{Path: "/pause", Source: filepath.Join(b.bin, "pause")}}},
		"argoexec.tar": {Name: plan.ArgoexecImage, Entrypoint: []string{"argoexec"},
			Files: []image.File{{Path: "/bin/argoexec", Source: filepath.Join(b.bin, "argoexec")}}},
	} {
		made.Architecture = runtime.GOARCH
		if err := b.place(filepath.Join(b.images, file), func(out *os.File) error { return image.Write(out, made) }); err != nil {
			return err
		}
	}
	return nil
}

// place writes a file whole or not at all.
func (b *Builder) place(path string, write func(*os.File) error) error {
	file, err := os.CreateTemp(b.scratch(), filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	if err := write(file); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return os.Rename(file.Name(), path)
}
