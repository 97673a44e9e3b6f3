package cli

import (
	"context"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

func (a *app) cancelCommand(flags *cluster.Flags) *cobra.Command {
	var remove bool
	c := &cobra.Command{
		Use:   "cancel NAME…",
		Short: "Stop runs",
		Long: `Stop runs. Their exit handlers delete the pods that are left and complete the reports.
With --delete the workflow itself is deleted, and with it all that it made, the report too.
A run that is not there is a note and not an error.`,
		Example: `  seatrial workloadrun cancel my-workload
  seatrial workloadrun cancel --delete my-workload my-other-workload`,
		Args: some("NAME"),
	}
	c.ValidArgsFunction = a.completesRuns(flags, true)
	c.Flags().BoolVar(&remove, "delete", false, "delete the workflow with its report")
	c.RunE = a.does(func(c *cobra.Command, names []string) (Code, error) {
		k, namespace, err := a.connect(*flags)
		if err != nil {
			return Unsure, err
		}
		end := a.stop
		if remove {
			end = a.remove
		}
		code := Passed
		for _, name := range names {
			err := end(c.Context(), k, namespace, name)
			switch {
			case apierrors.IsNotFound(err):
				a.note("no run %s in namespace %s", name, namespace)
			case err != nil:
				a.note("seatrial: %v", err)
				code = Unsure
			}
		}
		return code, nil
	})
	return c
}

func (a *app) stop(ctx context.Context, k *cluster.Cluster, namespace, name string) error {
	w, err := k.Workflow(ctx, namespace, name)
	if err != nil {
		return err
	}
	if !w.FinishedAt.IsZero() {
		a.note("workflow %s/%s is over already (%s)", namespace, name, w.Phase)
		return nil
	}
	if err := k.ShutdownWorkflow(ctx, namespace, name); err != nil {
		return err
	}
	a.note("workflow %s/%s is stopping; its exit handler deletes the pods that are left", namespace, name)
	return nil
}

func (a *app) remove(ctx context.Context, k *cluster.Cluster, namespace, name string) error {
	if err := k.DeleteWorkflow(ctx, namespace, name); err != nil {
		return err
	}
	a.note("workflow %s/%s deleted, with all that it made", namespace, name)
	return nil
}
