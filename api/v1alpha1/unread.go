package v1alpha1

import (
	"regexp"
	"slices"
)

// unreadFields are the fields of the published format (v0.8.0) that Seatrial does not read yet. They are refused like any other
// that it does not know, but who wrote one has made no slip.
var unreadFields = []string{
	"spec.checkpoint",
	"spec.config.configMapRef",
	"spec.enableMNNVL",
	"spec.framework.mpi.mpiImplementation",
	pathTorch,
	"spec.gangScheduler",
	"spec.goodputMeasurement",
	"spec.initContainers",
	"spec.mlnxPerNode",
	"spec.nicResourceName",
	"spec.orchestration.placement",
	"spec.orchestration.repeatCount",
	"spec.orchestration.testScale",
	"spec.orchestration.topology",
	"spec.resources",
	"spec.target.taintSelectors",
	"spec.volumeMounts",
	"spec.volumes",
	"spec.workloadMetadata",
}

const (
	pathFramework = "spec.framework"
	pathTorch     = "spec.framework.torch"
)

var index = regexp.MustCompile(`\[[0-9]+\]`)

// unread says whether the format has the field at path although Seatrial does not read it.
func unread(path string) bool {
	return slices.Contains(unreadFields, index.ReplaceAllString(path, "[]"))
}
