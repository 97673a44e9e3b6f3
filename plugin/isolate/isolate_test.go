package isolate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// world says how a job on nodes ends.
type world func(nodes ...string) v1alpha1.Verdict

// bad is a world in which each job with one of the nodes fails.
func badNodes(bad ...string) world {
	return func(nodes ...string) v1alpha1.Verdict {
		if slices.ContainsFunc(nodes, func(n string) bool { return slices.Contains(bad, n) }) {
			return v1alpha1.Fail
		}
		return v1alpha1.Pass
	}
}

// bridge is a world in which jobs fail that have nodes on both sides.
func bridge(a, b string) world {
	return func(nodes ...string) v1alpha1.Verdict {
		has := func(prefix string) bool {
			return slices.ContainsFunc(nodes, func(n string) bool { return strings.HasPrefix(n, prefix) })
		}
		if has(a) && has(b) {
			return v1alpha1.Fail
		}
		return v1alpha1.Pass
	}
}

// screened is a case with the groups of a run, each named by its nodes: "a1 a2 a3".
func screened(w world, groups ...string) *Case {
	c := &Case{}
	for i, g := range groups {
		nodes := strings.Fields(g)
		c.Screening = append(c.Screening, Job{Name: fmt.Sprintf("group-%d", i), Nodes: nodes, Verdict: w(nodes...)})
	}
	return c
}

// play runs a case to its end.
func play(t *testing.T, c *Case, w world) Conclusion {
	t.Helper()
	rounds, jobs := c.Bound()
	for next := c.Next(); len(next) > 0; next = c.Next() {
		require.Equal(t, next, c.Next(), "asked again, the answer is the same")
		var done []Job
		busy := map[string]bool{}
		for i, g := range next {
			require.NotEmpty(t, g.Why)
			require.GreaterOrEqual(t, len(g.Nodes), 2)
			for _, n := range g.Nodes {
				require.False(t, busy[n], "%s is in two groups of a round", n)
				busy[n] = true
			}
			done = append(done, Job{Name: fmt.Sprintf("isolate-%d-%d", len(c.Rounds)+1, i), Nodes: g.Nodes, Verdict: w(g.Nodes...)})
		}
		c.Rounds = append(c.Rounds, done)
		require.LessOrEqual(t, len(c.Rounds), rounds)
		require.LessOrEqual(t, len(c.jobs()), jobs)
	}
	return c.Conclude()
}

func verdicts(c Conclusion) map[string]string {
	all := map[string]string{}
	for _, f := range c.Findings {
		all[f.Node] = f.Verdict.String()
	}
	return all
}

func reason(c Conclusion, node string) string {
	for _, f := range c.Findings {
		if f.Node == node {
			return f.Reason
		}
	}
	return ""
}

func TestOneBadNodeIsFoundAndTheRestOfItsGroupIsCleared(t *testing.T) {
	w := badNodes("a2")
	c := screened(w, "a1 a2 a3 a4", "b1 b2 b3 b4")
	require.Len(t, c.Next(), 4, "each suspect has a partner of its own")
	got := play(t, c, w)
	require.Equal(t, map[string]string{"a1": "passed", "a2": "failed", "a3": "passed", "a4": "passed"}, verdicts(got))
	require.Regexp(t, `^fails with b\d \(isolate-1-1\) and .* \(isolate-2-\d\).*, which pass with others$`, reason(got, "a2"))
	require.Empty(t, got.Faults)
	require.Equal(t, v1alpha1.Pass, c.know().verdict([]string{"a1", "a3", "a4"}), "the group ran again without it")
}

func TestNothingFailedIsNothingToDo(t *testing.T) {
	c := screened(badNodes(), "a b", "c d")
	require.Empty(t, c.Next())
	rounds, jobs := c.Bound()
	require.Zero(t, rounds+jobs)
	require.Empty(t, c.Conclude().Findings)
}

func TestWithoutAnyGoodNodeSuspectsStaySuspects(t *testing.T) {
	w := badNodes("a", "b")
	c := screened(w, "a b")
	require.Equal(t, map[string]string{"a": "suspect", "b": "suspect"}, verdicts(play(t, c, w)))
}

func TestOneGoodNodeIsNotEnoughToAccuse(t *testing.T) {
	w := badNodes("a1", "a2")
	c := screened(w, "a1 a2", "b")
	got := play(t, c, w)
	require.Equal(t, map[string]string{"a1": "suspect", "a2": "suspect"}, verdicts(got))
	require.Contains(t, reason(got, "a1"), "not settled: ")
}

func TestAGroupOfTheWholeFleetSettlesItself(t *testing.T) {
	w := badNodes("n5")
	c := screened(w, "n1 n2 n3 n4 n5 n6 n7 n8")
	got := verdicts(play(t, c, w))
	require.Equal(t, "failed", got["n5"])
	require.Len(t, got, 8)
	for n, v := range got {
		require.Equal(t, n == "n5", v == "failed", n)
	}
}

func TestWhoIsNamedByEvidenceIsNotTriedAgain(t *testing.T) {
	w := badNodes("a2")
	c := screened(w, "a1 a2 a3 a4", "b1 b2 b3 b4")
	c.Screening[0].Named = []string{"a2"}
	next := c.Next()
	require.Len(t, next, 1)
	require.Equal(t, []string{"a1", "a3", "a4"}, next[0].Nodes)
	require.Equal(t, map[string]string{"a1": "passed", "a3": "passed", "a4": "passed"}, verdicts(play(t, c, w)))
	require.Len(t, c.jobs(), 1)
}

