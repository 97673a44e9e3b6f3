package generator_test

import (
	"strings"
	"testing"

	wfv1 "github.com/argoproj/argo-workflows/v3/pkg/apis/workflow/v1alpha1"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/generator"
)

func TestOptions(t *testing.T) {
	t.Run("an image of one's own is in the templates and in the plugin", func(t *testing.T) {
		o := generator.Options{Version: "1.2.3", Image: "registry.example:5000/team/seatrial@sha256:" + strings.Repeat("a", 64)}
		files, err := generator.Files(o)
		require.NoError(t, err)
		require.Contains(t, string(files["workloadrun-mpi.yaml"]), "image: "+o.Image+"\n")
		plugin, err := generator.PluginFile(o)
		require.NoError(t, err)
		require.Contains(t, string(plugin), "image: "+o.Image+"\n")
	})
	for name, o := range map[string]generator.Options{
		"no version":                   {},
		"a version with a space":       {Version: "1 2"},
		"a version for Argo":           {Version: "{{workflow.name}}"},
		"a version that ends in a dot": {Version: "1."},
		"a version of 64 characters":   {Version: strings.Repeat("1", 64)},
		"an image of two lines":        {Version: "1", Image: "a\nb"},
		"an image for Argo":            {Version: "1", Image: "{{inputs.parameters.image}}"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			_, err := generator.Files(o)
			require.ErrorContains(t, err, "would do")
			_, err = generator.PluginFile(o)
			require.ErrorContains(t, err, "would do")
			_, err = generator.Check(nil, o)
			require.ErrorContains(t, err, "would do")
		})
	}
}

// The strings are those that some reader of YAML takes for something else than a string.
func TestFilesReadBack(t *testing.T) {
	for _, s := range []string{"0.1.0", "1.2", "1", "1e3", "0x1f", "1_000", "0o17", "017", "on", "No", "y", "true", "null", "NaN", "2001-01-01"} {
		t.Run("version and image "+s, func(t *testing.T) {
			o := generator.Options{Version: s, Image: s}
			files, err := generator.Files(o)
			require.NoError(t, err)
			want, err := generator.WorkflowTemplates(o)
			require.NoError(t, err)
			for _, w := range want {
				var got wfv1.WorkflowTemplate
				require.NoError(t, yaml.UnmarshalStrict(files[w.Name+".yaml"], &got))
				a, err := yaml.Marshal(w)
				require.NoError(t, err)
				b, err := yaml.Marshal(got)
				require.NoError(t, err)
				require.Equal(t, string(a), string(b))
			}
		})
	}
}

func BenchmarkFiles(b *testing.B) {
	for b.Loop() {
		if _, err := generator.Files(committed); err != nil {
			b.Fatal(err)
		}
	}
}
