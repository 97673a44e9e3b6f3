package main

import (
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// component is one part of a repository's name as runtimes read it (OCI distribution spec, "Pulling manifests").
// The library is laxer: it takes "..".
var component = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*$`)

// checkNames refuses names that container runtimes would complete, change or reject: an image is found only under
// the very name that the kubelet asks for, so it must be whole from the start.
func checkNames(names []string) error {
	if len(names) == 0 {
		return usagef("--name is missing")
	}
	for _, n := range names {
		tag, err := name.NewTag(n, name.StrictValidation)
		if err != nil {
			return usagef("--name %q: %v", n, err)
		}
		registry, repository, _ := strings.Cut(n, "/")
		if registry != "localhost" && !strings.ContainsAny(registry, ".:") {
			return usagef("--name %q: the registry is missing; write registry/name:tag", n)
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(repository, ":"+tag.TagStr()), "/") {
			if !component.MatchString(part) {
				return usagef("--name %q: %q is not a part of a repository's name", n, part)
			}
		}
	}
	return nil
}
