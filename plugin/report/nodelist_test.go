package report

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNodeList(t *testing.T) {
	for want, names := range map[string][]string{
		"":                             nil,
		"a":                            {"a", "a"},
		"gpu-node-07":                  {"gpu-node-07"},
		"gpu-node-[01-03,07],login":    {"login", "gpu-node-07", "gpu-node-02", "gpu-node-01", "gpu-node-03"},
		"ip-10-0-1-[7-8].ec2.internal": {"ip-10-0-1-7.ec2.internal", "ip-10-0-1-8.ec2.internal"},
		"r[1-2]-a":                     {"r2-a", "r1-a"},
		"n12345[678901234-678901235]":  {"n12345678901234", "n12345678901235"},
	} {
		require.Equal(t, want, NodeList(names))
	}
	require.Equal(t, "n[1-2],n[10-11]", NodeList([]string{"n10", "n2", "n1", "n11"}), "the number of digits tells n1 from n01")
}

// expand reads a list back.
func expand(list string) []string {
	var names []string
	for _, part := range regexp.MustCompile(`[^,\[]*(\[[^\]]*\])?[^,\[]*`).FindAllString(list, -1) {
		before, rest, found := strings.Cut(part, "[")
		if !found {
			if part != "" {
				names = append(names, part)
			}
			continue
		}
		inner, after, _ := strings.Cut(rest, "]")
		for _, r := range strings.Split(inner, ",") {
			from, to, isRange := strings.Cut(r, "-")
			if !isRange {
				to = from
			}
			a, _ := strconv.Atoi(from)
			b, _ := strconv.Atoi(to)
			for n := a; n <= b; n++ {
				names = append(names, fmt.Sprintf("%s%0*d%s", before, len(from), n, after))
			}
		}
	}
	slices.Sort(names)
	return names
}

// For every set of host names: the list can be read back to the same set.
func FuzzNodeList(f *testing.F) {
	f.Add("gpu-node-01 gpu-node-02 gpu-node-10")
	f.Add("n9 n10 n099 n100 a1b2c")
	f.Add("00 0 000000000001 1")
	notHost := regexp.MustCompile(`[^a-z0-9.-]+`)
	f.Fuzz(func(t *testing.T, text string) {
		names := strings.Fields(notHost.ReplaceAllString(text, " "))
		list := NodeList(names)
		slices.Sort(names)
		names = slices.Compact(names)
		require.Equal(t, len(names), len(expand(list)), list)
		require.Subset(t, names, expand(list))
	})
}

func BenchmarkNodeList10000(b *testing.B) {
	names := make([]string, 10_000)
	for i := range names {
		names[i] = fmt.Sprintf("gpu-node-%05d", i)
	}
	for b.Loop() {
		NodeList(names)
	}
}
