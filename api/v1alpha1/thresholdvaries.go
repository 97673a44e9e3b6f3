package v1alpha1

import (
	"fmt"
	"math"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
)

// varies refuses an expression that holds whatever was measured: one that does not look at the value, or that every value of a
// sample meets. One that no value meets is left alone: it never makes a pass.
func (t Threshold) varies() error {
	env, err := thresholdEnv()
	if err != nil {
		return err
	}
	parsed, issues := env.Parse(t.Expression)
	if issues.Err() != nil {
		return issues.Err()
	}
	looks, numbers, zero := contents(parsed)
	fault := ""
	switch {
	case !looks:
		fault = "does not look at `value`"
	case zero:
		fault = "divides by 0"
	case t.alwaysMet(numbers):
		fault = "is met by every value"
	}
	if fault != "" {
		return fmt.Errorf("is %q, which %s; %s would do", shorten(t.Expression), fault, thresholdHint)
	}
	return nil
}

// contents says whether an expression looks at the value, which numbers it holds, and whether it divides by one that is 0.
func contents(parsed *cel.Ast) (looks bool, numbers []float64, zero bool) {
	root := ast.NavigateAST(parsed.NativeRep())
	for _, e := range ast.MatchDescendants(root, ast.AllMatcher()) {
		switch e.Kind() { //nolint:exhaustive // the others hold these
		case ast.IdentKind:
			looks = looks || e.AsIdent() == "value"
		case ast.LiteralKind:
			if v, ok := literal(e); ok {
				numbers = append(numbers, v)
			}
		case ast.CallKind:
			if call := e.AsCall(); call.FunctionName() == operators.Divide {
				v, ok := literal(call.Args()[1])
				zero = zero || ok && v == 0
			}
		}
	}
	return looks, numbers, zero
}

// literal is the number that an expression is.
func literal(e ast.Expr) (float64, bool) {
	if e.Kind() != ast.LiteralKind {
		return 0, false
	}
	switch v := e.AsLiteral().Value().(type) {
	case int64:
		return float64(v), true
	case uint64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// alwaysMet reports whether every value of a sample meets the expression: values of all sizes, and those at, beside and between the
// numbers that it holds, where a comparison changes its mind.
func (t Threshold) alwaysMet(numbers []float64) bool {
	const most = 16 // numbers of which all pairs are tried
	sample := []float64{0, math.MaxFloat64, -math.MaxFloat64}
	for v := 1e-6; v < 1e18; v *= 10 {
		sample = append(sample, v, -v, 7*v)
	}
	numbers = numbers[:min(len(numbers), most)]
	for _, a := range numbers {
		sample = append(sample, a, -a, a-1, a+1, math.Nextafter(a, math.Inf(-1)), math.Nextafter(a, math.Inf(1)))
		for _, b := range numbers {
			sample = append(sample, (a+b)/2, a+b, a-b, a*b, a/b)
		}
	}
	for _, v := range sample {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if met, err := t.evaluate(v); err != nil || !met {
			return false
		}
	}
	return true
}
