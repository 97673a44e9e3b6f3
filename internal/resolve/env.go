package resolve

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// defaultEnv is what every workload container gets unless the user sets the name: the list of the Cluster Readiness
// Engine, in its order. multiNode NVLink exists on gb200 and gb300 only.
func defaultEnv(architecture string) []corev1.EnvVar {
	mnnvl := "0"
	if architecture == "gb200" || architecture == "gb300" {
		mnnvl = "1"
	}
	return []corev1.EnvVar{
		{Name: "NCCL_DEBUG", Value: "INFO"},
		{Name: "NCCL_DEBUG_SUBSYS", Value: "NET,INIT"},
		{Name: "NCCL_NVLS_ENABLE", Value: "1"},
		{Name: "NCCL_CUMEM_ENABLE", Value: "1"},
		{Name: "NCCL_NET_GDR_C2C", Value: "1"},
		{Name: "NCCL_NET_GDR_LEVEL", Value: "PHB"},
		{Name: "NCCL_P2P_NET_CHUNKSIZE", Value: "2097152"},
		{Name: "NCCL_SHM_DISABLE", Value: "1"},
		{Name: "NCCL_MNNVL_ENABLE", Value: mnnvl},
		{Name: "NCCL_SOCKET_IFNAME", Value: "eth0"},
	}
}

// environment merges the defaults with the user's variables: defaults whose name the user did not set, in their order,
// then all of the user's in the user's order, duplicates too.
func environment(architecture string, user []corev1.EnvVar) []corev1.EnvVar {
	set := map[string]bool{}
	for _, e := range user {
		set[e.Name] = true
	}
	var merged []corev1.EnvVar
	for _, e := range defaultEnv(architecture) {
		if !set[e.Name] {
			merged = append(merged, e)
		}
	}
	return append(merged, user...)
}

// forward returns the -x arguments by which mpirun hands env to the ranks: sshd gives every session a fresh environment.
// A name that mpiArgs forwards already is left to it. A variable with valueFrom is forwarded by name, so that mpirun reads
// its value from the launcher's environment. Of a name that is there twice the last counts, as in a container; both would
// end the run, since Open MPI 5 refuses a name with two values.
func forward(env []corev1.EnvVar, mpiArgs []string) []string {
	forwarded := map[string]bool{}
	for i := 0; i+1 < len(mpiArgs); i++ {
		if mpiArgs[i] == "-x" {
			name, _, _ := strings.Cut(mpiArgs[i+1], "=")
			forwarded[name] = true
		}
	}
	last := map[string]int{}
	for i, e := range env {
		last[e.Name] = i
	}
	var args []string
	for i, e := range env {
		switch {
		case forwarded[e.Name] || i != last[e.Name]:
		case e.ValueFrom != nil:
			args = append(args, "-x", e.Name)
		default:
			args = append(args, "-x", e.Name+"="+e.Value)
		}
	}
	return args
}
