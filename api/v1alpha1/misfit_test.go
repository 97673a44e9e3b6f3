package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLoad_checks_what_overrides_hold(t *testing.T) {
	_, err := Load("run.yaml", []byte(`apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: x}
spec:
  image: i
  framework: {exec: {command: [a]}}
  numNodes: 2
  overrides:
    - when: {}
      jobTemplate:
        spec:
          workload:
            trainJob:
              trainer: {$patch: replace, numProcPerNode: auto}
          other: 1
      dependencies:
        - apiVersion: trainer.kubeflow.org/v1alpha1
          kind: TrainingRuntime
          metadata: {name: x-runtime}
          when: {platform: {equals: aws}}
          spec:
            bogus: 1
            template:
              spec:
                replicatedJobs:
                  - {name: node, replicas: many}
                  - name: launcher
                    template: null
        - {apiVersion: resource.nvidia.com/v1beta1, kind: ComputeDomain, metadata: {name: c}, spec: {anything: 1}}
`))
	require.EqualError(t, err, `run.yaml:14: spec.overrides[0].jobTemplate.spec.workload.trainJob.trainer.numProcPerNode: is the text "auto"; a whole number, at most 2147483647, would do
run.yaml:15: spec.overrides[0].jobTemplate.spec.other: is no part of the job template that Seatrial has; workload or workloadMetadata would do
run.yaml:22: spec.overrides[0].dependencies[0].spec.bogus: unknown field
run.yaml:26: spec.overrides[0].dependencies[0].spec.template.spec.replicatedJobs[0].replicas: is the text "many"; a whole number, at most 2147483647, would do`)
}
