package v1alpha1

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// everyParameter holds every parameter of the frameworks once, with what it makes of the run, as JSON.
var everyParameter = map[string]struct{ value, want string }{
	"name":              {"my-run", `{}`},
	"spec":              {"target: {nodeSelector: {zone: a}}", `{"target":{"nodeSelector":{"zone":"a"}}}`},
	"specFrom":          {"big/run.yaml", `{"target":{"nodeSelector":{"zone":"b"}}}`},
	"image":             {"other", `{"image":"other"}`},
	"numNodes":          {" 3 ", `{"numNodes":3}`},
	"mpirunPath":        {"/m", `{"framework":{"mpi":{"mpirunPath":"/m","binary":"/b"}}}`},
	"binary":            {"/x", `{"framework":{"mpi":{"mpirunPath":"/mpirun","binary":"/x"}}}`},
	"mpiArgs":           {`["-x", "A=1"]`, `{"framework":{"mpi":{"mpirunPath":"/mpirun","binary":"/b","mpiArgs":["-x","A=1"]}}}`},
	"command":           {"[a, b]", `{"framework":{"exec":{"command":["a","b"]}}}`},
	"args":              {"- -b\n- '8'", ""},
	"script":            {"/a.py", `{"framework":{"torch":{"script":"/a.py"}}}`},
	"module":            {"a.b", ""},
	"gpusPerNode":       {"4", `{"gpusPerNode":4}`},
	"mlnxPerNode":       {"0", `{"mlnxPerNode":0}`},
	"platform":          {"aws", `{}`},
	"gpuArchitecture":   {"h100", `{}`},
	"placement":         {"Unpinned", `{"orchestration":{"placement":"Unpinned"}}`},
	"topologyKey":       {"rack", `{"orchestration":{"topology":{"topologyKey":"rack"}}}`},
	"testScale":         {"intra-rack", `{"orchestration":{"testScale":"intra-rack"}}`},
	"repeatCount":       {"3", `{"orchestration":{"repeatCount":3}}`},
	"schedulerName":     {"kai-scheduler", `{"gangScheduler":{"schedulerName":"kai-scheduler"}}`},
	"queue":             {"q", ""},
	"queueLabelKey":     {"runai/queue", ""},
	"nodeSelector":      {"{a: b}", `{"target":{"nodeSelector":{"a":"b"}}}`},
	"matchExpressions":  {`[{"key":"a","operator":"Exists"}]`, `{"target":{"matchExpressions":[{"key":"a","operator":"Exists"}]}}`},
	"nodeNames":         {`["n1"]`, `{"target":{"nodeNames":["n1"]}}`},
	"maxConcurrent":     {"0", `{"orchestration":{"maxConcurrent":0}}`},
	"timeoutPerJob":     {"30m", `{"orchestration":{"timeoutPerJob":"30m"}}`},
	"env":               {"- {name: A, value: b}", `{"env":[{"name":"A","value":"b"}]}`},
	"thresholds":        {"busBandwidthGBps: value > 1", `{"thresholds":{"busBandwidthGBps":"value \u003e 1"}}`},
	"logProfile":        {"nccl-bandwidth", `{"bandwidthMeasurement":{"logProfileRef":"nccl-bandwidth"}}`},
	"testType":          {"all_reduce", ""},
	"imagePullSecrets":  {"[{name: s}]", `{"imagePullSecrets":[{"name":"s"}]}`},
	"overrides":         {"[{when: {}}]", `{"overrides":[{"when":{}}]}`},
	"planOnly":          {"true", `{}`},
	"cleanup":           {"never", `{}`},
	"retryFailedGroups": {"2", `{}`},
	"isolate":           {"true", `{}`},
	"probeWarnAfter":    {"1m", `{}`},
	"artifacts":         {"true", `{}`},
	"keepReport":        {"true", `{}`},
	"maxNodes":          {"8", `{}`},
	"maxDuration":       {"2h", `{}`},
	"busyNodes":         {"exclude", `{}`},
}

