package steps

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// invocations are the steps of one invocation of run, under the path of its node.
func invocations(path string) map[string]string {
	return map[string]string{
		path + ".discover": stepDiscover, path + ".partition": stepPartition, path + ".report": stepReport,
		path + ".groups(0:group-0).launch": stepLaunch, path + ".groups(0:group-0).probe": stepProbe,
		path + ".groups(3:group-3).score": stepScore, path + ".groups(12:groups 32-47).score": stepScore,
		path + ".groups(0:groups 0-3).launch": stepLaunch,
		// A step that is tried again is a node of its own, (n) at its end.
		path + ".discover(0)": stepDiscover, path + ".report(2)": stepReport,
		path + ".groups(3:group-3).score(2)": stepScore, path + ".groups(0:groups 0-3).launch(11)": stepLaunch,
		// Isolation's rounds and a run without a fan-out.
		path + ".groups.launch": stepLaunch,
	}
}

func TestScopeOf(t *testing.T) {
	for name, c := range map[string]struct{ workflow, path, want string }{
		"submitted from the template":            {"nccl", "nccl.run", ""},
		"run is the entry itself":                {"nccl", "nccl", ""},
		"a workflow's name with dots":            {"nccl.2026-01.x", "nccl.2026-01.x.run", ""},
		"a workflow named as a step":             {"discover", "discover.run", ""},
		"a stage of a larger workflow":           {"cert", "cert.pairs", resolve.Hash(".pairs")},
		"a stage of a stage":                     {"cert", "cert.burn-in.pairs.run", resolve.Hash(".burn-in.pairs.run")},
		"a stage of a steps template":            {"cert", "cert[0].run", resolve.Hash("[0].run")},
		"a stage in a loop":                      {"cert", "cert.sizes(1:4)", resolve.Hash(".sizes(1:4)")},
		"a stage named as a step":                {"cert", "cert.score", resolve.Hash(".score")},
		"a stage named groups":                   {"cert", "cert.groups", resolve.Hash(".groups")},
		"a stage in a loop over groups of nodes": {"cert", "cert.groups(0:a).pairs", resolve.Hash(".groups(0:a).pairs")},
	} {
		t.Run(name, func(t *testing.T) {
			for node, step := range invocations(c.path) {
				require.Equal(t, c.want, scopeOf(c.workflow, node, step, 0), "%s: every step of one invocation has its scope", node)
			}
		})
	}
}

// A round of isolation is one level deeper each, and belongs to the run around it.
func TestScopeOfIsolation(t *testing.T) {
	for path, want := range map[string]string{"nccl.run": "", "nccl": "", "nccl.pairs": resolve.Hash(".pairs"), "nccl.isolate": resolve.Hash(".isolate"), "nccl.next": resolve.Hash(".next")} {
		require.Equal(t, want, scopeOf("nccl", path+".isolate.round", stepRound, 1), path)
		require.Equal(t, want, scopeOf("nccl", path+".isolate.groups(0:isolate-1-0).score(1)", stepScore, 1), path)
		require.Equal(t, want, scopeOf("nccl", path+".isolate.next.next.round(0)", stepRound, 3), path)
		require.Equal(t, want, scopeOf("nccl", path+".isolate.next.next.groups(3:isolate-3 groups 32-47).launch", stepLaunch, 3), path)
	}
}

func TestScopesOfTwoInvocationsDiffer(t *testing.T) {
	seen := map[string]string{}
	for _, path := range []string{"w", "w[0].run", "w[1].run", "w.a", "w.b", "w.a.run", "w.sizes(0:2)", "w.sizes(1:4)", "w.score", "w.groups"} {
		scope := scopeOf("w", path+".discover", stepDiscover, 0)
		require.NotContains(t, seen, scope, "%s and %s", path, seen[scope])
		seen[scope] = path
		if scope != "" {
			require.Regexp(t, "^[0-9a-f]{6}$", scope)
		}
	}
}

// For every name: no panic, and a scope is empty or six hex digits, so that it can stand in names, labels and selectors.
func FuzzScopeOf(f *testing.F) {
	for node, step := range invocations("nccl.run") {
		f.Add("nccl", node, step)
	}
	f.Add("", "", "")
	f.Add("(0)", ".groups(0:)(", "score")
	f.Fuzz(func(t *testing.T, workflow, node, step string) {
		round := len(node) % 9
		require.Regexp(t, "^([0-9a-f]{6})?$", scopeOf(workflow, node, step, round))
	})
}

func BenchmarkScopeOf(b *testing.B) {
	for b.Loop() {
		scopeOf("nccl", "nccl.run.groups(12:groups 32-47).score(2)", stepScore, 0)
	}
}
