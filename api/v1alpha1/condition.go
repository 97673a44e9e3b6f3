package v1alpha1

import (
	"fmt"
	"maps"

	"github.com/google/cel-go/cel"
)

// Condition is a compiled CEL expression over the facts of a run. The zero Condition never holds.
type Condition struct {
	// Expression is the text, such as `platform == "aws" && domainCount > 1`.
	Expression string

	program cel.Program
}

// overrideVariables are what an override's expression may look at: those of the Cluster Readiness Engine.
var overrideVariables = map[string]*cel.Type{
	"platform": cel.StringType, "gpuArchitecture": cel.StringType, "workloadKind": cel.StringType,
	"topologyMode": cel.StringType, "domainCount": cel.IntType,
}

// fragmentVariables are what a fragment's expression may look at besides: how the job is built, and what every target node
// advertises (resources, name to count) and is labelled with (labels); providerScheme is what stands before :// in every
// node's providerID.
var fragmentVariables = map[string]*cel.Type{
	"framework": cel.StringType, "numNodes": cel.IntType, "gpusPerNode": cel.IntType, "mlnxPerNode": cel.IntType,
	"mnnvl": cel.BoolType, "nicResource": cel.StringType, "resources": cel.MapType(cel.StringType, cel.IntType),
	"providerScheme": cel.StringType, "labels": cel.MapType(cel.StringType, cel.StringType),
}

// ParseOverrideCondition compiles the expression of an override's `when`. Its variables are platform, gpuArchitecture,
// workloadKind, topologyMode (texts) and domainCount (a whole number). The error reads on from the field's path.
func ParseOverrideCondition(expr string) (Condition, error) {
	return parseCondition(expr, overrideVariables)
}

// ParseFragmentCondition compiles the expression of a fragment's `when`. It has the variables of an override's, and framework,
// numNodes, gpusPerNode, mlnxPerNode, mnnvl, nicResource, resources, labels and providerScheme.
func ParseFragmentCondition(expr string) (Condition, error) {
	all := maps.Clone(overrideVariables)
	maps.Copy(all, fragmentVariables)
	return parseCondition(expr, all)
}

func parseCondition(expr string, variables map[string]*cel.Type) (Condition, error) {
	options := []cel.EnvOption{
		cel.CrossTypeNumericComparisons(true),
		cel.ParserExpressionSizeLimit(maxExpressionLen),
		cel.ParserRecursionLimit(maxExpressionDepth),
	}
	for _, name := range sortedKeys(variables) {
		options = append(options, cel.Variable(name, variables[name]))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return Condition{}, fmt.Errorf("making the language of conditions: %w", err)
	}
	program, err := compileBool(env, expr, "a condition such as `platform == \"aws\"`")
	if err != nil {
		return Condition{}, err
	}
	return Condition{Expression: expr, program: program}, nil
}

// Holds evaluates the condition. facts gives each variable by name; one that is not there is an error.
func (c Condition) Holds(facts map[string]any) (bool, error) {
	if c.program == nil {
		return false, fmt.Errorf("evaluating condition %q: it was never compiled", c.Expression)
	}
	out, _, err := c.program.Eval(facts)
	if err != nil {
		return false, fmt.Errorf("evaluating %q: %w", shorten(c.Expression), err)
	}
	holds, ok := out.Value().(bool)
	return ok && holds, nil
}
