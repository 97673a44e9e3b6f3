package v1alpha1

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// given is what the parameters have made so far.
type given struct {
	spec    *WorkloadRunSpec
	options Options
	// hasSpec: the parameter spec is given. from is what specFrom names.
	hasSpec bool
	from    SpecText
}

func torch(s *WorkloadRunSpec) *Torch                 { return ensure(&s.Framework.Torch) }
func mpi(s *WorkloadRunSpec) *MPI                     { return ensure(&s.Framework.MPI) }
func exec(s *WorkloadRunSpec) *Exec                   { return ensure(&s.Framework.Exec) }
func target(s *WorkloadRunSpec) *Target               { return ensure(&s.Target) }
func orchestration(s *WorkloadRunSpec) *Orchestration { return ensure(&s.Orchestration) }
func topology(s *WorkloadRunSpec) *Topology           { return ensure(&orchestration(s).Topology) }
func gang(s *WorkloadRunSpec) *GangScheduler          { return ensure(&s.GangScheduler) }
func bandwidth(s *WorkloadRunSpec) *BandwidthMeasurement {
	return ensure(&s.BandwidthMeasurement)
}

func ensure[T any](p **T) *T {
	if *p == nil {
		*p = new(T)
	}
	return *p
}

func text(field func(*WorkloadRunSpec) *string) func(*given, string) error {
	return func(g *given, v string) error { *field(g.spec) = v; return nil }
}

func number(least int64, set func(*given, int32)) func(*given, string) error {
	return func(g *given, v string) error {
		n, err := strconv.ParseInt(strings.TrimSpace(v), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange), n > math.MaxInt32:
			return fmt.Errorf("is %q; a whole number from %d to %d would do", v, least, math.MaxInt32)
		case err != nil, n < least:
			return fmt.Errorf("is %q; a whole number, at least %d, would do", v, least)
		}
		set(g, int32(n))
		return nil
	}
}

// word sets a text of a type of its own, such as a PlacementMode.
func word[T ~string](field func(*WorkloadRunSpec) *T) func(*given, string) error {
	return func(g *given, v string) error { *field(g.spec) = T(v); return nil }
}

func option(field func(*Options) *string) func(*given, string) error {
	return func(g *given, v string) error { *field(&g.options) = v; return nil }
}

func value[T any](field func(*WorkloadRunSpec) *T) func(*given, string) error {
	return func(g *given, v string) error {
		var whole T
		if err := parseValue(v, &whole); err != nil {
			return err
		}
		*field(g.spec) = whole
		return nil
	}
}

// parseValue reads a list or a map from JSON or YAML text, strictly. The error is Problems with paths from the value on.
func parseValue(text string, into any) error {
	root, problems := parse("", []byte(text))
	if root != nil && len(problems) == 0 {
		problems, _ = fill("", root, into, "")
	}
	return problems.err()
}

func setName(_ *given, v string) error {
	check := &validator{}
	check.name("", v)
	return check.problems.err()
}

// setSpec replaces everything that was given before, which is why the parameter spec comes before the fields.
func setSpec(g *given, v string) error {
	g.hasSpec = true
	return g.replace(SpecParameter, v)
}

// replace makes an encoded text the spec. name is what messages call the text.
func (g *given) replace(name, encoded string) error {
	plain, err := DecodeSpec(encoded)
	if err != nil {
		return err
	}
	spec, err := LoadSpec(name, plain)
	if err != nil {
		return err
	}
	g.spec = spec
	return nil
}

func setNodeNames(g *given, v string) error {
	names := []string{} // what null leaves: no node, which must not turn into any node in the record
	if err := parseValue(v, &names); err != nil {
		return err
	}
	target(g.spec).NodeNames = &names
	return nil
}

// setLogProfile asks for the measurement that a built-in profile is for. Of a profile of the user's own only discover can tell.
func setLogProfile(g *given, v string) error {
	switch p := BuiltinLogProfile(v); {
	case p == nil:
		check := &validator{}
		check.profileName("", v)
		g.options.LogProfile = v
		return check.problems.err()
	case p.Spec.Patterns.BandwidthResult == nil:
		ensure(&g.spec.GoodputMeasurement).LogProfileRef = v
	default:
		bandwidth(g.spec).LogProfileRef = v
	}
	return nil
}

// setTestType says that a bandwidth is measured, with the profile that comes before it in the table of parameters.
func setTestType(g *given, v string) error {
	m := bandwidth(g.spec)
	m.TestType = v
	if m.LogProfileRef == "" {
		m.LogProfileRef, g.options.LogProfile = g.options.LogProfile, ""
	}
	return nil
}

func setCleanup(g *given, v string) error {
	g.options.Cleanup = Cleanup(v)
	return nil
}

func setRetries(g *given, v string) error {
	n, err := strconv.Atoi(strings.TrimSpace(v))
	if err != nil || n < 0 || n > 10 {
		return fmt.Errorf("is %q; a whole number from 0 to 10 would do", v)
	}
	g.options.RetryFailedGroups = n
	return nil
}

func setIsolate(g *given, v string) error {
	g.options.Isolate = v == "true"
	return nil
}

func duration(example string, field func(*Options) *Duration) func(*given, string) error {
	return func(g *given, v string) error {
		d, err := time.ParseDuration(v)
		if err != nil || d <= 0 {
			return fmt.Errorf("is %q; a duration such as %s would do", v, example)
		}
		*field(&g.options) = Duration(d)
		return nil
	}
}

// switchValues are the values of a parameter that is on or off.
var switchValues = []string{"true", "false"}

func onOff(field func(*Options) *bool) func(*given, string) error {
	return func(g *given, v string) error { *field(&g.options) = v == "true"; return nil }
}
