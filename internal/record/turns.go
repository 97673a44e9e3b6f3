package record

import (
	"maps"

	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

// Turns are the groups whose turn it is. They are one value, so that of two processes which decide at the same moment the second
// has to look again: what each group's own state says would let both admit a group that the other's excludes.
type Turns struct {
	// Running holds the attempt that was admitted, by group. An entry counts until that attempt is done.
	Running map[string]int `json:"running,omitempty"`
}

// Has says whether it is the turn of an attempt of a group. Once it is, it stays so until the attempt is done.
func (t Turns) Has(group string, attempt int) bool { return attempt > 0 && t.Running[group] == attempt }

// Strange says whether a group has its turn that is none of these: whoever made it knows more groups.
func (t Turns) Strange(groups []partition.Group) bool {
	known := 0
	for _, g := range groups {
		if _, has := t.Running[g.Name]; has {
			known++
		}
	}
	return known < len(t.Running)
}

// Next drops the turns that are over and adds those that may start now, of all groups that have asked for theirs. It returns t
// itself when neither changes anything. States must have been read after t: a turn is over when its attempt is done, and never
// because the attempt was not seen yet.
func (t Turns) Next(groups []partition.Group, states map[string]Group, maxConcurrent int) (next Turns, changed bool) {
	next.Running = map[string]int{}
	turns := make([]partition.State, len(groups))
	for i, g := range groups {
		s := states[g.Name]
		turns[i] = s.State(s.Admitted != nil || t.Has(g.Name, s.Attempt))
		if turns[i] == partition.Running {
			next.Running[g.Name] = s.Attempt
		}
	}
	for _, i := range partition.Ready(groups, turns, maxConcurrent) {
		if s := states[groups[i].Name]; s.Attempt > 0 {
			next.Running[groups[i].Name] = s.Attempt
		}
	}
	return next, !maps.Equal(next.Running, t.Running)
}