func TestPairsThatNeverPassAccuseNobody(t *testing.T) {
	w := func(nodes ...string) v1alpha1.Verdict { // a threshold that only groups of four reach
		if len(nodes) < 4 || slices.Contains(nodes, "a1") {
			return v1alpha1.Fail
		}
		return v1alpha1.Pass
	}
	c := screened(w, "a1 a2 a3 a4", "b1 b2 b3 b4", "c1 c2 c3 c4")
	got := play(t, c, w)
	for n, v := range verdicts(got) {
		require.Equal(t, "suspect", v, n)
	}
	require.Contains(t, reason(got, "a1"), "no pair that spans as much of the fabric passed at all")
}

func TestALinkIsNotANodesFault(t *testing.T) {
	w := bridge("a1", "a2")
	c := screened(w, "a1 a2 a3 a4", "b1 b2 b3 b4")
	got := play(t, c, w)
	for n, v := range verdicts(got) {
		require.NotEqual(t, "failed", v, n)
	}
	require.Len(t, got.Faults, 1)
	require.Equal(t, []string{"a1"}, got.Faults[0].A)
	require.Equal(t, []string{"a2"}, got.Faults[0].B)
}

func place(c *Case, leaves map[string]string) {
	c.Place = map[string][]string{}
	for _, j := range c.Screening {
		for _, n := range j.Nodes {
			c.Place[n] = []string{leaves[n[:1]]}
		}
	}
}

func TestALinkBetweenTwoLeavesIsNamedAfterThem(t *testing.T) {
	w := bridge("a", "b")
	c := screened(w, "a1 a2 b1 b2", "a3 a4 c1 c2", "b3 b4 c3 c4", "c5 c6 d1 d2")
	place(c, map[string]string{"a": "leaf-a", "b": "leaf-b", "c": "leaf-c", "d": "leaf-d"})
	got := play(t, c, w)
	require.NotEmpty(t, got.Faults)
	for _, f := range got.Findings {
		require.NotEqual(t, v1alpha1.Failed, f.Verdict, f)
	}
	require.True(t, bridges(got.Faults[0], "a", "b"), got.Faults)
}

func bridges(f Fault, a, b string) bool {
	of := func(nodes []string, prefix string) bool {
		return len(nodes) > 0 && !slices.ContainsFunc(nodes, func(n string) bool { return !strings.HasPrefix(n, prefix) })
	}
	return of(f.A, a) && of(f.B, b) || of(f.A, b) && of(f.B, a)
}

func TestABadLeafSwitchAccusesNoneOfItsNodes(t *testing.T) {
	w := func(nodes ...string) v1alpha1.Verdict {
		if slices.ContainsFunc(nodes, func(n string) bool { return strings.HasPrefix(n, "a") }) {
			return v1alpha1.Fail
		}
		return v1alpha1.Pass
	}
	c := screened(w, "a1 a2 b1 b2", "a3 a4 c1 c2", "b3 b4 c3 c4", "b5 b6 c5 c6")
	place(c, map[string]string{"a": "leaf-a", "b": "leaf-b", "c": "leaf-c"})
	got := play(t, c, w)
	require.Equal(t, "leaf-a", got.Faults[0].Domain)
	for _, f := range got.Findings {
		if strings.HasPrefix(f.Node, "a") {
			require.Equal(t, v1alpha1.Suspect, f.Verdict, f)
		} else {
			require.Equal(t, v1alpha1.Passed, f.Verdict, f)
		}
	}
}

func TestPartnersSpanAsMuchOfTheFabricAsTheGroup(t *testing.T) {
	w := badNodes("a1")
	c := screened(w, "a1 a2", "a3 a4", "b1 b2", "b3 b4")
	place(c, map[string]string{"a": "leaf-a", "b": "leaf-b"})
	for _, g := range c.Next() {
		require.Equal(t, 1, c.depth(g.Nodes), "%v leaves the leaf", g.Nodes)
	}
}

func TestAGroupThatPassesAgainIsNotSteady(t *testing.T) {
	first := true
	w := func(...string) v1alpha1.Verdict {
		if first {
			first = false
			return v1alpha1.Fail
		}
		return v1alpha1.Pass
	}
	c := screened(w, "a1 a2 a3", "b1 b2 b3")
	got := play(t, c, w)
	require.Equal(t, map[string]string{"a1": "suspect", "a2": "suspect", "a3": "suspect"}, verdicts(got))
	require.Contains(t, reason(got, "a1"), "passed when it ran again")
}

func TestAnUnknownResultSaysNothing(t *testing.T) {
	c := screened(badNodes("a1"), "a1 a2", "b1 b2", "c1 c2")
	got := play(t, c, func(...string) v1alpha1.Verdict { return v1alpha1.Unknown })
	require.Equal(t, map[string]string{"a1": "suspect", "a2": "suspect"}, verdicts(got))
	require.Len(t, c.Rounds, usualRounds, "it is tried again, but not for ever")
}

func TestABorrowedNodeThatPassedElsewhereIsNoSuspect(t *testing.T) {
	c := screened(badNodes("e"), "a b", "c d", "d e")
	c.Screening[2].Borrowed = []string{"d"}
	got := play(t, c, badNodes("e"))
	require.Equal(t, map[string]string{"e": "failed"}, verdicts(got))
}
