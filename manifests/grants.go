// Package manifests is the installation, for kubectl apply -k, and what a program must know of it.
package manifests

import (
	"bufio"
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// The manifests that hold roles and bindings, once for a cluster and once for a namespace.
//
//go:embed cluster/nodes.yaml namespace/plugin-role.yaml namespace/workflow-role.yaml namespace/nodes-binding.yaml
var roles embed.FS

// Grant is what a binding of the installation lets one service account do.
type Grant struct {
	// Account is the service account's name, in each namespace that runs workflows.
	Account string
	// Everywhere says that the rules hold in the whole cluster, not only in the account's namespace.
	Everywhere bool
	Rules      []rbacv1.PolicyRule
}

// Grants reads what each service account is given by the manifests, in their order. An error is a fault of the program.
func Grants() ([]Grant, error) {
	var bindings []rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
	rules := map[rbacv1.RoleRef][]rbacv1.PolicyRule{}
	for _, file := range []string{"namespace/workflow-role.yaml", "namespace/plugin-role.yaml", "cluster/nodes.yaml", "namespace/nodes-binding.yaml"} {
		text, err := roles.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("reading the manifests: %w", err)
		}
		documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text)))
		for {
			document, err := documents.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
			var kind metav1.TypeMeta
			var role rbacv1.Role // and a ClusterRole
			var binding rbacv1.RoleBinding
			if err := errors.Join(yaml.Unmarshal(document, &kind), yaml.Unmarshal(document, &role), yaml.Unmarshal(document, &binding)); err != nil {
				return nil, fmt.Errorf("reading %s: %w", file, err)
			}
			switch kind.Kind {
			case "Role", "ClusterRole":
				rules[rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind.Kind, Name: role.Name}] = role.Rules
			default:
				bindings = append(bindings, binding)
			}
		}
	}
	var grants []Grant
	for _, b := range bindings {
		for _, subject := range b.Subjects {
			grants = append(grants, Grant{Account: subject.Name, Everywhere: b.RoleRef.Kind == "ClusterRole", Rules: rules[b.RoleRef]})
		}
	}
	return grants, nil
}
