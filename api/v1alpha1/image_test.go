package v1alpha1

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestImagesThatARuntimeCouldPull(t *testing.T) {
	problems := func(image string) Problems {
		v := &validator{}
		v.image("spec.image", image, "another")
		return v.problems
	}
	for _, image := range []string{
		"i", "i:t", "localhost/i", "localhost:5000/a/i:1.0", "nvcr.io/nvidia/pytorch:26.01-py3", "Registry/a:t", "a/b-c/d__e.f:T_1",
		"r.io/a@sha256:" + strings.Repeat("0", 64), "r.io/a:t@sha256:" + strings.Repeat("a", 64),
	} {
		require.Empty(t, problems(image), image)
	}
	for _, image := range []string{"", " ", "a b", "Foo/BAR:x:y", "BAR", "a/", "/a", "a//b", "a:", "a:-t", "a@", "a@sha256:xyz", "a@sha256:", "r.io/A/b", "a:" + strings.Repeat("t", 129), ":", "@", "-a"} {
		require.Len(t, problems(image), 1, image)
	}
}
