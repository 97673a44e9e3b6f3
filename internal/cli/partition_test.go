package cli

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// FuzzReadNodes: whatever the file, there is an error or a cut in which each group has the asked size and no node is invented.
func FuzzReadNodes(f *testing.F) {
	f.Add(listOf(3), 2)
	f.Add(`{"kind":"List","items":[{"metadata":{"name":"","labels":{"nvidia.com/gpu.present":"true"}}}]}`, 1)
	f.Add("kind: List\nitems: [null, {}]\n", 1)
	f.Add("{", 0)
	f.Fuzz(func(t *testing.T, text string, size int) {
		nodes, err := readNodes("f", []byte(text))
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), "f: "), err)
			return
		}
		all, _, err := cutNodes(nodes, planning.Layout{Options: partition.Options{Size: size}})
		if err != nil {
			return
		}
		have := map[string]bool{}
		for _, n := range nodes {
			have[n.Name] = true
		}
		require.NotEmpty(t, all.Groups)
		for _, g := range all.Groups {
			require.Len(t, g.Nodes, size)
			for _, n := range g.Nodes {
				require.True(t, have[n], n)
			}
		}
	})
}

func BenchmarkReadNodes(b *testing.B) {
	text := []byte(listOf(1000))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := readNodes("f", text); err != nil {
			b.Fatal(err)
		}
	}
}

// listOf is what kubectl prints of n nodes with GPUs, in short.
func listOf(n int) string {
	var items []string
	for i := range n {
		items = append(items, fmt.Sprintf(`{"kind":"Node","metadata":{"name":"gpu-node-%04d","labels":{"nvidia.com/gpu.present":"true"}}}`, i))
	}
	return `{"apiVersion":"v1","kind":"List","items":[` + strings.Join(items, ",") + `]}`
}

// FuzzHosts: whatever the file, a host is one word without a comment.
func FuzzHosts(f *testing.F) {
	f.Add("a slots=8\n# b\n\n c#d\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, h := range hostsIn(text) {
			require.NotEmpty(t, h)
			require.NotContains(t, h, "#")
			require.Len(t, strings.Fields(h), 1)
		}
	})
}