// least is the least that makes a run of each framework.
var least = map[string]map[string]string{
	FrameworkTorch: {"image": "i", "numNodes": "2", "script": "/t.py"},
	FrameworkMPI:   {"image": "i", "numNodes": "2", "mpirunPath": "/mpirun", "binary": "/b"},
	FrameworkExec:  {"image": "i", "numNodes": "2", "command": "[a]"},
}

func TestParseParameters_of_every_parameter(t *testing.T) {
	for framework, values := range least {
		base, _, err := ParseParameters(framework, values)
		require.NoError(t, err)
		for _, p := range Parameters(framework) {
			t.Run(framework+"/"+p.Name, func(t *testing.T) {
				c, covered := everyParameter[p.Name]
				require.True(t, covered, "a new parameter belongs into the table")
				with := maps.Clone(values)
				with[p.Name] = c.value
				if p.Name == "testType" {
					with["logProfile"] = "nccl-bandwidth"
					c.want = `{"bandwidthMeasurement":{"logProfileRef":"nccl-bandwidth","testType":"all_reduce"}}`
				}
				switch p.Name {
				case "args":
					c.want = map[string]string{
						FrameworkTorch: `{"framework":{"torch":{"script":"/t.py","args":["-b","8"]}}}`,
						FrameworkMPI:   `{"framework":{"mpi":{"mpirunPath":"/mpirun","binary":"/b","args":["-b","8"]}}}`,
						FrameworkExec:  `{"framework":{"exec":{"command":["a"],"args":["-b","8"]}}}`,
					}[framework]
				case "module":
					delete(with, "script")
					c.want = `{"framework":{"torch":{"module":"a.b"}}}`
				case "queue", "queueLabelKey":
					with["schedulerName"] = "s"
					c.want = fmt.Sprintf(`{"gangScheduler":{"schedulerName":"s",%q:%q}}`, p.Name, c.value)
				}
				spec, options, err := ParseParametersWith(framework, with, SpecText{Text: "target: {nodeSelector: {zone: b}}"})
				require.NoError(t, err)
				want := merge(t, base, c.want)
				got, err := json.Marshal(spec)
				require.NoError(t, err)
				require.JSONEq(t, want, string(got))
				if !slices.Contains([]string{"name", "cleanup", "retryFailedGroups", "isolate", "probeWarnAfter", "planOnly", "platform", "gpuArchitecture", "artifacts", "keepReport", "maxNodes", "maxDuration", "busyNodes"}, p.Name) {
					require.Equal(t, Options{Cleanup: CleanupAlways, BusyNodes: BusyWarn, ProbeWarnAfter: Duration(20 * time.Minute)}, options)
				}
			})
		}
	}
}

// merge puts the top-level fields of want over those of base.
func merge(t *testing.T, base *WorkloadRunSpec, want string) string {
	t.Helper()
	text, err := json.Marshal(base)
	require.NoError(t, err)
	var fields map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &fields))
	require.NoError(t, json.Unmarshal([]byte(want), &fields))
	text, err = json.Marshal(fields)
	require.NoError(t, err)
	return string(text)
}

