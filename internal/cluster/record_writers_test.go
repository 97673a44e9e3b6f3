package cluster

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubefake "k8s.io/client-go/kubernetes/fake"
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

// TestWriterRemembersItsShard: what a process wrote last is not read again before its next write, and nothing rests on it but that write.
func TestWriterRemembersItsShard(t *testing.T) {
	f := NewFake()
	f.Versioned()
	owner := Owner{Namespace: "lab", Name: "nccl", UID: "u"}
	here := f.Record(owner, "", "nccl")
	elsewhere := f.Process().Record(owner, "", "nccl")
	add := func(n *int) error { *n++; return nil }
	update := func(r *Record, key string, change func(*int) error) int {
		n, err := Update(t.Context(), r, key, change)
		require.NoError(t, err)
		return *n
	}
	actions := func() (verbs []string) {
		for _, a := range as[*kubefake.Clientset](f.Kube).Actions() {
			verbs = append(verbs, a.GetVerb())
		}
		as[*kubefake.Clientset](f.Kube).ClearActions()
		return verbs
	}
	require.Equal(t, 1, update(here, "group-0", add))
	require.Equal(t, []string{"get", "create"}, actions())
	require.Equal(t, 2, update(here, "group-0", add))
	require.Equal(t, []string{"patch"}, actions())

	require.Equal(t, 3, update(elsewhere, "group-0", add))
	require.Equal(t, 1, update(elsewhere, "group-1", add))
	actions()
	require.Equal(t, 4, update(here, "group-0", add), "what another process wrote is not undone")
	require.Equal(t, []string{"patch", "get", "patch"}, actions())

	require.Equal(t, 5, update(elsewhere, "group-0", add))
	actions()
	seen := 0
	require.Equal(t, 5, update(here, "group-0", func(n *int) error { seen = *n; return ErrUnchanged }), "to leave it is decided by what is there")
	require.Equal(t, 5, seen)
	require.Equal(t, []string{"get"}, actions())

	update(here, "group-0", add)
	require.NoError(t, f.Kube.CoreV1().ConfigMaps("lab").Delete(t.Context(), "nccl-seatrial-1", metav1.DeleteOptions{}))
	require.Equal(t, 1, update(here, "group-0", add), "a record that is gone begins anew")
}
