package record

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/partition"
)

var started = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// pairs is a plan of two groups of two nodes.
func pairs() Plan {
	p := Plan{
		Run: "run", Framework: v1alpha1.FrameworkMPI, Started: started, Facts: resolve.Facts{GPUs: 8},
		Spec: v1alpha1.WorkloadRunSpec{Image: "i", NumNodes: 2, Framework: v1alpha1.Framework{MPI: &v1alpha1.MPI{MPIRunPath: "/m", Binary: "/b"}}},
		Groups: []partition.Group{
			{Name: "group-0", Nodes: []string{"n1", "n2"}},
			{Name: "group-1", Nodes: []string{"n2", "n3"}, Overflow: true, Borrowed: []string{"n2"}},
		},
	}
	for _, name := range []string{"n1", "n2", "n3"} {
		p.Nodes = append(p.Nodes, resolve.Node{Name: name, Hostname: name + "-host", GPUs: 8})
	}
	return p
}

func passed() *v1alpha1.GroupResult {
	return &v1alpha1.GroupResult{Verdict: v1alpha1.Pass, Attempts: 1}
}

func TestReport(t *testing.T) {
	finished := started.Add(time.Hour)
	end := &Close{Reason: ReasonReported, Finished: finished}
	t.Run("all_groups_passed", func(t *testing.T) {
		r := Report("wf", "abc123", pairs(), map[string]Group{"group-0": {Result: passed()}, "group-1": {Result: passed()}}, end)
		require.Equal(t, v1alpha1.Pass, r.Verdict)
		require.Equal(t, v1alpha1.Counts{Target: 3, Passed: 3}, r.Counts)
		require.Equal(t, []any{"run", "wf", "abc123", started, finished}, []any{r.Name, r.Workflow, r.Scope, *r.Started, *r.Finished})
		require.Equal(t, []string{"n2"}, r.Groups[1].Borrowed)
	})
	t.Run("what_is_not_finished_is_unknown", func(t *testing.T) {
		for message, state := range map[string]Group{
			"not started":          {},
			"waiting for its turn": {Attempt: 1},
			"no result yet":        {Attempt: 2, Admitted: &started, Tail: &v1alpha1.FailureLog{Pod: "p"}, Probe: []v1alpha1.ProbeResult{{Target: "a"}}},
		} {
			t.Run(message, func(t *testing.T) {
				r := Report("wf", "", pairs(), map[string]Group{"group-0": {Result: passed()}, "group-1": state}, end)
				require.Equal(t, v1alpha1.Unknown, r.Verdict)
				require.Equal(t, v1alpha1.Unknown, r.Groups[1].Verdict)
				require.Equal(t, message, r.Groups[1].Message)
				require.Equal(t, state.Attempt, r.Groups[1].Attempts)
				require.Equal(t, state.Tail, r.Groups[1].FailureLog)
				require.Equal(t, state.Probe, r.Groups[1].Probe)
				require.Equal(t, 3, r.Counts.Target)
				require.Less(t, r.Counts.Passed, 3)
			})
		}
	})
	t.Run("a_run_without_groups_is_unknown_and_every_node_is_accounted_for", func(t *testing.T) {
		p := pairs()
		p.Groups = nil
		r := Report("wf", "", p, nil, end)
		require.Equal(t, v1alpha1.Unknown, r.Verdict)
		require.Equal(t, v1alpha1.Counts{Target: 3, Untested: 3}, r.Counts)
		require.Equal(t, "the run ended before it had groups", r.Nodes[0].Reason)
		r = Report("wf", "", p, nil, &Close{Reason: "Stop was asked for", Finished: finished})
		require.Equal(t, "the run was ended before it had groups: Stop was asked for", r.Nodes[0].Reason)
		require.Equal(t, finished, *r.Finished)
	})
	t.Run("the_empty_plan_is_no_pass_either", func(t *testing.T) {
		r := Report("wf", "", Plan{}, nil, nil)
		require.Equal(t, v1alpha1.Unknown, r.Verdict)
		require.Nil(t, r.Started)
		require.Nil(t, r.Finished)
	})
	t.Run("a_threshold_that_was_set_is_held_even_when_this_version_cannot_read_it", func(t *testing.T) {
		p := pairs()
		p.Spec.Thresholds = map[string]string{"aKeyOfTomorrow": "value > 1", "busBandwidthGBps": "value > 1"}
		r := Report("wf", "", p, map[string]Group{"group-0": {Result: passed()}, "group-1": {Result: passed()}}, end)
		require.NotEqual(t, v1alpha1.Pass, r.Verdict)
		require.Equal(t, []string{"aKeyOfTomorrow", "busBandwidthGBps"}, []string{r.Thresholds[0].Key, r.Thresholds[1].Key})
	})
	t.Run("earlier_attempts_are_told_and_the_record_is_not_changed", func(t *testing.T) {
		warnings := append(make([]string, 0, 9), "z", "a")
		result := passed()
		result.Warnings = warnings
		states := map[string]Group{"group-0": {Result: result, Earlier: []string{"attempt 1: failed"}}}
		r := Report("wf", "", pairs(), states, nil)
		require.Equal(t, []string{"a", "attempt 1: failed", "z"}, r.Groups[0].Warnings)
		require.Equal(t, []string{"z", "a"}, result.Warnings)
		require.Empty(t, warnings[:3][2])
		require.Empty(t, result.Nodes)
	})
}

