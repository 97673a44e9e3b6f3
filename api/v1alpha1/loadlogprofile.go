package v1alpha1

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Bounds of a profile: expressions are tried on every line that may match, so that they are kept short.
const (
	maxProfile = 64 << 10
	maxRegex   = 4 << 10
)

// captures are the named groups that a pattern may have.
var captures = []string{
	"timestamp", "globalStep", "iteration", "epoch", "step", "size", "stepTiming", "loss", "tflops", "elapsedTime",
	"saveDuration", "algBW", "busBW", "path",
}

// durations are the captures that have a unit.
var durations = []string{"stepTiming", "elapsedTime", "saveDuration"}

// LoadLogProfile reads one LogProfile from YAML or JSON, strictly, and validates it: every expression compiles, names only
// captures that there are, and matches its example. The error is Problems, as with Load.
func LoadLogProfile(file string, text []byte) (*LogProfile, error) {
	if len(text) > maxProfile {
		return nil, Problems{{File: file, Text: fmt.Sprintf("has %d bytes; at most %d would do", len(text), maxProfile)}}
	}
	root, problems := parse(file, text)
	if len(problems) > 0 {
		return nil, problems.err()
	}
	if root == nil {
		return nil, Problems{{File: file, Text: "is empty; a LogProfile begins with `apiVersion: " + APIVersion + "` and `kind: " + LogProfileKind + "`"}}
	}
	p := &LogProfile{}
	problems, whole := fill(file, root, p, "")
	if whole {
		for _, found := range validateLogProfile(p) {
			if !problems.about(found.Path) {
				found.File, found.Line = file, lineOf(root, found.Path)
				problems = append(problems, found)
			}
		}
	}
	if err := problems.err(); err != nil {
		return nil, err
	}
	return p, nil
}

func validateLogProfile(p *LogProfile) Problems {
	v := &validator{}
	if p.APIVersion != APIVersion {
		v.add("apiVersion", "is %q; %s would do", p.APIVersion, APIVersion)
	}
	if p.Kind != LogProfileKind {
		v.add("kind", "is %q; %s would do", p.Kind, LogProfileKind)
	}
	v.profileName("metadata.name", p.Metadata.Name)
	if p.Spec.Timestamp.Layout == "" {
		v.add("spec.timestamp.layout", "is missing; a Go layout such as 2006-01-02T15:04:05.999999999Z would do")
	}
	patterns := p.Spec.Patterns.Named()
	if len(patterns) == 0 {
		v.add("spec.patterns", "holds no pattern; trainingStep or bandwidthResult would do")
	}
	for _, n := range patterns {
		v.pattern("spec.patterns."+n.Name, n)
	}
	v.workerStrategy(p.Spec.WorkerStrategy)
	if n := p.Spec.WarmupSteps; n != nil && *n < 0 {
		v.add("spec.warmupSteps", "is %d; 0 or more would do", *n)
	}
	if n := p.Spec.LogInterval; n != nil && *n < 1 {
		v.add("spec.logInterval", "is %d; 1 or more would do", *n)
	}
	return v.problems
}

// profileName checks the name of a profile, or a reference to one. Which profiles there are only the cluster knows.
func (v *validator) profileName(path, name string) {
	if name == "" {
		v.add(path, "is missing; one of %s would do, or the name of a profile of your own", strings.Join(LogProfiles, ", "))
	} else if len(validation.IsDNS1123Subdomain(name)) > 0 {
		v.add(path, "is %q; one of %s would do, or the name of a profile of your own", shorten(name), strings.Join(LogProfiles, ", "))
	}
}

func (v *validator) pattern(path string, n NamedPattern) {
	if n.Pattern.Regex == "" {
		v.add(path+".regex", "is missing")
		return
	}
	if len(n.Pattern.Regex) > maxRegex {
		v.add(path+".regex", "has %d bytes; at most %d would do", len(n.Pattern.Regex), maxRegex)
		return
	}
	re, err := regexp.Compile(n.Pattern.Regex)
	if err != nil {
		v.add(path+".regex", "is no regular expression that Go reads (RE2): %v", err)
		return
	}
	names := re.SubexpNames()
	for _, name := range names {
		if name != "" && !slices.Contains(captures, name) {
			v.add(path+".regex", "captures %q; the names are %s", shorten(name), strings.Join(captures, ", "))
		}
	}
	for _, missing := range wantedCaptures(n.Name, names) {
		v.add(path+".regex", "captures no %s", missing)
	}
	if n.Pattern.Example != "" && !re.MatchString(n.Pattern.Example) {
		v.add(path+".example", "does not match the regex")
	}
	for _, name := range slices.Sorted(maps.Keys(n.Pattern.Units)) {
		unit := n.Pattern.Units[name]
		switch {
		case !slices.Contains(durations, name):
			v.add(Field(path+".units", name), "is no capture with a unit; %s are", strings.Join(durations, ", "))
		case unit != "s" && unit != "ms" && unit != "us":
			v.add(Field(path+".units", name), "is %q; s, ms or us would do", shorten(unit))
		}
	}
}

// wantedCaptures are those without which a pattern tells nothing.
func wantedCaptures(pattern string, names []string) []string {
	var missing []string
	switch pattern {
	case "bandwidthResult":
		for _, name := range []string{"size", "algBW", "busBW"} {
			if !slices.Contains(names, name) {
				missing = append(missing, name)
			}
		}
	case "trainingStep":
		if !slices.Contains(names, "globalStep") && !slices.Contains(names, "iteration") && !slices.Contains(names, "step") {
			missing = append(missing, "globalStep, iteration or step")
		}
	}
	return missing
}

func (v *validator) workerStrategy(w *WorkerStrategy) {
	if w == nil {
		return
	}
	if w.Type != "Single" && w.Type != "Multi" {
		v.add("spec.workerStrategy.type", "is %q; Single or Multi would do", shorten(w.Type))
	}
	for _, f := range []struct{ name, pod string }{{"lifecyclePod", w.LifecyclePod}, {"trainingStepPod", w.TrainingStepPod}} {
		if f.pod != "" && f.pod != "first" && f.pod != "last" {
			v.add("spec.workerStrategy."+f.name, "is %q; first or last would do", shorten(f.pod))
		}
	}
}
