// Package trainer holds the objects that Seatrial renders against the definitions of every Trainer 2.x that it serves: whatever a
// definition does not know, or its rules refuse, is found as that version's API server would find it.
package trainer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	yamlstream "k8s.io/apimachinery/pkg/util/yaml"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"
)

const root = "../../.."

// versions are those whose modules can be had. The main module's is 2.2.0.
var versions = []string{"v2.0.0", "v2.0.1", "v2.1.0", "v2.2.0", "v2.2.1"}

// definition is the v1alpha1 of one CustomResourceDefinition.
type definition struct {
	structural *schema.Structural
	schema     validation.SchemaValidator
	rules      *cel.Validator
}

// definitions reads those of a Trainer's module by kind.
func definitions(t *testing.T, version string) map[string]definition {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", "github.com/kubeflow/trainer/v2@"+version).Output()
	require.NoError(t, err, string(out))
	var module struct{ Dir string }
	require.NoError(t, json.Unmarshal(out, &module))
	files, err := filepath.Glob(module.Dir + "/manifests/base/crds/*.yaml")
	require.NoError(t, err)
	all := map[string]definition{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		var crd apiextensionsv1.CustomResourceDefinition
		require.NoError(t, yaml.Unmarshal(text, &crd))
		for _, v := range crd.Spec.Versions {
			var internal apiextensions.JSONSchemaProps
			require.NoError(t, apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &internal, nil))
			var d definition
			d.structural, err = schema.NewStructural(&internal)
			require.NoError(t, err)
			d.schema, _, err = validation.NewSchemaValidator(&internal)
			require.NoError(t, err)
			d.rules = cel.NewValidator(d.structural, true, celconfig.PerCallLimit)
			all[crd.Spec.Names.Kind] = d
		}
	}
	require.Contains(t, all, "TrainJob")
	require.Contains(t, all, "TrainingRuntime")
	return all
}

// against is what a definition has against an object.
func (d definition) against(t *testing.T, object map[string]any) []string {
	t.Helper()
	object = runtime.DeepCopyJSON(object)
	var found []string
	unknown := pruning.PruneWithOptions(object, d.structural, true, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	for _, path := range unknown {
		found = append(found, "unknown field "+path)
	}
	defaulting.Default(object, d.structural)
	errs := validation.ValidateCustomResource(nil, object, d.schema)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, d.structural, object)...)
	if d.rules != nil {
		broken, _ := d.rules.Validate(t.Context(), nil, d.structural, object, nil, celconfig.RuntimeCELCostBudget)
		errs = append(errs, broken...)
	}
	for _, e := range errs {
		found = append(found, e.Error())
	}
	return found
}

// objects reads a stream of YAML documents.
func objects(t *testing.T, name string, text []byte) []map[string]any {
	t.Helper()
	var all []map[string]any
	for decoder := yamlstream.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if err == io.EOF { //nolint:errorlint // the decoder returns it bare
			return all
		}
		require.NoError(t, err, name)
		if len(raw) == 0 { // comments alone
			continue
		}
		var o map[string]any
		require.NoError(t, utiljson.Unmarshal(raw, &o), name) // whole numbers stay whole, as in an API server
		if len(o) > 0 {
			all = append(all, o)
		}
	}
}

// rendered are all objects of the golden files, and of the published examples on every platform, by where they come from.
func rendered(t *testing.T) map[string][]map[string]any {
	t.Helper()
	all := map[string][]map[string]any{}
	files, err := filepath.Glob(root + "/internal/resolve/testdata/*.golden.yaml")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		all[filepath.Base(file)] = objects(t, file, text)
	}
	for _, run := range []string{"01-basic", "02-one-node", "12-exec"} {
		for _, platform := range platforms(t) {
			for _, gpu := range []string{"h100", "gb200", "gb300"} {
				name := run + " " + platform + " " + gpu
				cmd := exec.CommandContext(t.Context(), root+"/bin/seatrial", "workloadrun", "render", root+"/api/v1alpha1/testdata/examples/"+run+".yaml", //nolint:gosec // the test's own
					"--platform", platform, "--gpu-arch", gpu, "--what", "objects")
				var errs bytes.Buffer
				cmd.Stderr = &errs
				text, err := cmd.Output()
				require.NoError(t, err, "%s: %s", name, errs.String())
				all[name] = objects(t, name, text)
			}
		}
	}
	return all
}

// platforms are those of the template's parameter.
func platforms(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(root + "/templates/workloadrun-mpi.yaml")
	require.NoError(t, err)
	var template struct {
		Spec struct {
			Arguments struct {
				Parameters []struct {
					Name string
					Enum []string
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &template))
	for _, p := range template.Spec.Arguments.Parameters {
		if p.Name == "platform" {
			require.Empty(t, p.Enum[0])
			return p.Enum[1:]
		}
	}
	t.Fatal("the template has no platform")
	return nil
}

func TestTrainerAccepts(t *testing.T) {
	all := rendered(t)
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			definitions, checked := definitions(t, version), 0
			for name, list := range all {
				for _, o := range list {
					kind, _ := o["kind"].(string)
					d, known := definitions[kind]
					if !known {
						continue // a core object, or ComputeDomain
					}
					require.Empty(t, d.against(t, o), "%s: %s", name, kind)
					checked++
				}
			}
			require.Greater(t, checked, 100)
			t.Log(fmt.Sprintf("%d objects", checked))
		})
	}
	t.Run("the check finds a fault", func(t *testing.T) {
		d := definitions(t, versions[0])["TrainJob"]
		for _, o := range all["01-basic.golden.yaml"] {
			if o["kind"] != "TrainJob" {
				continue
			}
			bad := runtime.DeepCopyJSON(o)
			spec, _ := bad["spec"].(map[string]any)
			spec["runtimeref"] = "x"
			require.NotEmpty(t, d.against(t, bad), "an unknown field")
			delete(spec, "runtimeref")
			delete(spec, "runtimeRef")
			require.NotEmpty(t, d.against(t, bad), "a missing field")
			return
		}
		t.Fatal("no TrainJob")
	})
}
