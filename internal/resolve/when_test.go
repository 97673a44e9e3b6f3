package resolve

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/utils/ptr"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestMatches(t *testing.T) {
	facts := Facts{Platform: "aws", Architecture: "gb300", TopologyKey: "rack", Domains: 3}
	type when = v1alpha1.When
	type choice = v1alpha1.Choice
	count := func(c v1alpha1.CountRange) *v1alpha1.WhenTopology { return &v1alpha1.WhenTopology{DomainCount: &c} }
	for name, c := range map[string]struct {
		when when
		want bool
	}{
		"the_empty_condition_always":     {when{}, true},
		"platform_equals":                {when{Platform: &choice{Equals: "aws"}}, true},
		"platform_equals_another":        {when{Platform: &choice{Equals: "gcp"}}, false},
		"an_empty_choice_is_none":        {when{Platform: &choice{}}, true},
		"in":                             {when{GPUArchitecture: &choice{In: []string{"gb200", "gb300"}}}, true},
		"in_others":                      {when{GPUArchitecture: &choice{In: []string{"h100"}}}, false},
		"notIn":                          {when{GPUArchitecture: &choice{NotIn: []string{"gb300"}}}, false},
		"equals_and_notIn_are_both_met":  {when{GPUArchitecture: &choice{Equals: "gb300", NotIn: []string{"h100"}}}, true},
		"equals_and_in_must_both_be_met": {when{GPUArchitecture: &choice{Equals: "gb300", In: []string{"h100"}}}, false},
		"the_only_kind":                  {when{WorkloadKind: "TrainJob"}, true},
		"another_kind":                   {when{WorkloadKind: "MPIJob"}, false},
		"mode":                           {when{Topology: &v1alpha1.WhenTopology{Mode: "topology"}}, true},
		"mode_simple":                    {when{Topology: &v1alpha1.WhenTopology{Mode: "simple"}}, false},
		"as_many_domains":                {when{Topology: count(v1alpha1.CountRange{Equals: ptr.To[int32](3)})}, true},
		"more_domains":                   {when{Topology: count(v1alpha1.CountRange{GreaterThan: ptr.To[int32](3)})}, false},
		"between":                        {when{Topology: count(v1alpha1.CountRange{GreaterThan: ptr.To[int32](2), LessThan: ptr.To[int32](4)})}, true},
		"config_never":                   {when{Config: map[string]any{}}, false},
		"expression":                     {when{Expression: `platform == "aws" && domainCount > 2 && topologyMode == "topology" && workloadKind == "TrainJob" && gpuArchitecture.startsWith("gb")`}, true},
		"expression_false":               {when{Expression: `domainCount == 2`}, false},
		"all_parts_must_hold":            {when{Platform: &choice{Equals: "aws"}, Expression: "false"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := facts.matches(&c.when)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
	t.Run("without_a_topology_key_no_count_matches", func(t *testing.T) {
		got, err := Facts{}.matches(&when{Topology: count(v1alpha1.CountRange{Equals: ptr.To[int32](0)})})
		require.NoError(t, err)
		require.False(t, got)
	})
	t.Run("an_expression_that_cannot_be_evaluated_is_an_error", func(t *testing.T) {
		_, err := facts.matches(&when{Expression: "1 / (domainCount - 3) > 0"})
		require.ErrorContains(t, err, `evaluating "1 / (domainCount - 3) > 0"`)
	})
}

func TestOrchestrate(t *testing.T) {
	over := func(o v1alpha1.OrchestrationOverride) v1alpha1.WorkloadRunSpec {
		return v1alpha1.WorkloadRunSpec{Overrides: []v1alpha1.Override{{When: &v1alpha1.When{Platform: &v1alpha1.Choice{Equals: "aws"}}, Orchestration: &o}}}
	}
	t.Run("execution_is_replaced_whole", func(t *testing.T) {
		spec := over(v1alpha1.OrchestrationOverride{Execution: &v1alpha1.ExecutionOverride{TimeoutPerJob: "5m", RetryFailedGroups: ptr.To[int32](2)}})
		spec.Orchestration = &v1alpha1.Orchestration{MaxConcurrent: ptr.To[int32](3), TimeoutPerJob: "1h"}
		got, options, warnings, err := Orchestrate(spec, v1alpha1.Options{RetryFailedGroups: 1}, Facts{Platform: "aws"})
		require.NoError(t, err)
		require.Empty(t, warnings)
		require.Nil(t, got.Orchestration.MaxConcurrent)
		require.Equal(t, "5m", got.Orchestration.TimeoutPerJob)
		require.Equal(t, 2, options.RetryFailedGroups)
		require.Equal(t, "1h", spec.Orchestration.TimeoutPerJob, "the argument is not changed")
	})
	t.Run("placement_topology_and_iterations_are_replaced", func(t *testing.T) {
		got, _, _, err := Orchestrate(over(v1alpha1.OrchestrationOverride{
			Placement: v1alpha1.Unpinned, Topology: &v1alpha1.Topology{TopologyKey: "rack"}, Iterations: ptr.To[int32](2),
		}), v1alpha1.Options{}, Facts{Platform: "aws"})
		require.NoError(t, err)
		require.True(t, got.Unpinned())
		require.Equal(t, "rack", got.TopologyKey())
		require.Equal(t, 2, got.Repeats())
	})
	t.Run("the_target_is_replaced", func(t *testing.T) {
		got, _, _, err := Orchestrate(over(v1alpha1.OrchestrationOverride{Target: &v1alpha1.Target{NodeSelector: map[string]string{"a": "b"}}}), v1alpha1.Options{}, Facts{Platform: "aws"})
		require.NoError(t, err)
		require.Equal(t, "b", got.Target.NodeSelector["a"])
	})
	t.Run("what_does_not_match_changes_nothing_and_warns_of_nothing", func(t *testing.T) {
		spec := over(v1alpha1.OrchestrationOverride{Execution: &v1alpha1.ExecutionOverride{TimeoutPerJob: "5m"}})
		got, _, warnings, err := Orchestrate(spec, v1alpha1.Options{}, Facts{Platform: "gcp"})
		require.NoError(t, err)
		require.Empty(t, warnings)
		require.Equal(t, spec, got)
	})
	t.Run("what_matches_and_changes_nothing_is_a_warning_with_its_path", func(t *testing.T) {
		_, _, warnings, err := Orchestrate(over(v1alpha1.OrchestrationOverride{}), v1alpha1.Options{}, Facts{Platform: "aws"})
		require.NoError(t, err)
		require.Equal(t, []string{"spec.overrides[0].orchestration: matched and changed nothing; check the field paths and values"}, warnings)
	})
}