func TestParseParameters(t *testing.T) {
	parse := func(t *testing.T, more map[string]string) (*WorkloadRunSpec, Options, error) {
		t.Helper()
		values := maps.Clone(least[FrameworkMPI])
		maps.Copy(values, more)
		return ParseParameters(FrameworkMPI, values)
	}
	refused := func(t *testing.T, more map[string]string, want string) {
		t.Helper()
		spec, options, err := parse(t, more)
		require.EqualError(t, err, want)
		require.Nil(t, spec)
		require.Zero(t, options)
	}
	t.Run("empty_is_not_given", func(t *testing.T) {
		all := map[string]string{}
		for _, p := range Parameters(FrameworkMPI) {
			all[p.Name] = ""
		}
		maps.Copy(all, least[FrameworkMPI])
		got, options, err := ParseParameters(FrameworkMPI, all)
		require.NoError(t, err)
		want, wantOptions, err := parse(t, nil)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, wantOptions, options)
		require.Nil(t, got.Target)
		require.Nil(t, got.Orchestration)
		require.Nil(t, got.BandwidthMeasurement)
	})
	t.Run("options_are_set", func(t *testing.T) {
		_, options, err := parse(t, map[string]string{"cleanup": "onSuccess", "busyNodes": "exclude", "retryFailedGroups": "2", "probeWarnAfter": "90s", "maxNodes": "8", "maxDuration": "2h", "platform": "aws", "gpuArchitecture": "gb300"})
		require.NoError(t, err)
		require.Equal(t, Options{Cleanup: CleanupOnSuccess, BusyNodes: BusyExclude, RetryFailedGroups: 2, Platform: "aws", GPUArchitecture: "gb300", ProbeWarnAfter: Duration(90 * time.Second), MaxNodes: 8, MaxDuration: Duration(2 * time.Hour)}, options)
	})
	t.Run("a_training_profile_asks_for_goodput", func(t *testing.T) {
		spec, _, err := parse(t, map[string]string{"logProfile": "megatron-training"})
		require.NoError(t, err)
		require.Nil(t, spec.BandwidthMeasurement)
		require.Equal(t, &GoodputMeasurement{LogProfileRef: "megatron-training"}, spec.GoodputMeasurement)
	})
	t.Run("no_node_never_widens_to_any", func(t *testing.T) {
		for _, none := range []string{"[]", " [ ] ", "null", "~", "# nothing"} {
			spec, _, err := parse(t, map[string]string{"nodeNames": none})
			require.NoError(t, err)
			text, err := json.Marshal(spec)
			require.NoError(t, err)
			var again WorkloadRunSpec
			require.NoError(t, json.Unmarshal(text, &again))
			require.NotNil(t, again.Target.NodeNames, "%q: %s", none, text)
			require.Empty(t, *again.Target.NodeNames)
		}
	})
	t.Run("a_given_parameter_wins_over_the_spec", func(t *testing.T) {
		spec, _, err := ParseParameters(FrameworkMPI, map[string]string{
			"spec":  "image: a\nnumNodes: 4\nframework: {mpi: {mpirunPath: /m, binary: /b, args: [x]}}\ntarget: {nodeNames: [n1, n2], nodeSelector: {a: b}}\n",
			"image": "b", "nodeNames": "[n3]", "args": "[]",
		})
		require.NoError(t, err)
		require.Equal(t, "b", spec.Image)
		require.Equal(t, int32(4), spec.NumNodes)
		require.Equal(t, []string{"n3"}, *spec.Target.NodeNames)
		require.Equal(t, map[string]string{"a": "b"}, spec.Target.NodeSelector)
		require.Equal(t, "/m", spec.Framework.MPI.MPIRunPath)
		require.Empty(t, spec.Framework.MPI.Args)
	})
	t.Run("a_spec_of_another_framework_is_refused", func(t *testing.T) {
		_, _, err := ParseParameters(FrameworkMPI, map[string]string{"spec": "{image: i, numNodes: 1, framework: {exec: {command: [a]}}}"})
		require.EqualError(t, err, "spec.framework: is exec; the template workloadrun-exec would do")
	})
	t.Run("what_belongs_to_Argo_is_refused_with_the_way_out", func(t *testing.T) {
		const hint = "contains {{, which belongs to Argo; put it into the parameter spec as gzip+base64:… (`seatrial workloadrun run` does that)"
		refused(t, map[string]string{"image": "{{workflow.name}}"}, "image: "+hint)
		refused(t, map[string]string{"spec": "image: {{a}}", "image": ""}, "spec: "+hint)
	})
	t.Run("all_mistakes_at_once_each_under_its_parameter", func(t *testing.T) {
		refused(t, map[string]string{
			"cleanup": "sometimes", "logProfile": "x", "numNodes": "0", "gpusPerNode": "99999999999", "maxConcurrent": "-1", "timeoutPerJob": "1x",
			"env": "[{nane: A}, {name: A=B}]", "args": "-b 8", "nodeSelector": "[a]", "mpiArgs": "[a", "retryFailedGroups": "11", "probeWarnAfter": "0s", "maxNodes": "0", "maxDuration": "soon",
			"name": "My Run", "imge": "i", "\x1b": "x", "thresholds": "{busBandwidthGBps: 400}",
		}, strings.Join([]string{
			`name: "My Run" is not a name; lower-case letters, digits and dashes, at most 63, would do`,
			`numNodes: is "0"; a whole number, at least 1, would do`,
			`args: is the text "-b 8"; a list such as ["a", "b"] would do`,
			`mpiArgs: is not valid YAML: did not find expected ',' or ']'`,
			`gpusPerNode: is "99999999999"; a whole number from 1 to 2147483647 would do`,
			`nodeSelector: is a list; a mapping such as {key: "text"} would do`,
			`maxConcurrent: is "-1"; a whole number, at least 0, would do`,
			`env[0].nane: unknown field; did you mean name?`,
			`thresholds.busBandwidthGBps: is the number 400; a text (quote it) would do`,
			`cleanup: is "sometimes"; one of always, onSuccess, never would do`,
			`retryFailedGroups: is "11"; a whole number from 0 to 10 would do`,
			`probeWarnAfter: is "0s"; a duration such as 20m would do`,
			`maxNodes: is "0"; a whole number, at least 1, would do`,
			`maxDuration: is "soon"; a duration such as 2h would do`,
			`["\x1b"]: is not a parameter of workloadrun-mpi`,
			`imge: is not a parameter of workloadrun-mpi; did you mean image?`,
			`timeoutPerJob: is "1x"; a duration such as 30m or 1h30m, at most 8760h, would do`,
		}, "\n"))
	})
	t.Run("a_bad_spec_does_not_hide_the_other_parameters", func(t *testing.T) {
		refused(t, map[string]string{"spec": "imge: a\nnumNodes: x\n", "gpusPerNode": "x"}, strings.Join([]string{
			`gpusPerNode: is "x"; a whole number, at least 1, would do`,
			`spec:1: spec.imge: unknown field; did you mean image?`,
			`spec:2: spec.numNodes: is the text "x"; a whole number, at most 2147483647, would do`,
		}, "\n"))
	})
	t.Run("a_parameter_of_another_framework_is_unknown", func(t *testing.T) {
		refused(t, map[string]string{"command": "[a]"}, "command: is not a parameter of workloadrun-mpi")
	})
	t.Run("nothing_given_names_what_is_missing", func(t *testing.T) {
		_, _, err := ParseParameters(FrameworkMPI, nil)
		require.ErrorContains(t, err, "image: is missing; an image such as nvcr.io/nvidia/pytorch:26.01-py3 would do\nmpirunPath: is missing")
		require.ErrorContains(t, err, "\nbinary: is missing")
		require.ErrorContains(t, err, "\nnumNodes: is missing or 0")
	})
	t.Run("of_a_whole_spec_only_what_was_given_beside_it_has_a_parameters_name", func(t *testing.T) {
		refused(t, map[string]string{"spec": "framework: {mpi: {binary: b}}\ninitContainers: [{name: a, image: B}]\n", "image": "A B", "env": "[{name: 1=}]"}, strings.Join([]string{
			`image: is "A B"; an image without blanks and control characters would do`,
			`env[0].name: "1=" is not the name of a variable; letters, digits, _, - and . would do, no digit first`,
			`spec.initContainers[0].image: is "B": invalid reference format: repository name (library/B) must be lowercase; an image such as the run's own would do`,
		}, "\n"))
	})
	t.Run("a_hostile_value_stays_one_argument", func(t *testing.T) {
		hostile := []string{`"; rm -rf / #`, "$(reboot)", "a\nb", "-x", "", "{a: b}", "é"}
		text, err := json.Marshal(hostile)
		require.NoError(t, err)
		spec, _, err := parse(t, map[string]string{"args": string(text)})
		require.NoError(t, err)
		require.Equal(t, hostile, spec.Framework.MPI.Args)
	})
}

