package partition

import (
	"fmt"
	"slices"
)

// Anywhere is the only group of a run whose nodes the scheduler chooses: it names none.
func Anywhere() []Group { return []Group{{Name: groupName(0), Nodes: []string{}}} }

// Repeat returns the groups as often as they are to run: all of them for the first time, under their own names, then all of them
// again as group-0-i2 and so on. Groups of the same nodes never run together (Ready).
func Repeat(groups []Group, times int) []Group {
	all := slices.Clone(groups)
	for i := 2; i <= times; i++ {
		for _, g := range groups {
			g.Name = fmt.Sprintf("%s-i%d", g.Name, i)
			all = append(all, g)
		}
	}
	return all
}
