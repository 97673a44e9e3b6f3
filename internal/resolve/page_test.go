package resolve

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Each case of testdata/page shows that one or more sentences of the published page hold: `run.yaml`, and after it the parts of
// what is built that the sentence is about (`launcher volumes`, `worker containers.0.env`, `job spec.trainer.args`), the error or the
// warnings. "absent" is a part that is not there. `go test ./internal/resolve -run TestPage -update` writes the parts anew.
func TestPage(t *testing.T) {
	files, err := filepath.Glob("testdata/page/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			require.NoError(t, err)
			require.Equal(t, "run.yaml", archive.Files[0].Name)
			require.Greater(t, len(archive.Files), 1, "a case without an expectation shows nothing")
			run, loadErr := v1alpha1.Load("run.yaml", archive.Files[0].Data)
			for i := 1; i < len(archive.Files); i++ {
				want := &archive.Files[i]
				got := pagePart(t, run, loadErr, want.Name)
				if *update {
					want.Data = []byte(got)
					continue
				}
				require.Equal(t, string(want.Data), got, want.Name)
			}
			if *update {
				require.NoError(t, os.WriteFile(file, txtar.Format(archive), 0o600))
			}
		})
	}
}

// pagePart returns the part of a run that a section names.
func pagePart(t *testing.T, run *v1alpha1.WorkloadRun, loadErr error, name string) string {
	t.Helper()
	if name == "error" {
		if loadErr == nil {
			_, loadErr = Build(group(run))
		}
		require.Error(t, loadErr)
		return loadErr.Error() + "\n"
	}
	require.NoError(t, loadErr)
	built, err := Build(group(run))
	require.NoError(t, err)
	if name == "warnings" {
		return strings.Join(append(built.Warnings, ""), "\n")
	}
	where, path, _ := strings.Cut(name, " ")
	var value any
	for _, o := range built.Objects {
		switch where + " " + o.GetKind() {
		case "job TrainJob", "runtime TrainingRuntime", "config ConfigMap", "claim PersistentVolumeClaim":
			value = o.Object
		case "launcher TrainingRuntime", "worker TrainingRuntime":
			role := map[string]string{"launcher": "launcher", "worker": "node"}[where]
			jobs, _ := at(o.Object, "spec.template.spec.replicatedJobs").([]any)
			for _, job := range jobs {
				if nameOf(job) == role {
					value = at(job, "template.spec.template.spec")
				}
			}
		}
	}
	if path != "" {
		value = at(value, path)
	}
	if value == nil {
		return "absent\n"
	}
	text, err := yaml.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

// at follows a path of keys and indices; nil is not there.
func at(value any, path string) any {
	for _, step := range strings.Split(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

var coverageRow = regexp.MustCompile(`(?m)^\| (\d+) \| ([^|]+) \| ([^|]+) \|$`)

// Every sentence of the page that says what the engine does is a row of docs/page-coverage.md with a case, in words of our own.
func TestPageCoverage(t *testing.T) {
	text, err := os.ReadFile("../../docs/page-coverage.md")
	require.NoError(t, err)
	rows := coverageRow.FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, strings.Count(string(text), "\n|")-2, "every row has a number, a sentence and a case")
	listed := map[string]bool{}
	for i, row := range rows {
		require.Equal(t, strconv.Itoa(i+1), row[1], "rows are counted")
		for _, c := range strings.Fields(row[3]) {
			c = strings.Trim(c, "`,")
			listed[c] = true
			require.True(t, caseExists(t, c), "row %d names %s, which does not exist", i+1, c)
		}
	}
	files, err := filepath.Glob("testdata/page/*.txtar")
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		require.True(t, listed[name], "%s is a case of no sentence", name)
	}
}

// caseExists says whether a case is a file of testdata/page, or a test as folder:TestName.
func caseExists(t *testing.T, name string) bool {
	t.Helper()
	folder, test, isTest := strings.Cut(name, ":")
	if !isTest {
		_, err := os.Stat(filepath.Join("testdata/page", name+".txtar"))
		return err == nil
	}
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if strings.Contains(string(text), fmt.Sprintf("func %s(", test)) {
			return true
		}
	}
	return false
}
