package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoad_refuses_what_the_API_server_would(t *testing.T) {
	const head = "apiVersion: nvcre.nvidia.com/v1alpha1\nkind: WorkloadRun\nmetadata: {name: x}\nspec:\n  image: i\n  framework: {exec: {command: [a]}}\n  numNodes: 2\n"
	for spec, want := range map[string]string{
		"volumes: [{name: s, secret: {}}]":                                        `spec.volumes[0].secret.secretName: is missing; the name of a Secret in the run's namespace would do`,
		"volumes: [{name: s, configMap: {}}]":                                     `spec.volumes[0].configMap.name: is missing; the name of a ConfigMap in the run's namespace would do`,
		"volumes: [{name: s, csi: {}}]":                                           `spec.volumes[0].csi.driver: is missing; the name of a CSI driver would do`,
		"volumes: [{name: s, nfs: {server: a}}]":                                  `spec.volumes[0].nfs.path: is ""; a path from / on would do`,
		"volumes: [{name: s, nfs: {path: /a}}]":                                   `spec.volumes[0].nfs.server: is missing; the address of a server would do`,
		"env: [{name: A, valueFrom: {fieldRef: {}}}]":                             `spec.env[0].valueFrom.fieldRef.fieldPath: is ""; one such as metadata.name, spec.nodeName, status.podIP or metadata.labels['KEY'] would do`,
		"env: [{name: A, valueFrom: {fieldRef: {fieldPath: spec.nodeNam}}}]":      `spec.env[0].valueFrom.fieldRef.fieldPath: is "spec.nodeNam"; did you mean spec.nodeName?`,
		"env: [{name: A, valueFrom: {secretKeyRef: {name: a}}}]":                  `spec.env[0].valueFrom.secretKeyRef.key: is missing; a key of the Secret would do`,
		"env: [{name: A, valueFrom: {configMapKeyRef: {key: a}}}]":                `spec.env[0].valueFrom.configMapKeyRef.name: is missing; the name of a ConfigMap in the run's namespace would do`,
		"initContainers: [{name: a, image: i, restartPolicy: Sometimes}]":         `spec.initContainers[0].restartPolicy: is "Sometimes"; Always would do, for a container that runs beside the workload`,
		"initContainers: [{name: a, image: i, imagePullPolicy: Foo}]":             `spec.initContainers[0].imagePullPolicy: is "Foo"; Always, IfNotPresent or Never would do`,
		"initContainers: [{name: a, image: i, ports: [{containerPort: 99999}]}]":  `spec.initContainers[0].ports[0].containerPort: is 99999; 1 to 65535 would do`,
		"volumeMounts: [{name: dshm, mountPath: /x, mountPropagation: Foo}]":      `spec.volumeMounts[0].mountPropagation: is "Foo"; None, HostToContainer or Bidirectional would do`,
		"resources: {limits: {nvidia.com/gpu: 4}, requests: {nvidia.com/gpu: 2}}": `spec.resources.requests["nvidia.com/gpu"]: is 2, less than the limit of 4; the same number in both would do`,
		"resources: {requests: {nvidia.com/gpu: 2}}":                              `spec.resources.requests["nvidia.com/gpu"]: is 2 without a limit; spec.resources.limits with the same number would do`,
		"resources: {limits: {nvidia.com/gpu: '1.5'}}":                            `spec.resources.limits["nvidia.com/gpu"]: is 1500m; a whole number would do`,
	} {
		t.Run(spec, func(t *testing.T) {
			_, err := Load("run.yaml", []byte(head+"  "+spec+"\n"))
			require.EqualError(t, err, "run.yaml:8: "+want)
		})
	}
	t.Run("what_it_takes_is_fine", func(t *testing.T) {
		_, err := Load("run.yaml", []byte(head+`  resources: {limits: {nvidia.com/gpu: 4, cpu: 4}, requests: {nvidia.com/gpu: 4, cpu: 500m}}
  volumes: [{name: s, secret: {secretName: a}}, {name: n, nfs: {server: a, path: /b}}]
  volumeMounts: [{name: s, mountPath: /s, mountPropagation: HostToContainer}]
  env: [{name: A, valueFrom: {fieldRef: {fieldPath: "metadata.labels['app.kubernetes.io/name']"}}}]
  initContainers: [{name: a, image: i, restartPolicy: Always, imagePullPolicy: Never, ports: [{containerPort: 80}]}]
`))
		require.NoError(t, err)
	})
}
