package v1alpha1

import (
	"embed"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// LogProfileKind is what a profile's file must say, with APIVersion.
const LogProfileKind = "LogProfile"

// LogProfile says how a program's log is read: the format of the Cluster Readiness Engine, unchanged. Its patterns add to what
// Seatrial reads by itself; they take nothing away.
type LogProfile struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        Metadata       `json:"metadata"`
	Spec            LogProfileSpec `json:"spec"`
}

// LogProfileSpec is what a profile says.
type LogProfileSpec struct {
	Timestamp LogTimestamp `json:"timestamp"`
	Patterns  LogPatterns  `json:"patterns"`
	// WorkerStrategy is accepted as the format has it. Seatrial reads the log of every pod whose exit decides, and joins the
	// first one's checkpoints with the last one's steps by itself.
	WorkerStrategy *WorkerStrategy `json:"workerStrategy,omitempty"`
	// ContainerName is accepted as the format has it; the workload's container is always read.
	ContainerName string `json:"containerName,omitempty"`
	// WarmupSteps is how many steps after a start or a restored checkpoint do not count for averages; nil for the steps that
	// are far slower than the median.
	WarmupSteps *int `json:"warmupSteps,omitempty"`
	// LogInterval leaves steps out whose number is not a multiple of it, since they carry what happened between; nil and 1 leave
	// none out.
	LogInterval *int `json:"logInterval,omitempty"`
}

// LogTimestamp is how a captured timestamp is written. The kubelet's own timestamps are preferred where a log has them, since
// a program may write local time.
type LogTimestamp struct {
	// Layout is Go's: 2006-01-02 15:04:05.999999.
	Layout string `json:"layout"`
}

// LogPatterns are the events that a profile knows; nil for one that it does not.
type LogPatterns struct {
	TrainingStep      *LogPattern `json:"trainingStep,omitempty"`
	CheckpointSave    *LogPattern `json:"checkpointSave,omitempty"`
	CheckpointDone    *LogPattern `json:"checkpointDone,omitempty"`
	CheckpointRestore *LogPattern `json:"checkpointRestore,omitempty"`
	CheckpointLoaded  *LogPattern `json:"checkpointLoaded,omitempty"`
	ApplicationStart  *LogPattern `json:"applicationStart,omitempty"`
	WarmupStep        *LogPattern `json:"warmupStep,omitempty"`
	BandwidthResult   *LogPattern `json:"bandwidthResult,omitempty"`
}

// LogPattern is a regular expression (RE2) whose named groups are the facts of a line: globalStep, iteration, epoch, step,
// stepTiming, elapsedTime, loss and tflops of a trainingStep; size, algBW and busBW of a bandwidthResult; timestamp, saveDuration
// and path of what happens around them.
type LogPattern struct {
	// Regex is tried on every line.
	Regex string `json:"regex"`
	// Example is a line that the expression must match; empty for none.
	Example string `json:"example,omitempty"`
	// Units are s, ms or us for stepTiming, elapsedTime and saveDuration; s where it says nothing.
	Units map[string]string `json:"units,omitempty"`
}

// WorkerStrategy says which pods are read.
type WorkerStrategy struct {
	Type              string `json:"type"`
	LifecyclePod      string `json:"lifecyclePod,omitempty"`
	TrainingStepPod   string `json:"trainingStepPod,omitempty"`
	ReplicatedJobName string `json:"replicatedJobName,omitempty"`
}

// Named lists a profile's patterns with the names of their fields, in the order of the type.
func (p LogPatterns) Named() []NamedPattern {
	var named []NamedPattern
	for _, n := range []NamedPattern{
		{"trainingStep", p.TrainingStep}, {"checkpointSave", p.CheckpointSave}, {"checkpointDone", p.CheckpointDone},
		{"checkpointRestore", p.CheckpointRestore}, {"checkpointLoaded", p.CheckpointLoaded},
		{"applicationStart", p.ApplicationStart}, {"warmupStep", p.WarmupStep}, {"bandwidthResult", p.BandwidthResult},
	} {
		if n.Pattern != nil {
			named = append(named, n)
		}
	}
	return named
}

// NamedPattern is a pattern and the name of its field.
type NamedPattern struct {
	Name    string
	Pattern *LogPattern
}

// LogProfiles are the names of the built-in profiles.
var LogProfiles = []string{"nccl-bandwidth", "nccl-loopback", "megatron-training", "megatron-bridge", "nemo-4-training"}

//go:embed logprofiles/*.yaml
var builtinProfiles embed.FS

// BuiltinLogProfile returns the built-in profile of a name; nil when there is none.
func BuiltinLogProfile(name string) *LogProfile {
	text, err := builtinProfiles.ReadFile("logprofiles/" + name + ".yaml")
	if err != nil || strings.ContainsAny(name, "/\\") {
		return nil
	}
	p, err := LoadLogProfile("logprofiles/"+name+".yaml", text)
	if err != nil {
		return nil // a test loads each of them
	}
	return p
}
