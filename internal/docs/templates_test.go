package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator"
	"github.com/seed-95c1acfe/seatrial/internal/version"
)

func TestPage_of_the_templates(t *testing.T) {
	all, err := generator.WorkflowTemplates(generator.Options{Version: version.Number})
	require.NoError(t, err)
	var b strings.Builder
	b.WriteString("# WorkflowTemplates\n\n" + generated + `
Each has the entry ` + "`main`" + `, which fails the workflow unless the run passed, and the template ` + "`run`" + ` for a larger DAG, whose outputs are data.
A parameter that is not given is ` + "`\"\"`" + `; one that is given wins over ` + "`spec`" + `.
`)
	for _, w := range all {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| parameter | values | |\n|---|---|---|\n", w.Name, w.Annotations["workflows.argoproj.io/description"])
		for _, p := range v1alpha1.Parameters(w.Labels["seatrial.dev/framework"]) {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, strings.Join(p.Enum, ", "), strings.ReplaceAll(p.Help, "|", `\|`))
		}
		for _, one := range w.Spec.Templates {
			if one.Name != "run" {
				continue
			}
			var outputs []string
			for _, o := range one.Outputs.Parameters {
				outputs = append(outputs, "`"+o.Name+"`")
			}
			fmt.Fprintf(&b, "\nOutputs of `run`: %s. It has the same parameters as inputs, and `gate`: %s\n", strings.Join(outputs, ", "), one.Inputs.Parameters[0].Description.String())
		}
	}
	requirePage(t, "docs/reference/templates.md", b.String())
}
