package generator_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator"
)

// rule is something that Argo accepts and punishes, or that our own contract asks. Check returns what breaks it, breaks a change that does.
type rule struct {
	name   string
	check  func(*wfv1.WorkflowTemplate) string
	breaks func(*wfv1.WorkflowTemplate)
}

func TestRules(t *testing.T) {
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for name, template := range frameworks(t) {
				require.Empty(t, r.check(template), name)
				r.breaks(template)
				require.NotEmpty(t, r.check(template), "%s: the rule must be able to fail", name)
			}
		})
	}
}

var rules = []rule{
	{"every DAG goes on after a failure",
		eachTemplate(func(t wfv1.Template) bool { return t.DAG == nil || t.DAG.FailFast != nil && !*t.DAG.FailFast }),
		change("group", func(t *wfv1.Template) { t.DAG.FailFast = nil })},
	{"no template has a timeout: it discards a success that comes late",
		eachTemplate(func(t wfv1.Template) bool { return t.Timeout == "" && t.ActiveDeadlineSeconds == nil }),
		change("score", func(t *wfv1.Template) { t.Timeout = "1h" })},
	{"no template has a field that an agent's steps ignore",
		eachTemplate(func(t wfv1.Template) bool {
			return t.Daemon == nil && t.Memoize == nil && t.PodSpecPatch == "" && t.NodeSelector == nil && t.Tolerations == nil && t.Affinity == nil
		}),
		change("launch", func(t *wfv1.Template) { t.NodeSelector = map[string]string{"gpu": "yes"} })},
	{"no template limits its parallelism: it would hold back the agent's steps",
		eachTemplate(func(t wfv1.Template) bool { return t.Parallelism == nil }),
		change("run", func(t *wfv1.Template) { t.Parallelism = new(int64(1)) })},
	{"nothing at workflow level moves the agent, patches it or limits it",
		func(w *wfv1.WorkflowTemplate) string {
			s := w.Spec.DeepCopy()
			if s.Affinity == nil || s.Affinity.NodeAffinity == nil || s.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
				return "the affinity must be a preference"
			}
			s.Entrypoint, s.OnExit, s.ServiceAccountName, s.Templates = "", "", "", nil
			s.Arguments, s.Affinity, s.PodMetadata, s.WorkflowMetadata = wfv1.Arguments{}, nil, nil, nil
			rest, _ := json.Marshal(s)
			return strings.TrimSuffix(string(rest), `{"arguments":{}}`)
		},
		func(w *wfv1.WorkflowTemplate) { w.Spec.NodeSelector = map[string]string{"gpu": "yes"} }},
	{"the affinity is only a preference",
		func(w *wfv1.WorkflowTemplate) string {
			if w.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
				return "required"
			}
			return ""
		},
		func(w *wfv1.WorkflowTemplate) {
			w.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{}
		}},
	{"arguments are the table of the API, each with the value \"\" and enums that list it first",
		func(w *wfv1.WorkflowTemplate) string {
			table := v1alpha1.Parameters(w.Labels["seatrial.dev/framework"])
			if len(table) != len(w.Spec.Arguments.Parameters) {
				return "another number of parameters"
			}
			for i, p := range w.Spec.Arguments.Parameters {
				if p.Name != table[i].Name || p.Value == nil || *p.Value != "" || p.Default != nil || p.Description == nil || *p.Description == "" {
					return p.Name
				}
				if (p.Enum != nil) != (table[i].Enum != nil) || p.Enum != nil && p.Enum[0] != "" {
					return p.Name + ": enum"
				}
			}
			return ""
		},
		func(w *wfv1.WorkflowTemplate) { w.Spec.Arguments.Parameters[0].Value = nil }},
	{"a plugin step has one key, short and with its node and version",
		eachTemplate(func(t wfv1.Template) bool {
			if t.Plugin == nil {
				return true
			}
			var b map[string]map[string]string
			if json.Unmarshal(t.Plugin.Value, &b) != nil || len(b) != 1 || len(t.Plugin.Value) > 300 {
				return false
			}
			own := b[generator.PluginName]
			return own["step"] == t.Name && own["node"] == "{{node.name}}" && own["version"] == committed.Version
		}),
		change("probe|score", func(t *wfv1.Template) { t.Plugin.Value = json.RawMessage(`{"seatrial":{"step":"score"}}`) })},
	{"discover is told which template it is in",
		func(w *wfv1.WorkflowTemplate) string {
			if !strings.Contains(string(w.GetTemplateByName("discover").Plugin.Value), `"framework":"`+w.Labels["seatrial.dev/framework"]+`"`) {
				return "discover"
			}
			return ""
		},
		func(w *wfv1.WorkflowTemplate) { w.Labels["seatrial.dev/framework"] = "tea" }},
	{"a plugin step's outputs are supplied and have no default, which Argo would ignore",
		eachTemplate(func(t wfv1.Template) bool {
			return t.Plugin == nil || !slices.ContainsFunc(t.Outputs.Parameters, func(p wfv1.Parameter) bool {
				return p.ValueFrom == nil || p.ValueFrom.Supplied == nil || p.ValueFrom.Default != nil
			})
		}),
		change("report", func(t *wfv1.Template) {
			t.Outputs.Parameters[0].ValueFrom = &wfv1.ValueFrom{Default: wfv1.AnyStringPtr("")}
		})},
	{"a DAG's outputs have defaults: those of a failed task do not resolve",
		eachTemplate(func(t wfv1.Template) bool {
			return t.DAG == nil || !slices.ContainsFunc(t.Outputs.Parameters, func(p wfv1.Parameter) bool { return p.ValueFrom.Default == nil })
		}),
		change("run", func(t *wfv1.Template) { t.Outputs.Parameters[0].ValueFrom.Default = nil })},
	{"no output of a fan-out is referred to: it may not exist",
		eachTemplate(func(t wfv1.Template) bool { return fannedOutReference(t) == "" }),
		change("run", func(t *wfv1.Template) {
			t.DAG.Tasks[4].Arguments.Parameters[0].Value = wfv1.AnyStringPtr("{{tasks.groups.outputs.parameters}}")
		})},
	{"tasks use depends and withParam only",
		eachTask(func(t wfv1.DAGTask) bool {
			return len(t.Dependencies) == 0 && t.ContinueOn == nil && t.WithSequence == nil && t.WithItems == nil && t.OnExit == ""
		}),
		change("run", func(t *wfv1.Template) { t.DAG.Tasks[1].Dependencies = []string{"discover"} })},
	{"a condition asks for what is there when it is asked: a parameter, or an output of a step that has to succeed first",
		eachTask(func(t wfv1.DAGTask) bool {
			output := regexp.MustCompile(`tasks\.([a-z]+)\.outputs`).FindStringSubmatch(t.When)
			return output == nil || strings.HasPrefix(t.Depends, output[1]+".Succeeded && ")
		}),
		change("isolate", func(t *wfv1.Template) { t.DAG.Tasks[2].Depends = "round && groups" })},
	{"run and what it calls know nothing of the workflow around it",
		eachTemplate(func(t wfv1.Template) bool {
			text, _ := json.Marshal(t)
			return t.Name == "main" || t.Name == "finish" || !strings.Contains(string(text), "{{workflow.")
		}),
		change("report", func(t *wfv1.Template) {
			t.Plugin.Value = json.RawMessage(strings.Replace(string(t.Plugin.Value), "{{inputs.", "{{workflow.", 1))
		})},
	{"run's inputs all have defaults, so that a larger DAG gives only what it means",
		eachTemplate(func(t wfv1.Template) bool {
			return t.Name != "run" || !slices.ContainsFunc(t.Inputs.Parameters, func(p wfv1.Parameter) bool { return p.Default == nil })
		}),
		change("run", func(t *wfv1.Template) { t.Inputs.Parameters[1].Default = nil })},
	{"the gate is open for a larger DAG and shut for a workflow of one run",
		func(w *wfv1.WorkflowTemplate) string {
			run, main := w.GetTemplateByName("run"), w.GetTemplateByName("main")
			return strings.TrimSuffix(run.Inputs.GetParameterByName("gate").Default.String()+main.DAG.Tasks[0].Arguments.GetParameterByName("gate").Value.String(), "falsetrue")
		},
		change("run", func(t *wfv1.Template) { t.Inputs.Parameters[0].Default = wfv1.AnyStringPtr("true") })},
	{"report is the only leaf of run",
		func(w *wfv1.WorkflowTemplate) string {
			return strings.TrimSuffix(strings.Join(leaves(w.GetTemplateByName("run").DAG), " "), "report")
		},
		change("run", func(t *wfv1.Template) { t.DAG.Tasks[4].Depends = "discover" })},
	{"every plugin step is tried again, but not for ever",
		eachTemplate(func(t wfv1.Template) bool {
			return t.Plugin == nil || t.RetryStrategy != nil && t.RetryStrategy.Limit.IntValue() == 5 && t.RetryStrategy.Backoff.Duration != ""
		}),
		change("launch", func(t *wfv1.Template) { t.RetryStrategy = nil })},
	{"only fields that Argo 3.6 and 4 both have",
		func(w *wfv1.WorkflowTemplate) string {
			text, _ := json.Marshal(w)
			return regexp.MustCompile(`"(cap|podPriority|mutex|semaphore|executorPlugins|pendingTimeout)":`).FindString(string(text))
		},
		change("launch", func(t *wfv1.Template) { t.RetryStrategy.Backoff.Cap = "1m" })},
	{"names leave room for what Argo and JobSet add",
		func(w *wfv1.WorkflowTemplate) string {
			if len(w.Name) > 44 {
				return w.Name
			}
			return ""
		},
		func(w *wfv1.WorkflowTemplate) { w.Name += strings.Repeat("x", 44) }},
	{"finish has the plugin's account, Argo's containers beside it the workflow's",
		func(w *wfv1.WorkflowTemplate) string {
			t := w.GetTemplateByName(w.Spec.OnExit)
			if t == nil || t.Container == nil || t.ServiceAccountName != generator.PluginAccount || t.Executor == nil ||
				t.Executor.ServiceAccountName != w.Spec.ServiceAccountName || t.AutomountServiceAccountToken != nil {
				return "finish"
			}
			return ""
		},
		change("finish", func(t *wfv1.Template) { t.AutomountServiceAccountToken = new(false) })},
	{"finish fits the restricted Pod Security Standard",
		func(w *wfv1.WorkflowTemplate) string {
			return unrestricted(w.GetTemplateByName("finish").Container.SecurityContext)
		},
		change("finish", func(t *wfv1.Template) { t.Container.SecurityContext.Capabilities = nil })},
}

