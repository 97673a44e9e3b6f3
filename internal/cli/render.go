package cli

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
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
	nodes, fragments string
	dryRun           bool
	what             string
	asJSON           bool
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
	v.StringVar(&o.nodes, "nodes", "", "file with the nodes, or -")
	v.StringVar(&o.fragments, "fragments", "", "folder with the platform fragments, such as templates; default: those of this release")
	v.BoolVar(&o.dryRun, "dry-run", false, "read nodes and fragments from the cluster")
	v.StringVarP(&format, "output", "o", "yaml", "yaml or json")
	v.StringVar(&f.platform, "platform", "", "platform of the nodes; default: what they show")
	v.StringVar(&f.gpuArchitecture, "gpu-arch", "", "GPU architecture of the nodes; default: what they show")
	v.StringVar(&f.name, "name", "", "name of the workflow; default: the run's")
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		o.asJSON = format == asJSON
		switch {
		case !slices.Contains([]string{whatAll, whatWorkflow, whatObjects}, o.what):
			return Misused, misusef("--what is %q; all, workflow or objects would do", o.what)
		case format != "yaml" && format != asJSON:
			return Misused, misusef("--output is %q; yaml or json would do", format)
		case o.dryRun && o.nodes != "":
			return Misused, misusef("--dry-run reads the nodes of the cluster, and --nodes names a file; one of them would do")
		case o.dryRun && o.fragments != "":
			return Misused, misusef("--dry-run reads the fragments of the cluster, and --fragments names a folder; one of them would do")
		case o.nodes == "-" && args[0] == "-":
			return Misused, misusef("both FILE and --nodes are stdin; one of them would do")
		}
		return a.render(c.Context(), args[0], *flags, f, o)
	})
	return c
}

func (a *app) render(ctx context.Context, file string, flags cluster.Flags, f runFlags, o renderOptions) (Code, error) {
	text, err := a.read(ctx, file)
	if err != nil {
		return unreadable(err), err
	}
	s, err := prepare(nameOf(file), text, f)
	if err != nil {
		return Misused, err
	}
	if flags.Namespace != "" {
		s.namespace = flags.Namespace
	}
	plan, code, err := a.planOf(ctx, s, flags, o)
	if err != nil {
		return code, err
	}
	for _, w := range plan.Warnings {
		a.note("warning: %s", w)
	}
	if plan.Message != "" {
		return Misused, fmt.Errorf("%s", plan.Message)
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

// fragmentsOf are those of a folder, or those of this release for "".
func fragmentsOf(folder string) ([]v1alpha1.NamedFragment, error) {
	if folder == "" {
		return fragments.All()
	}
	all, err := fragments.Read(os.DirFS(folder))
	if err == nil && len(all) == 0 {
		return nil, fmt.Errorf("reading fragments: the folder %s holds none", folder)
	}
	return all, err
}

// planOf plans the run on the nodes that the flags name, as discover and partition do.
func (a *app) planOf(ctx context.Context, s *submission, flags cluster.Flags, o renderOptions) (record.Plan, Code, error) {
	all, err := fragmentsOf(o.fragments)
	if err != nil {
		return record.Plan{}, Misused, err
	}
	seen := planning.Seen{Fragments: all}
	switch {
	case o.dryRun:
		k, namespace, err := a.connect(flags)
		if err != nil {
			return record.Plan{}, Unsure, err
		}
		if s.namespace == "" {
			s.namespace = namespace
		}
		if seen, err = look(ctx, k, s.namespace); err != nil {
			return record.Plan{}, Unsure, err
		}
	case o.nodes != "":
		text, err := a.read(ctx, o.nodes)
		if err != nil {
			return record.Plan{}, unreadable(err), err
		}
		if seen.Nodes, err = readNodes(nameOf(o.nodes), text); err != nil {
			return record.Plan{}, Misused, err
		}
	}
	if s.namespace == "" {
		s.namespace = "default"
	}
	w := cluster.Workflow{Owner: cluster.Owner{Namespace: s.namespace, Name: s.name}}
	if !o.dryRun && o.nodes == "" {
		return planning.Offline(s.framework, s.parameters, w, all), Passed, nil
	}
	plan := planning.Of(s.framework, s.parameters, w, seen)
	if plan.Message == "" {
		if err := planning.Cut(&plan); err != nil {
			return plan, Misused, err
		}
	}
	return plan, Passed, nil
}

// look reads what discover reads.
func look(ctx context.Context, k *cluster.Cluster, namespace string) (planning.Seen, error) {
	nodes, err := k.Nodes(ctx, resolve.LabelGPUPresent+"=true")
	if err != nil {
		return planning.Seen{}, err
	}
	names, texts, err := k.FragmentTexts(ctx, namespace)
	if err != nil {
		return planning.Seen{}, err
	}
	seen := planning.Seen{Nodes: nodes}
	if slices, err := k.ResourceSlices(ctx); err == nil { // a cluster without DRA has none
		seen.Products = resolve.Products(slices)
	}
	seen.Fragments, seen.Unread = planning.LoadFragments(names, texts)
	return seen, nil
}

// rendered are the Workflow and the objects of every group, as launch creates them but for owner references.
func rendered(s *submission, plan record.Plan, what string) ([]map[string]any, error) {
	var all []map[string]any
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
	if o.dryRun || o.nodes != "" || o.what == whatWorkflow {
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
