package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const output = `goos: linux
goarch: amd64
pkg: example.com/x
cpu: A Processor
BenchmarkCut/size=18/nodes=1000-2     	     100	   2000000 ns/op	  1048576 B/op	     500 allocs/op
BenchmarkCut/size=18/nodes=1000-2     	     100	   1000000 ns/op	  1048576 B/op	     500 allocs/op
BenchmarkCut/size=18/nodes=1000-2     	     100	   1500000 ns/op	  1048576 B/op	     500 allocs/op
BenchmarkCut/size=18/nodes=10000-2    	      10	 150000000 ns/op	 10485760 B/op	    5000 allocs/op
PASS
`

func TestRead(t *testing.T) {
	all, host, err := read(strings.NewReader(output))
	require.NoError(t, err)
	require.Equal(t, machine{"linux", "amd64", "A Processor"}, host)
	rows := family{what: "cut", unit: "nodes"}.rows(all)
	require.Equal(t, []row{
		{what: "cut", size: "1000 nodes", took: "1.50 ms", spread: "±33 %", rate: "1.50 µs each", memory: "1 MiB", allocations: "500"},
		{what: "cut", size: "10000 nodes", took: "150 ms", spread: "±0 %", rate: "15.0 µs each", memory: "10 MiB", allocations: "5000", growth: "n^2.00"},
	}, rows)
	var page bytes.Buffer
	write(&page, host, 3, rows, nil, "")
	require.Contains(t, page.String(), "| cut | 1000 nodes | 1.50 ms | ±33 % | 1.50 µs each | 1 MiB | 500 |  |\n|  | 10000 nodes | 150 ms |")

	_, _, err = read(strings.NewReader("PASS\n"))
	require.ErrorContains(t, err, "no benchmark", "one that was renamed is not one that takes no time")
}

func TestEveryFamilyHasItsBenchmark(t *testing.T) {
	for _, f := range families {
		name, _, _ := strings.Cut(f.bench, "/")
		files, err := filepath.Glob(filepath.Join(root, f.folder, "*_test.go"))
		require.NoError(t, err)
		found := false
		for _, file := range files {
			text, err := os.ReadFile(file) //nolint:gosec // the repository's own
			require.NoError(t, err)
			found = found || strings.Contains(string(text), "func Benchmark"+name+"(b *testing.B)")
		}
		require.True(t, found, "%s has no Benchmark%s", f.folder, name)
	}
}
