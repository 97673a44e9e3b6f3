package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func samples() map[string]Input {
	return map[string]Input{
		"pass": passInput(), "fail": failInput(), "isolated": isolatedInput(), "unknown": unknownInput(), "unfinished": unfinishedInput(),
		"partition-error": partitionErrorInput(), "hostile": hostileInput(), "empty": {},
	}
}

// markups are the formats that are read as markup, by the ending of their files.
var markups = map[string]func(io.Writer, ...v1alpha1.Report) error{".html": WriteHTML, ".md": WriteMarkdown, ".xml": WriteJUnit}

func TestWritersMatchTheirGoldenFiles(t *testing.T) {
	for name, in := range samples() {
		t.Run(name, func(t *testing.T) {
			r := Build(in)
			var text, js bytes.Buffer
			require.NoError(t, WriteText(&text, r, Terminal))
			require.NoError(t, WriteJSON(&js, r))
			files := map[string]string{".txt": text.String(), ".json": js.String(), ".summary": Summary(r)}
			for ext, write := range markups {
				var b bytes.Buffer
				require.NoError(t, write(&b, r))
				files[ext] = b.String()
			}
			for ext, got := range files {
				golden := filepath.Join("testdata", name+ext)
				if *update {
					require.NoError(t, os.MkdirAll("testdata", 0o755))
					require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
				}
				want, err := os.ReadFile(golden)
				require.NoError(t, err)
				require.Equal(t, string(want), got)
			}
		})
	}
}

func TestTextIsCleanAndFits(t *testing.T) {
	for name, in := range samples() {
		t.Run(name, func(t *testing.T) {
			r := Build(in)
			var text bytes.Buffer
			require.NoError(t, WriteText(&text, r, Terminal))
			requireCleanPage(t, text.String(), r)
		})
	}
}

func requireCleanPage(t *testing.T, text string, r v1alpha1.Report) {
	t.Helper()
	require.True(t, utf8.ValidString(text))
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		require.LessOrEqual(t, plain.Width(line), 80, line)
		for _, c := range line {
			require.True(t, unicode.IsPrint(c), "%q in %q", c, line)
		}
		require.False(t, strings.HasPrefix(line, "PASS") && r.Verdict != v1alpha1.Pass, "text from outside cannot look like the verdict")
	}
}

func TestJSONListsAreNeverNull(t *testing.T) {
	in := Input{Target: []string{"n1"}, Groups: []v1alpha1.GroupResult{{Name: "g", Bandwidth: &v1alpha1.Bandwidth{}, Training: &v1alpha1.Training{}}}}
	for _, in := range []Input{{}, in} {
		var js bytes.Buffer
		require.NoError(t, WriteJSON(&js, Build(in)))
		for _, list := range []string{"nodes", "groups", "excluded", "thresholds", "fragments", "warnings", "results", "steps", "stepTimesSec", "tflopsPerGPU"} {
			require.NotContains(t, js.String(), fmt.Sprintf("%q: null", list))
		}
		var back v1alpha1.Report
		require.NoError(t, json.Unmarshal(js.Bytes(), &back))
		require.Equal(t, Build(in).Verdict, back.Verdict)
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestWritersReportABrokenWriter(t *testing.T) {
	r := Build(passInput())
	require.EqualError(t, WriteText(brokenPipe{}, r, Terminal), "writing the report of nccl-all-reduce: broken pipe")
	require.EqualError(t, WriteJSON(brokenPipe{}, r), "writing the report of nccl-all-reduce: broken pipe")
	require.EqualError(t, WriteHTML(brokenPipe{}, r), "writing the HTML report: broken pipe")
	require.EqualError(t, WriteMarkdown(brokenPipe{}, r), "writing the Markdown report: broken pipe")
	require.EqualError(t, WriteJUnit(brokenPipe{}, r), "writing the JUnit report: broken pipe")
}

func TestSummary(t *testing.T) {
	t.Run("fits and counts the rest", func(t *testing.T) {
		in := sampleInput()
		for i := range 2000 {
			name := fmt.Sprintf("gpu-node-%05d", i)
			in.Target = append(in.Target, name)
			in.Groups = append(in.Groups, group(fmt.Sprintf("group-%d", i), v1alpha1.Fail, name))
		}
		s := Summary(Build(in))
		require.LessOrEqual(t, len(s), 4096)
		require.Greater(t, len(s), 3500)
		require.Regexp(t, `and \d+ lines more in the report\n$`, s)
		require.True(t, strings.HasPrefix(s, "FAIL nccl-all-reduce"))
	})
	t.Run("holds nothing for Argo's template engine", func(t *testing.T) {
		s := Summary(Build(hostileInput()))
		require.NotContains(t, s, "{{")
		require.NotContains(t, s, "\x1b")
		require.True(t, utf8.ValidString(s))
	})
}

// For every text that a run may hold: the page is clean and fits, the summary fits, the JSON can be read back, and no failure turns into a pass.
func FuzzWriters(f *testing.F) {
	f.Add("run", "gpu-node-01", "message", "log\nlines", uint8(2))
	f.Add("\x1b[31m", "{{x}}", "PASS\n\u202e", "\xff\x00\r\n\t"+strings.Repeat("節", 100), uint8(0))
	f.Fuzz(func(t *testing.T, name, node, message, log string, verdict uint8) {
		g := group(name, v1alpha1.Verdict(verdict), node, "other")
		g.Message, g.Cause, g.FailureLog = message, v1alpha1.Cause(name), &v1alpha1.FailureLog{Pod: node, Tail: log}
		g.Blamed, g.Warnings = []v1alpha1.NodeReason{{Name: node, Reason: log}}, []string{log}
		r := Build(Input{Name: name, Workflow: node, Target: []string{node, "other"}, Groups: []v1alpha1.GroupResult{g}, Warnings: []string{message}})
		require.Equal(t, v1alpha1.Verdict(verdict) == v1alpha1.Pass, r.Verdict == v1alpha1.Pass)

		var text, js bytes.Buffer
		require.NoError(t, WriteText(&text, r, Terminal))
		requireCleanPage(t, text.String(), r)
		require.NoError(t, WriteJSON(&js, r))
		require.True(t, json.Valid(js.Bytes()))
		s := Summary(r)
		require.LessOrEqual(t, len(s), 4096)
		require.NotContains(t, s, "{{")
		requireHarmlessHTML(t, r)
		requireSoundJUnit(t, r)
		requireHarmlessMarkdown(t, r)
	})
}

func BenchmarkWriteText(b *testing.B) {
	for _, n := range []int{20, 200, 2000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			in := sampleInput()
			for i := range n / 2 {
				nodes := []string{fmt.Sprintf("gpu-node-%05d", 2*i), fmt.Sprintf("gpu-node-%05d", 2*i+1)}
				in.Target = append(in.Target, nodes...)
				in.Groups = append(in.Groups, withBusbw(group(fmt.Sprintf("group-%d", i), v1alpha1.Pass, nodes...), 430, true))
			}
			b.ReportAllocs()
			for b.Loop() {
				var text bytes.Buffer
				if err := WriteText(&text, Build(in), Terminal); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
