package report

import (
	"bytes"
	"encoding/xml"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

var stageStart = time.Date(2026, 3, 1, 9, 30, 0, 0, time.UTC)

// stage is a finished run of a workflow of several, in which some nodes passed and one may have failed.
func stage(name string, minute int, failed string, passed ...string) v1alpha1.Report {
	started, finished := stageStart.Add(time.Duration(minute)*time.Minute), stageStart.Add(time.Duration(minute+1)*time.Minute)
	in := Input{Name: "certification", Workflow: "certification", Scope: "abcdef", Stage: name, Started: &started, Finished: &finished}
	for i, n := range passed {
		in.Target = append(in.Target, n)
		in.Groups = append(in.Groups, group("group-"+string(rune('1'+i)), v1alpha1.Pass, n))
	}
	if failed != "" {
		in.Target = append(in.Target, failed)
		bad := group("group-0", v1alpha1.Fail, failed)
		bad.Cause, bad.Message = v1alpha1.CauseWrongResults, "line 45: 38 wrong values"
		in.Groups = append(in.Groups, bad)
	}
	return Build(in)
}

func TestStages(t *testing.T) {
	nodes, pairs := stage("nodes", 0, "gpu-node-01", "gpu-node-02", "gpu-node-03"), stage("pairs", 2, "", "gpu-node-02", "gpu-node-03")
	t.Run("they are in the order of their start, and what has not begun is last", func(t *testing.T) {
		later := stage("another", 2, "", "n")
		waiting := v1alpha1.Report{Stage: "before"}
		all := []v1alpha1.Report{waiting, pairs, later, nodes}
		Order(all)
		var names []string
		for _, r := range all {
			names = append(names, r.Stage)
		}
		require.Equal(t, []string{"nodes", "another", "pairs", "before"}, names)
	})
	t.Run("a fail outweighs what could not be told, and that a pass", func(t *testing.T) {
		goesOn := pairs
		goesOn.Finished = nil
		for want, all := range map[v1alpha1.Verdict][][]v1alpha1.Report{
			v1alpha1.Pass:    {{pairs}, {pairs, pairs}},
			v1alpha1.Fail:    {{nodes}, {pairs, goesOn, nodes}, {{Verdict: v1alpha1.Unknown}, nodes}},
			v1alpha1.Unknown: {nil, {{}}, {pairs, goesOn}, {{Verdict: v1alpha1.Fail}}, {pairs, {Finished: &stageStart}}},
		} {
			for _, reports := range all {
				require.Equal(t, want, Overall(reports), reports)
			}
		}
	})
	t.Run("a page of text ends with the account of all", func(t *testing.T) {
		var text bytes.Buffer
		require.NoError(t, WriteAllText(&text, Terminal, nodes, pairs))
		require.True(t, strings.HasSuffix(text.String(), `

All stages
  nodes          fail    3 nodes: 2 passed, 1 failed
  pairs          pass    2 nodes: 2 passed

FAIL: failed: nodes; passed: pairs
3 nodes: 2 passed, 1 failed, 0 suspect, 0 unknown, 0 untested
  failed   gpu-node-01            nodes: group-0 failed: line 45: 38 wrong valu…
`), text.String())
		var one bytes.Buffer
		require.NoError(t, WriteAllText(&one, Terminal, nodes))
		require.NotContains(t, one.String(), "All stages")
	})
	t.Run("a node has the worst verdict that a stage has on it, and the first of equal ones", func(t *testing.T) {
		again := stage("again", 4, "gpu-node-02", "gpu-node-01")
		later := stage("later", 6, "gpu-node-02")
		all := everyStage([]v1alpha1.Report{nodes, again, later})
		require.Len(t, all, 3)
		require.Equal(t, []v1alpha1.NodeVerdict{v1alpha1.Failed, v1alpha1.Failed, v1alpha1.Passed}, []v1alpha1.NodeVerdict{all[0].Verdict, all[1].Verdict, all[2].Verdict})
		require.True(t, strings.HasPrefix(all[0].Reason, "nodes: "))
		require.True(t, strings.HasPrefix(all[1].Reason, "again: "))
	})
	t.Run("markup says it first", func(t *testing.T) {
		var page, ticket bytes.Buffer
		require.NoError(t, WriteHTML(&page, nodes, pairs))
		require.Contains(t, page.String(), `<h2><span class="tag fail">✕ fail</span> All stages</h2>`)
		require.Contains(t, page.String(), `certification (pairs)</a> <span class="quiet">2 nodes: 2 passed`)
		require.Contains(t, page.String(), "Nodes that did not pass every stage")
		require.NoError(t, WriteMarkdown(&ticket, nodes, pairs))
		require.True(t, strings.HasPrefix(ticket.String(), "# ❌ FAIL: all stages\n\nfailed: nodes; passed: pairs\n\n| verdict | node | reason |\n|---|---|---|\n| failed | `gpu-node-01` |"), ticket.String())
	})
}

func TestHostileStagesAreHarmlessInEveryFormat(t *testing.T) {
	one, two := hostileFleet(), hostileFleet()
	one.Scope, two.Scope, one.Stage, two.Stage = "abcdef", "123456", attack, attack+"2"
	var text, page, ticket, suites bytes.Buffer
	require.NoError(t, WriteAllText(&text, Terminal, one, two))
	requireCleanPage(t, text.String(), one)
	require.NoError(t, WriteHTML(&page, one, two))
	root, err := html.Parse(bytes.NewReader(page.Bytes()))
	require.NoError(t, err)
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			require.Contains(t, elements, n.Data)
		}
	}
	require.NoError(t, WriteMarkdown(&ticket, one, two))
	requireHarmlessLines(t, ticket.String())
	require.NoError(t, WriteJUnit(&suites, one, two))
	var all junitSuites
	require.NoError(t, xml.Unmarshal(suites.Bytes(), &all))
	require.Len(t, all.Suites, 2)
}
