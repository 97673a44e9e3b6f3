package cli

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// withSpec puts the spec into the parameter of that name, or, when it is too long for one, into a ConfigMap of the workflow's.
func (s *submission) withSpec(spec *v1alpha1.WorkloadRunSpec) error {
	text, err := yaml.Marshal(spec)
	if err != nil {
		return fmt.Errorf("writing the spec: %w", err)
	}
	encoded, err := v1alpha1.EncodeSpec(text)
	if err != nil {
		return err
	}
	if len(encoded) <= v1alpha1.MaxSpecBytes {
		s.parameters[v1alpha1.SpecParameter] = encoded
		return nil
	}
	s.specText = string(text) // as it is: Argo's template engine reads no ConfigMap
	s.parameters[v1alpha1.SpecFromParameter] = s.specMapName()
	return nil
}

// specFrom is what the plugin will read by the parameter specFrom.
func (s *submission) specFrom() v1alpha1.SpecText { return v1alpha1.SpecText{Text: s.specText} }

// specMapName has the text in it, so that another text is another ConfigMap.
func (s *submission) specMapName() string {
	return "seatrial-spec-" + resolve.Hash(s.name+"\n"+s.specText) + "-" + s.name
}

// specMap is the ConfigMap that the parameter specFrom names. It has none of the labels by which a run's objects are cleaned up:
// `argo retry` may need it again.
func (s *submission) specMap() *corev1.ConfigMap {
	return &corev1.ConfigMap{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: s.specMapName(), Namespace: s.namespace, Labels: map[string]string{
			resolve.LabelManagedBy: resolve.ManagedBy, resolve.LabelRun: s.parameters["name"],
		}},
		Data: map[string]string{v1alpha1.SpecKey: s.specText},
	}
}

// specFields is specMap as it is printed.
func (s *submission) specFields() (map[string]any, error) {
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(s.specMap())
	if err != nil {
		return nil, fmt.Errorf("writing the spec's ConfigMap: %w", err)
	}
	return fields, nil
}
