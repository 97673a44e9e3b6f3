package docs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const generated = "<!-- Made from the code by go test ./internal/docs -update. Do not edit. -->\n"

// pageOf describes a type and all of this module's types that it holds, each once, in the order in which they are met.
func pageOf(t *testing.T, title, about string, top reflect.Type) string {
	said := comments(t)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n%s\n%s\n", title, generated, about)
	seen := map[reflect.Type]bool{top: true}
	queue := []reflect.Type{top}
	for len(queue) > 0 {
		one := queue[0]
		queue = queue[1:]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| field | type | |\n|---|---|---|\n", one.Name(), said[one.Name()])
		for i := range one.NumField() {
			f := one.Field(i)
			key, _ := keyOf(f)
			if key == "" {
				continue
			}
			for _, inner := range structs(f.Type) {
				if !seen[inner] {
					seen[inner] = true
					queue = append(queue, inner)
				}
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, typeText(f.Type), strings.ReplaceAll(said[one.Name()+"."+f.Name], "|", `\|`))
		}
	}
	return b.String()
}

// structs are the types of this module that a type is made of.
func structs(t reflect.Type) []reflect.Type {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return structs(t.Elem())
	case reflect.Struct:
		if strings.HasSuffix(t.PkgPath(), "/api/v1alpha1") && t.NumField() > 0 {
			return []reflect.Type{t}
		}
	default:
	}
	return nil
}

func typeText(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return "time, RFC 3339"
	case len(structs(t)) > 0 && t.Kind() == reflect.Struct:
		return fmt.Sprintf("[%s](#%s)", t.Name(), strings.ToLower(t.Name()))
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeText(t.Elem())
	case reflect.Slice:
		return "list of " + typeText(t.Elem())
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return "object"
		}
		return "map of text to " + typeText(t.Elem())
	case reflect.Struct:
		return "Kubernetes `" + t.Name() + "`"
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.Uint8:
		return "a word: " + words(t)
	default:
		return "whole number"
	}
}

// words are the values of a verdict.
func words(t reflect.Type) string {
	s := (&maker{}).of(t)
	return strings.Join(s.Enum, ", ")
}

func TestPage_of_the_WorkloadRun(t *testing.T) {
	requirePage(t, "docs/reference/workloadrun.md", pageOf(t, "WorkloadRun",
		"What a file for `seatrial workloadrun run` may hold: the fields of the Cluster Readiness Engine's format that Seatrial reads. Any other\n"+
			"field is an error with file and line. `apiVersion` is `"+v1alpha1.APIVersion+"` and `kind` is `"+v1alpha1.RunKind+"`.\n"+
			"[examples](../../examples) has a folder for each use.", reflect.TypeFor[v1alpha1.WorkloadRun]()))
}

func TestPage_of_the_log_profile(t *testing.T) {
	requirePage(t, "docs/reference/logprofile.md", pageOf(t, "LogProfile",
		"What a log profile of your own may hold, as a file for `seatrial score --profile` or a value of a ConfigMap with the label\n"+
			"`seatrial.dev/log-profile: \"true\"`: the fields of the Cluster Readiness Engine's format. `apiVersion` is `"+v1alpha1.APIVersion+"` and `kind`\n"+
			"is `"+v1alpha1.LogProfileKind+"`. [Add a log profile](../how-to/add-a-log-profile.md) has an example.", reflect.TypeFor[v1alpha1.LogProfile]()))
}

func TestPage_of_the_report(t *testing.T) {
	requirePage(t, "docs/reference/report.md", pageOf(t, "Report",
		"What `seatrial workloadrun report -o json` prints, and `report.json` holds. [report.schema.json](report.schema.json) is the same as a JSON\n"+
			"Schema. Bandwidth is GB/s of 10^9 bytes. A workflow of several runs has a list of reports.", reflect.TypeFor[v1alpha1.Report]()))
}
