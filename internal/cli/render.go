package cli

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// The parts of what is rendered.
const (
	whatAll      = "all"
	whatWorkflow = "workflow"
	whatObjects  = "objects"
)

// renderOptions are the flags of render beside those that change what is rendered.
type renderOptions struct {
	sources
	what   string
	asJSON bool
}

func (a *app) renderCommand(flags *cluster.Flags) *cobra.Command {
	var (
		f      runFlags
		o      renderOptions
		format string
	)
	c := &cobra.Command{
		Use:   "render FILE",
		Short: "Print what a run would create",
		Long: `Print the Workflow that run would submit and every object that the plugin would create, group by group, with what the
platform adds. Nothing is created, and without --dry-run no cluster is asked. FILE may be - for stdin.

Without nodes the objects are those of one sample group on <node-0> and so on. With --nodes, which takes what
kubectl get nodes -o json prints, or with --dry-run they are those of every group.`,
		Example: `  seatrial workloadrun render my-workload.yaml --platform aws --gpu-arch gb300
  kubectl get nodes -o json | seatrial workloadrun render my-workload.yaml --nodes - --what objects`,
		Args: exactly("FILE"),
	}
	v := c.Flags()
	v.StringVar(&o.what, "what", whatAll, "all, workflow or objects")
	sourceFlags(v, &o.sources, &f)
	v.StringVarP(&format, "output", "o", "yaml", "yaml or json")
	v.StringVar(&f.name, "name", "", "name of the workflow; default: the run's")
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		o.asJSON = format == asJSON
		switch {
		case !slices.Contains([]string{whatAll, whatWorkflow, whatObjects}, o.what):
			return Misused, misusef("--what is %q; all, workflow or objects would do", o.what)
		case format != "yaml" && format != asJSON:
			return Misused, misusef("--output is %q; yaml or json would do", format)
		}
		if err := o.check(args[0]); err != nil {
			return Misused, err
		}
		return a.render(c.Context(), args[0], *flags, f, o)
	})
	return c
}

func (a *app) render(ctx context.Context, file string, flags cluster.Flags, f runFlags, o renderOptions) (Code, error) {
	s, text, code, err := a.open(ctx, file, flags, f)
	if err != nil {
		return code, err
	}
	seen, code, err := a.see(ctx, s, flags, o.sources)
	if err != nil {
		return code, err
	}
	plan, err := planOn(s, seen, o.unseen())
	if err != nil {
		return Misused, err
	}
	for _, w := range plan.Warnings {
		a.note("warning: %s", w)
	}
	for _, line := range planning.ExcludedLines(plan.Excluded) {
		a.note("left out: %s", line)
	}
	if err := refused(&plan, nameOf(file), text); err != nil {
		return Misused, err
	}
	objects, err := rendered(s, plan, o.what)
	if err != nil {
		return Misused, err
	}
	if o.asJSON {
		return Passed, writeJSON(a.stdout, map[string]any{"apiVersion": "v1", "kind": "List", "items": objects}, "  ")
	}
	return Passed, a.writeYAML(objects, sampleNote(plan, o))
}

// rendered are the Workflow and the objects of every group, as launch creates them but for owner references.
func rendered(s *submission, plan record.Plan, what string) ([]map[string]any, error) {
	var all []map[string]any
	if what != whatObjects && s.specText != "" {
		fields, err := s.specFields()
		if err != nil {
			return nil, err
		}
		all = append(all, fields)
	}
	if what != whatObjects {
		all = append(all, s.workflow())
	}
	if what == whatWorkflow {
		return all, nil
	}
	owner := cluster.Owner{Namespace: s.namespace, Name: s.name}
	for _, g := range plan.Groups {
		objects, err := resolve.Objects(plan.Objects(owner, "", g, 1))
		if err != nil {
			return nil, err
		}
		for _, o := range objects {
			all = append(all, o.Object)
		}
	}
	return all, nil
}

// sampleNote says that the nodes are none of the cluster's.
func sampleNote(plan record.Plan, o renderOptions) string {
	if !o.unseen() || o.what == whatWorkflow {
		return ""
	}
	return fmt.Sprintf("# No nodes were given: the objects are those of one sample group of %d nodes. --nodes FILE or --dry-run shows every group.\n", plan.Spec.GroupSize())
}

func (a *app) writeYAML(objects []map[string]any, note string) error {
	var b bytes.Buffer
	b.WriteString(note)
	for _, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			return fmt.Errorf("writing an object: %w", err)
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	if _, err := b.WriteTo(a.stdout); err != nil {
		return fmt.Errorf("writing the objects: %w", err)
	}
	return nil
}
