package v1alpha1

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThreshold(t *testing.T) {
	met := func(t *testing.T, expr string, value float64) bool {
		t.Helper()
		threshold, err := ParseThreshold(KeyBusBandwidth, expr)
		require.NoError(t, err)
		ok, err := threshold.Met(value)
		require.NoError(t, err)
		return ok
	}
	t.Run("an int literal compares with a double", func(t *testing.T) {
		require.True(t, met(t, "value >= 400", 400))
		require.True(t, met(t, "value >= 400", 400.01))
		require.False(t, met(t, "value >= 400", 399.99))
		require.False(t, met(t, "value > 400", 400))
		require.True(t, met(t, "400 <= value", 400))
	})
	t.Run("a range and a negation work", func(t *testing.T) {
		require.True(t, met(t, "value > 10.5 && value < 20", 15))
		require.False(t, met(t, "value > 10.5 && value < 20", 20))
		require.True(t, met(t, "!(value < 1)", 2))
	})
	t.Run("zero is a value", func(t *testing.T) {
		require.True(t, met(t, "value >= 0", 0))
		require.False(t, met(t, "value > 0", 0))
	})
	t.Run("what is no number is never met", func(t *testing.T) {
		for _, expr := range []string{"value >= 0", "value <= 0", "!(value > 1)", "value != value"} {
			require.False(t, met(t, expr, math.NaN()), expr)
			require.False(t, met(t, expr, math.Inf(1)), expr)
			require.False(t, met(t, expr, math.Inf(-1)), expr)
		}
	})
	t.Run("the zero threshold is never met", func(t *testing.T) {
		ok, err := Threshold{}.Met(1)
		require.False(t, ok)
		require.Error(t, err)
	})
	t.Run("an evaluation that fails is an error and not met", func(t *testing.T) {
		threshold, err := ParseThreshold(KeyStepTime, "1 / int(value) > 0")
		require.NoError(t, err)
		ok, err := threshold.Met(0)
		require.False(t, ok)
		require.ErrorContains(t, err, "avgStepTimeSec")
	})
}

func TestParseThreshold(t *testing.T) {
	t.Run("all five keys are accepted", func(t *testing.T) {
		for _, key := range ThresholdKeys {
			threshold, err := ParseThreshold(key, "value > 1")
			require.NoError(t, err)
			require.Equal(t, key, threshold.Key)
			require.Equal(t, "value > 1", threshold.Expression)
		}
	})
	t.Run("a misspelt key names the closest and lists all", func(t *testing.T) {
		_, err := ParseThreshold("avgTFLOPSPerGPU", "value > 1")
		require.ErrorContains(t, err, "did you mean avgTFLOPsPerGPU?")
		for _, key := range ThresholdKeys {
			require.ErrorContains(t, err, key)
		}
		_, err = ParseThreshold("busBandwidthGBPS", "value > 1")
		require.ErrorContains(t, err, "did you mean busBandwidthGBps?")
	})
	t.Run("a key without its unit is known all the same", func(t *testing.T) {
		for typed, meant := range map[string]string{"busBandwith": KeyBusBandwidth, "goodput": KeyGoodput, "avgTFLOPs": KeyTFLOPs, "stepTime": ""} {
			_, err := ParseThreshold(typed, "value > 1")
			if meant == "" {
				require.NotContains(t, err.Error(), "did you mean")
				continue
			}
			require.ErrorContains(t, err, "did you mean "+meant+"?")
		}
	})
	t.Run("a key that is like nothing gets no suggestion", func(t *testing.T) {
		_, err := ParseThreshold("q", "value > 1")
		require.EqualError(t, err, "q: is no threshold key; one of "+strings.Join(ThresholdKeys, ", ")+" would do")
		require.NotContains(t, err.Error(), "did you mean")
	})
	for name, c := range map[string]struct{ expr, want string }{
		"empty":                 {" ", "is empty; a comparison such as `value >= 400` would do"},
		"a number":              {"400", "and not bool; a comparison"},
		"a double":              {"value", "and not bool; a comparison"},
		"a string":              {"'yes'", "and not bool; a comparison"},
		"an unknown variable":   {"busbw > 400", "undeclared reference to 'busbw'"},
		"an unfinished one":     {"value >", `goodputRatio: is "value >": column 8: Syntax error: it ends there; a comparison such as`},
		"a number with a unit":  {"value >= 400 GB", "Syntax error"},
		"a loop":                {"[1,2,3].all(x, x > 0)", "undeclared reference"},
		"a very long one":       {"value > 1" + strings.Repeat(" || value > 1", 1000), "at most"},
		"a very deep one":       {strings.Repeat("(", 200) + "value > 1" + strings.Repeat(")", 200), "recursion"},
		"a comparison of types": {"value > 'x'", "no matching overload"},
		"a division by zero":    {"1/0 > 1", "division by zero"},
		"0 by 0":                {"value >= 0/0", "division by zero"},
		"0 of a measurement":    {"value / 0.0 > 1.0", "divides by 0"},
		"what is always true":   {"true", "does not look at `value`"},
		"a truth of its own":    {"1 >= 0", "does not look at `value`"},
		"a range of all":        {"value < 400 || value >= 400", "is met by every value"},
		"two bounds of nothing": {"value > 1 || value < 100", "is met by every value"},
		"a value as itself":     {"value == value", "is met by every value"},
		"a value of no weight":  {"value * 0.0 >= 0.0", "is met by every value"},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			_, err := ParseThreshold(KeyGoodput, c.expr)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, KeyGoodput)
		})
	}
}

