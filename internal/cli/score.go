package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
	"github.com/seed-95c1acfe/seatrial/plugin/score"
)

func (a *app) scoreCommand() *cobra.Command {
	var conditions []string
	c := &cobra.Command{
		Use:   "score FILE…",
		Short: "Say what saved logs prove",
		Long: `Read saved logs of benchmarks and trainings and say what each proves: pass, fail or unknown, the cause, and the numbers.
FILE may be - for stdin. With -o json it is one line of JSON for each file.

A threshold that is missed is a fail; one whose value the log does not hold is unknown. A training, and a
table that a profile of your own reads, is never a pass, even where it meets its thresholds: whether it
ended well is the exit of its job, which no log holds. The keys are
` + strings.Join(v1alpha1.ThresholdKeys, ", ") + `.

The exit code is that of the worst file: 1 for a fail, 2 when a file could not be read, 3 when something
could not be told, 0 when all passed.`,
		Example: `  seatrial score launcher.log
  kubectl logs my-launcher | seatrial score - --threshold 'busBandwidthGBps=value >= 400' -o json`,
		Args: some("FILE"),
	}
	format := outputFlag(c)
	profile := c.Flags().String("profile", "", "log profile: "+strings.Join(v1alpha1.LogProfiles, ", ")+", or a file")
	c.Flags().StringArrayVar(&conditions, "threshold", nil, "KEY=EXPRESSION over `value`; may be given again")
	c.RunE = a.does(func(c *cobra.Command, files []string) (Code, error) {
		thresholds, err := parseThresholds(conditions)
		if err != nil {
			return Misused, misuse(err)
		}
		compiled, err := a.logProfile(*profile)
		if err != nil {
			return Misused, err
		}
		code := Passed
		for _, file := range files {
			log, err := a.parseLog(c.Context(), file, compiled)
			if err != nil {
				code = worse(code, unreadable(err))
				if c.Context().Err() != nil { // the other files would fare no better
					return code, err
				}
				a.note("seatrial: %v", err)
				if format.value == asJSON {
					if err := a.writeScore(asJSON, unread(file, err), nil); err != nil {
						return code, err
					}
				}
				continue
			}
			s, outcomes := judge(file, log, thresholds)
			if err := a.writeScore(format.value, s, outcomes); err != nil {
				return worse(code, Unsure), err
			}
			code = worse(code, codeOf(s.Verdict))
		}
		return code, nil
	})
	return c
}

// parseThresholds reads KEY=EXPRESSION. The same key twice means both: a list, not a map.
func parseThresholds(conditions []string) ([]v1alpha1.Threshold, error) {
	var (
		all  []v1alpha1.Threshold
		errs []error
	)
	for _, condition := range conditions {
		key, expression, is := strings.Cut(condition, "=")
		if !is {
			errs = append(errs, fmt.Errorf("--threshold is %q; KEY=EXPRESSION such as 'busBandwidthGBps=value >= 400' would do", condition))
			continue
		}
		t, err := v1alpha1.ParseThreshold(strings.TrimSpace(key), expression)
		if err != nil {
			errs = append(errs, fmt.Errorf("--threshold %w", err))
			continue
		}
		all = append(all, t)
	}
	return all, errors.Join(errs...)
}

// readPiece is large enough that calls of the kernel do not count, and fits the second cache.
const readPiece = 256 << 10

// parseLog reads a log in pieces, so that its size does not matter.
func (a *app) parseLog(ctx context.Context, file string, profile *parse.Profile) (parse.Log, error) {
	return readFrom(ctx, a, file, func(text io.Reader) (parse.Log, error) {
		p := parse.Parser{Profile: profile}
		if _, err := io.CopyBuffer(&p, text, make([]byte, readPiece)); err != nil {
			return parse.Log{}, err
		}
		return p.Finish(), nil
	})
}

// unread is what is said of a log that could not be read, so that a line for each file is a line for each file.
func unread(file string, err error) v1alpha1.LogScore {
	return v1alpha1.LogScore{File: nameOf(file), Kind: v1alpha1.KindUnknown, Reasons: []string{err.Error()}, Nodes: []string{}}
}

// judge scores a log and holds it to the thresholds.
func judge(file string, log parse.Log, thresholds []v1alpha1.Threshold) (v1alpha1.LogScore, []v1alpha1.ThresholdResult) {
	s := score.Saved(score.Log(nameOf(file), log))
	outcomes := score.Thresholds(thresholds, s)
	for _, t := range outcomes {
		switch {
		case t.Value == nil:
			s.Reasons = append(s.Reasons, score.Missing(t, s))
			if s.Verdict == v1alpha1.Pass || s.Cause == "" {
				s.Verdict, s.Cause = v1alpha1.Unknown, v1alpha1.CauseIncomplete
			}
		case !t.Met:
			reason := fmt.Sprintf("%s is %.4g, which does not satisfy %s", t.Key, *t.Value, t.Expression)
			if s.Verdict == v1alpha1.Fail {
				s.Reasons = append(s.Reasons, reason)
				continue
			}
			s.Verdict, s.Cause = v1alpha1.Fail, v1alpha1.CauseThreshold
			s.Reasons = slices.Insert(s.Reasons, 0, reason)
		}
	}
	if reason := score.Unjudged(s); reason != "" {
		s.Reasons = append(s.Reasons, reason)
	}
	return s, outcomes
}
