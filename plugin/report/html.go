package report

import (
	_ "embed" // the page and its style
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

//go:embed page.gohtml
var pageTemplate string

//go:embed page.css
var pageStyle string

// htmlPage escapes every text by the place where it stands (html/template).
var htmlPage = template.Must(template.New("page").Funcs(template.FuncMap{
	"sign": sign, "nodeSign": nodeSign, "nodeList": NodeList, "number": number, "plural": plural,
}).Parse(pageTemplate))

// WriteHTML writes reports as one page that needs no script, no network and no other file. It reads from the verdict and the nodes to
// look at down to the numbers; colours say nothing that a letter or a shape does not say too.
func WriteHTML(w io.Writer, reports ...v1alpha1.Report) error {
	view := struct {
		Title string
		Style template.CSS
		// Stages is what all runs say; nil for a single one.
		Stages *htmlStages
		Runs   []htmlRun
	}{Style: paletteCSS() + template.CSS(pageStyle)} // both are our own text
	var titles []string
	var cleaned []v1alpha1.Report
	for i, r := range reports {
		r = clean(r)
		cleaned = append(cleaned, r)
		titles = append(titles, strings.ToUpper(r.Verdict.String())+" "+titleOf(r))
		view.Runs = append(view.Runs, viewOf(fmt.Sprintf("run%d", i), r))
	}
	view.Title = strings.Join(titles, ", ")
	if len(reports) > 1 {
		view.Stages = stagesView(cleaned)
	}
	if err := htmlPage.Execute(w, view); err != nil {
		return fmt.Errorf("writing the HTML report: %w", err)
	}
	return nil
}

// htmlStages is the account of several runs.
type htmlStages struct {
	Verdict v1alpha1.Verdict
	// Bad are the first of the nodes that did not pass every stage; More the rest.
	Bad, More []v1alpha1.NodeResult
}

func stagesView(reports []v1alpha1.Report) *htmlStages {
	bad := badNodes(everyStage(reports))
	return &htmlStages{Overall(reports), bad[:min(len(bad), shownNodes)], bad[min(len(bad), shownNodes):]}
}

// htmlRun is what the page shows of one run. Everything is text already, or a number for a place in a drawing.
type htmlRun struct {
	// ID begins the ids of the run's elements.
	ID      string
	Title   string
	Verdict v1alpha1.Verdict
	Cause   string
	Message string
	Facts   []fact
	Counts  []htmlCount
	Total   int
	// Tally is the counts in words.
	Tally string
	// Bad are the first of the nodes that did not pass; More the rest.
	Bad, More []v1alpha1.NodeResult
	// Domains is the node grid; Quiet are domains in which all passed, folded where there are many.
	Domains, Quiet []htmlDomain
	Isolation      *htmlIsolation
	Thresholds     []v1alpha1.ThresholdResult
	Bandwidth      *chart
	Steps          *chart
	Timeline       *timeline
	Details        []htmlGroup
	Passed         []htmlGroup
	// OpenPassed: the table of the groups that passed is short enough to stand open.
	OpenPassed bool
	Excluded   []v1alpha1.NodeReason
	Warnings   []string
	Fragments  []v1alpha1.FragmentUse
}

const (
	// shownNodes is the number of bad nodes that a page shows before it folds the rest.
	shownNodes = 40
	// shownDomains is the number of topology domains that a page shows before it folds those in which all passed.
	shownDomains = 8
	// shownPassed is the number of groups that passed which a page shows unfolded.
	shownPassed = 16
)

func viewOf(id string, r v1alpha1.Report) htmlRun {
	bad := badNodes(r.Nodes)
	v := htmlRun{
		ID: id, Title: titleOf(r), Verdict: r.Verdict, Cause: string(r.Cause), Message: r.Message,
		Facts: headFacts(r), Counts: countsOf(r.Counts), Total: r.Counts.Target, Tally: shortTally(r.Counts),
		Bad: bad[:min(len(bad), shownNodes)], More: bad[min(len(bad), shownNodes):],
		Isolation: isolationView(r), Thresholds: r.Thresholds,
		Bandwidth: bandwidthChart(r), Steps: stepChart(r), Timeline: timelineOf(r),
		Excluded: r.Excluded, Warnings: allWarnings(r), Fragments: r.Fragments,
	}
	v.Domains, v.Quiet = foldDomains(domainsOf(r.Nodes))
	for i, g := range notPassed(r.Groups) {
		v.Details = append(v.Details, groupView(fmt.Sprintf("%s-bad%d", id, i), g, r))
	}
	for _, g := range r.Groups {
		if g.Verdict == v1alpha1.Pass {
			v.Passed = append(v.Passed, groupView("", g, r))
		}
	}
	v.OpenPassed = len(v.Passed) <= shownPassed
	return v
}

func headFacts(r v1alpha1.Report) []fact {
	all := []fact{{"Workflow", r.Workflow}, {"Framework", orElse(r.Framework, "not known")}, {"Platform", orElse(r.Platform, "not known")}}
	if r.GPUArchitecture != "" {
		all = append(all, fact{"GPU", r.GPUArchitecture})
	}
	switch {
	case r.Started == nil:
		return append(all, fact{"Started", "not yet"})
	case r.Finished == nil:
		return append(all, fact{"Started", stamp(*r.Started)}, fact{"Took", "not finished"})
	default:
		return append(all, fact{"Started", stamp(*r.Started)}, fact{"Took", length(r.Finished.Sub(*r.Started))})
	}
}

// htmlCount is one number of the accounting.
type htmlCount struct {
	N       int
	Verdict v1alpha1.NodeVerdict
}

func countsOf(c v1alpha1.Counts) []htmlCount {
	all := []htmlCount{{c.Failed, v1alpha1.Failed}, {c.Suspect, v1alpha1.Suspect}, {c.Unknown, v1alpha1.NodeUnknown}, {c.Untested, v1alpha1.Untested}}
	shown := []htmlCount{{c.Passed, v1alpha1.Passed}}
	for _, n := range all {
		if n.N > 0 {
			shown = append(shown, n)
		}
	}
	return shown
}