func eachTemplate(holds func(wfv1.Template) bool) func(*wfv1.WorkflowTemplate) string {
	return func(w *wfv1.WorkflowTemplate) string {
		for _, t := range w.Spec.Templates {
			if !holds(t) {
				return "template " + t.Name
			}
		}
		return ""
	}
}

func eachTask(holds func(wfv1.DAGTask) bool) func(*wfv1.WorkflowTemplate) string {
	return eachTemplate(func(t wfv1.Template) bool {
		return t.DAG == nil || !slices.ContainsFunc(t.DAG.Tasks, func(task wfv1.DAGTask) bool { return !holds(task) })
	})
}

// change makes a change to the template with one of the names, which are separated by "|".
func change(names string, f func(*wfv1.Template)) func(*wfv1.WorkflowTemplate) {
	return func(w *wfv1.WorkflowTemplate) {
		for i := range w.Spec.Templates {
			if slices.Contains(strings.Split(names, "|"), w.Spec.Templates[i].Name) {
				f(&w.Spec.Templates[i])
				return
			}
		}
		panic(fmt.Sprintf("%s has no template %s", w.Name, names))
	}
}

func fannedOutReference(t wfv1.Template) string {
	if t.DAG == nil {
		return ""
	}
	text, _ := json.Marshal(t)
	for _, task := range t.DAG.Tasks {
		if task.WithParam != "" {
			if found := regexp.MustCompile(`tasks\.` + task.Name + `\.outputs`).FindString(string(text)); found != "" {
				return found
			}
		}
	}
	return ""
}

// leaves names the tasks on which no other depends.
func leaves(dag *wfv1.DAGTemplate) []string {
	var all []string
	for _, t := range dag.Tasks {
		word := regexp.MustCompile(`\b` + t.Name + `\b`)
		if !slices.ContainsFunc(dag.Tasks, func(other wfv1.DAGTask) bool { return word.MatchString(other.Depends) }) {
			all = append(all, t.Name)
		}
	}
	return all
}

func unrestricted(c *corev1.SecurityContext) string {
	switch {
	case c == nil:
		return "no security context"
	case !is(c.RunAsNonRoot, true) || !is(c.RunAsUser, 8737):
		return "user"
	case !is(c.AllowPrivilegeEscalation, false):
		return "privilege escalation"
	case !is(c.ReadOnlyRootFilesystem, true):
		return "root filesystem"
	case c.Capabilities == nil || !slices.Equal(c.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(c.Capabilities.Add) > 0:
		return "capabilities"
	case c.SeccompProfile == nil || c.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault:
		return "seccomp"
	}
	return ""
}

// is says whether a field was given, and as v.
func is[T comparable](field *T, v T) bool { return field != nil && *field == v }
