package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// clusterFlags adds kubectl's flags for choosing a cluster to a command and all below it.
func clusterFlags(c *cobra.Command) *cluster.Flags {
	f := &cluster.Flags{}
	flags := c.PersistentFlags()
	flags.VarP((*namespaceName)(&f.Namespace), "namespace", "n", "namespace of the run; default: the kubeconfig's")
	flags.StringVar(&f.Kubeconfig, "kubeconfig", "", "path of the kubeconfig; default: as kubectl finds it")
	flags.StringVar(&f.Context, "context", "", "context of the kubeconfig; default: its current one")
	return f
}

// namespaceName is the value of -n; "" is none.
type namespaceName string

// String returns the name.
func (n *namespaceName) String() string { return string(*n) }

// Type is what the help calls the value.
func (n *namespaceName) Type() string { return "string" }

// Set takes a name that a namespace may have.
func (n *namespaceName) Set(name string) error {
	if name != "" && len(validation.IsDNS1123Label(name)) > 0 {
		return errors.New("is not a namespace; lower-case letters, digits and dashes, at most 63, would do")
	}
	*n = namespaceName(name)
	return nil
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