func TestEncodeSpec(t *testing.T) {
	roundTrip := func(t *testing.T, text string) string {
		t.Helper()
		encoded, err := EncodeSpec([]byte(text))
		require.NoError(t, err)
		decoded, err := DecodeSpec(encoded)
		require.NoError(t, err)
		require.Equal(t, text, string(decoded))
		return encoded
	}
	t.Run("plain_text_stays_readable", func(t *testing.T) {
		require.Equal(t, "image: a\n", roundTrip(t, "image: a\n"))
	})
	t.Run("what_Argo_would_expand_is_hidden_from_it", func(t *testing.T) {
		encoded := roundTrip(t, "image: i\nconfig: {inline: {a: '{{workflow.name}}'}}\n")
		require.True(t, strings.HasPrefix(encoded, EncodedSpec))
		require.NotContains(t, encoded, "{{")
		spec, _, err := ParseParameters(FrameworkExec, map[string]string{"spec": encoded, "command": "[a]", "numNodes": "1"})
		require.NoError(t, err)
		require.Equal(t, "{{workflow.name}}", spec.Config.Inline["a"])
	})
	t.Run("text_that_looks_encoded_is_not_taken_for_it", func(t *testing.T) {
		roundTrip(t, EncodedSpec+"abc")
	})
	t.Run("what_is_long_is_compressed", func(t *testing.T) {
		require.Less(t, len(roundTrip(t, strings.Repeat("x", MaxSpecBytes+1))), 1<<10)
	})
	t.Run("too_large_is_refused_and_says_what_would_do", func(t *testing.T) {
		_, err := EncodeSpec([]byte(strings.Repeat("{{", 600<<10)))
		require.ErrorContains(t, err, "1228800 bytes; at most 1048576 fit", "what DecodeSpec would refuse must not be sent")
		dense := noise(maxPacked + 1<<10)
		_, err = EncodeSpec(dense)
		require.ErrorContains(t, err, "even when compressed; at most 262144 fit into the record")
		_, err = DecodeSpec(string(dense))
		require.ErrorContains(t, err, "even when compressed; at most 262144 fit into the record", "as a ConfigMap would bring it")
	})
	t.Run("a_bomb_is_refused", func(t *testing.T) {
		bomb, err := EncodeSpec([]byte("{{" + strings.Repeat(" ", maxPlain-2)))
		require.NoError(t, err)
		plain, err := DecodeSpec(bomb)
		require.NoError(t, err)
		require.Len(t, plain, maxPlain)
		_, err = DecodeSpec(packed(t, maxPlain+1))
		require.EqualError(t, err, "unpacks to more than 1048576 bytes")
	})
	t.Run("what_is_not_whole_is_refused", func(t *testing.T) {
		encoded := roundTrip(t, "{{"+strings.Repeat("abc", 1000))
		for text, want := range map[string]string{
			EncodedSpec + "!":                 "is not base64",
			EncodedSpec:                       "is not gzip",
			EncodedSpec + "aGVsbG8=":          "is not gzip",
			encoded[:len(encoded)-8]:          "is not whole",
			encoded[:len(encoded)-4] + "AAAA": "is not whole",
		} {
			_, err := DecodeSpec(text)
			require.ErrorContains(t, err, want)
		}
	})
}

