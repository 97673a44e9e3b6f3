package resolve

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	trainer "github.com/kubeflow/trainer/v2/pkg/apis/trainer/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	jobset "sigs.k8s.io/jobset/api/jobset/v1alpha2"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Names that Trainer's MPI plugin goes by.
const (
	replicatedNode     = "node"
	replicatedLauncher = "launcher"
	containerNode      = v1alpha1.ContainerNode
	ancestorLabel      = "trainer.kubeflow.org/trainjob-ancestor-step"
	sshSecretVolume    = v1alpha1.VolumeSSHAuth
	sshRawPath         = v1alpha1.PathSSHRaw
	sshPath            = v1alpha1.PathSSH
	hostfileVolume     = "mpi-hostfile"
	hostfileFolder     = "/etc/mpi"
	rshArgs            = "plm_rsh_args"
	sshOptions         = "-o StrictHostKeyChecking=no -o ConnectionAttempts=10"
)

// workerScript sets up the keys that Trainer mounted read-only and becomes sshd. The last exec matters: a shell as
// process 1 ignores SIGTERM, and every worker would take its whole grace period to go away.
var workerScript = strings.Join([]string{
	"set -x",
	"{ test -x /usr/sbin/sshd || { apt-get update && apt-get install -y --no-install-recommends openssh-server; }; }",
	"mkdir -p -m 0755 /var/run/sshd",
	copyKeys,
	"exec /usr/sbin/sshd -De",
}, " && ")

// copyKeys puts Trainer's keys where ssh looks for them, with the modes that it insists on.
const copyKeys = "mkdir -p -m 0700 " + sshPath + " && cp " + sshRawPath + "/* " + sshPath + "/" +
	" && chmod 600 " + sshPath + "/id_rsa && chmod 644 " + sshPath + "/id_rsa.pub " + sshPath + "/authorized_keys"

// workerReady opens a real session on the loopback address, since a listening port proves neither the key nor the
// session. Where the image has no ssh client it falls back to a listening socket on port 22 (0x16).
const workerReady = `command -v ssh >/dev/null || { grep -qE '^ *[0-9]+: [0-9A-F]+:0016 [0-9A-F]+:0000 0A ' /proc/net/tcp /proc/net/tcp6; exit; }; ` +
	`limit=; command -v timeout >/dev/null && limit='timeout 8'; ` +
	`$limit ssh -n -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o ConnectTimeout=5 127.0.0.1 true`

func mpiRuntime(in Group) trainer.TrainingRuntimeSpec {
	// The launcher is made once every worker is ready. Under KAI it waits for them itself.
	after := []jobset.DependsOn{{Name: replicatedNode, Status: jobset.DependencyReady}}
	if in.kai() {
		after = nil
	}
	return trainer.TrainingRuntimeSpec{
		MLPolicy: &trainer.MLPolicy{
			NumNodes: ptr.To[int32](1),
			MLPolicySource: trainer.MLPolicySource{MPI: &trainer.MPIMLPolicySource{
				NumProcPerNode:    ptr.To(in.GPUs),
				MPIImplementation: ptr.To(trainer.MPIImplementationOpenMPI),
				SSHAuthMountPath:  ptr.To(sshRawPath),
			}},
		},
		Template: trainer.JobSetTemplateSpec{Spec: jobset.JobSetSpec{
			// The launcher resolves workers that are not ready yet, and workers resolve the launcher.
			Network:       &jobset.Network{PublishNotReadyAddresses: ptr.To(true)},
			SuccessPolicy: &jobset.SuccessPolicy{Operator: jobset.OperatorAll, TargetReplicatedJobs: []string{replicatedLauncher}},
			ReplicatedJobs: []jobset.ReplicatedJob{
				replicatedJob(in, replicatedNode, nil, nil, mpiWorker(in)),
				replicatedJob(in, replicatedLauncher, map[string]string{ancestorLabel: "trainer"}, after, mpiLauncher(in)),
			},
		}},
	}
}

