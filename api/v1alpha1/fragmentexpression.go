package v1alpha1

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"
	"gopkg.in/yaml.v3"
)

// FragmentData are the names that the expressions of a fragment may use, with a value of each one's type.
var FragmentData = map[string]any{
	// run is the run's name: objects of a fragment are named after it, such as [[ .run ]]-claims.
	"run": "run", "platform": "aws", "gpuArchitecture": "h100", "framework": FrameworkMPI,
	// numNodes is the size of the group; gpusPerNode and mlnxPerNode are per node.
	"numNodes": 2, "gpusPerNode": 8, "mlnxPerNode": 8,
	// nicResource is "" where NICs are not asked for; mnnvl says that multi-node NVLink is on.
	"nicResource": "nvidia.com/mlnxnics", "mnnvl": false,
	// networks are GKE's, in the order of the interfaces; resources is what every node advertises, name to least count.
	"networks": []string{}, "resources": map[string]int64{},
}

// Open and close of an expression. Argo's own are {{ and }}.
const (
	openExpression  = "[["
	closeExpression = "]]"
)

// maxLoop bounds what `until` counts to: a text is one of a Kubernetes object.
const maxLoop = 256

// expressionFunctions are sprig's hermetic ones without those whose value differs from call to call or may take all memory.
var expressionFunctions = sync.OnceValue(func() template.FuncMap {
	functions := template.FuncMap(sprig.HermeticTxtFuncMap())
	maps.DeleteFunc(functions, func(name string, _ any) bool {
		return strings.HasPrefix(name, "gen") || slices.Contains([]string{
			"ago", "bcrypt", "buildCustomCert", "decryptAES", "derivePassword", "encryptAES", "htpasswd", "randInt", "repeat", "seq", "shuffle", "untilStep",
		}, name)
	})
	functions["until"] = func(n int) ([]int, error) {
		if n < 0 || n > maxLoop {
			return nil, fmt.Errorf("until counts from 0 to at most %d, not to %d", maxLoop, n)
		}
		counted := make([]int, n)
		for i := range counted {
			counted[i] = i
		}
		return counted, nil
	}
	functions["captureValue"] = func(any) string { return "" }
	return functions
})

// lone is a text that is one expression and no control structure.
var lone = regexp.MustCompile(`^\[\[-?\s*([^\[\]](?:[^\[\]]|\[[^\[]|\][^\]])*?)\s*-?\]\]$`)

var control = regexp.MustCompile(`^(if|range|with|define|template|block|break|continue|else|end|/\*)\b`)

// Expand evaluates the expressions of a text. It returns the text itself when it has none, the value of a text that is one
// expression, and a text otherwise.
func Expand(text string, data map[string]any) (any, error) {
	if !strings.Contains(text, openExpression) {
		return text, nil
	}
	var value any
	captured := false
	source := text
	if m := lone.FindStringSubmatch(text); m != nil && !control.MatchString(m[1]) {
		source, captured = "[[ captureValue ("+m[1]+") ]]", true
	}
	t, err := parseExpression(source)
	if err != nil {
		return nil, err
	}
	t.Funcs(template.FuncMap{"captureValue": func(v any) string { value = v; return "" }})
	var b limited
	if err := t.Execute(&b, data); err != nil {
		return nil, plainError(err)
	}
	if captured {
		return value, nil
	}
	return b.String(), nil
}

// loops and calls are what could make an expression run for hours without a word of output.
var (
	loops = regexp.MustCompile(`\brange\b`)
	calls = regexp.MustCompile(`\[\[-?\s*(define|template|block)\b`)
)

// maxRanges is how often a text may say range: two of them over 256 elements are 65536 rounds.
const maxRanges = 2

func parseExpression(text string) (*template.Template, error) {
	if n := len(loops.FindAllString(text, maxRanges+1)); n > maxRanges {
		return nil, fmt.Errorf("it says range more than %d times", maxRanges)
	}
	if m := calls.FindStringSubmatch(text); m != nil {
		return nil, fmt.Errorf("it says %s, which an expression may not", m[1])
	}
	t, err := template.New("").Delims(openExpression, closeExpression).Option("missingkey=error").Funcs(expressionFunctions()).Parse(text)
	if err != nil {
		return nil, plainError(err)
	}
	return t, nil
}

var templatePosition = regexp.MustCompile(`^template: :\d+(:\d+)?: (executing "" at )?`)

// plainError drops the library's own position, which is one within a text, and our own function's name.
func plainError(err error) error {
	text := templatePosition.ReplaceAllString(err.Error(), "")
	return fmt.Errorf("%s", strings.ReplaceAll(text, "captureValue ", ""))
}

// limited is a text of at most 64 KiB.
type limited struct{ strings.Builder }

func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) > 64<<10 {
		return 0, fmt.Errorf("the text becomes longer than 64 KiB")
	}
	return l.Builder.Write(p)
}

// expressions checks every text of a tree.
type expressions struct {
	file string
	// quoted: an expression must stand in quotes. What comes from the cluster has lost its author's.
	quoted   bool
	problems Problems
}

func (e *expressions) add(node *yaml.Node, path, format string, args ...any) {
	e.problems = append(e.problems, Problem{File: e.file, Line: node.Line, Path: path, Text: fmt.Sprintf(format, args...)})
}

func (e *expressions) check(node *yaml.Node, path string) {
	switch node = written(node); node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			key := node.Content[i]
			if strings.Contains(key.Value, openExpression) || strings.Contains(key.Value, "{{") {
				e.add(key, path, "has the key %q; an expression may stand in a value only", shorten(key.Value))
			}
			e.check(node.Content[i+1], Field(path, key.Value))
		}
	case yaml.SequenceNode:
		for i, child := range node.Content {
			e.check(child, element(path, i))
		}
	case yaml.ScalarNode:
		e.text(node, path)
	}
}

func (e *expressions) text(node *yaml.Node, path string) {
	switch {
	case strings.Contains(node.Value, "{{"):
		e.add(node, path, "contains {{, which belongs to Argo; an expression of a fragment stands in [[ ]]")
	case !strings.Contains(node.Value, openExpression):
	case e.quoted && node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0:
		e.add(node, path, "has an expression outside quotes; write it as %q", shorten(node.Value))
	default:
		// For any value of the facts some branch may fail; what fails for ordinary ones, or does not parse, is a slip.
		if _, err := Expand(node.Value, FragmentData); err != nil {
			e.add(node, path, "cannot be evaluated: %v", err)
		}
	}
}
