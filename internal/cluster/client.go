package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/argoproj/pkg/kubeclientmetrics"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Cluster talks to one Kubernetes API server.
type Cluster struct {
	kube    kubernetes.Interface
	dynamic dynamic.Interface
	openLog func(ctx context.Context, namespace, pod string, options LogOptions) (io.ReadCloser, error)
	// requests counts what was sent to the API server.
	requests atomic.Int64
	// shards holds a *shardWriter for each ConfigMap of a run record that this process writes.
	shards sync.Map
}

// ErrUnreachable marks errors of a cluster that could not be asked at all.
var ErrUnreachable = errors.New("the cluster is not reachable")

// Flags are kubectl's flags for choosing a cluster; empty fields mean what kubectl makes of them.
type Flags struct {
	Kubeconfig string
	Context    string
	Namespace  string
}

// FromFlags connects as kubectl would. It also returns the namespace that the flags and the kubeconfig choose.
func FromFlags(f Flags) (*Cluster, string, error) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = f.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{CurrentContext: f.Context}
	overrides.Context.Namespace = f.Namespace
	loader := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
	config, err := loader.ClientConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", fmt.Errorf("%w: %s; --kubeconfig FILE, or the variable KUBECONFIG, names another", ErrUnreachable, noConfig(rules.GetLoadingPrecedence()))
	}
	if err != nil {
		return nil, "", fmt.Errorf("%w: reading the kubeconfig: %w", ErrUnreachable, err)
	}
	namespace, _, err := loader.Namespace()
	if err != nil {
		return nil, "", fmt.Errorf("reading the kubeconfig's namespace: %w", err)
	}
	c, err := New(config)
	return c, namespace, err
}

// noConfig says why none of the files of a kubeconfig names a cluster.
func noConfig(files []string) string {
	var said []string
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			said = append(said, "there is no "+file)
		} else {
			said = append(said, file+" names no cluster")
		}
	}
	if said == nil {
		return "there is no kubeconfig"
	}
	return strings.Join(said, ", ")
}

// InCluster connects with the service account that is mounted into the pod.
func InCluster() (*Cluster, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("reading the pod's service account: %w", err)
	}
	return New(config)
}

// New connects with a client configuration. It sends nothing yet.
func New(config *rest.Config) (*Cluster, error) {
	c := &Cluster{}
	config = rest.CopyConfig(config)
	config.UserAgent = "seatrial"
	// A group costs 20 requests or so. A thousand of them start within minutes; client-go's own limit of 5 requests a second would
	// take an hour for them.
	config.QPS, config.Burst = 100, 200
	config = kubeclientmetrics.AddMetricsTransportWrapper(config, func(kubeclientmetrics.ResourceInfo) error {
		c.requests.Add(1)
		return nil
	})
	// Kubernetes' own objects come packed: lists of thousands of pods are a third of their JSON, and are read in a fraction of the time.
	// They go as JSON, which the counter above can read.
	packed := rest.CopyConfig(config)
	packed.AcceptContentTypes, packed.ContentType = runtime.ContentTypeProtobuf+","+runtime.ContentTypeJSON, runtime.ContentTypeJSON
	var err error
	if c.kube, err = kubernetes.NewForConfig(packed); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	c.openLog = c.streamLog
	return c, nil
}

// Requests returns how many requests were sent to the API server.
func (c *Cluster) Requests() int64 { return c.requests.Load() }
