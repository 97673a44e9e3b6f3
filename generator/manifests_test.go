package generator_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/argoproj/argo-workflows/v3/util/secrets"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/generator"
)

// What kustomize makes of the folders, and what a cluster makes of that, is the cluster test's to see. Here: what the files say.

func TestKustomizations(t *testing.T) {
	for folder, others := range map[string][]string{
		templates:                nil,
		manifests + "/cluster":   nil,
		manifests + "/namespace": {"../../templates"},
	} {
		t.Run(filepath.Base(folder)+" lists each file of its folder and nothing else", func(t *testing.T) {
			want := slices.Clone(others)
			for name := range readFolder(t, folder) {
				if name != generator.KustomizationFile {
					want = append(want, name)
				}
			}
			require.ElementsMatch(t, want, kustomization(t, folder).Resources)
		})
	}
	t.Run("an overlay for another namespace renames the one object that has none, within ten lines", func(t *testing.T) {
		folder := manifests + "/examples/other-namespace"
		overlay := kustomization(t, folder)
		binding := single[rbacv1.ClusterRoleBinding](t, "ClusterRoleBinding")
		require.Equal(t, kustomization(t, manifests+"/namespace").Namespace, strings.TrimPrefix(binding.Name, "seatrial-nodes."))
		require.Len(t, overlay.Patches, 1)
		require.Equal(t, binding.Name, overlay.Patches[0].Target.Name)
		require.True(t, overlay.Patches[0].Options["allowNameChange"])
		var patch []struct{ Op, Path, Value string }
		require.NoError(t, yaml.UnmarshalStrict([]byte(overlay.Patches[0].Patch), &patch))
		require.Equal(t, []struct{ Op, Path, Value string }{{"replace", "/metadata/name", "seatrial-nodes." + overlay.Namespace}}, patch)
		require.LessOrEqual(t, strings.Count(string(readFolder(t, folder)[generator.KustomizationFile]), "\n"), 10)
	})
}

func TestAccounts(t *testing.T) {
	accounts := all[corev1.ServiceAccount](t, "ServiceAccount")
	t.Run("the accounts are those of the templates and of the plugin", func(t *testing.T) {
		require.ElementsMatch(t, []string{generator.WorkflowAccount, generator.PluginAccount}, names(accounts))
	})
	t.Run("each has the token Secret that Argo looks for", func(t *testing.T) {
		tokens := all[corev1.Secret](t, "Secret")
		require.Len(t, tokens, len(accounts))
		for _, account := range accounts {
			i := slices.IndexFunc(tokens, func(s corev1.Secret) bool { return s.Name == secrets.TokenNameForServiceAccount(&account) })
			require.GreaterOrEqual(t, i, 0, account.Name)
			require.Equal(t, corev1.SecretTypeServiceAccountToken, tokens[i].Type)
			require.Equal(t, account.Name, tokens[i].Annotations[corev1.ServiceAccountNameKey])
		}
	})
	t.Run("each binding gives an account the role of its name", func(t *testing.T) {
		roles := names(all[rbacv1.Role](t, "Role"))
		bindings := all[rbacv1.RoleBinding](t, "RoleBinding")
		require.ElementsMatch(t, roles, names(bindings))
		for _, b := range bindings {
			require.Equal(t, b.Name, b.RoleRef.Name)
			require.Equal(t, "Role", b.RoleRef.Kind)
			require.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: b.Name, Namespace: "seatrial"}}, b.Subjects)
		}
	})
	t.Run("nodes are read by the plugin alone", func(t *testing.T) {
		binding := single[rbacv1.ClusterRoleBinding](t, "ClusterRoleBinding")
		require.Equal(t, single[rbacv1.ClusterRole](t, "ClusterRole").Name, binding.RoleRef.Name)
		require.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Name: generator.PluginAccount, Namespace: "seatrial"}}, binding.Subjects)
	})
}

