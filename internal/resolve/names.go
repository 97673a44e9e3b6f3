package resolve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// maxBase is the length that a group's base name may have: JobSet makes pods `<base>-launcher-0-0-abcde` of it,
// 19 characters more, and a pod's name is also its hostname, at most 63.
const maxBase = 44

// maxLabel is the length that a label's value may have.
const maxLabel = 63

// Labels that every object of a run carries.
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	LabelWorkflow  = "seatrial.dev/workflow"
	LabelScope     = "seatrial.dev/scope"
	LabelRun       = "seatrial.dev/run"
	LabelGroup     = "seatrial.dev/group"
	// LabelAttempt is on the objects of every attempt but the first, as the attempt is in their names.
	LabelAttempt = "seatrial.dev/attempt"
	ManagedBy    = "seatrial"
)

// Names identifies one attempt of one group of one run.
type Names struct {
	Workflow string
	// Scope is six hex digits for a run inside a larger workflow, "" for the only run of one.
	Scope string
	// Run is the name that overrides refer to.
	Run   string
	Group string
	// Attempt counts from 1; the first one leaves no trace in the name.
	Attempt int
}

// Base is the name of the group's TrainJob and the beginning of all its other names. It is at most 44 characters,
// begins with a letter and holds only lower-case letters, digits and dashes; a hash stands for what does not fit.
func (n Names) Base() string {
	head, tail := n.Workflow, n.Group
	if n.Scope != "" {
		head += "-" + n.Scope
	}
	if n.Attempt > 1 {
		tail += fmt.Sprintf("-a%d", n.Attempt)
	}
	tail = fit(tail, maxBase/2)
	return fit(head, maxBase-1-len(tail)) + "-" + tail
}

// Runtime is the name of the job's TrainingRuntime.
func (n Names) Runtime() string { return n.Base() + suffixRuntime }

// maxHostname is the length that a pod's name may have, which is its hostname too.
const maxHostname = 63

// nameable checks the longest name of a pod that JobSet will make: a longer one is refused only when the pod is to be made, and
// the job would wait for it until its timeout.
func nameable(objects []*unstructured.Unstructured) error {
	base := objects[len(objects)-1].GetName()
	for _, o := range objects {
		jobs, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "replicatedJobs")
		if err != nil {
			return fmt.Errorf("reading the replicated jobs: %w", err)
		}
		for _, job := range jobs {
			if longest := base + "-" + nameOf(job) + "-0-0-abcde"; len(longest) > maxHostname {
				return fmt.Errorf("replicatedJob %q: its pods would be called %s, and %d characters would do; a shorter name would do", nameOf(job), longest, maxHostname)
			}
		}
	}
	return nil
}

// Labels returns the labels of the group's objects, each value at most 63 characters.
func (n Names) Labels() map[string]string {
	run := n.Run
	if len(run) > maxLabel {
		run = fit(run, maxLabel)
	}
	labels := map[string]string{
		LabelManagedBy: ManagedBy,
		LabelWorkflow:  n.Workflow,
		LabelScope:     n.Scope,
		LabelRun:       run,
		LabelGroup:     n.Group,
	}
	if n.Attempt > 1 {
		labels[LabelAttempt] = strconv.Itoa(n.Attempt)
	}
	return labels
}

// stamp sets the run's labels on an object and, when it makes pods, on all that it makes: clean-up finds them by these.
func stamp(o *unstructured.Unstructured, labels map[string]string) error {
	if err := addLabels(o.Object, labels, "metadata", "labels"); err != nil {
		return err
	}
	path := []string{"spec", "template", "spec", "replicatedJobs"}
	jobs, makes, err := unstructured.NestedSlice(o.Object, path...)
	if err != nil || !makes {
		return err
	}
	for i, j := range jobs {
		job, isMap := j.(map[string]any)
		if !isMap {
			return fmt.Errorf("setting labels: %s[%d] is not a mapping of fields", strings.Join(path, "."), i)
		}
		for _, at := range [][]string{{"template", "metadata", "labels"}, {"template", "spec", "template", "metadata", "labels"}} {
			if err := addLabels(job, labels, at...); err != nil {
				return err
			}
		}
	}
	return unstructured.SetNestedSlice(o.Object, jobs, path...)
}

func addLabels(fields map[string]any, labels map[string]string, path ...string) error {
	all, _, err := unstructured.NestedStringMap(fields, path...)
	if err != nil {
		return fmt.Errorf("setting labels: %w", err)
	}
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, labels)
	return unstructured.SetNestedStringMap(fields, all, path...)
}

// fit returns text when it is a DNS label of at most most characters that begins with a letter. Otherwise it returns what can
// be kept of it and six digits of its hash, so that a.b and a-b do not meet.
func fit(text string, most int) string {
	kept := label(text)
	if kept == text && len(text) <= most {
		return text
	}
	kept = kept[:min(len(kept), most-7)]
	return strings.TrimRight(kept, "-") + "-" + Hash(text)
}

// label makes text fit for a DNS label that begins with a letter.
func label(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		}
		return '-'
	}, text)
	text = strings.Trim(text, "-")
	if text == "" || text[0] < 'a' {
		text = "r" + text
	}
	return text
}

// Hash returns the first six hex digits of the text's SHA-256.
func Hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:6]
}

// OfRun is the selector of all that a run has made, which is a scope of a workflow.
func OfRun(workflow, scope string) string {
	return fmt.Sprintf("%s=%s,%s=%s", LabelWorkflow, workflow, LabelScope, scope)
}
