package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	argo       = "argo"
	argoModule = "github.com/argoproj/argo-workflows/v3"
)

// argoSource returns a writable copy of Argo's source. The module's zip has no symbolic links, so one file of argoexec is
// missing (signal_linux.go, a link to signal_darwin.go), and no built user interface, which `argo` embeds. An overlay would
// do, but `go build -overlay` refuses files of the module cache. The copy is named by its version, not by all pins: the
// build cache knows packages by their folder, and so serves again when another pin changes.
func (b *Builder) argoSource(ctx context.Context, version string) (string, error) {
	copied := filepath.Join(b.root, "source", "argo-workflows-"+version)
	if _, err := os.Stat(copied); err == nil {
		return copied, nil
	}
	source, err := b.moduleFolder(ctx, argo, argoModule)
	if err != nil {
		return "", err
	}
	scratch := filepath.Join(b.scratch(), "argo-source")
	if err := os.CopyFS(scratch, os.DirFS(source)); err != nil {
		return "", fmt.Errorf("copying Argo's source: %w", err)
	}
	signals := filepath.Join(scratch, "workflow", "executor", "osspecific", "signal_linux.go")
	if err := os.Symlink("signal_darwin.go", signals); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("completing Argo's source: %w", err)
	}
	ui := filepath.Join(scratch, "ui", "dist", "app")
	if err := os.MkdirAll(ui, 0o755); err != nil {
		return "", fmt.Errorf("completing Argo's source: %w", err)
	}
	if err := os.WriteFile(filepath.Join(ui, "index.html"), nil, 0o644); err != nil {
		return "", fmt.Errorf("completing Argo's source: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(copied), 0o755); err != nil {
		return "", err
	}
	return copied, os.Rename(scratch, copied)
}
