package v1alpha1

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPathSteps_is_the_inverse_of_Field(t *testing.T) {
	for _, key := range []string{"image", "a.b/c", `a"]b`, "", "a[0]", "\x1b", "ä"} {
		require.Equal(t, []string{"spec", "x", "2", key}, PathSteps(Field("spec.x[2]", key)), key)
	}
	require.Empty(t, PathSteps(""))
	require.Equal(t, []string{"a", "b"}, PathSteps("a[b"), "a bracket that is not closed is no reason to hang")
}

func TestLineOf(t *testing.T) {
	root, problems := parse("", []byte("a:\n  - b: 1\n  - &x\n    c: 2\n    d.e: 3\nf:\n  <<: *x\n"))
	require.Empty(t, problems)
	for path, want := range map[string]int{
		"": 1, "a": 1, "a[0].b": 2, "a[1]": 3, "a[1].c": 4, `a[1]["d.e"]`: 5, "f": 6, "f.c": 4,
		"a[7].b": 1, "a[-1]": 1, "a.b": 1, "f.none": 6, "nothing": 1,
	} {
		require.Equal(t, want, lineOf(root, path), path)
	}
}

func TestProblem_shows_only_what_is_known(t *testing.T) {
	require.Equal(t, "f:3: a.b: is wrong", Problem{File: "f", Line: 3, Path: "a.b", Text: "is wrong"}.String())
	require.Equal(t, "f: is wrong", Problem{File: "f", Text: "is wrong"}.String())
	require.Equal(t, "a.b: is wrong", Problem{Path: "a.b", Line: 3, Text: "is wrong"}.String())
	require.NoError(t, Problems{}.err(), "no problem is no error")
}

func TestProblems_about(t *testing.T) {
	p := Problems{{Path: "spec.framework"}, {Path: "spec.env[1]"}}
	for path, want := range map[string]bool{
		"spec.framework": true, "spec.framework.mpi.binary": true, "spec.env[1].name": true,
		"spec": false, "spec.frameworks": false, "spec.env[11].name": false, "": false,
	} {
		require.Equal(t, want, p.about(path), path)
	}
	require.True(t, Problems{{Path: ""}}.about("spec.image"), "when the whole is wrong, all of it is")
}
