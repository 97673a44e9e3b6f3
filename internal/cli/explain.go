package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/explain"
	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/internal/record"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

func (a *app) explainCommand() *cobra.Command {
	var (
		f    runFlags
		from sources
	)
	c := &cobra.Command{
		Use:   "explain FILE PATH",
		Short: "Say which layer set a field of what a run creates",
		Long: `Say who set a field of an object that a run would create: the framework, a platform fragment (file and line), an override
or the run itself (line). FILE is a WorkloadRun, or - for stdin; PATH leads through the objects that
workloadrun render --what objects shows, as kubectl writes paths. It begins with the kind, or KIND/NAME where there are several.
An element of a list is an index, [4], or its name, [node]; a key with dots is quoted, ["run.sh"].

What is said is found by trial: each value of the run and its fragments is changed, the objects are made anew, and those
values are named whose change reaches the field. The field is the framework's when there is none.`,
		Example: `  seatrial explain my-workload.yaml 'TrainJob.spec.trainer.args[9]' --platform oci
  seatrial explain my-workload.yaml 'TrainingRuntime.spec.template.spec.replicatedJobs[node].template.spec.template.spec.tolerations'`,
		Args: exactly("FILE", "PATH"),
	}
	flags := clusterFlags(c)
	sourceFlags(c.Flags(), &from, &f)
	format := outputFlag(c)
	c.RunE = a.does(func(c *cobra.Command, args []string) (Code, error) {
		if err := from.check(args[0]); err != nil {
			return Misused, err
		}
		return a.explain(c.Context(), args[0], args[1], *flags, f, from, format.String())
	})
	return c
}

func (a *app) explain(ctx context.Context, file, path string, flags cluster.Flags, f runFlags, from sources, format string) (Code, error) {
	// 1. The run, and what it is planned on.
	s, text, code, err := a.open(ctx, file, flags, f)
	if err != nil {
		return code, err
	}
	seen, code, err := a.see(ctx, s, flags, from)
	if err != nil {
		return code, err
	}
	plan, err := planOn(s, seen, from.unseen())
	if err != nil {
		return Misused, err
	}
	if err := refused(&plan, nameOf(file), text); err != nil {
		return Misused, err
	}
	// 2. What it comes to with something changed.
	answer, err := explain.Explain(explain.Run{
		File: nameOf(file), Line: v1alpha1.Lines(text), Run: s.run, Fragments: plan.Fragments,
		NamespaceFrom: namespaceFrom(flags, from),
		GPUs:          plan.Facts.GPUs, GPUsFrom: plan.Facts.GPUsFrom,
		Build: func(text []byte, changed map[string]v1alpha1.Fragment) ([]*unstructured.Unstructured, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			other, err := prepare(nameOf(file), text, flags.Namespace, f)
			if err != nil {
				return nil, err
			}
			if flags.Namespace != "" || other.namespace == "" {
				other.namespace = s.namespace
			}
			return firstGroup(other, with(seen, changed), from.unseen())
		},
	}, path)
	if ctx.Err() != nil {
		return Unsure, stopped{ctx.Err()}
	}
	if err != nil {
		return Misused, err
	}
	// 3. The answer.
	if format == asJSON {
		return Passed, writeJSON(a.stdout, answer, "  ")
	}
	return Passed, a.writeAnswer(answer)
}

// namespaceFrom says who chooses the namespace of a run whose file has none.
func namespaceFrom(flags cluster.Flags, from sources) string {
	switch {
	case flags.Namespace != "":
		return "-n"
	case from.dryRun:
		return "the kubeconfig's namespace"
	}
	return "the namespace where nothing names another"
}

// with puts changed fragments in the place of those of their names.
func with(seen planning.Seen, changed map[string]v1alpha1.Fragment) planning.Seen {
	seen.Fragments = slices.Clone(seen.Fragments)
	for i := range seen.Fragments {
		if f, is := changed[seen.Fragments[i].Name]; is {
			seen.Fragments[i].Fragment = f
		}
	}
	return seen
}

// firstGroup makes the objects of the run's first group.
func firstGroup(s *submission, seen planning.Seen, unseen bool) ([]*unstructured.Unstructured, error) {
	plan, err := planOn(s, seen, unseen)
	switch {
	case err != nil:
		return nil, err
	case plan.Message != "":
		return nil, errors.New(plan.Message)
	}
	return objectsOf(s, &plan)
}

func objectsOf(s *submission, plan *record.Plan) ([]*unstructured.Unstructured, error) {
	return resolve.Objects(plan.Objects(cluster.Owner{Namespace: s.namespace, Name: s.name}, "", plan.Groups[0], 1))
}

func (a *app) writeAnswer(answer explain.Answer) error {
	value, err := valueText(answer.Value)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.stdout, 0, 0, 2, ' ', 0)
	var b strings.Builder
	fmt.Fprintf(&b, "%s is %s\n", answer.Path, value)
	for _, s := range answer.SetBy {
		layer, at := s.Layer, s.File
		if s.Name != "" {
			layer += " " + s.Name
		}
		if s.Line > 0 {
			at += ":" + strconv.Itoa(s.Line)
		}
		line := layer
		switch {
		case at != "":
			line += "\t" + at + "\t" + s.Field
		case s.Field != "":
			line += "\t" + s.Field
		}
		b.WriteString(line + "\n")
	}
	if _, err := w.Write([]byte(b.String())); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// valueText is a single value as JSON has it, and the size of any other.
func valueText(value any) (string, error) {
	switch v := value.(type) {
	case map[string]any:
		return fmt.Sprintf("a mapping of %d fields", len(v)), nil
	case []any:
		return fmt.Sprintf("a list of %d", len(v)), nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("writing the value: %w", err)
	}
	return string(text), nil
}
