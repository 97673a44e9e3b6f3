// Package argo40 holds the committed WorkflowTemplates, the plugin's ConfigMap and the plugin's wire against Argo Workflows 4.0.
package argo40

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	wfv1 "github.com/argoproj/argo-workflows/v4/pkg/apis/workflow/v1alpha1"
	"github.com/argoproj/argo-workflows/v4/pkg/plugins/executor"
	"github.com/argoproj/argo-workflows/v4/util/logging"
	plugins "github.com/argoproj/argo-workflows/v4/workflow/util/plugins"
	"github.com/argoproj/argo-workflows/v4/workflow/validate"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

const root = "../../.."

// installed stands for a namespace that holds the templates.
type installed map[string]*wfv1.WorkflowTemplate

func (i installed) Get(_ context.Context, name string) (*wfv1.WorkflowTemplate, error) {
	if t, is := i[name]; is {
		return t, nil
	}
	return nil, fmt.Errorf("no WorkflowTemplate %q", name)
}

type none struct{}

func (none) Get(_ context.Context, name string) (*wfv1.ClusterWorkflowTemplate, error) {
	return nil, fmt.Errorf("no ClusterWorkflowTemplate %q", name)
}

func read(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.UnmarshalStrict(text, into), path)
}

func templates(t *testing.T) installed {
	t.Helper()
	files, err := filepath.Glob(root + "/templates/*.yaml")
	require.NoError(t, err)
	all := installed{}
	for _, file := range append(files, root+"/examples/certification/certification.yaml") {
		if filepath.Base(file) == "kustomization.yaml" {
			continue
		}
		var one wfv1.WorkflowTemplate
		read(t, file, &one)
		all[one.Name] = &one
	}
	require.Greater(t, len(all), 30)
	return all
}

func TestArgoAccepts(t *testing.T) {
	all, ctx := templates(t), logging.TestContext(t.Context())
	for name, template := range all {
		require.NoError(t, validate.ValidateWorkflowTemplate(ctx, all, none{}, template, nil, validate.ValidateOpts{}), name)
		wf := &wfv1.Workflow{Spec: wfv1.WorkflowSpec{WorkflowTemplateRef: &wfv1.WorkflowTemplateRef{Name: name}}}
		require.NoError(t, validate.ValidateWorkflow(ctx, all, none{}, wf, nil, validate.ValidateOpts{Submit: true}), name)
	}
	var chain wfv1.Workflow
	read(t, root+"/examples/chain/workflow.yaml", &chain)
	require.NoError(t, validate.ValidateWorkflow(ctx, all, none{}, &chain, nil, validate.ValidateOpts{Submit: true}))
	delete(all, "workloadrun-mpi")
	require.Error(t, validate.ValidateWorkflow(ctx, all, none{}, &chain, nil, validate.ValidateOpts{Submit: true}), "the check finds a fault")
}

func TestArgoReadsThePlugin(t *testing.T) {
	var m corev1.ConfigMap
	read(t, root+"/manifests/cluster/executor-plugin.yaml", &m)
	_, err := plugins.FromConfigMap(&m)
	require.NoError(t, err)
}

// The files are those that a test of plugin/server holds the plugin to.
func TestTheWire(t *testing.T) {
	t.Run("a request of this version has what the plugin reads", func(t *testing.T) {
		text, err := os.ReadFile("../wire/request.json")
		require.NoError(t, err)
		var args executor.ExecuteTemplateArgs
		require.NoError(t, json.Unmarshal(text, &args))
		again, err := json.Marshal(args)
		require.NoError(t, err)
		part := func(text []byte) string {
			var r struct {
				Workflow struct {
					Metadata map[string]string `json:"metadata"`
				} `json:"workflow"`
				Template struct {
					Inputs struct {
						Parameters []struct {
							Name, Value string
						} `json:"parameters"`
					} `json:"inputs"`
					Plugin json.RawMessage `json:"plugin"`
				} `json:"template"`
			}
			require.NoError(t, json.Unmarshal(text, &r))
			out, err := json.Marshal(r)
			require.NoError(t, err)
			return string(out)
		}
		require.JSONEq(t, part(text), part(again))
	})
	files, err := filepath.Glob("../wire/reply-*.json")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var reply executor.ExecuteTemplateReply
			decoder := json.NewDecoder(strings.NewReader(string(text)))
			decoder.DisallowUnknownFields()
			require.NoError(t, decoder.Decode(&reply))
			again, err := json.Marshal(reply)
			require.NoError(t, err)
			require.JSONEq(t, string(text), string(again), "nothing of it is lost")
		})
	}
}
