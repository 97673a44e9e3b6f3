package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// clusterFlags adds kubectl's flags for choosing a cluster to a command and all below it.
func clusterFlags(c *cobra.Command) *cluster.Flags {
	f := &cluster.Flags{}
	flags := c.PersistentFlags()
	flags.StringVarP(&f.Namespace, "namespace", "n", "", "namespace of the run; default: the kubeconfig's")
	flags.StringVar(&f.Kubeconfig, "kubeconfig", "", "path of the kubeconfig; default: as kubectl finds it")
	flags.StringVar(&f.Context, "context", "", "context of the kubeconfig; default: its current one")
	return f
}

// nameOf is what messages call a file.
func nameOf(file string) string {
	if file == "-" {
		return "stdin"
	}
	return file
}

// writeJSON writes a value as JSON with a line end; indent is "" for one line.
func writeJSON(w io.Writer, value any, indent string) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	if err := e.Encode(value); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
