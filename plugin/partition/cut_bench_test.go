package partition

import (
	"fmt"
	"math/rand/v2"
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

// BenchmarkCutFlat has one level whose domains are smaller than a group, which then has to look at all of them.
func BenchmarkCutFlat(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			nodes := fabric(n)
			for i := range nodes {
				nodes[i].Place = nodes[i].Place[3:]
			}
			for b.Loop() {
				if _, err := Cut(nodes, Options{Size: 17, Keys: []string{"rack"}}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/node")
		})
	}
}
