package v1alpha1

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
)

// Bounds of an expression. It is a comparison or two; what is longer, deeper or dearer is a mistake or an attack.
const (
	maxExpressionLen   = 1024
	maxExpressionDepth = 32
	maxExpressionCost  = 1000
)

// compileBool compiles an expression that returns bool. hint says what would do instead of one that does not. The error reads on
// from the field's path: what is; what would do.
func compileBool(env *cel.Env, expr, hint string) (cel.Program, error) {
	if strings.TrimSpace(expr) == "" {
		return nil, fmt.Errorf("is empty; %s would do", hint)
	}
	if len(expr) > maxExpressionLen {
		return nil, fmt.Errorf("has %d bytes; at most %d would do", len(expr), maxExpressionLen)
	}
	ast, issues := env.Compile(expr)
	if issues.Err() != nil {
		// The library's own text draws the expression over several lines; a problem is one line.
		first := issues.Errors()[0]
		return nil, fmt.Errorf("is %q: %s: %s; %s would do", shorten(expr), position(expr, first.Location), briefly(first.Message), hint)
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("is %q, which is of the type %s and not bool; %s would do", shorten(expr), ast.OutputType(), hint)
	}
	return env.Program(ast, cel.CostLimit(maxExpressionCost))
}

// position says where in an expression a place is; the line only where there are several.
func position(expr string, at common.Location) string {
	if strings.Contains(strings.TrimSpace(expr), "\n") {
		return fmt.Sprintf("line %d, column %d", at.Line(), at.Column()+1)
	}
	return fmt.Sprintf("column %d", at.Column()+1)
}

// briefly takes out of a message of the library what says nothing to a user: every token of the language, and a container's name.
func briefly(message string) string {
	message, _, _ = strings.Cut(message, " expecting {")
	message = strings.TrimSuffix(message, " (in container '')")
	return strings.ReplaceAll(message, "mismatched input '<EOF>'", "it ends there")
}
