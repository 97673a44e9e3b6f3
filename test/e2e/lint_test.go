//go:build cluster

package e2e

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestArgoFindsNothingWrongWithTheTemplates(t *testing.T) {
	s := &stand{t: t, namespace: "default"}
	for _, template := range []string{"workloadrun-mpi", "workloadrun-exec"} {
		r := s.run("argo", "lint", "--offline", "templates/"+template+".yaml")
		require.Zero(t, r.code, r.stdout+r.stderr)
	}
}
