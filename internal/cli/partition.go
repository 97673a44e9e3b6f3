package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/plugin/report"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

func (a *app) partitionCommand() *cobra.Command {
	var (
		file string
		o    planning.Layout
	)
	c := &cobra.Command{
		Use:   "partition --nodes FILE --size N",
		Short: "Show how nodes would be cut into groups",
		Long: `Cut the nodes with GPUs of a file into groups, as a run with numNodes N would. FILE is what
kubectl get nodes -o json prints; - is stdin. Leftover nodes make one more group, which borrows nodes of the last full one.
Nodes that a run would leave out (cordoned, not ready, tainted, of another GPU architecture, with fewer GPUs) are excluded, with the reason.

With topology keys, outermost first, groups stay inside the innermost domains where they can, and no group spans more domains
of a level than its size needs. Nodes that no such group holds are untested. --topology-key auto takes the labels that are known
(Topograph, gpu.clique, GKE, EKS, AKS, CoreWeave) and that more than half of the nodes carry, and warns of nodes that lack one.`,
		Example: `  kubectl get nodes -o json | seatrial partition --nodes - --size 4
  seatrial partition --nodes nodes.json --size 18 --topology-key fabric.topograph.run/tier-1 --topology-key nvidia.com/gpu.clique`,
		Args: cobra.NoArgs,
	}
	format := outputFlag(c)
	c.Flags().StringVar(&file, "nodes", "", "file with the nodes")
	c.Flags().IntVar(&o.Size, "size", 0, "nodes of one group")
	c.Flags().StringSliceVar(&o.Keys, "topology-key", nil, "label of the nodes' domains, outermost first; may be given several times, or auto")
	c.Flags().BoolVar(&o.Strict, "strict-domain", false, "one group of each innermost domain, whatever its size; --size is not needed then")
	c.Flags().IntVar(&o.GPUs, "gpus-per-node", 0, "GPUs of a node that the job takes; nodes with fewer are left out; default: what the nodes advertise")
	c.Flags().StringVar(&o.Platform, "platform", "", "platform of the nodes; default: what they show")
	c.Flags().StringVar(&o.Architecture, "gpu-arch", "", "GPU architecture of the nodes; default: what they show")
	c.RunE = a.does(func(c *cobra.Command, _ []string) (Code, error) {
		switch {
		case file == "":
			return Misused, misusef("--nodes FILE is missing")
		case o.Strict && o.Keys == nil:
			return Misused, misusef("--strict-domain needs --topology-key, which says what a domain is")
		case o.Size < 1 && !o.Strict:
			return Misused, misusef("--size is %d; the nodes of one group, at least 1, would do", o.Size)
		}
		text, err := a.read(c.Context(), file)
		if err != nil {
			return unreadable(err), err
		}
		nodes, err := readNodes(nameOf(file), text)
		if err != nil {
			return Misused, err
		}
		cut, warnings, err := cutNodes(nodes, o)
		for _, w := range warnings {
			a.note("warning: %s", w)
		}
		if err != nil {
			return Misused, err
		}
		if format.value == asJSON {
			return Passed, writeJSON(a.stdout, cut, "")
		}
		return Passed, cut.write(a.stdout)
	})
	return c
}

// cut is the answer; its fields are the keys of `partition -o json`.
type cut struct {
	Groups []cutGroup `json:"groups"`
	// Untested nodes could be tested and are in no group.
	Untested []v1alpha1.NodeReason `json:"untested"`
	Excluded []v1alpha1.NodeReason `json:"excluded"`
}

type cutGroup struct {
	Name     string   `json:"name"`
	Nodes    []string `json:"nodes"`
	Domains  []string `json:"domains"`
	Overflow bool     `json:"overflow"`
	// Borrowed are the nodes of an overflow group that belong to another group too.
	Borrowed []string `json:"borrowed,omitempty"`
}

// readNodes reads a list of nodes as kubectl prints it, JSON or YAML.
func readNodes(file string, text []byte) ([]corev1.Node, error) {
	var list struct {
		Kind  string        `json:"kind"`
		Items []corev1.Node `json:"items"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) { // a thousand nodes are 15 MB of JSON, for which a YAML parser takes long
		var err error
		if text, err = yaml.YAMLToJSON(text); err != nil {
			return nil, notNodes(file, strings.TrimPrefix(err.Error(), "yaml: "))
		}
	}
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, &list); {
	case errors.As(err, &syntax):
		return nil, notNodes(file, fmt.Sprintf("line %d: %v", 1+bytes.Count(text[:syntax.Offset], []byte("\n")), syntax))
	case errors.As(err, &mistyped) && mistyped.Field != "":
		return nil, notNodes(file, fmt.Sprintf("%s is a %s", strings.ReplaceAll(mistyped.Field, "TypeMeta.", ""), mistyped.Value))
	case errors.As(err, &mistyped):
		return nil, notNodes(file, "it is a "+mistyped.Value)
	case err != nil:
		return nil, notNodes(file, err.Error())
	}
	if list.Kind != "List" && list.Kind != "NodeList" {
		return nil, fmt.Errorf("%s: kind: is %q; the List that `kubectl get nodes -o json` prints would do", file, list.Kind)
	}
	for i, n := range list.Items {
		if n.Kind != "" && n.Kind != "Node" {
			return nil, fmt.Errorf("%s: items[%d].kind: is %q; Node would do", file, i, n.Kind)
		}
	}
	return list.Items, nil
}

func notNodes(file, why string) error {
	return fmt.Errorf("%s: is not the List that `kubectl get nodes -o json` prints: %s", file, why)
}

// cutNodes cuts the nodes as a run does, with the platform fragments of this release.
func cutNodes(nodes []corev1.Node, l planning.Layout) (cut, []string, error) {
	all := cut{Groups: []cutGroup{}, Untested: []v1alpha1.NodeReason{}, Excluded: []v1alpha1.NodeReason{}}
	known, err := fragmentsOf()
	if err != nil {
		return all, nil, err
	}
	plan := planning.Preview(l, planning.Seen{Nodes: nodes, Fragments: known})
	if plan.Message != "" {
		return all, plan.Warnings, fmt.Errorf("cutting the %d nodes: %s", len(nodes), plan.Message)
	}
	for _, g := range plan.Groups {
		all.Groups = append(all.Groups, cutGroup{Name: g.Name, Nodes: g.Nodes, Domains: append([]string{}, g.Domains...), Overflow: g.Overflow, Borrowed: g.Borrowed})
	}
	all.Untested = append(all.Untested, plan.Untested...)
	all.Excluded = append(all.Excluded, plan.Excluded...)
	return all, plan.Warnings, nil
}

func (all cut) write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, g := range all.Groups {
		_, _ = fmt.Fprintf(t, "%s\t%s", g.Name, plain.Line(report.NodeList(g.Nodes))) // Flush returns what goes wrong
		if len(g.Domains) > 0 {
			_, _ = fmt.Fprintf(t, "\t%s", plain.Line(strings.Join(g.Domains, ", ")))
		}
		if g.Overflow {
			_, _ = fmt.Fprintf(t, "\tborrows %s", plain.Line(report.NodeList(g.Borrowed)))
		}
		_, _ = fmt.Fprintln(t)
	}
	for _, n := range all.Untested {
		_, _ = fmt.Fprintf(t, "untested\t%s\t%s\n", plain.Line(n.Name), plain.Line(n.Reason))
	}
	for _, n := range all.Excluded {
		_, _ = fmt.Fprintf(t, "excluded\t%s\t%s\n", plain.Line(n.Name), plain.Line(n.Reason))
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("writing the groups: %w", err)
	}
	return nil
}