// The whole of what the accounts may do. A right more is a change here too, and wants a reason.
func TestRights(t *testing.T) {
	for name, c := range map[string]struct {
		have []rbacv1.PolicyRule
		want []string
	}{
		"the workflow's account, which is the agent's": {role(t, generator.WorkflowAccount), []string{
			"argoproj.io/workflowtasksets: list watch",
			"argoproj.io/workflowtasksets/status: patch",
			"argoproj.io/workflowtaskresults: create patch",
		}},
		"the plugin's account": {role(t, generator.PluginAccount), []string{
			"argoproj.io/workflows: get",
			"argoproj.io/workflowtemplates: list",
			"trainer.kubeflow.org/trainjobs trainingruntimes: get list create delete",
			"/configmaps: get list create patch delete",
			"/persistentvolumeclaims services: get list create delete",
			"resource.k8s.io/resourceclaimtemplates: get list create delete",
			"resource.nvidia.com/computedomains: get list create delete",
			"/pods: list",
			"/pods/log: get",
			"/events: list",
		}},
		"the plugin's account in the cluster": {single[rbacv1.ClusterRole](t, "ClusterRole").Rules, []string{"/nodes: list", "resource.k8s.io/resourceslices: list", "/pods: list"}},
	} {
		t.Run(name, func(t *testing.T) {
			var have []string
			for _, r := range c.have {
				require.Empty(t, r.NonResourceURLs)
				have = append(have, strings.Join(r.APIGroups, " ")+"/"+strings.Join(r.Resources, " ")+": "+strings.Join(r.Verbs, " "))
			}
			require.Equal(t, c.want, have)
		})
	}
	t.Run("each rule says in a comment what it is for", func(t *testing.T) {
		lone := regexp.MustCompile(`(?m)^[^#\n]*\n  - apiGroups`)
		require.True(t, lone.MatchString("rules:\n  - apiGroups"), "the pattern must be able to find one")
		for _, file := range []string{"cluster/nodes.yaml", "namespace/workflow-role.yaml", "namespace/plugin-role.yaml"} {
			text, err := os.ReadFile(filepath.Join(manifests, file))
			require.NoError(t, err)
			require.Contains(t, string(text), "- apiGroups", file)
			require.NotRegexp(t, lone, string(text), file)
		}
	})
}

type overlay struct {
	APIVersion, Kind, Namespace string
	Resources                   []string
	Patches                     []struct {
		Target  struct{ Kind, Name string }
		Options map[string]bool
		Patch   string
	}
}

func kustomization(t *testing.T, folder string) overlay {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, generator.KustomizationFile))
	require.NoError(t, err)
	var k overlay
	require.NoError(t, yaml.UnmarshalStrict(text, &k))
	return k
}

// all returns every object of a kind in the manifests, read strictly.
func all[T any](t *testing.T, kind string) []T {
	t.Helper()
	var found []T
	for _, folder := range []string{"cluster", "namespace"} {
		for name, text := range readFolder(t, filepath.Join(manifests, folder)) {
			for _, document := range strings.Split(string(text), "\n---\n") {
				var header struct{ Kind string }
				require.NoError(t, yaml.Unmarshal([]byte(document), &header), name)
				if header.Kind == kind {
					var object T
					require.NoError(t, yaml.UnmarshalStrict([]byte(document), &object), name)
					found = append(found, object)
				}
			}
		}
	}
	require.NotEmpty(t, found, kind)
	return found
}

func single[T any](t *testing.T, kind string) T {
	t.Helper()
	found := all[T](t, kind)
	require.Len(t, found, 1)
	return found[0]
}

func names[T any, P interface {
	*T
	GetName() string
}](objects []T) []string {
	var names []string
	for i := range objects {
		names = append(names, P(&objects[i]).GetName())
	}
	return names
}

func role(t *testing.T, name string) []rbacv1.PolicyRule {
	t.Helper()
	for _, r := range all[rbacv1.Role](t, "Role") {
		if r.Name == name {
			return r.Rules
		}
	}
	t.Fatalf("no Role %s", name)
	return nil
}
