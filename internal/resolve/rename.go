package resolve

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// maxName is the length that an object's name may have.
const maxName = 253

// goLive gives every object the name that it has in the cluster, and the references among them with it: each group has
// copies of its own, so that none waits for, or deletes, another's.
func goLive(objects []*unstructured.Unstructured, in Group) error {
	live := map[string]string{}
	for _, o := range objects {
		live[o.GetName()] = in.liveName(o.GetName())
		// The template of a ComputeDomain's channel is made by its controller; its name must be the group's own all the same.
		if channel, _, err := unstructured.NestedString(o.Object, "spec", "channel", "resourceClaimTemplate", "name"); err == nil && channel != "" {
			live[channel] = in.liveName(channel)
		}
	}
	for _, o := range objects {
		name := in.liveName(o.GetName())
		if len(name) > maxName || o.GetKind() == "Service" && len(validation.IsDNS1035Label(name)) > 0 {
			return fmt.Errorf("naming %s %s: %q is too long or no name of a %s", o.GetKind(), o.GetName(), name, o.GetKind())
		}
		rename(o.Object["spec"], "", live)
		o.SetName(name)
	}
	return nil
}

// referrers are the fields whose `name` is that of one of the run's objects.
var referrers = map[string]bool{
	"configMap": true, "configMapRef": true, "configMapKeyRef": true, "resourceClaimTemplate": true, "runtimeRef": true,
}

// rename replaces references by name: only in fields that refer, so that an argument or a file's text that happens to be an
// object's name stays.
func rename(value any, under string, live map[string]string) {
	switch v := value.(type) {
	case map[string]any:
		for key, child := range v {
			text, is := child.(string)
			if is && (key == "name" && referrers[under] || key == "claimName" || key == "resourceClaimTemplateName" || key == "serviceName") {
				if to, has := live[text]; has {
					v[key] = to
				}
				continue
			}
			rename(child, key, live)
		}
	case []any:
		for _, child := range v {
			rename(child, under, live)
		}
	}
}

// liveName turns a template name into the name that the object has in the cluster: what follows the run's name follows the
// group's base, and any other name follows it whole.
func (g Group) liveName(template string) string {
	if rest, is := strings.CutPrefix(template, g.Names.Run); is && (rest == "" || rest[0] == '-') {
		return g.Names.Base() + rest
	}
	return g.Names.Base() + "-" + template
}
