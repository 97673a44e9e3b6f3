package v1alpha1

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
)

// ThresholdKeys are the measured values that a threshold may look at, in the order in which they are listed to a user.
// Spelling and units are the Cluster Readiness Engine's.
var ThresholdKeys = []string{
	KeyBusBandwidth,
	KeyAlgBandwidth,
	KeyGoodput,
	KeyTFLOPs,
	KeyStepTime,
}

// The keys of a threshold.
const (
	// KeyBusBandwidth is GB/s: the maximum over sizes of the per-size mean bus bandwidth.
	KeyBusBandwidth = "busBandwidthGBps"
	// KeyAlgBandwidth is GB/s: the maximum over sizes of the per-size mean algorithm bandwidth.
	KeyAlgBandwidth = "algBandwidthGBps"
	// KeyGoodput is the share of the run's time that was spent on training steps that count, 0 to 1.
	KeyGoodput = "goodputRatio"
	// KeyTFLOPs is TFLOP/s for each GPU, the mean over the run.
	KeyTFLOPs = "avgTFLOPsPerGPU"
	// KeyStepTime is seconds for each training step, the mean over the run.
	KeyStepTime = "avgStepTimeSec"
)

// Threshold is one compiled condition on a measured value. The zero Threshold is never met.
type Threshold struct {
	// Key is one of ThresholdKeys; it gives the unit of the value.
	Key string
	// Expression is the CEL text over the double `value`, such as `value >= 400`.
	Expression string

	program cel.Program
}

// ParseThreshold compiles one threshold and tries it on 1. The error begins with the key, and says which keys there are or what is
// wrong with the expression.
func ParseThreshold(key, expr string) (Threshold, error) {
	t, err := parseThreshold(key, expr)
	if err != nil {
		return Threshold{}, fmt.Errorf("%s: %w", Field("", key), err)
	}
	return t, nil
}

// parseThreshold is ParseThreshold with an error that reads on from the key.
func parseThreshold(key, expr string) (Threshold, error) {
	if !slices.Contains(ThresholdKeys, key) {
		return Threshold{}, noThresholdKey(key)
	}
	program, err := compileThreshold(expr)
	if err != nil {
		return Threshold{}, err
	}
	t := Threshold{Key: key, Expression: expr, program: program}
	// What cannot be evaluated for 1, such as 1/0 > 1, compiles all the same, and would fail every run.
	if _, err := t.evaluate(1); err != nil {
		return Threshold{}, fmt.Errorf("is %q, which cannot be evaluated for 1: %w; %s would do", shorten(expr), err, thresholdHint)
	}
	if err := t.varies(); err != nil {
		return Threshold{}, err
	}
	return t, nil
}

// ParseThresholds compiles every threshold, sorted by key, and returns every error there is, in the same order.
func ParseThresholds(exprs map[string]string) ([]Threshold, []error) {
	var (
		thresholds []Threshold
		errs       []error
	)
	for _, key := range sortedKeys(exprs) {
		t, err := ParseThreshold(key, exprs[key])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		thresholds = append(thresholds, t)
	}
	return thresholds, errs
}

// Met reports whether the value satisfies the expression. NaN and infinities are no measurements: they are never met.
// An error means that the expression could not be evaluated for this value (a division by zero, too costly).
func (t Threshold) Met(value float64) (bool, error) {
	if t.program == nil {
		return false, fmt.Errorf("evaluating threshold %q: it was never compiled", t.Key)
	}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return false, nil
	}
	met, err := t.evaluate(value)
	if err != nil {
		return false, fmt.Errorf("evaluating threshold %s: %q for %v: %w", t.Key, shorten(t.Expression), value, err)
	}
	return met, nil
}

func (t Threshold) evaluate(value float64) (bool, error) {
	out, _, err := t.program.Eval(map[string]any{"value": value})
	if err != nil {
		return false, err
	}
	met, ok := out.Value().(bool)
	return ok && met, nil
}

// thresholdHint is what would do instead of an expression that is none.
const thresholdHint = "a comparison such as `value >= 400`"

// noThresholdKey lists the keys that there are, and the one that was probably meant.
func noThresholdKey(key string) error {
	hint := ""
	near := Closest(key, ThresholdKeys)
	for _, k := range ThresholdKeys { // people leave the unit out
		if near == "" && Closest(key, []string{unit.ReplaceAllString(k, "")}) != "" {
			near = k
		}
	}
	if near != "" {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return fmt.Errorf("is no threshold key; one of %s would do%s", strings.Join(ThresholdKeys, ", "), hint)
}

// unit ends the keys of thresholds.
var unit = regexp.MustCompile(`(GBps|PerGPU|Sec|Ratio)$`)

// compileThreshold returns the program of an expression over `value` that returns bool.
func compileThreshold(expr string) (cel.Program, error) {
	env, err := thresholdEnv()
	if err != nil {
		return nil, err
	}
	return compileBool(env, expr, thresholdHint)
}

// thresholdEnv is the language of thresholds: one variable, numbers of any type compare with each other, no loops.
func thresholdEnv() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("value", cel.DoubleType),
		cel.CrossTypeNumericComparisons(true),
		cel.ClearMacros(),
		cel.ParserExpressionSizeLimit(maxExpressionLen),
		cel.ParserRecursionLimit(maxExpressionDepth),
	)
}

// shorten keeps a user's text readable in an error line.
func shorten(text string) string { return clip(text, 80) }

// clip cuts a text off after so many bytes.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}