func mpiWorker(in Group) corev1.PodSpec {
	return corev1.PodSpec{
		RestartPolicy:  corev1.RestartPolicyOnFailure,
		InitContainers: in.Spec.InitContainers,
		Containers: []corev1.Container{{
			Name:      containerNode,
			Image:     in.Spec.Image,
			Command:   []string{"sh", "-c", workerScript},
			Env:       in.environment(),
			Resources: resources(in.Spec.Resources, in.GPUs),
			SecurityContext: &corev1.SecurityContext{Capabilities: &corev1.Capabilities{
				// IPC_LOCK: RDMA pins memory. SYS_CHROOT: sshd's privilege separation; CRI-O drops it.
				Add: []corev1.Capability{"IPC_LOCK", "SYS_CHROOT"},
			}},
			ReadinessProbe: &corev1.Probe{
				ProbeHandler:        corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"sh", "-c", workerReady}}},
				InitialDelaySeconds: 5, PeriodSeconds: 30, TimeoutSeconds: 10,
			},
			VolumeMounts: append([]corev1.VolumeMount{{Name: sshSecretVolume, MountPath: sshRawPath, ReadOnly: true}}, nodeMounts(in)...),
		}},
		Volumes: nodeVolumes(in),
	}
}

func mpiLauncher(in Group) corev1.PodSpec {
	keys := []corev1.VolumeMount{
		{Name: sshSecretVolume, MountPath: sshRawPath, ReadOnly: true},
		{Name: "ssh-keys", MountPath: sshPath},
	}
	node := corev1.Container{
		Name:  containerNode,
		Image: in.Spec.Image,
		Env:   in.environment(),
		Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{
			corev1.ResourceCPU: quantity("2"), corev1.ResourceMemory: quantity("1Gi"),
		}},
		VolumeMounts: keys,
	}
	volumes := []corev1.Volume{{Name: "ssh-keys", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	if v := configVolume(in); v != nil {
		mount := configMount()
		mount.ReadOnly = true
		node.VolumeMounts = append(node.VolumeMounts, mount)
		volumes = append(volumes, *v)
	}
	return corev1.PodSpec{
		RestartPolicy:  corev1.RestartPolicyOnFailure,
		InitContainers: []corev1.Container{launcherInit(in, keys)},
		Containers:     []corev1.Container{node},
		Volumes:        volumes,
	}
}

// launcherInit copies the keys and, where nothing gates the launcher, waits for every worker. The volume of the hostfile is
// Trainer's, which adds it to the launcher.
func launcherInit(in Group, keys []corev1.VolumeMount) corev1.Container {
	c := corev1.Container{Name: "fix-ssh-permissions", Image: in.Spec.Image, Command: []string{"sh", "-c", copyKeys}, VolumeMounts: keys}
	if in.kai() {
		c.Command[2] = copyKeys + " || exit 1\n" + kaiWait()
		c.VolumeMounts = append(slices.Clone(keys), corev1.VolumeMount{Name: hostfileVolume, MountPath: hostfileFolder, ReadOnly: true})
	}
	return c
}

// mpirunArgs are Seatrial's own arguments, the environment of the ranks, the platform's arguments, the user's and the program.
// What the user gives is left to her: Open MPI 5 refuses a parameter with two values.
func mpirunArgs(in Group) []string {
	mpi := in.Spec.Framework.MPI
	given := append(in.platformArgs(), mpi.MPIArgs...)
	args := []string{"-N", strconv.Itoa(int(in.GPUs)), allowRoot, "--mca", rshArgs, sshOptions}
	args = withoutGiven(args, given)
	args = append(args, forward(in.environment(), given)...)
	args = append(args, given...)
	args = append(args, mpi.Binary)
	return append(args, mpi.Args...)
}

func replicatedJob(in Group, name string, jobLabels map[string]string, after []jobset.DependsOn, pod corev1.PodSpec) jobset.ReplicatedJob {
	job := jobset.ReplicatedJob{Name: name, Replicas: 1, DependsOn: after}
	job.Template.Labels = map[string]string{}
	maps.Copy(job.Template.Labels, jobLabels)
	maps.Copy(job.Template.Labels, in.queueLabels())
	pod.Affinity = affinity(in)
	if name == replicatedNode && in.Workers() > 1 {
		pod.Affinity = withApart(pod.Affinity, in)
	}
	pod.Tolerations = tolerations(in)
	pod.ImagePullSecrets = in.Spec.ImagePullSecrets
	if in.Spec.GangScheduler != nil {
		pod.SchedulerName = in.Spec.GangScheduler.SchedulerName
	}
	job.Template.Spec.ActiveDeadlineSeconds = ptr.To(int64(lastBound * in.Spec.Timeout().Seconds()))
	job.Template.Spec.Template.Labels = in.queueLabels()
	job.Template.Spec.Template.Spec = pod
	return job
}
