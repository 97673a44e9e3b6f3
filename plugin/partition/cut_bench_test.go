package partition

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// fabric makes n nodes in blocks of 2,048, spines of 256, leaves of 32 and racks of 16, in any order, with every tenth node missing.
func fabric(n int) []Node {
	nodes := make([]Node, 0, n)
	for i := 0; len(nodes) < n; i++ {
		if i%10 == 9 {
			continue
		}
		nodes = append(nodes, Node{Name: fmt.Sprintf("gpu-node-%06d", i), Place: []string{
			fmt.Sprintf("block-%d", i/2048), fmt.Sprintf("spine-%d", i/256), fmt.Sprintf("leaf-%d", i/32), fmt.Sprintf("rack-%d", i/16),
		}})
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(n, func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
	return nodes
}

// BenchmarkCut shows how the time grows with the fleet: ns/node stays about the same where it is linear.
func BenchmarkCut(b *testing.B) {
	for _, size := range []int{4, 18, 96} {
		for _, n := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("size=%d/nodes=%d", size, n), func(b *testing.B) {
				nodes := fabric(n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Cut(nodes, Options{Size: size, Keys: []string{"block", "spine", "leaf", "rack"}}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/node")
			})
		}
	}
}

// hardShapes are fleets that make cutting hard: the innermost domains are far smaller than a group, or of many sizes.
var hardShapes = map[string]struct {
	size  int
	place func(i int) []string
}{
	"one level, racks of 16, groups of 17":  {17, func(i int) []string { return []string{at("rack", i, 16)} }},
	"one level, domains of 2, groups of 17": {17, func(i int) []string { return []string{at("pair", i, 2)} }},
	"one level, domains of 1, groups of 17": {17, func(i int) []string { return []string{at("host", i, 1)} }},
	"four levels, domains of 2, groups of 17": {17, func(i int) []string {
		return []string{at("block", i, 2048), at("spine", i, 256), at("leaf", i, 32), at("pair", i, 2)}
	}},
	"four levels, domains of 2, groups of 501": {501, func(i int) []string {
		return []string{at("block", i, 2048), at("spine", i, 256), at("leaf", i, 32), at("pair", i, 2)}
	}},
	"four levels of halves, groups of 5": {5, func(i int) []string { return []string{at("a", i, 16), at("b", i, 8), at("c", i, 4), at("d", i, 2)} }},
	"domains of 1 to 7, groups of 9": {9, func(i int) []string {
		return []string{at("spine", i, 224), fmt.Sprintf("odd-%d-%d", i/28, uneven(i%28))}
	}},
	"one domain of 16 among single nodes, groups of 17": {17, func(i int) []string { return []string{at("host", max(i, 16), 1)} }},
	"domains of 2 that hold no group, groups of 24":     {24, func(i int) []string { return []string{at("leaf", i, 22), at("pair", i, 2)} }},
}

func at(level string, i, nodes int) string { return fmt.Sprintf("%s-%d", level, i/nodes) }

// uneven cuts 28 nodes into domains of 1 to 7.
func uneven(i int) int {
	for size := 1; ; size++ {
		if i -= size; i < 0 {
			return size
		}
	}
}

// BenchmarkCutShapes shows that the time grows about as the fleet does whatever its shape.
func BenchmarkCutShapes(b *testing.B) {
	for _, name := range slices.Sorted(maps.Keys(hardShapes)) {
		shape := hardShapes[name]
		keys := make([]string, len(shape.place(0)))
		for i := range keys {
			keys[i] = fmt.Sprintf("level-%d", i)
		}
		for _, n := range []int{1_000, 10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/nodes=%d", name, n), func(b *testing.B) {
				nodes := make([]Node, n)
				for i := range nodes {
					nodes[i] = Node{Name: fmt.Sprintf("gpu-node-%06d", i), Place: shape.place(i)}
				}
				for b.Loop() {
					if _, err := Cut(nodes, Options{Size: shape.size, Keys: keys}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/node")
			})
		}
	}
}
