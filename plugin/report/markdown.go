package report

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

const (
	// markdownNodes and markdownGroups bound a ticket: GitHub takes 65,536 characters, GitLab a million.
	markdownNodes  = 100
	markdownGroups = 20
	// markdownLines is how much of a failure log goes into a ticket.
	markdownLines = 30
)

// WriteMarkdown writes reports for a ticket: the verdict, the nodes to look at, the groups that did not pass with the ends of their logs
// folded, the thresholds. Tables, code and folds are those that GitHub and GitLab know; text from outside stays text.
func WriteMarkdown(w io.Writer, reports ...v1alpha1.Report) error {
	var m markdown
	var cleaned []v1alpha1.Report
	for _, r := range reports {
		cleaned = append(cleaned, clean(r))
	}
	if len(cleaned) > 1 {
		m.stages(cleaned)
	}
	for i, r := range cleaned {
		if i > 0 {
			m.line("\n---\n")
		}
		m.report(r)
	}
	if _, err := io.WriteString(w, m.String()); err != nil {
		return fmt.Errorf("writing the Markdown report: %w", err)
	}
	return nil
}

type markdown struct{ strings.Builder }

func (m *markdown) line(format string, args ...any) { m.WriteString(fmt.Sprintf(format+"\n", args...)) }

func (m *markdown) report(r v1alpha1.Report) {
	m.line("## %s %s: %s\n", mark(r.Verdict), strings.ToUpper(r.Verdict.String()), prose(titleOf(r)))
	if r.Message != "" || r.Cause != "" {
		m.line("**%s**%s\n", prose(orElse(r.Message, string(r.Cause))), inBrackets(r.Cause))
	}
	m.line("%s.\n", tally(r.Counts))
	m.line("%s\n", strings.Join(m.facts(r), " · "))
	m.nodes(badNodes(r.Nodes))
	m.thresholds(r)
	m.isolation(r)
	m.groups(notPassed(r.Groups))
	m.lists(r)
}

// stages is what all runs of a workflow say.
func (m *markdown) stages(reports []v1alpha1.Report) {
	verdict := Overall(reports)
	m.line("# %s %s: all stages\n\n%s\n", mark(verdict), strings.ToUpper(verdict.String()), prose(account(reports)))
	m.nodes(badNodes(everyStage(reports)))
	m.line("---\n")
}

func (m *markdown) facts(r v1alpha1.Report) []string {
	all := []string{"workflow " + code(r.Workflow), orElse(prose(r.Framework), "framework not known")}
	for _, s := range []string{r.Platform, r.GPUArchitecture} {
		if s != "" {
			all = append(all, prose(s))
		}
	}
	switch {
	case r.Started == nil:
		all = append(all, "not started")
	case r.Finished == nil:
		all = append(all, "started "+stamp(*r.Started), "not finished")
	default:
		all = append(all, "started "+stamp(*r.Started), "took "+length(r.Finished.Sub(*r.Started)))
	}
	return all
}

func (m *markdown) nodes(bad []v1alpha1.NodeResult) {
	if len(bad) == 0 {
		return
	}
	m.line("| verdict | node | reason |\n|---|---|---|")
	for _, n := range bad[:min(len(bad), markdownNodes)] {
		m.line("| %s | %s | %s |", n.Verdict, strings.ReplaceAll(code(n.Name), "|", `\|`), prose(n.Reason))
	}
	if more := len(bad) - markdownNodes; more > 0 {
		m.line("\nand %s more, which the JSON report has.", plural(more, "node"))
	}
	m.line("")
}

func (m *markdown) thresholds(r v1alpha1.Report) {
	if len(r.Thresholds) == 0 {
		m.line("No threshold was set.\n")
		return
	}
	for _, t := range r.Thresholds {
		m.line("- threshold %s %s: %s", code(t.Key), code(t.Expression), overall(t))
	}
	m.line("")
}

func (m *markdown) groups(groups []v1alpha1.GroupResult) {
	for _, g := range groups[:min(len(groups), markdownGroups)] {
		m.line("### %s: %s%s\n\n%s\n", prose(g.Name), g.Verdict, inBrackets(g.Cause), prose(whyNot(g)))
		for _, f := range facts(g) {
			m.line("- %s: %s", prose(f.Name), prose(f.Text))
		}
		m.log(g.FailureLog)
		m.line("")
	}
	if more := len(groups) - markdownGroups; more > 0 {
		m.line("And %s more did not pass, which the JSON report has.\n", plural(more, "group"))
	}
}

