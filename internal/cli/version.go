package cli

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/internal/version"
)

// versions are the keys of `version -o json`.
type versions struct {
	Version string `json:"version"`
	// Commit is empty for a program that was not built as a release.
	Commit string `json:"commit"`
	Go     string `json:"go"`
	// Argo is the range of Argo Workflows that the templates and the plugin are made for.
	Argo string `json:"argo"`
}

func (a *app) versionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    `Print the version of this program, its commit, its Go, and the range of Argo Workflows that it is made for.`,
		Example: `  seatrial version -o json`,
		Args:    cobra.NoArgs,
	}
	format := outputFlag(c)
	c.RunE = a.does(func(*cobra.Command, []string) (Code, error) {
		v := versions{Version: version.Number, Commit: version.Commit, Go: runtime.Version(), Argo: version.Argo}
		if format.value == asJSON {
			return Passed, writeJSON(a.stdout, v, "")
		}
		return Passed, v.write(a.stdout)
	})
	return c
}

func (v versions) write(w io.Writer) error {
	commit := v.Commit
	if commit == "" {
		commit = "not a release"
	}
	if _, err := fmt.Fprintf(w, "seatrial %s\ncommit   %s\ngo       %s\nargo     %s\n", v.Version, commit, v.Go, v.Argo); err != nil {
		return fmt.Errorf("writing the version: %w", err)
	}
	return nil
}