// Whatever is encoded is decoded to the same, Argo finds nothing of its own in it, and nothing decodes to more than 1 MiB.
func FuzzEncodeSpec(f *testing.F) {
	for _, s := range []string{"", "image: a", "{{a}}", EncodedSpec, EncodedSpec + "H4sIAAAAAAAA/wMAAAAAAAAAAAA="} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if plain, err := DecodeSpec(string(text)); err == nil {
			require.LessOrEqual(t, len(plain), max(maxPlain, len(text)))
		}
		encoded, err := EncodeSpec(text)
		if err != nil {
			return
		}
		require.NotContains(t, encoded, "{{")
		decoded, err := DecodeSpec(encoded)
		require.NoError(t, err)
		require.Equal(t, string(text), string(decoded))
	})
}

// Parameters either make a sound run or a list of problems; they never panic, and a sound run has no problem left.
func FuzzParseParameters(f *testing.F) {
	for name, c := range everyParameter {
		f.Add(name, c.value)
	}
	f.Fuzz(func(t *testing.T, name, value string) {
		values := maps.Clone(least[FrameworkMPI])
		values[name] = value
		spec, _, err := ParseParameters(FrameworkMPI, values)
		if err != nil {
			var problems Problems
			require.ErrorAs(t, err, &problems)
			return
		}
		require.Empty(t, ValidateSpec(spec))
		require.NotNil(t, spec.Framework.MPI)
	})
}

