package partition

// State is where a group stands. Its zero value is Waiting.
type State uint8

// The states of a group.
const (
	Waiting State = iota
	// Running: the group's objects exist, or are about to.
	Running
	// Done: the group's result is recorded and its pods are gone.
	Done
)

// Ready returns the indices of the waiting groups that may start now, in rising order.
// No two running groups share a node, and of groups that name none (Anywhere) one runs at a time; a lower index goes first; at most maxConcurrent groups run at once, and 0 means no limit.
// A group that has no entry in state is waiting.
func Ready(groups []Group, state []State, maxConcurrent int) []int {
	stateOf := func(i int) State {
		if i < len(state) {
			return state[i]
		}
		return Waiting
	}
	busy := map[string]bool{}
	running := 0
	start := func(g Group) {
		running++
		for _, node := range places(g) {
			busy[node] = true
		}
	}
	for i, g := range groups {
		if stateOf(i) == Running {
			start(g)
		}
	}
	var ready []int
	for i, g := range groups {
		if maxConcurrent > 0 && running >= maxConcurrent {
			break
		}
		if stateOf(i) == Waiting && !anyBusy(places(g), busy) {
			start(g)
			ready = append(ready, i)
		}
	}
	return ready
}

// places are a group's nodes, or the one place that stands for any node.
func places(g Group) []string {
	if len(g.Nodes) == 0 {
		return []string{""}
	}
	return g.Nodes
}

func anyBusy(nodes []string, busy map[string]bool) bool {
	for _, node := range nodes {
		if busy[node] {
			return true
		}
	}
	return false
}
