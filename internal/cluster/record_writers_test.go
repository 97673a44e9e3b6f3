package cluster

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWritersTakeTurns: the groups of a shard start at once. Each writer gets its turn, and none undoes another's work.
func TestWritersTakeTurns(t *testing.T) {
	f := NewFake()
	owner := Owner{Namespace: "lab", Name: "nccl", UID: "u"}
	var wait sync.WaitGroup
	for i := range groupsPerShard {
		wait.Go(func() {
			for _, key := range []string{fmt.Sprintf("group-%d", i), "group-0"} {
				_, err := Update(t.Context(), f.Record(owner, "", "nccl"), key, func(n *int) error {
					*n++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	for i := range groupsPerShard {
		n := 0
		ok, err := f.Record(owner, "", "nccl").Read(t.Context(), fmt.Sprintf("group-%d", i), &n)
		require.NoError(t, err)
		require.True(t, ok)
		if i == 0 {
			require.Equal(t, groupsPerShard+1, n)
		} else {
			require.Equal(t, 1, n)
		}
	}
}
