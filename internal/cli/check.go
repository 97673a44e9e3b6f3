package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func (a *app) checkCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "check",
		Short: "Say whether a cluster is ready for Seatrial",
		Long: `Look for what a run needs: Argo Workflows with executor plugins, Kubeflow Trainer, JobSet, Seatrial's plugin, and in
the namespace its token Secrets, templates of this program's version, and the rights of its service accounts. One line for
each, with what to do about it:

  ok       it is there
  missing  a run cannot work
  unknown  it could not be asked, most often for want of a right
  unseen   the cluster does not show it, or a run can do without; a run will show it

The exit code is 0 when nothing is missing or unknown, else 3. Nothing is changed.`,
		Example: `  seatrial check -n seatrial`,
		Args:    cobra.NoArgs,
	}
	flags := clusterFlags(c)
	c.RunE = a.does(func(c *cobra.Command, _ []string) (Code, error) {
		k, namespace, err := a.connect(*flags)
		if err != nil {
			return Unsure, err
		}
		findings, err := inspect(c.Context(), k, namespace, v1alpha1.Frameworks, rights)
		if err != nil {
			return Unsure, err
		}
		code := Passed
		for _, f := range findings {
			if _, err := fmt.Fprintln(a.stdout, f); err != nil {
				return Unsure, fmt.Errorf("writing the result: %w", err)
			}
			if f.state == missing || f.state == unchecked {
				code = Unsure
			}
		}
		return code, nil
	})
	return c
}
