package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/version"
)

func (a *app) generateCommand() *cobra.Command {
	var (
		dir, plugin, image string
		check              bool
	)
	c := &cobra.Command{
		Use:   "generate -o DIR",
		Short: "Write the WorkflowTemplates",
		Long: `Write the WorkflowTemplates, one for each framework, and a kustomization.yaml that lists them. Only files that differ
are written, and generated files that are no longer wanted are deleted; files of your own in DIR are left alone.
With --plugin the executor plugin's ConfigMap is written too, with the same image.

With --check nothing is written: differences are listed, and the exit code is 1 when there are any.`,
		Example: `  seatrial generate -o templates
  seatrial generate -o templates --plugin manifests/cluster/executor-plugin.yaml --image my-registry/seatrial:0.1.0`,
		Args: cobra.NoArgs,
	}
	v := c.Flags()
	v.StringVarP(&dir, "output", "o", "", "folder of the templates")
	v.StringVar(&plugin, "plugin", "", "file of the executor plugin's ConfigMap; default: it is not written")
	v.StringVar(&image, "image", "", "image with the plugin; default: "+generator.Repository+":"+version.Number)
	v.BoolVar(&check, "check", false, "list the differences and write nothing")
	c.RunE = a.does(func(*cobra.Command, []string) (Code, error) {
		if dir == "" {
			return Misused, misusef("-o DIR is missing")
		}
		options := generator.Options{Image: image, Version: version.Number}
		wanted, err := generated(dir, plugin, options)
		if err != nil {
			return Misused, err
		}
		if check {
			return a.checkGenerated(dir, plugin, wanted, options)
		}
		return a.writeGenerated(dir, wanted)
	})
	return c
}

// generated returns every file by its path.
func generated(dir, plugin string, o generator.Options) (map[string][]byte, error) {
	files, err := generator.Files(o)
	if err != nil {
		return nil, err
	}
	wanted := map[string][]byte{}
	for name, text := range files {
		wanted[filepath.Join(dir, name)] = text
	}
	if plugin != "" {
		if wanted[plugin], err = generator.PluginFile(o); err != nil {
			return nil, err
		}
	}
	return wanted, nil
}

func (a *app) checkGenerated(dir, plugin string, wanted map[string][]byte, o generator.Options) (Code, error) {
	folder, err := folderOf(dir)
	if err != nil {
		return Misused, err
	}
	differences, err := generator.Check(folder, o)
	if err != nil {
		return Misused, err
	}
	if plugin != "" {
		have, err := os.ReadFile(plugin)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			differences = append(differences, plugin+": is missing")
		case err != nil:
			return Misused, err
		case !bytes.Equal(have, wanted[plugin]):
			differences = append(differences, plugin+": differs from what `seatrial generate` writes")
		}
	}
	for _, d := range differences {
		if _, err := fmt.Fprintln(a.stdout, d); err != nil {
			return Unsure, fmt.Errorf("writing the differences: %w", err)
		}
	}
	if len(differences) > 0 {
		return Failed, nil
	}
	return Passed, nil
}

func (a *app) writeGenerated(dir string, wanted map[string][]byte) (Code, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Misused, fmt.Errorf("making the folder: %w", err)
	}
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, wanted[path]) {
			continue
		}
		if err := os.WriteFile(path, wanted[path], 0o644); err != nil {
			return Misused, fmt.Errorf("writing a generated file: %w", err)
		}
		a.note("wrote %s", path)
	}
	folder, err := folderOf(dir)
	if err != nil {
		return Misused, err
	}
	for _, name := range slices.Sorted(maps.Keys(folder)) {
		path := filepath.Join(dir, name)
		if _, is := wanted[path]; is || !bytes.HasPrefix(folder[name], []byte(generator.Header)) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return Misused, fmt.Errorf("deleting what is no longer generated: %w", err)
		}
		a.note("deleted %s", path)
	}
	return Passed, nil
}

// folderOf reads the YAML files of a folder, by name. A folder that is not there holds none.
func folderOf(dir string) (map[string][]byte, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the folder: %w", err)
	}
	folder := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() || filepath.Ext(e.Name()) != ".yaml" {
			continue
		}
		if folder[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			return nil, fmt.Errorf("reading the folder: %w", err)
		}
	}
	return folder, nil
}
