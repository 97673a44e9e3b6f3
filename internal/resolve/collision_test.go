package resolve

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestBuild_refuses_what_a_fragment_has_too(t *testing.T) {
	const patch = `runtimePatch: {spec: {template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {
  volumes: [{name: topo, hostPath: {path: /topo.xml}}],
  initContainers: [{name: daemon, image: d}],
  containers: [{name: node, volumeMounts: [{name: topo, mountPath: /etc/topo}, {name: dshm, mountPath: /shm}]}]}}}}}]}}}}
`
	build := func(t *testing.T, text string) error {
		t.Helper()
		run, err := v1alpha1.Load("run.yaml", []byte(`apiVersion: nvcre.nvidia.com/v1alpha1
metadata: {name: run}
spec:
  image: i
  framework: {torch: {script: /t.py}}
  numNodes: 2
`+text))
		require.NoError(t, err)
		in := group(run)
		in.Fragments = append(in.Fragments, fragment(t, "site", patch))
		_, err = Build(in)
		return err
	}
	for name, c := range map[string]struct{ spec, want string }{
		"a_volume": {
			"  volumes: [{name: mine, emptyDir: {}}, {name: topo, emptyDir: {}}]\n  volumeMounts: [{name: topo, mountPath: /mine}]\n",
			`spec.volumes[1].name: is "topo", taken by the platform's fragment site; another name would do`,
		},
		"a_mount_at_its_path": {
			"  volumes: [{name: mine, emptyDir: {}}]\n  volumeMounts: [{name: mine, mountPath: /etc/topo/}]\n",
			`spec.volumeMounts[0].mountPath: is "/etc/topo/", taken by the platform's fragment site; another path would do`,
		},
		"a_mount_of_its_name": {
			"  volumeMounts: [{name: dshm, mountPath: /mine}]\n",
			`spec.volumeMounts[0].name: is "dshm", taken by the platform's fragment site; a volume of the run's own would do`,
		},
		"an_init_container": {
			"  initContainers: [{name: daemon, image: i}]\n",
			`spec.initContainers[0].name: is "daemon", taken by the platform's fragment site; another name would do`,
		},
		"all_of_them_at_once": {
			"  volumes: [{name: topo, emptyDir: {}}]\n  initContainers: [{name: daemon, image: i}]\n",
			`spec.volumes[0].name: is "topo", taken by the platform's fragment site; another name would do` + "\n" +
				`spec.initContainers[0].name: is "daemon", taken by the platform's fragment site; another name would do`,
		},
	} {
		t.Run(name, func(t *testing.T) { require.EqualError(t, build(t, c.spec), c.want) })
	}
	t.Run("what_has_a_name_of_its_own_is_fine", func(t *testing.T) {
		require.NoError(t, build(t, "  volumes: [{name: mine, emptyDir: {}}]\n  volumeMounts: [{name: mine, mountPath: /etc/topo/below}]\n  initContainers: [{name: first, image: i}]\n"))
	})
}
