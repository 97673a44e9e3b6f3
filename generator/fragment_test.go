package generator_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
)

func TestFragmentTemplates(t *testing.T) {
	all, err := fragments.All()
	require.NoError(t, err)
	templates, err := generator.FragmentTemplates(committed)
	require.NoError(t, err)
	require.Len(t, templates, len(all))
	for i, template := range templates {
		t.Run(template.Name, func(t *testing.T) {
			require.Equal(t, "platform-"+all[i].Name, template.Name)
			require.Equal(t, "true", template.Labels[v1alpha1.LabelFragment])
			text, err := yaml.Marshal(template)
			require.NoError(t, err)
			t.Run("what the cluster gives back is the same fragment", func(t *testing.T) {
				back, err := v1alpha1.LoadFragment("from the cluster", text)
				require.NoError(t, err)
				require.Equal(t, all[i].Name, back.Name)
				want, err := json.Marshal(all[i].Fragment)
				require.NoError(t, err)
				got, err := json.Marshal(back.Fragment)
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(got))
			})
			t.Run("no text is Argo's, but for the step's place", func(t *testing.T) {
				require.Equal(t, 1, strings.Count(string(text), "{{"))
			})
			t.Run("it says what it is for and where it comes from", func(t *testing.T) {
				require.NotEmpty(t, all[i].Fragment.Source)
				require.True(t, strings.HasSuffix(strings.TrimSpace(all[i].Fragment.Description), "."))
				require.Contains(t, template.Annotations["workflows.argoproj.io/description"], "| applies to |")
			})
		})
	}
}
