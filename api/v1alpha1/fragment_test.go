package v1alpha1

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

func TestLoadFragment_says_all_that_is_wrong_with_file_and_line(t *testing.T) {
	const golden = "testdata/fragments.txtar"
	archive, err := txtar.ParseFile(golden)
	require.NoError(t, err)
	for i := 0; i+1 < len(archive.Files); i += 2 {
		in, want := archive.Files[i], &archive.Files[i+1]
		require.Equal(t, in.Name+".want", want.Name)
		t.Run(in.Name, func(t *testing.T) {
			f, err := LoadFragment("fragments/bad.yaml", in.Data)
			require.Error(t, err)
			require.Nil(t, f)
			got := err.Error() + "\n"
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

func TestLoadFragment_out_of_a_WorkflowTemplate(t *testing.T) {
	const template = `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata:
  name: platform-lab
  resourceVersion: "12"
spec:
  templates:
  - name: fragment
    plugin:
      seatrial:
        step: fragment
        fragment:
          description: d
          env:
          - name: A
            value: x [[ .gpusPerNode ]]
`
	f, err := LoadFragment("platform-lab", []byte(template))
	require.NoError(t, err, "what comes from the cluster has lost its quotes")
	require.Equal(t, "lab", f.Name)
	require.Equal(t, "12", f.ResourceVersion)
	_, line := f.At("env[0].value")
	require.Equal(t, 16, line)
	_, err = LoadFragment("platform-lab", []byte(strings.Replace(template, "name: A", "name: A B", 1)))
	require.EqualError(t, err, `platform-lab:15: env[0].name: "A B" is not the name of a variable; letters, digits, _, - and . would do, no digit first`)
	_, err = LoadFragment("x", []byte("kind: WorkflowTemplate\n"))
	require.ErrorContains(t, err, "is a WorkflowTemplate without a fragment")
}

func TestExpand(t *testing.T) {
	data := map[string]any{"n": 4, "on": true, "list": []string{"a", "b"}, "m": map[string]int64{"x": 2}, "run": "nccl", "empty": ""}
	for text, want := range map[string]any{
		"plain":                                "plain",
		"[[ .n ]]":                             4,
		"[[.on]]":                              true,
		"[[- .list -]]":                        []string{"a", "b"},
		`[[ index .m "x" ]]`:                   int64(2),
		`[[ dict "a" (.n | toString) ]]`:       map[string]any{"a": "4"},
		"[[ .n | toString ]]":                  "4",
		"[[ .n ]] GPUs":                        "4 GPUs",
		"[[ .n ]][[ .n ]]":                     "44",
		"[[ .run ]]-runtime":                   "nccl-runtime",
		"[[ if .on ]]yes[[ else ]]no[[ end ]]": "yes",
		"[[ if .empty ]]x[[ end ]]":            "",
		"[[ .empty ]]":                         "",
		`[[ range $i, $e := .list ]][[ if $i ]],[[ end ]][[ $e ]][[ end ]]`: "a,b",
		`[[ .list | join "," ]]`: "a,b",
		`[{"a":[[ .n ]]}]`:       `[{"a":4}]`,
	} {
		got, err := Expand(text, data)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for text, want := range map[string]string{
		"[[ .none ]]":        `map has no entry for key "none"`,
		"[[ .n":              "unclosed action",
		"[[ nope ]]":         `function "nope" not defined`,
		"[[ env `HOME` ]]":   `function "env" not defined`,
		"[[ now ]]":          `function "now" not defined`,
		"[[ uuidv4 ]]":       `function "uuidv4" not defined`,
		"[[ until 100000 ]]": "until counts from 0 to at most 256",
		"[[ fail `no` ]]":    "no",
		"[[ range until 256 ]][[ range until 256 ]][[ range until 256 ]][[ end ]][[ end ]][[ end ]]": "it says range more than 2 times",
		"[[ define `x` ]][[ template `x` ]][[ end ]][[ template `x` ]]":                              "it says define, which an expression may not",
		"[[ range $i := until 200 ]][[ range $j := until 200 ]]0123456789[[ end ]][[ end ]]":         "longer than 64 KiB",
	} {
		_, err := Expand(text, data)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "captureValue")
	}
}

// The loader never panics, and what it accepts comes back from JSON, as the run record has it, the same.
func FuzzLoadFragment(f *testing.F) {
	files, err := filepath.Glob("../../generator/fragments/*.yaml")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte("description: \"[[ .run ]]\"\nenv: [{name: A, value: '[[ `x' }]\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		n, err := LoadFragment("f.yaml", text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		raw, err := json.Marshal(n.Fragment)
		require.NoError(t, err)
		var back Fragment
		require.NoError(t, json.Unmarshal(raw, &back))
		again, err := json.Marshal(back)
		require.NoError(t, err)
		require.JSONEq(t, string(raw), string(again))
	})
}

func BenchmarkLoadFragment(b *testing.B) {
	text, err := os.ReadFile("../../generator/fragments/gcp-h100.yaml")
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := LoadFragment("gcp-h100.yaml", text); err != nil {
			b.Fatal(err)
		}
	}
}
