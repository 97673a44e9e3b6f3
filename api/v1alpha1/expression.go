package v1alpha1

import (
	"fmt"
	"strings"

	"github.com/google/cel-go/cel"
)

// Bounds of an expression. It is a comparison or two; what is longer, deeper or dearer is a mistake or an attack.
const (
	maxExpressionLen   = 1024
	maxExpressionDepth = 32
	maxExpressionCost  = 1000
)

// compileBool compiles an expression that returns bool. hint says what would do instead of an empty one or one of another type.
func compileBool(env *cel.Env, expr, hint string) (cel.Program, error) {
	if strings.TrimSpace(expr) == "" {
		return nil, fmt.Errorf("it is empty; %s", hint)
	}
	if len(expr) > maxExpressionLen {
		return nil, fmt.Errorf("it has %d bytes; at most %d", len(expr), maxExpressionLen)
	}
	ast, issues := env.Compile(expr)
	if issues.Err() != nil {
		// The library's own text draws the expression over several lines; a problem is one line.
		first := issues.Errors()[0]
		return nil, fmt.Errorf("column %d: %s", first.Location.Column()+1, first.Message)
	}
	if !ast.OutputType().IsExactType(cel.BoolType) {
		return nil, fmt.Errorf("it returns %s; it must return bool: %s", ast.OutputType(), hint)
	}
	return env.Program(ast, cel.CostLimit(maxExpressionCost))
}
