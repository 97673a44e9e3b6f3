package v1alpha1

import (
	"regexp"
	"slices"
)

// unreadFields are the fields of the published format (v0.8.0) that Seatrial does not read yet. They are refused like any other
// that it does not know, but who wrote one has made no slip.
var unreadFields = []string{
	"spec.overrides[].jobTemplate",
	"spec.overrides[].jobTemplatePatch",
	"spec.overrides[].orchestration",
	"spec.overrides[].when.config",
	"spec.overrides[].when.expression",
	"spec.overrides[].when.gpuArchitecture",
	"spec.overrides[].when.platform",
	"spec.overrides[].when.topology",
	"spec.overrides[].when.workloadKind",
}

var index = regexp.MustCompile(`\[[0-9]+\]`)

// unread says whether the format has the field at path although Seatrial does not read it.
func unread(path string) bool {
	return slices.Contains(unreadFields, index.ReplaceAllString(path, "[]"))
}