// TestThresholdVaries: what some value meets and another does not is a threshold, whatever form it has.
func TestThresholdVaries(t *testing.T) {
	for _, expr := range []string{
		"value >= 0", "value > 0", "value >= 0.0", "!(value < 400)", "value < 1e300", "value != 3.0", "value < 10 || value > 11", "value < 10 || value > 10",
		"value * 8.0 > 3200.0", "value / 2.0 < 40.0", "value > 0.95 && value <= 1", "int(value) % 2 == 0", "string(value) != '7'", "value <= 999999999999999.0",
	} {
		_, err := ParseThreshold(KeyBusBandwidth, expr)
		require.NoError(t, err, expr)
	}
}

func TestParseThresholds(t *testing.T) {
	t.Run("they come sorted by key", func(t *testing.T) {
		thresholds, errs := ParseThresholds(map[string]string{KeyGoodput: "value > 0.9", KeyBusBandwidth: "value > 1", KeyAlgBandwidth: "value > 1"})
		require.Empty(t, errs)
		require.Len(t, thresholds, 3)
		require.Equal(t, []string{KeyAlgBandwidth, KeyBusBandwidth, KeyGoodput}, []string{thresholds[0].Key, thresholds[1].Key, thresholds[2].Key})
	})
	t.Run("every error is reported at once", func(t *testing.T) {
		thresholds, errs := ParseThresholds(map[string]string{"a": "value > 1", KeyBusBandwidth: "nope", KeyGoodput: "value > 0"})
		require.Len(t, errs, 2)
		require.Len(t, thresholds, 1)
	})
	t.Run("none is none", func(t *testing.T) {
		thresholds, errs := ParseThresholds(nil)
		require.Empty(t, thresholds)
		require.Empty(t, errs)
	})
}

// FuzzParseThreshold: any text compiles or is refused; what compiles never panics, and never accepts what is no number.
func FuzzParseThreshold(f *testing.F) {
	for _, seed := range []string{"value >= 400", "value > 1.5 && value < 2e9", "1 / int(value) > 0", "true", "value", "((((", "\x00", "value.size() > 1"} {
		f.Add(seed, 1.0)
	}
	f.Fuzz(func(t *testing.T, expr string, value float64) {
		threshold, err := ParseThreshold(KeyBusBandwidth, expr)
		if err != nil {
			return
		}
		ok, err := threshold.Met(value)
		if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
			require.False(t, ok)
		}
		ok, _ = threshold.Met(math.NaN())
		require.False(t, ok)
	})
}

func BenchmarkThresholdMet(b *testing.B) {
	threshold, err := ParseThreshold(KeyBusBandwidth, "value >= 400")
	require.NoError(b, err)
	for b.Loop() {
		if ok, _ := threshold.Met(401); !ok {
			b.Fatal("not met")
		}
	}
}

func TestAMistakeInALongExpressionHasItsLine(t *testing.T) {
	_, err := ParseThreshold(KeyBusBandwidth, "value >= 300\n&& valu < 1\n")
	require.ErrorContains(t, err, "line 2, column 4: undeclared reference to 'valu'")
}