func BenchmarkParseParameters(b *testing.B) {
	text, err := os.ReadFile("testdata/examples/01-basic.yaml")
	require.NoError(b, err)
	_, spec, _ := strings.Cut(string(text), "spec:\n")
	values := map[string]string{"spec": spec, "thresholds": "{busBandwidthGBps: value > 1}", "nodeNames": "[a, b]"}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := ParseParameters(FrameworkMPI, values); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSpec_defaults(t *testing.T) {
	spec := &WorkloadRunSpec{}
	require.Equal(t, 24*time.Hour, spec.Timeout())
	require.Zero(t, spec.MaxConcurrent())
	for text, want := range map[string]time.Duration{"": 24 * time.Hour, "3m": 3 * time.Minute, "x": 24 * time.Hour, "-1h": 24 * time.Hour, "1ns": 24 * time.Hour} {
		spec.Orchestration = &Orchestration{TimeoutPerJob: text}
		require.Equal(t, want, spec.Timeout(), text)
	}
}

func TestOptions(t *testing.T) {
	t.Run("the_zero_cleanup_deletes_nothing", func(t *testing.T) {
		for _, v := range []Verdict{Unknown, Pass, Fail} {
			require.False(t, Cleanup("").After(v))
			require.False(t, CleanupNever.After(v))
			require.True(t, CleanupAlways.After(v))
			require.Equal(t, v == Pass, CleanupOnSuccess.After(v))
		}
	})
	t.Run("a_duration_survives_JSON", func(t *testing.T) {
		text, err := json.Marshal(Duration(90 * time.Minute))
		require.NoError(t, err)
		require.Equal(t, `"1h30m0s"`, string(text))
		var d Duration
		require.NoError(t, json.Unmarshal(text, &d))
		require.Equal(t, Duration(90*time.Minute), d)
		require.Error(t, json.Unmarshal([]byte(`"soon"`), &d))
	})
}

func TestValidate_takes_every_operator_of_a_target(t *testing.T) {
	for operator, values := range map[corev1.NodeSelectorOperator][]string{
		corev1.NodeSelectorOpIn: {"a"}, corev1.NodeSelectorOpNotIn: {"a"}, corev1.NodeSelectorOpExists: nil, corev1.NodeSelectorOpDoesNotExist: nil,
	} {
		run := load(t, "")
		run.Spec.Target = &Target{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "a", Operator: operator, Values: values}}}
		require.Empty(t, Validate(run), operator)
	}
}
