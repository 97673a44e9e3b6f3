package isolate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestANodeThatIsAloneInItsLeafIsSettled(t *testing.T) {
	leaves := map[string]string{"a": "leaf-a", "b": "leaf-b"}
	groups := []string{"a1 a2", "a3 a4", "a5 b1"}
	t.Run("it fails, and is found, with a word on its switch", func(t *testing.T) {
		w := badNodes("b1")
		c := screened(w, groups...)
		place(c, leaves)
		got := play(t, c, w)
		require.Equal(t, map[string]string{"a5": "passed", "b1": "failed"}, verdicts(got), "%v", got)
		require.Contains(t, reason(got, "b1"), "it is alone in leaf-b, whose switch would look the same")
	})
	t.Run("it is well, and cleared", func(t *testing.T) {
		w := badNodes("a5")
		c := screened(w, groups...)
		place(c, leaves)
		got := play(t, c, w)
		require.Equal(t, map[string]string{"a5": "failed", "b1": "passed"}, verdicts(got), "%v", got)
	})
}

// uplink is a world in which no job leaves the nodes of a prefix, and nothing else fails.
func uplink(prefix byte) world {
	return func(nodes ...string) v1alpha1.Verdict {
		in := 0
		for _, n := range nodes {
			if n[0] == prefix {
				in++
			}
		}
		if in > 0 && in < len(nodes) {
			return v1alpha1.Fail
		}
		return v1alpha1.Pass
	}
}

func TestJudgesBehindABadUplinkAccuseNobody(t *testing.T) {
	// b1 is alone, and all judges that are as far from it as its group reached are behind the uplink of leaf a.
	w := uplink('a')
	c := screened(w, "a1 a2", "a3 a4", "a5 b1", "c1 c2", "d1 c3")
	c.Place = map[string][]string{"b1": {"s", "b"}, "d1": {"u", "d"}}
	for _, n := range []string{"a1", "a2", "a3", "a4", "a5"} {
		c.Place[n] = []string{"s", "a"}
	}
	for _, n := range []string{"c1", "c2", "c3"} {
		c.Place[n] = []string{"u", "c"}
	}
	got := play(t, c, w)
	for n, v := range verdicts(got) {
		require.NotEqual(t, "failed", v, n)
	}
	require.Equal(t, "suspect", verdicts(got)["b1"])
}

func TestTwoBadNodesOfThreeAreNoSwitch(t *testing.T) {
	// The first good nodes by name are behind bad uplinks of their own: what fails with them says nothing of leaf d.
	a, b := uplink('a'), uplink('b')
	bad := badNodes("d1", "d2")
	w := func(nodes ...string) v1alpha1.Verdict {
		for _, w := range []world{a, b, bad} {
			if w(nodes...) == v1alpha1.Fail {
				return v1alpha1.Fail
			}
		}
		return v1alpha1.Pass
	}
	c := screened(w, "a1 a2 a3 a4", "b1 b2 b3 b4", "c1 c2 c3 c4", "c5 d1 d2 d3")
	place(c, map[string]string{"a": "leaf-a", "b": "leaf-b", "c": "leaf-c", "d": "leaf-d"})
	got := play(t, c, w)
	require.False(t, slices.ContainsFunc(got.Faults, func(f Fault) bool { return f.Domain == "leaf-d" }), got.Faults)
	require.Equal(t, "failed", verdicts(got)["d1"])
	require.Equal(t, "failed", verdicts(got)["d2"])
	require.NotEqual(t, "failed", verdicts(got)["d3"])
}

func TestTwoBadNodesOfThreeThatNobodyCanTellFromTheirSwitchStaySuspects(t *testing.T) {
	w := badNodes("d1", "d2", "d3")
	c := screened(w, "a1 a2 a3 a4", "b1 b2 b3 b4", "c1 d1 d2 d3")
	place(c, map[string]string{"a": "leaf-a", "b": "leaf-b", "c": "leaf-c", "d": "leaf-d"})
	got := play(t, c, w)
	require.Equal(t, map[string]string{"c1": "passed", "d1": "suspect", "d2": "suspect", "d3": "suspect"}, verdicts(got))
	require.Contains(t, reason(got, "d1"), "cannot be told from its switch")
}

