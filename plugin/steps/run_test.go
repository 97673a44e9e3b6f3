package steps

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

func TestRun(t *testing.T) {
	t.Run("three good nodes in pairs pass", func(t *testing.T) {
		simulate(t, 3, 2, func(t *testing.T, s *sim) {
			a := s.workflow("nccl", nil)
			got := a.run()
			for step, reply := range got {
				require.Equal(t, server.Succeeded, reply.Phase, "%s: %s", step, reply.Message)
			}
			require.Equal(t, `["group-0","group-1"]`, got["partition"].Outputs["batches"])
			require.Equal(t, "pass: busbw 37.77 GB/s", got["score group-1"].Message)
			require.Equal(t, "2 of 2 workers answer (at most 0 ms)", got["probe group-0"].Message)
			require.Equal(t, "pass", got["report"].Outputs["verdict"])
			require.Equal(t, `["gpu-node-01","gpu-node-02","gpu-node-03"]`, got["report"].Outputs["passedNodes"])
			require.Equal(t, `[]`, got["report"].Outputs["failedNodes"])
			require.Equal(t, []string{"nccl-group-0", "nccl-group-1"}, s.seen())
			require.Empty(t, s.leftovers())
			a.steps.Close(context.Background())
		})
	})
	_ = synctest.Wait
	_ = time.Second
	_ = v1alpha1.Pass
}