func TestGroup_State(t *testing.T) {
	for name, c := range map[string]struct {
		group    Group
		admitted bool
		want     partition.State
	}{
		"nobody_asked":                          {Group{}, false, partition.Waiting},
		"its_turn_came":                         {Group{Admitted: &started}, true, partition.Running},
		"a_result_whose_pods_are_there_yet":     {Group{Admitted: &started, Result: passed()}, true, partition.Running},
		"a_result_whose_pods_are_gone":          {Group{Admitted: &started, Result: passed(), Cleaned: true}, true, partition.Done},
		"a_result_without_a_turn_made_no_pods":  {Group{Result: passed()}, false, partition.Done},
		"gone_pods_without_a_result_are_no_end": {Group{Admitted: &started, Cleaned: true}, true, partition.Running},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, c.group.State(c.admitted)) })
	}
}

func TestPlan(t *testing.T) {
	owner := cluster.Owner{Namespace: "ns", Name: "wf", UID: "u"}
	p := pairs()
	t.Run("a_groups_objects_are_made_of_its_own_nodes", func(t *testing.T) {
		in := p.Objects(owner, "abc123", p.Groups[1], 2)
		require.Equal(t, "wf-abc123-group-1-a2", in.Names.Base())
		require.Equal(t, "run", in.Names.Run)
		require.Equal(t, "ns", in.Namespace)
		require.Equal(t, p.Nodes[1:], in.Nodes)
		require.Equal(t, int32(8), in.GPUs)
		_, err := resolve.Objects(in)
		require.NoError(t, err)
	})
	t.Run("a_node_that_the_plan_does_not_know_makes_no_objects", func(t *testing.T) {
		_, err := resolve.Objects(p.Objects(owner, "", partition.Group{Name: "group-0", Nodes: []string{"n1", "stranger"}}, 1))
		require.ErrorContains(t, err, "has no hostname to be pinned by")
	})
	t.Run("a_group_is_found_by_its_name_only", func(t *testing.T) {
		g, err := p.Find("group-1")
		require.NoError(t, err)
		require.Equal(t, p.Groups[1], g)
		for _, name := range []string{"", "group-2", "group-1 ", "GROUP-1"} {
			_, err := p.Find(name)
			require.Error(t, err, name)
		}
	})
}

func TestRead(t *testing.T) {
	ctx := context.Background()
	f := cluster.NewFake()
	r := f.Record(cluster.Owner{Namespace: "ns", Name: "wf", UID: "u"}, "", "run")
	_, _, ok, err := Read(ctx, r)
	require.NoError(t, err)
	require.False(t, ok, "no plan")

	want := pairs()
	want.Options = v1alpha1.Options{Cleanup: v1alpha1.CleanupNever, ProbeWarnAfter: v1alpha1.Duration(time.Minute)}
	_, err = cluster.Update(ctx, r, KeyPlan, func(p *Plan) error { *p = want; return nil })
	require.NoError(t, err)
	group := Group{Attempt: 2, Epoch: "e", Admitted: &started, Hosts: map[string]string{"pod": "n1"}, Result: passed(), Earlier: []string{"x"}}
	_, err = cluster.Update(ctx, r, "group-1", func(g *Group) error { *g = group; return nil })
	require.NoError(t, err)
	_, err = cluster.Update(ctx, r, KeyClose, func(c *Close) error { c.Reason = "stopped"; return nil })
	require.NoError(t, err)

	plan, groups, ok, err := Read(ctx, r)
	require.NoError(t, err)
	require.True(t, ok)
	require.Equal(t, want, plan)
	require.Equal(t, map[string]Group{"group-1": group}, groups)
}

func TestPlan_of_a_thousand_nodes_fits_the_record(t *testing.T) {
	p := pairs()
	p.Nodes, p.Groups = nil, nil
	for i := range 2000 {
		name := "gpu-node-" + time.Duration(i*7919).String() + ".cluster.example.com"
		p.Nodes = append(p.Nodes, resolve.Node{Name: name, Hostname: name, Product: "NVIDIA-H100-80GB-HBM3", GPUs: 8})
		p.Groups = append(p.Groups, partition.Group{Name: "group-" + time.Duration(i).String(), Nodes: []string{name, name}})
	}
	require.True(t, cluster.Fits(KeyPlan, p))
}