func TestAJudgeThatIsNotSureDoesNotOutweighAWay(t *testing.T) {
	against := map[string]int{"b1": 1, "b2": 1, "c1": 1}
	k := (&Case{
		Screening: []Job{{Name: "g", Nodes: []string{"a1", "a2", "c1", "c2"}, Verdict: v1alpha1.Fail}, {Name: "h", Nodes: []string{"b1", "b2"}, Verdict: v1alpha1.Pass}},
		Rounds:    [][]Job{{{Name: "i", Nodes: []string{"c1", "c2"}, Verdict: v1alpha1.Pass}}},
		Place:     map[string][]string{"a1": {"a"}, "a2": {"a"}, "b1": {"b"}, "b2": {"b"}, "c1": {"c"}, "c2": {"c"}},
	}).know()
	w := k.doubtful("a1", against)
	require.NotNil(t, w, "c1 passed once")
	require.Equal(t, "out of a", w.String())
}

func TestManySuspectsOfFewGoodNodesHaveMoreRounds(t *testing.T) {
	w := badNodes("a1", "a2", "b1", "b2", "c1", "c2", "d1")
	c := screened(w, "a1 a2", "b1 b2", "c1 c2", "d1 d2", "e1 e2")
	rounds, _ := c.Bound()
	require.Equal(t, 11, rounds, "two judges for each of 8, by 2 nodes, and 3 more")
	got := verdicts(play(t, c, w))
	for _, n := range []string{"a1", "a2", "b1", "b2", "c1", "c2", "d1"} {
		require.Equal(t, "failed", got[n], n)
	}
	require.Equal(t, "passed", got["d2"])
}

func TestASuspectSaysWhyItIsNotSettled(t *testing.T) {
	fail := func(name string, nodes ...string) Job { return Job{Name: name, Nodes: nodes, Verdict: v1alpha1.Fail} }
	screening := []Job{fail("group-0", "a", "b", "c", "d"), {Name: "group-1", Nodes: []string{"x", "y"}, Verdict: v1alpha1.Pass}}
	for name, c := range map[string]struct {
		screening []Job
		rounds    [][]Job
		node      string
		want      string
	}{
		"no node is good": {screening[:1], [][]Job{{fail("i", "a", "b")}}, "a",
			"not settled: fails in i, and no group passes at all: a limit that nothing meets, or what all nodes have in common, looks the same"},
		"the good ones are busy, and the rounds go on": {screening, [][]Job{{fail("i", "a", "b"), fail("j", "c", "x"), fail("k", "d", "y")}}, "a",
			"not settled: fails in i, in none of them with a good node; 2 good nodes could still judge it (x, y), and were in use for others so far"},
		"the good ones were busy until the end": {screening, append(slices.Repeat([][]Job{{fail("j", "c", "x"), fail("k", "d", "y")}}, 6), []Job{fail("i", "a", "b")}), "a",
			"not settled: fails in i, in none of them with a good node; 2 good nodes could still judge it (x, y), and were in use for others until the rounds were over"},
		"one judge of two": {screening, [][]Job{{fail("i", "a", "x")}}, "a",
			"not settled: fails with x (i), and with no second good node yet; 1 good node could still judge it (y), and was in use for others so far"},
		"every judge has spoken": {append([]Job{{Name: "group-2", Nodes: []string{"z"}, Verdict: v1alpha1.Pass}}, screening[0]), [][]Job{{fail("i", "a", "z")}}, "a",
			"not settled: fails in i, but no pair that spans as much of the fabric passed at all; every good node that it can be paired with has been its partner"},
		"nothing was tried": {screening, [][]Job{{fail("j", "c", "x"), fail("k", "d", "y")}}, "a",
			"not settled: was not tried; 2 good nodes could still judge it (x, y), and were in use for others so far"},
	} {
		t.Run(name, func(t *testing.T) {
			conclusion := (&Case{Screening: c.screening, Rounds: c.rounds}).Conclude()
			require.Equal(t, c.want, reason(conclusion, c.node))
		})
	}
}

func TestWhereNothingPassesNothingIsAccused(t *testing.T) {
	nothing := world(func(...string) v1alpha1.Verdict { return v1alpha1.Fail })
	c := screened(nothing, "a1 a2", "a3 a4", "b1 b2", "b3 b4", "c1 c2", "c3 c4")
	place(c, map[string]string{"a": "leaf-a", "b": "leaf-b", "c": "leaf-c"})
	got := play(t, c, nothing)
	require.Empty(t, got.Faults)
	for n, v := range verdicts(got) {
		require.Equal(t, "suspect", v, n)
		require.Contains(t, reason(got, n), "no group passes at all")
	}
}
