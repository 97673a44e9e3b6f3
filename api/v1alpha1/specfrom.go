package v1alpha1

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// SpecFromParameter is the parameter that names a ConfigMap with the spec: NAME, or NAME/KEY.
const SpecFromParameter = "specFrom"

// SpecKey is the key of the ConfigMap when specFrom names none.
const SpecKey = "spec.yaml"

// SpecSource is where a spec is that does not fit into a parameter.
type SpecSource struct {
	// Name is the ConfigMap's, in the workflow's namespace; Key is one of its keys.
	Name, Key string
}

// ParseSpecSource reads the value of specFrom.
func ParseSpecSource(text string) (SpecSource, error) {
	name, key, has := strings.Cut(text, "/")
	if !has {
		key = SpecKey
	}
	if len(validation.IsDNS1123Subdomain(name)) > 0 || len(validation.IsConfigMapKey(key)) > 0 {
		return SpecSource{}, fmt.Errorf("is %q; the name of a ConfigMap, or NAME/KEY, would do", shorten(text))
	}
	return SpecSource{Name: name, Key: key}, nil
}

// String is what specFrom would be.
func (s SpecSource) String() string { return s.Name + "/" + s.Key }

// SpecText is what specFrom names, as somebody has read it who can ask the cluster.
type SpecText struct {
	Text string
	// Wrong says why there is no text; "" when there is.
	Wrong string
}

// unread stands for a specFrom that nobody has looked up.
var unread = SpecText{Wrong: "names a ConfigMap, which only the cluster can show; the parameter spec would do"}

// In returns the source's text among the data of its ConfigMap.
func (s SpecSource) In(data map[string]string) SpecText {
	text, has := data[s.Key]
	switch keys := slices.Sorted(maps.Keys(data)); {
	case has && strings.TrimSpace(text) == "":
		return SpecText{Wrong: fmt.Sprintf("key %s of ConfigMap %s is empty; the spec of a WorkloadRun as YAML would do", s.Key, s.Name)}
	case has:
		return SpecText{Text: text}
	case len(keys) == 0:
		return SpecText{Wrong: fmt.Sprintf("ConfigMap %s holds no text; the spec of a WorkloadRun under the key %s would do", s.Name, s.Key)}
	default:
		const most = 5
		return SpecText{Wrong: fmt.Sprintf("ConfigMap %s has no key %s; %s/KEY with one of %s would do", s.Name, s.Key, s.Name, shorten(strings.Join(keys[:min(most, len(keys))], ", ")))}
	}
}

// Missing is what there is to say when the ConfigMap does not exist.
func (s SpecSource) Missing(namespace string) SpecText {
	return SpecText{Wrong: fmt.Sprintf("there is no ConfigMap %s in namespace %s; one with the spec under the key %s would do", s.Name, namespace, s.Key)}
}

// setSpecFrom is setSpec for a text that a ConfigMap holds.
func setSpecFrom(g *given, v string) error {
	source, err := ParseSpecSource(v)
	switch {
	case err != nil:
		return err
	case g.hasSpec:
		return errors.New("is given beside " + SpecParameter + "; one of them would do")
	case g.from.Wrong != "":
		return errors.New(g.from.Wrong)
	}
	return g.replace(source.String(), g.from.Text)
}
