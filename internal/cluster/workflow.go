package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var workflows = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "workflows"}

// Workflow is what Seatrial needs to know of an Argo Workflow.
type Workflow struct {
	Owner
	Phase   string
	Message string
	// FirstFailure is the message of the first node of a plugin that failed. It is empty when none did, or when Argo
	// keeps the nodes elsewhere (compressed, or offloaded to a database).
	FirstFailure string
	// AgentFailure is Argo's message of an agent pod that failed for a reason, such as an eviction; empty when none did, or where
	// Argo keeps the nodes elsewhere. Every plugin step has failed by it since.
	AgentFailure string
	// Shutdown is Stop or Terminate once somebody asked for it.
	Shutdown string
	// StartedAt changes with `argo retry`; it is zero before the controller has seen the workflow.
	StartedAt  time.Time
	FinishedAt time.Time
	Labels     map[string]string
}

// Owner identifies the Workflow that owns a run's objects.
type Owner struct {
	Namespace string
	Name      string
	UID       string
}

// Epoch identifies one execution of the workflow: `argo retry` begins another one.
func (w Workflow) Epoch() string { return w.StartedAt.UTC().Format(time.RFC3339) }

// Ending says whether nothing new may be started: somebody stopped the workflow, or it is over.
func (w Workflow) Ending() bool { return w.Shutdown != "" || !w.FinishedAt.IsZero() }

// WhyEnding says why a workflow ends before its time. An agent pod that failed, by an eviction say, fails every later step: Argo
// makes another one only for another execution.
func (w Workflow) WhyEnding() string {
	switch {
	case w.Shutdown != "":
		return w.Shutdown + " was asked for"
	case w.AgentFailure != "":
		return fmt.Sprintf("the workflow ended: %s; `argo retry %s` runs it again", w.AgentFailure, w.Name)
	case w.FirstFailure != "":
		return "the workflow ended; the first of its steps to fail: " + w.FirstFailure
	}
	return "the workflow ended"
}

// Workflow reads a Workflow. A NotFound error passes apierrors.IsNotFound.
func (c *Cluster) Workflow(ctx context.Context, namespace, name string) (Workflow, error) {
	u, err := c.dynamic.Resource(workflows).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return Workflow{}, fmt.Errorf("reading workflow %s/%s: %w", namespace, name, err)
	}
	return workflowOf(u), nil
}

// Workflows lists the Workflows of a namespace that carry a label, as key=value.
func (c *Cluster) Workflows(ctx context.Context, namespace, selector string) ([]Workflow, error) {
	list, err := c.dynamic.Resource(workflows).Namespace(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("listing workflows in %s: %w", namespace, err)
	}
	all := make([]Workflow, 0, len(list.Items))
	for i := range list.Items {
		all = append(all, workflowOf(&list.Items[i]))
	}
	return all, nil
}

// CreateWorkflow creates a Workflow from its fields.
func (c *Cluster) CreateWorkflow(ctx context.Context, namespace string, fields map[string]any) (Workflow, error) {
	u, err := c.dynamic.Resource(workflows).Namespace(namespace).Create(ctx, &unstructured.Unstructured{Object: fields}, metav1.CreateOptions{})
	if err != nil {
		return Workflow{}, fmt.Errorf("creating the workflow: %w", err)
	}
	return workflowOf(u), nil
}

// DeleteWorkflow deletes a Workflow and, by owner references, all that it owns.
func (c *Cluster) DeleteWorkflow(ctx context.Context, namespace, name string) error {
	background := metav1.DeletePropagationBackground
	err := c.dynamic.Resource(workflows).Namespace(namespace).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	if err != nil {
		return fmt.Errorf("deleting workflow %s/%s: %w", namespace, name, err)
	}
	return nil
}

// ShutdownWorkflow asks Argo to stop a Workflow; its exit handler still runs.
func (c *Cluster) ShutdownWorkflow(ctx context.Context, namespace, name string) error {
	_, err := c.dynamic.Resource(workflows).Namespace(namespace).Patch(ctx, name, mergePatch, []byte(`{"spec":{"shutdown":"Stop"}}`), metav1.PatchOptions{})
	if err != nil {
		return fmt.Errorf("stopping workflow %s/%s: %w", namespace, name, err)
	}
	return nil
}

func workflowOf(u *unstructured.Unstructured) Workflow {
	w := Workflow{Owner: Owner{Namespace: u.GetNamespace(), Name: u.GetName(), UID: string(u.GetUID())}, Labels: u.GetLabels()}
	w.Phase, _, _ = unstructured.NestedString(u.Object, "status", "phase")
	w.Message, _, _ = unstructured.NestedString(u.Object, "status", "message")
	w.FirstFailure = firstFailure(u, func(string) bool { return true })
	w.AgentFailure = firstFailure(u, func(message string) bool {
		return strings.HasPrefix(message, agentFailed) && !strings.HasPrefix(message, agentFailed+`""`)
	})
	w.Shutdown, _, _ = unstructured.NestedString(u.Object, "spec", "shutdown")
	w.StartedAt = timeAt(u, "status", "startedAt")
	w.FinishedAt = timeAt(u, "status", "finishedAt")
	return w
}

// agentFailed begins the message of a plugin's node whose agent pod failed (workflow/controller/agent.go, v3.7.18). The reason that
// follows in quotes is empty when the pod was deleted: Argo makes another one then.
const agentFailed = "agent pod failed with reason:"

// firstFailure looks among the nodes for the plugin's, with a message of interest: Argo gives the workflow itself no message when a step failed.
func firstFailure(u *unstructured.Unstructured, of func(message string) bool) string {
	nodes, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "nodes")
	byID, _ := nodes.(map[string]any)
	var first [3]string // the end, the id and the message; the id makes it the same one each time
	for id, node := range byID {
		fields, _ := node.(map[string]any)
		message, _ := fields["message"].(string)
		phase := fields["phase"]
		if fields["type"] != "Plugin" || (phase != "Failed" && phase != "Error") || message == "" || !of(message) {
			continue
		}
		ended, _ := fields["finishedAt"].(string)
		if this := [3]string{ended, id, message}; first[1] == "" || slices.Compare(this[:], first[:]) < 0 {
			first = this
		}
	}
	return first[2]
}

func timeAt(u *unstructured.Unstructured, path ...string) time.Time {
	text, _, _ := unstructured.NestedString(u.Object, path...)
	t, err := time.Parse(time.RFC3339, text)
	if err != nil { // absent: the workflow has not got that far
		return time.Time{}
	}
	return t
}