// isolation shows what was found between nodes and who is a suspect no longer, and folds the groups that showed it.
func (m *markdown) isolation(r v1alpha1.Report) {
	if r.Isolation == nil {
		return
	}
	m.line("### %s\n", isolationTitle(r.Isolation))
	for _, f := range r.Isolation.Faults {
		m.line("- **fault of the fabric**, %s: %s", prose(place(f)), prose(f.Reason))
	}
	all := cleared(r.Nodes)
	for _, n := range all[:min(len(all), markdownNodes)] {
		m.line("- %s is cleared: %s", code(n.Name), prose(n.Reason))
	}
	if more := len(all) - markdownNodes; more > 0 {
		m.line("- and %s more, which the JSON report has", plural(more, "node"))
	}
	groups := r.Isolation.Groups[:min(len(r.Isolation.Groups), markdownNodes)]
	title := plural(len(groups), "group")
	if len(groups) < len(r.Isolation.Groups) {
		title = "the first " + title
	}
	m.line("\n<details><summary>Isolation: %s</summary>\n\n| group | verdict | nodes | to show |\n|---|---|---|---|", title)
	for _, g := range groups {
		m.line("| %s | %s | %s | %s |", prose(g.Name), g.Verdict, prose(NodeList(g.Nodes)), prose(g.Purpose))
	}
	m.line("\n</details>\n")
}

// log folds the end of a log. The fence is longer than any that the log holds, so that nothing in it ends the block.
func (m *markdown) log(log *v1alpha1.FailureLog) {
	if log == nil || log.Tail == "" {
		return
	}
	lines := strings.Split(log.Tail, "\n")
	lines = lines[max(0, len(lines)-markdownLines):]
	fence := "```"
	for _, run := range backticks.FindAllString(strings.Join(lines, "\n"), -1) {
		fence = max(fence, run+"`") // of strings of one character, the longer is the greater
	}
	m.line("\n<details><summary>Log of pod %s, container %s, last %s</summary>\n\n%stext",
		prose(log.Pod), prose(log.Container), plural(len(lines), "line"), fence)
	for _, line := range lines {
		m.line("%s", plain.Cut(line, 500))
	}
	m.line("%s\n\n</details>", fence)
}

func (m *markdown) lists(r v1alpha1.Report) {
	if len(r.Excluded) > 0 {
		m.line("<details><summary>%s excluded</summary>\n", plural(len(r.Excluded), "node"))
		for _, e := range r.Excluded {
			m.line("- %s: %s", code(e.Name), prose(e.Reason))
		}
		m.line("\n</details>\n")
	}
	for _, w := range allWarnings(r) {
		m.line("- warning: %s", prose(w))
	}
}

// mark is a sign that is told by its shape as well as its colour.
func mark(v v1alpha1.Verdict) string {
	switch v {
	case v1alpha1.Pass:
		return "✅"
	case v1alpha1.Fail:
		return "❌"
	default:
		return "❔"
	}
}

var backticks = regexp.MustCompile("`+")

// punctuation makes Markdown's and HTML's characters plain, and parts what GitHub and GitLab would turn into a link or a mention.
var punctuation = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "|", `\|`, "~", `\~`, "&", `\&`, "#", `\#`,
	"!", `\!`, "$", `\$`, "://", `\://`, "www.", `www\.`, "@", "@\u200b",
)

// leading is what would begin a list in the first column.
var leading = regexp.MustCompile(`^([-+=]|\d+[.)])`)

// prose makes text of one line Markdown that shows as that text.
func prose(s string) string {
	s = punctuation.Replace(plain.Cut(s, maxLine))
	return leading.ReplaceAllStringFunc(s, func(start string) string { return start[:len(start)-1] + `\` + start[len(start)-1:] })
}

// code makes text of one line inline code, in which a backtick cannot be escaped. In a table, a pipe must be.
func code(s string) string {
	return "`" + strings.ReplaceAll(orElse(plain.Cut(s, maxLine), " "), "`", "'") + "`"
}

func inBrackets(c v1alpha1.Cause) string {
	if c == "" {
		return ""
	}
	return " (" + prose(string(c)) + ")"
}
