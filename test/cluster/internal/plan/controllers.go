package plan

import (
	"path/filepath"
	"time"
)

// Namespaces that the controllers expect.
const (
	ArgoNamespace    = "argo"
	jobsetNamespace  = "jobset-system"
	trainerNamespace = "kubeflow-system"
)

// Controller is a controller that runs outside the cluster, with webhooks that the API server calls.
type Controller struct {
	Component
	Service    string      // the Service that its webhooks name
	Namespace  string      // where it is
	Ports      map[int]int // port of the Services → port on this host
	ConfigFile string      // what it reads
	ConfigText string      // content of ConfigFile
	Manifest   string      // file of its manifests
	Sample     string      // an object that its webhook takes: created dry, it shows that the webhook answers
}

// JobSet is the JobSet controller, with its own choice of ports.
func (l Layout) JobSet() Controller {
	config := filepath.Join(l.Controller("jobset"), "config.yaml")
	return Controller{
		Component: Component{
			Name:  "jobset",
			Argv:  []string{l.binary("jobset-controller"), "--kubeconfig", l.Kubeconfig(), "--config", config, "--zap-devel=false"},
			Env:   []string{"TMPDIR=" + l.Controller("jobset"), "POD_NAMESPACE=" + jobsetNamespace},
			Probe: Probe{URL: "http://127.0.0.1:8081/healthz"},
		},
		Service: "jobset-webhook-service", Namespace: jobsetNamespace,
		Ports:      map[int]int{443: 9443, 8443: 8443},
		ConfigFile: config,
		ConfigText: render(map[string]any{
			"apiVersion": "config.jobset.x-k8s.io/v1alpha1", "kind": "Configuration",
			"leaderElection":         map[string]any{"leaderElect": false},
			"internalCertManagement": map[string]any{"enable": false}, // else it overwrites our authority
		}),
		Manifest: filepath.Join(l.Manifests, "jobset.yaml"),
		Sample:   jobsetSample,
	}
}

// Trainer is the Kubeflow Trainer. Its ports are moved away from those of JobSet, as both run on one host.
func (l Layout) Trainer() Controller {
	config := filepath.Join(l.Controller("trainer"), "config.yaml")
	return Controller{
		Component: Component{
			Name:  "trainer",
			Argv:  []string{l.binary("trainer-controller-manager"), "--kubeconfig", l.Kubeconfig(), "--config", config},
			Env:   []string{"TMPDIR=" + l.Controller("trainer"), "POD_NAMESPACE=" + trainerNamespace},
			Probe: Probe{URL: "http://127.0.0.1:8082/healthz"},
		},
		Service: "kubeflow-trainer-controller-manager", Namespace: trainerNamespace,
		Ports:      map[int]int{443: 9444, 8443: 8444, 10443: 10443},
		ConfigFile: config,
		ConfigText: render(map[string]any{
			"apiVersion": "config.trainer.kubeflow.org/v1alpha1", "kind": "Configuration",
			"health":         map[string]any{"healthProbeBindAddress": ":8082"},
			"metrics":        map[string]any{"bindAddress": ":8444", "secureServing": true},
			"webhook":        map[string]any{"port": 9444},
			"statusServer":   map[string]any{"port": 10443},
			"leaderElection": map[string]any{"leaderElect": false},
			"certManagement": map[string]any{"enable": false},
			"controller": map[string]any{"groupKindConcurrency": map[string]any{
				"TrainJob.trainer.kubeflow.org": 5, "TrainingRuntime.trainer.kubeflow.org": 1, "ClusterTrainingRuntime.trainer.kubeflow.org": 1}},
			"clientConnection": map[string]any{"qps": 50, "burst": 100},
		}),
		Manifest: filepath.Join(l.Manifests, "trainer.yaml"),
		Sample:   runtimeSample,
	}
}

// Argo is the workflow controller: every namespace, executor plugins on. A plugin step costs up to requeue.
func (l Layout) Argo(requeue time.Duration) Component {
	return Component{
		Name: "argo",
		Argv: []string{l.binary("workflow-controller"), "--kubeconfig", l.Kubeconfig(), "--namespace", ArgoNamespace,
			"--executor-image", ArgoexecImage, "--executor-image-pull-policy", "Never"},
		Env:   []string{"ARGO_EXECUTOR_PLUGINS=true", "LEADER_ELECTION_DISABLE=true", "DEFAULT_REQUEUE_TIME=" + requeue.String()},
		Probe: Probe{URL: "http://127.0.0.1:6060/healthz"},
	}
}

// Components returns every component of a cluster of n nodes, in the order of their start.
func (l Layout) Components(nodes int, requeue time.Duration) []Component {
	out := append([]Component{l.EtcdComponent(), l.APIServer()}, l.ControlPlane()...)
	for i := 1; i <= nodes; i++ {
		out = append(out, l.Containerd(NodeName(i)), l.Kubelet(i))
	}
	return append(out, l.JobSet().Component, l.Trainer().Component, l.Argo(requeue))
}

const jobsetSample = `{"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"webhook-answers","namespace":"default"},
"spec":{"replicatedJobs":[{"name":"j","template":{"spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"none"}]}}}}}]}}`

const runtimeSample = `{"apiVersion":"trainer.kubeflow.org/v1alpha1","kind":"TrainingRuntime","metadata":{"name":"webhook-answers","namespace":"default"},
"spec":{"template":{"spec":{"replicatedJobs":[{"name":"node","template":{"metadata":{"labels":{"trainer.kubeflow.org/trainjob-ancestor-step":"trainer"}},
"spec":{"template":{"spec":{"containers":[{"name":"node","image":"none"}]}}}}}]}}}}`
