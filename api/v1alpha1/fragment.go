package v1alpha1

import (
	"gopkg.in/yaml.v3"
)

// Fragment is what one platform, architecture or device adds to the jobs of the runs that it matches. Fragments are data: a
// WorkflowTemplate holds one, and a site may edit it or add its own.
//
// A quoted text may hold expressions in [[ ]], in the language of Go's text/template with sprig's functions, over the facts of
// the run (FragmentData). A text that is one expression takes its value's type; any other is a text. One that comes out empty
// is left out, together with its key.
type Fragment struct {
	// Description says in a sentence what the fragment is for. Source says where its values come from.
	Description string `json:"description"`
	Source      string `json:"source,omitempty"`
	// When is the condition; its parts are ANDed, and none matches every run.
	When FragmentWhen `json:"when,omitzero"`
	// Order sorts the fragments of a run, lowest first, then by name. Later ones win.
	Order int32 `json:"order,omitempty"`
	// Replaces names fragments that do not apply where this one does.
	Replaces []string `json:"replaces,omitempty"`
	// Defaults makes Env the variables that spec.env is merged with, on every container; the variables of other fragments
	// replace them.
	Defaults bool `json:"defaults,omitempty"`
	// Env is the platform's environment: mpirun forwards it to the ranks, and with another framework the workload container
	// has it. A variable of the run wins.
	Env []FragmentEnv `json:"env,omitempty"`
	// MPIArgs are arguments of mpirun, before the run's own. One that sets what the run's own set too is left out.
	MPIArgs []string `json:"mpiArgs,omitempty"`
	// PreCommand are lines of bash that run before the command, which with mpi is mpirun on the launcher. A line `unset A B` leaves
	// the variables that the run sets.
	PreCommand []string `json:"preCommand,omitempty"`
	// TopologyKeys are the labels of nodes by which the platform tells domains apart, outermost first.
	TopologyKeys []string `json:"topologyKeys,omitempty"`
	// WithoutResources are resources that the workers do not ask for, since a claim takes their place. A null in RuntimePatch would
	// say so too, but kubectl drops it on its way into the cluster.
	WithoutResources []string `json:"withoutResources,omitempty"`
	// RuntimePatch is merged into the TrainingRuntime as an override's dependency is, but for tolerations and capabilities,
	// which are added to those that are there. It holds no null.
	RuntimePatch Manifest `json:"runtimePatch,omitempty"`
	// Dependencies are objects that each group gets a copy of, created before its pods and deleted after them.
	Dependencies []Manifest `json:"dependencies,omitempty"`
}

// FragmentEnv is one variable.
type FragmentEnv struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// FragmentWhen is the condition of a fragment. Its zero value matches every run.
type FragmentWhen struct {
	Platform        *Choice        `json:"platform,omitempty"`
	GPUArchitecture *Choice        `json:"gpuArchitecture,omitempty"`
	Framework       *Choice        `json:"framework,omitempty"`
	Resources       *ResourcesWhen `json:"resources,omitempty"`
	// Expression is a CEL condition; see ParseFragmentCondition for its variables.
	Expression string `json:"expression,omitempty"`
}

// ResourcesWhen is a condition on what nodes advertise in allocatable. Offline, where no node is known, nothing is present.
type ResourcesWhen struct {
	// Present are advertised by every node of the run, Absent by not every one.
	Present []string `json:"present,omitempty"`
	Absent  []string `json:"absent,omitempty"`
}

// NamedFragment is a fragment and where it comes from.
type NamedFragment struct {
	// Name is that of the WorkflowTemplate without `platform-`, or of the file.
	Name string `json:"name"`
	// ResourceVersion is that of the WorkflowTemplate; "" for a file.
	ResourceVersion string   `json:"resourceVersion,omitempty"`
	Fragment        Fragment `json:"fragment"`

	// file, root and prefix find the line of a field: root is the text's tree, and the fragment's fields are below prefix in it.
	file   string
	root   *yaml.Node
	prefix string
}

// FragmentPrefix begins the names of WorkflowTemplates that hold a fragment.
const FragmentPrefix = "platform-"

// LabelFragment marks WorkflowTemplates that hold a fragment; its value is "true".
const LabelFragment = "seatrial.dev/fragment"

// At returns the file and line of a field, such as env[2] or runtimePatch; "" and 0 where they are not known, as after a
// fragment was stored in a run record.
func (f *NamedFragment) At(path string) (file string, line int) {
	if f.root == nil {
		return f.file, 0
	}
	return f.file, lineOf(f.root, f.prefix+"."+path)
}

// Wrong says that a field is wrong: file, line and path as far as they are known, and why.
func (f *NamedFragment) Wrong(path string, why error) error {
	return Problems{f.Problem(path, why.Error())}
}

// Problem is a problem with a field of the fragment.
func (f *NamedFragment) Problem(path, text string) Problem {
	file, line := f.At(path)
	if file == "" {
		file = FragmentPrefix + f.Name
	}
	return Problem{File: file, Line: line, Path: path, Text: text}
}
