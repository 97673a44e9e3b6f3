package build

import (
	"strings"
	"time"
)

// program is one module under modules/ and what is built from it.
type program struct {
	name     string
	module   string            // whose version is the program's; empty: the program is our own
	binaries map[string]string // file → package
	ldflags  func(version string) string
	cold     time.Duration // guess for empty caches on two cores; README.md says where it comes from
}

// strip leaves out symbols: half the size and a shorter link.
const strip = "-s -w"

func stripped(string) string { return strip }

// programs are in the order in which they are built: kubectl is needed for the manifests.
var programs = []program{
	{
		name: "kubernetes", module: "k8s.io/kubernetes", cold: 740 * time.Second,
		binaries: map[string]string{
			"kube-apiserver":          "k8s.io/kubernetes/cmd/kube-apiserver",
			"kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
			"kube-scheduler":          "k8s.io/kubernetes/cmd/kube-scheduler",
			"kubelet":                 "k8s.io/kubernetes/cmd/kubelet",
			"kubectl":                 "k8s.io/kubernetes/cmd/kubectl",
		},
		ldflags: kubernetesVersion,
	},
	{
		name: argo, module: argoModule, cold: 600 * time.Second,
		binaries: map[string]string{
			"workflow-controller": "./cmd/workflow-controller",
			"argoexec":            "./cmd/argoexec",
			"argo":                "./cmd/argo",
		},
		ldflags: func(version string) string { return strip + " -X " + argoModule + ".version=" + version },
	},
	// Debian's etcd 3.4 ends watches of Kubernetes 1.34 with "Too large resource version".
	{name: "etcd", module: "go.etcd.io/etcd/server/v3", binaries: map[string]string{"etcd": "go.etcd.io/etcd/server/v3"}, ldflags: stripped, cold: 60 * time.Second},
	{
		name: "trainer", module: "github.com/kubeflow/trainer/v2", ldflags: stripped, cold: 120 * time.Second,
		binaries: map[string]string{"trainer-controller-manager": "github.com/kubeflow/trainer/v2/cmd/trainer-controller-manager"},
	},
	{name: "jobset", module: "sigs.k8s.io/jobset", binaries: map[string]string{"jobset-controller": "sigs.k8s.io/jobset"}, ldflags: stripped, cold: 60 * time.Second},
	{name: "coredns", module: "github.com/coredns/coredns", binaries: map[string]string{"coredns": "."}, ldflags: stripped, cold: 60 * time.Second},
	{name: "pause", binaries: map[string]string{"pause": "."}, ldflags: stripped, cold: 2 * time.Second},
}

// kubernetesVersion stamps the version that the API server reports and kubelets compare.
func kubernetesVersion(version string) string {
	major, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), ".")
	minor, _, _ := strings.Cut(rest, ".")
	const variable = "k8s.io/component-base/version"
	return strip + " -X " + variable + ".gitVersion=" + version + " -X " + variable + ".gitMajor=" + major + " -X " + variable + ".gitMinor=" + minor
}

// Version is the version of one program.
type Version struct{ Program, Version string }

// Versions lists the programs with the versions that are pinned.
func (b *Builder) Versions() ([]Version, error) {
	var out []Version
	for _, program := range programs {
		if program.module == "" {
			continue
		}
		version, err := b.pins.Version(program.name, program.module)
		if err != nil {
			return nil, err
		}
		out = append(out, Version{Program: program.name, Version: version})
	}
	return out, nil
}
