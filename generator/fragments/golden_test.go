package fragments_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

var update = flag.Bool("update", false, "write the golden files and docs/reference/platforms.md anew")

const golden = "testdata/golden"

// Every machine with every framework: the objects of one group, and beside them why they are so.
func TestObjects(t *testing.T) {
	list := all(t)
	plain := map[string]resolved{}
	for _, framework := range v1alpha1.Frameworks {
		plain[framework] = machine{platform: "onprem", architecture: "h100"}.resolve(t, framework, list)
	}
	want := map[string]bool{}
	for _, m := range machines {
		for _, framework := range v1alpha1.Frameworks {
			name := m.name(framework)
			want[name+".yaml"], want[name+".why"] = true, true
			t.Run(name, func(t *testing.T) {
				r := m.resolve(t, framework, list)
				var objects bytes.Buffer
				for _, o := range r.objects {
					text, err := yaml.Marshal(o.Object)
					require.NoError(t, err)
					objects.WriteString("---\n")
					objects.Write(text)
				}
				compare(t, filepath.Join(golden, name+".yaml"), objects.String())
				compare(t, filepath.Join(golden, name+".why"), why(t, m, framework, r, plain[framework]))
			})
		}
	}
	t.Run("no golden file is left over", func(t *testing.T) {
		entries, err := os.ReadDir(golden)
		require.NoError(t, err)
		for _, e := range entries {
			require.True(t, want[e.Name()], e.Name())
		}
	})
}

func compare(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
	}
	have, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(have), got, "run: go test ./generator/fragments -update")
}

// why names the fragments and the rows of the reference behind them, and what they changed of a run that has the defaults alone.
func why(t *testing.T, m machine, framework string, r, plain resolved) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s; %d GPUs of each node (%s), %d NICs (%s)\n", m.platform, m.architecture, framework, r.facts.GPUs, r.facts.GPUsFrom, r.facts.NICs, r.facts.NICsFrom)
	for _, name := range slices.Sorted(keysOf(m.with)) {
		fmt.Fprintf(&b, "the nodes advertise %s: %s\n", name, m.with[name])
	}
	b.WriteString("\n")
	for _, f := range r.applied {
		fmt.Fprintf(&b, "%s: %s\n  %s\n", f.Name, strings.TrimSpace(f.Fragment.Description), f.Fragment.Source)
	}
	b.WriteString("\nenvironment of the ranks, against the defaults:\n")
	difference(&b, plain.env(t), r.env(t))
	b.WriteString("\ncommand line, without the environment:\n")
	for _, word := range words(r.command(t)) {
		fmt.Fprintf(&b, "  %s\n", word)
	}
	b.WriteString("\nobjects:\n")
	for _, o := range r.objects {
		fmt.Fprintf(&b, "  %s %s\n", o.GetKind(), o.GetName())
	}
	return b.String()
}

func difference(b *strings.Builder, before, after []string) {
	for _, e := range before {
		if !slices.Contains(after, e) {
			fmt.Fprintf(b, "  - %s\n", e)
		}
	}
	for _, e := range after {
		if !slices.Contains(before, e) {
			fmt.Fprintf(b, "  + %s\n", e)
		}
	}
}

// words is a command line, one option with its values a line, without -x.
func words(command []string) []string {
	var lines []string
	for i := 0; i < len(command); i++ {
		switch {
		case command[i] == "-x" && i+1 < len(command):
			i++
		case command[i] == "--mca" && i+2 < len(command):
			lines = append(lines, strings.Join(command[i:i+3], " "))
			i += 2
		default:
			lines = append(lines, strings.Split(command[i], "\n")...)
		}
	}
	for i, line := range lines { // mpirun in a script of bash
		if strings.HasPrefix(line, "exec ") {
			fields := strings.Fields(line)
			var kept []string
			for j := 0; j < len(fields); j++ {
				if fields[j] == "-x" {
					j++
					continue
				}
				kept = append(kept, fields[j])
			}
			lines[i] = strings.Join(kept, " ")
		}
	}
	return lines
}

func keysOf(m map[string]string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// Each row of the reference is in a golden file, or is said to be none of ours.
func TestEveryRowOfTheReferenceHasAGolden(t *testing.T) {
	text, err := os.ReadFile("testdata/rows.txt")
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(golden, "*.why"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var whys strings.Builder
	for _, f := range files {
		content, err := os.ReadFile(f)
		require.NoError(t, err)
		whys.Write(content)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		row, reason, not := strings.Cut(line, " -- ")
		rows++
		if not {
			require.NotEmpty(t, reason, row)
			continue
		}
		require.Contains(t, whys.String(), row, "a row of the reference without a golden file")
	}
	require.Greater(t, rows, 80)
}

// Every fragment is used by some golden file.
func TestEveryFragmentHasAGolden(t *testing.T) {
	list := all(t)
	used := map[string]bool{}
	for _, m := range machines {
		for _, framework := range v1alpha1.Frameworks {
			for _, f := range m.resolve(t, framework, list).applied {
				used[f.Name] = true
			}
		}
	}
	for _, f := range list {
		require.True(t, used[f.Name], f.Name)
	}
}

// Deviation 1: without the fragment aws-efa, nodes that advertise EFA get the page's row exactly.
func TestWithoutAWSEFA(t *testing.T) {
	list := all(t)
	without := slices.DeleteFunc(slices.Clone(list), func(f v1alpha1.NamedFragment) bool { return f.Name == "aws-efa" })
	for _, architecture := range []string{"h100", "gb200"} {
		for _, framework := range v1alpha1.Frameworks {
			page := machine{platform: "aws", architecture: architecture}.resolve(t, framework, list)
			efa := machine{platform: "aws", architecture: architecture, with: map[string]string{"vpc.amazonaws.com/efa": "4"}}
			require.NotEqual(t, page.objects, efa.resolve(t, framework, list).objects)
			require.Equal(t, page.objects, efa.resolve(t, framework, without).objects)
		}
	}
}
