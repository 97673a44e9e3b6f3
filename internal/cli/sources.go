package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// sources say where nodes and fragments are read from.
type sources struct {
	nodes     string
	fragments []string
	dryRun    bool
}

// sourceFlags adds the flags of what a run is planned on.
func sourceFlags(v *pflag.FlagSet, from *sources, f *runFlags) {
	v.StringVar(&from.nodes, "nodes", "", "file with the nodes, or -")
	v.StringArrayVar(&from.fragments, "fragments", nil, "folder with the platform fragments, such as templates; may be given several times; default: those of this release")
	v.BoolVar(&from.dryRun, "dry-run", false, "read nodes and fragments from the cluster")
	v.StringVar(&f.platform, "platform", "", "platform of the nodes; default: what they show")
	v.StringVar(&f.gpuArchitecture, "gpu-arch", "", "GPU architecture of the nodes; default: what they show")
}

// check refuses sources that exclude each other. file is the run's.
func (from sources) check(file string) error {
	switch {
	case from.dryRun && from.nodes != "":
		return misusef("--dry-run reads the nodes of the cluster, and --nodes names a file; one of them would do")
	case from.dryRun && len(from.fragments) > 0:
		return misusef("--dry-run reads the fragments of the cluster, and --fragments names a folder; one of them would do")
	case from.nodes == "-" && file == "-":
		return misusef("both FILE and --nodes are stdin; one of them would do")
	}
	return nil
}

// unseen says that no node is known.
func (from sources) unseen() bool { return !from.dryRun && from.nodes == "" }

// see reads nodes and fragments, and settles the run's namespace.
func (a *app) see(ctx context.Context, s *submission, flags cluster.Flags, from sources) (planning.Seen, Code, error) {
	all, err := fragmentsOf(from.fragments...)
	if err != nil {
		return planning.Seen{}, Misused, err
	}
	seen := planning.Seen{Fragments: all}
	switch {
	case from.dryRun:
		k, namespace, err := a.connect(flags)
		if err != nil {
			return seen, Unsure, err
		}
		if s.namespace == "" {
			s.namespace = namespace
		}
		if seen, err = look(ctx, k, s); err != nil {
			return seen, Unsure, err
		}
	case from.nodes != "":
		text, err := a.read(ctx, from.nodes)
		if err != nil {
			return seen, unreadable(err), err
		}
		if seen.Nodes, err = readNodes(nameOf(from.nodes), text); err != nil {
			return seen, Misused, err
		}
	}
	if s.namespace == "" {
		s.namespace = "default"
	}
	return seen, Passed, nil
}

// planOn plans the run as discover and partition do, or without any node.
func planOn(s *submission, seen planning.Seen, unseen bool) (record.Plan, error) {
	w := cluster.Workflow{Owner: cluster.Owner{Namespace: s.namespace, Name: s.name}}
	seen.Spec = s.specFrom()
	if unseen {
		return planning.Offline(s.framework, s.parameters, w, seen), nil
	}
	plan := planning.Of(s.framework, s.parameters, w, seen)
	if plan.Message == "" {
		if err := planning.Cut(&plan); err != nil {
			return plan, err
		}
	}
	return plan, nil
}

// refused says why there is no plan, what is wrong with the file at its line; nil when there is one.
func refused(plan *record.Plan, file string, text []byte) error {
	if len(plan.Problems) == 0 {
		if plan.Message == "" {
			return nil
		}
		return errors.New(plan.Message)
	}
	line := v1alpha1.Lines(text)
	located := slices.Clone(plan.Problems)
	for i, p := range located {
		if p.File == "" && p.Path != "" { // else it is a fragment's, or about the nodes
			located[i].File, located[i].Line = file, line(p.Path)
		}
	}
	return located
}

// fragmentsOf are those of some folders, or those of this release when there is none.
func fragmentsOf(folders ...string) ([]v1alpha1.NamedFragment, error) {
	if len(folders) == 0 {
		return fragments.All()
	}
	var all []v1alpha1.NamedFragment
	for _, folder := range folders {
		these, err := fragments.Read(os.DirFS(folder))
		if err != nil {
			return nil, err
		}
		if len(these) == 0 {
			return nil, fmt.Errorf("reading fragments: the folder %s holds none", folder)
		}
		all = append(all, these...)
	}
	return all, v1alpha1.DistinctFragments(all)
}

// look reads what discover reads.
func look(ctx context.Context, k *cluster.Cluster, s *submission) (planning.Seen, error) {
	nodes, err := k.Nodes(ctx, resolve.LabelGPUPresent+"=true")
	if err != nil {
		return planning.Seen{}, err
	}
	names, texts, err := k.FragmentTexts(ctx, s.namespace)
	if err != nil {
		return planning.Seen{}, err
	}
	seen := planning.Seen{Nodes: nodes}
	if slices, err := k.ResourceSlices(ctx); err == nil { // a cluster without DRA has none
		seen.Products = resolve.Products(slices)
	}
	seen.Fragments, seen.Unread = planning.LoadFragments(names, texts)
	seen.Busy, seen.BusyUnknown, err = k.Busy(ctx, cluster.Owner{Namespace: s.namespace, Name: s.name})
	return seen, err
}
