package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// The elements of JUnit's XML as CI servers read it: the attributes that Jenkins, GitLab and GitHub actions have in common.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Time       string          `xml:"time,attr,omitempty"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property,omitempty"`
		Cases      []junitCase     `xml:"testcase"`
		Output     string          `xml:"system-out,omitempty"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		ClassName string        `xml:"classname,attr"`
		Name      string        `xml:"name,attr"`
		Time      string        `xml:"time,attr,omitempty"`
		Failure   *junitProblem `xml:"failure"`
		Error     *junitProblem `xml:"error"`
		Output    string        `xml:"system-out,omitempty"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr,omitempty"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes reports as JUnit XML: a suite for each run, with a case for the run itself, for each group, for each node and for
// each fault between nodes. The groups of isolation are the suite's output: what failed on purpose is no test.
// Fail and failed are failures; what could not be told, and suspects, are errors, since JUnit's skipped reads as a pass.
func WriteJUnit(w io.Writer, reports ...v1alpha1.Report) error {
	all := junitSuites{Name: "seatrial"}
	for _, r := range reports {
		s := suiteOf(clean(r))
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
		all.Suites = append(all.Suites, s)
	}
	text, err := xml.MarshalIndent(all, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	}
	if err != nil {
		return fmt.Errorf("writing the JUnit report: %w", err)
	}
	return nil
}

func suiteOf(r v1alpha1.Report) junitSuite {
	s := junitSuite{Name: titleOf(r)}
	for _, p := range []junitProperty{{"workflow", r.Workflow}, {"framework", r.Framework}, {"platform", r.Platform}, {"gpuArchitecture", r.GPUArchitecture}} {
		if p.Value != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	if r.Started != nil {
		s.Timestamp = r.Started.UTC().Format("2006-01-02T15:04:05") // JUnit's timestamps have no zone
		if r.Finished != nil {
			s.Time = seconds(r.Finished.Sub(*r.Started).Seconds())
		}
	}
	// 1. The run, so that one without groups is no green suite.
	s.add(junitCase{ClassName: s.Name, Name: "run"}, r.Verdict, string(r.Cause), r.Message, "")
	// 2. Its groups.
	for _, g := range r.Groups {
		c := junitCase{ClassName: s.Name + ".groups", Name: g.Name, Time: seconds(g.DurationSec)}
		if g.FailureLog != nil && g.Verdict != v1alpha1.Pass {
			c.Output = g.FailureLog.Tail
		}
		s.add(c, g.Verdict, string(g.Cause), whyNot(g), groupFacts(g))
	}
	// 3. Its nodes.
	for _, n := range r.Nodes {
		verdict := v1alpha1.Unknown
		switch n.Verdict {
		case v1alpha1.Passed:
			verdict = v1alpha1.Pass
		case v1alpha1.Failed:
			verdict = v1alpha1.Fail
		default:
		}
		s.add(junitCase{ClassName: s.Name + ".nodes", Name: n.Name}, verdict, n.Verdict.String(), n.Reason, "")
	}
	// 4. What is at fault between them, and how that was found.
	if r.Isolation != nil {
		for _, f := range r.Isolation.Faults {
			s.add(junitCase{ClassName: s.Name + ".fabric", Name: place(f)}, v1alpha1.Fail, "fabric", f.Reason, "")
		}
		s.Output = isolationLines(r)
	}
	return s
}

// isolationLines are the groups of isolation and the nodes that they cleared, a line each.
func isolationLines(r v1alpha1.Report) string {
	lines := []string{isolationTitle(r.Isolation)}
	for _, g := range r.Isolation.Groups {
		lines = append(lines, g.Name+" "+g.Verdict.String()+": "+NodeList(g.Nodes)+": "+g.Purpose)
	}
	for _, n := range cleared(r.Nodes) {
		lines = append(lines, n.Name+" is cleared: "+n.Reason)
	}
	return strings.Join(lines, "\n")
}

// add counts a case and gives it what its verdict asks for.
func (s *junitSuite) add(c junitCase, v v1alpha1.Verdict, kind, message, text string) {
	problem := &junitProblem{Type: orElse(kind, v.String()), Message: message, Text: text}
	s.Tests++
	switch v {
	case v1alpha1.Pass:
	case v1alpha1.Fail:
		c.Failure = problem
		s.Failures++
	default:
		c.Error = problem
		s.Errors++
	}
	s.Cases = append(s.Cases, c)
}

func seconds(s float64) string {
	if s <= 0 {
		return ""
	}
	return strconv.FormatFloat(s, 'f', 3, 64)
}

// groupFacts are the lines that explain a group which did not pass, after its message.
func groupFacts(g v1alpha1.GroupResult) string {
	var lines []string
	for _, f := range facts(g) {
		lines = append(lines, f.Name+": "+f.Text)
	}
	return strings.Join(lines, "\n")
}
