package v1alpha1

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write golden files anew")

func TestLoad_says_all_that_is_wrong_with_file_and_line(t *testing.T) {
	const golden = "testdata/mistakes.txtar"
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	for i := 0; i < len(archive.Files); i += 2 {
		in, want := archive.Files[i], &archive.Files[i+1]
		require.Equal(t, in.Name+".want", want.Name)
		t.Run(in.Name, func(t *testing.T) {
			run, err := Load("run.yaml", in.Data)
			require.Error(t, err)
			require.Nil(t, run)
			got := err.Error() + "\n"
			require.NotContains(t, got, "\x1b", "escape codes of the file must not reach the terminal")
			if *update {
				want.Data = []byte(got)
				return
			}
			require.Equal(t, string(want.Data), got)
		})
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, txtar.Format(archive), 0o600))
	}
}

func TestLoad_lists_problems_in_the_order_of_the_lines(t *testing.T) {
	_, err := Load("run.yaml", []byte("spec:\n  numNodes: 0\n  imge: x\napiVersion: v1\n"))
	var problems Problems
	require.ErrorAs(t, err, &problems)
	require.Greater(t, len(problems), 3)
	for i := 1; i < len(problems); i++ {
		require.LessOrEqual(t, problems[i-1].Line, problems[i].Line)
	}
}

const sound = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata: {name: run}
spec:
  image: i
  numNodes: 2
  framework: {exec: {command: [a]}}
`

func load(t *testing.T, spec string) *WorkloadRun {
	t.Helper()
	run, err := Load("run.yaml", []byte(sound+spec))
	require.NoError(t, err)
	return run
}

func TestLoad(t *testing.T) {
	t.Run("a_date_stays_the_text_that_was_written", func(t *testing.T) {
		run := load(t, "  config: {inline: {f: 2026-01-31, g: 2026-01-31T10:00:00Z}}\n")
		require.Equal(t, map[string]string{"f": "2026-01-31", "g": "2026-01-31T10:00:00Z"}, run.Spec.Config.Inline)
	})
	t.Run("a_key_that_looks_like_a_number_is_a_text_as_kubectl_has_it", func(t *testing.T) {
		run := load(t, "  target: {nodeSelector: {1: a, true: b}}\n")
		require.Equal(t, map[string]string{"1": "a", "true": "b"}, run.Spec.Target.NodeSelector)
	})
	t.Run("yes_and_no_are_texts", func(t *testing.T) {
		run := load(t, "  config: {inline: {f: yes, g: off}}\n")
		require.Equal(t, map[string]string{"f": "yes", "g": "off"}, run.Spec.Config.Inline)
	})
	t.Run("anchors_aliases_and_merges_are_followed", func(t *testing.T) {
		run := load(t, "  env:\n  - &a {name: A, value: x}\n  - {<<: *a, name: B}\n  - *a\n")
		require.Equal(t, []string{"A=x", "B=x", "A=x"}, []string{
			run.Spec.Env[0].Name + "=" + run.Spec.Env[0].Value,
			run.Spec.Env[1].Name + "=" + run.Spec.Env[1].Value,
			run.Spec.Env[2].Name + "=" + run.Spec.Env[2].Value,
		})
	})
	t.Run("JSON_gives_the_same_as_YAML", func(t *testing.T) {
		want := load(t, "")
		text, err := json.Marshal(want)
		require.NoError(t, err)
		got, err := Load("run.json", text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
	t.Run("an_empty_list_of_names_is_not_the_same_as_none", func(t *testing.T) {
		none := load(t, "  target: {}\n").Spec.Target
		require.Nil(t, none.NodeNames)
		empty := load(t, "  target: {nodeNames: []}\n").Spec.Target
		require.NotNil(t, empty.NodeNames)
		require.Empty(t, *empty.NodeNames)
		text, err := json.Marshal(empty)
		require.NoError(t, err)
		require.JSONEq(t, `{"nodeNames": []}`, string(text))
	})
	t.Run("whole_numbers_of_an_override_stay_whole_in_the_record", func(t *testing.T) {
		run := load(t, `  overrides:
  - when: {}
    dependencies:
    - {apiVersion: resource.nvidia.com/v1beta1, kind: ComputeDomain, metadata: {name: domain}, n: 9007199254740993, f: 0.5}
`)
		text, err := json.Marshal(run.Spec)
		require.NoError(t, err)
		var again WorkloadRunSpec
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, run.Spec, again)
		require.Equal(t, int64(9007199254740993), again.Overrides[0].Dependencies[0]["n"])
	})
}

func TestLoad_of_the_published_examples(t *testing.T) {
	files, err := filepath.Glob("testdata/examples/*.yaml")
	require.NoError(t, err)
	require.Len(t, files, 12)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			_, err = Load(file, text)
			require.NoError(t, err)
		})
	}
}

// What the loader accepts comes back from JSON, as the run record has it, with the same value and still sound; and it never panics.
func FuzzLoad(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/mistakes.txtar")
	require.NoError(f, err)
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Add([]byte(sound))
	examples, err := filepath.Glob("testdata/examples/*.yaml")
	require.NoError(f, err)
	for _, file := range examples {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(sound + "  env:\n  - &a {name: A, value: x}\n  - {<<: [*a, *a], name: B}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		run, err := Load("f", text)
		if err != nil {
			var problems Problems
			require.ErrorAs(t, err, &problems)
			require.NotEmpty(t, problems)
			return
		}
		raw, err := json.Marshal(run)
		require.NoError(t, err)
		again := &WorkloadRun{}
		require.NoError(t, json.Unmarshal(raw, again))
		require.Empty(t, Validate(again))
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(raw), string(twice))
	})
}

func BenchmarkLoad(b *testing.B) {
	text, err := os.ReadFile("testdata/examples/07-host-rdma-override.yaml")
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = Load("run.yaml", text)
	}
}

func TestLoad_of_what_no_text_may_hold(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a_byte_that_is_no_UTF-8": {"a: 1\nb: \xff\n", `run.yaml:2: is not valid YAML: the byte 0xff is no UTF-8; the file saved as UTF-8 would do`},
		"a_control_character":     {"a: 1\n\nb: \x00\n", `run.yaml:3: is not valid YAML: the control character 0x00; the line without it would do, or it in quotes as \x00`},
		"more_than_2_MiB":         {"a: 1\nb: " + strings.Repeat("x", maxExpanded) + "\n", `run.yaml:2: has more than 2 MiB; a shorter text would do, with large files on a volume or in the image`},
		"a_mapping_without_end":   {"spec:\n" + manyFields(100_000), `run.yaml:2: has a mapping of 100000 fields; at most 4096 would do`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load("run.yaml", []byte(c.text))
			require.EqualError(t, err, c.want)
		})
	}
	t.Run("an_empty_document_at_the_end_is_none", func(t *testing.T) {
		_, err := Load("run.yaml", []byte(sound+"---\n"))
		require.NoError(t, err)
	})
}

// manyFields are the lines of a mapping.
func manyFields(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "  field%d: 1\n", i)
	}
	return b.String()
}

func TestProblems_are_named_up_to_a_number(t *testing.T) {
	_, err := Load("run.yaml", []byte(sound+manyFields(4000)))
	lines := strings.Split(err.Error(), "\n")
	require.Len(t, lines, mostLines+1)
	require.Equal(t, "and 3950 more", lines[mostLines])
}
