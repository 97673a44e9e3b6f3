package v1alpha1

import (
	"path"
	"strings"
)

// Names and paths that the pods of every framework, or of some, have already. The published page lists them.
const (
	// VolumeShm and VolumeConfig are the built-in volumes; PathShm and PathConfig is where they are mounted.
	VolumeShm    = "dshm"
	VolumeConfig = "config-volume"
	PathShm      = "/dev/shm"
	PathConfig   = "/config"
	// VolumeSSHAuth holds the keys that Trainer makes for an MPI job, PathSSHRaw is where it mounts them, and PathSSH is where
	// the worker's sshd has them.
	VolumeSSHAuth = "mpi-ssh-auth"
	PathSSHRaw    = "/tmp/mpi-ssh-raw"
	PathSSH       = "/root/.ssh"
	// VolumeToken and PathToken are those of Trainer's status plugin, which mounts a token where it is enabled.
	VolumeToken = "kubeflow-trainer-token"
	PathToken   = "/var/run/secrets/kubeflow/trainer"
	// ContainerNode is the name of the workload container in every pod.
	ContainerNode = "node"
)

// taken is what a run's pods have already: names and paths, each with what has it.
type taken struct {
	volumes map[string]string
	// exact paths are taken by themselves, trees with every path below them: a mount at /root/.ssh/authorized_keys hides that
	// file as surely as one at /root/.ssh.
	exact, trees map[string]string
	// mountable are built-in volumes that a mount may name.
	mountable map[string]bool
}

// takenBy returns what is taken in the pods of a spec.
func takenBy(spec *WorkloadRunSpec) taken {
	t := taken{
		volumes:   map[string]string{VolumeShm: "the built-in memory at " + PathShm, VolumeConfig: "the built-in volume of spec.config"},
		exact:     map[string]string{PathShm: "the built-in memory"},
		trees:     map[string]string{},
		mountable: map[string]bool{VolumeShm: true},
	}
	if spec.Config != nil {
		t.exact[PathConfig] = "the files of spec.config"
		t.mountable[VolumeConfig] = true
	}
	switch spec.Framework.Name() {
	case FrameworkMPI:
		t.volumes[VolumeSSHAuth] = "the ssh keys that Trainer adds"
		t.trees[PathSSHRaw] = "the ssh keys that Trainer adds"
		t.trees[PathSSH] = "the keys of the worker's sshd"
	case FrameworkTorch, FrameworkExec:
		t.volumes[VolumeToken] = "the token that Trainer adds"
		t.trees[PathToken] = "the token that Trainer adds"
	}
	return t
}

// path returns which taken path a mount would hide, and what is there; both are "" when it hides none.
func (t taken) path(mount string) (at, what string) {
	mount = path.Clean(mount)
	if what, is := t.exact[mount]; is {
		return mount, what
	}
	for _, tree := range sortedKeys(t.trees) {
		if mount == tree || strings.HasPrefix(mount, tree+"/") {
			return tree, t.trees[tree]
		}
	}
	return "", ""
}
