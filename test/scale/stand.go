package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
)

// stand is a namespace of the cluster with Seatrial in it, and clients that count what they ask.
type stand struct {
	kube      kubernetes.Interface
	dynamic   dynamic.Interface
	seatrial  *cluster.Cluster
	namespace string
	// root is the repository's folder.
	root string
	sent atomic.Int64
	say  func(string, ...any)
}

// newStand connects to the cluster of $KUBECONFIG and installs Seatrial's manifests for the namespace.
func newStand(ctx context.Context, root, namespace string, say func(string, ...any)) (*stand, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	s := &stand{namespace: namespace, root: root, say: say}
	config.QPS, config.Burst = 1000, 2000 // a kubelet a node would have 50 a second each
	config.UserAgent = "seatrial-scale"
	config.Wrap(func(next http.RoundTripper) http.RoundTripper { return counter{next, &s.sent} })
	if s.seatrial, err = cluster.New(config); err != nil {
		return nil, err
	}
	if s.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	packed := rest.CopyConfig(config)
	packed.ContentType = "application/vnd.kubernetes.protobuf"
	if s.kube, err = kubernetes.NewForConfig(packed); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return s, s.install(ctx)
}

// install applies manifests/namespace, for a namespace of our own.
func (s *stand) install(ctx context.Context) error {
	folder, err := os.MkdirTemp("", "seatrial-scale-")
	if err != nil {
		return fmt.Errorf("making a folder: %w", err)
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder
	base, err := filepath.Rel(folder, filepath.Join(s.root, "manifests", "namespace"))
	if err != nil {
		return fmt.Errorf("finding the manifests: %w", err)
	}
	text := fmt.Sprintf(`apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: %[1]s
resources: [%[2]s]
patches:
  - target: {kind: ClusterRoleBinding, name: seatrial-nodes.seatrial}
    options: {allowNameChange: true}
    patch: |
      - {op: replace, path: /metadata/name, value: seatrial-nodes.%[1]s}
`, s.namespace, base)
	if err := os.WriteFile(filepath.Join(folder, "kustomization.yaml"), []byte(text), 0o600); err != nil {
		return fmt.Errorf("writing the kustomization: %w", err)
	}
	return s.kubectl(ctx, "", "apply", "-k", folder)
}

// remove deletes the namespace, and the one object of its manifests that is outside of it.
func (s *stand) remove(ctx context.Context) error {
	return s.kubectl(ctx, "", "delete", "namespace/"+s.namespace, "clusterrolebinding/seatrial-nodes."+s.namespace, "--ignore-not-found", "--timeout=180s")
}

// kubectl runs one command in the namespace. input is what it reads.
func (s *stand) kubectl(ctx context.Context, input string, args ...string) error {
	c := exec.CommandContext(ctx, "kubectl", append(args, "-n", s.namespace)...)
	c.Stdin = strings.NewReader(input)
	out, err := c.CombinedOutput()
	if err != nil {
		return fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}
