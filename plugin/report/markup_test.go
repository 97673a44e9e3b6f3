package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// fleets are whole runs of 64 nodes and more, beside the small ones of samples.
func fleets() map[string]v1alpha1.Report {
	return map[string]v1alpha1.Report{
		"passing": passingFleet(64), "failing": failingFleet(64), "training": trainingFleet(), "attacked": hostileFleet(), "large": failingFleet(400),
	}
}

func TestMarkupIsSoundForEveryReport(t *testing.T) {
	all := fleets()
	for name, in := range samples() {
		all[name] = Build(in)
	}
	for name, r := range all {
		t.Run(name, func(t *testing.T) {
			requireHarmlessHTML(t, r)
			requireSoundJUnit(t, r)
			requireHarmlessMarkdown(t, r)
		})
	}
}

// elements are all that a page is made of. There is no script, no link to elsewhere and nothing that loads.
var elements = strings.Fields("html head meta title style body main nav ol article header p span div h1 section b h2 ul li h3 " +
	"code figure svg line polyline em figcaption i dl dt dd details summary pre footer a")

// requireHarmlessHTML reads the page as a browser does.
func requireHarmlessHTML(t *testing.T, r v1alpha1.Report) {
	t.Helper()
	var page bytes.Buffer
	require.NoError(t, WriteHTML(&page, r))
	require.NotContains(t, page.String(), "ZgotmplZ", "a value was refused by the place where it stands")
	root, err := html.Parse(bytes.NewReader(page.Bytes()))
	require.NoError(t, err)
	verdicts := 0
	for n := range root.Descendants() {
		for _, c := range n.Data {
			require.True(t, n.Type != html.TextNode || c == '\n' || unicode.IsPrint(c), "%q", n.Data)
		}
		if n.Type != html.ElementNode {
			continue
		}
		require.Contains(t, elements, n.Data)
		for _, a := range n.Attr {
			require.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
			require.NotContains(t, []string{"src", "srcdoc", "action", "formaction", "background", "xlink:href"}, a.Key)
			require.True(t, a.Key != "href" || strings.HasPrefix(a.Val, "#run"), a.Val)
			require.True(t, a.Key != "style" || styles.MatchString(a.Val), a.Val)
			if a.Key == "class" && strings.HasPrefix(a.Val, "verdict ") {
				verdicts++
				require.Equal(t, "verdict "+r.Verdict.String(), a.Val)
			}
		}
	}
	require.Equal(t, 1, verdicts)
}

// styles are places in a drawing.
var styles = regexp.MustCompile(`^((left|top|width):[0-9.]+%;?)+$`)

func requireSoundJUnit(t *testing.T, r v1alpha1.Report) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, WriteJUnit(&text, r))
	var all junitSuites
	require.NoError(t, xml.Unmarshal(text.Bytes(), &all))
	require.Len(t, all.Suites, 1)
	s := all.Suites[0]
	want := 1 + len(r.Groups) + len(r.Nodes)
	if r.Isolation != nil {
		want += len(r.Isolation.Faults)
	}
	require.Equal(t, want, s.Tests)
	require.Len(t, s.Cases, s.Tests)
	good := 0
	for _, c := range s.Cases {
		if c.Failure == nil && c.Error == nil {
			good++
		}
	}
	require.Equal(t, s.Tests-s.Failures-s.Errors, good)
	require.Equal(t, r.Verdict == v1alpha1.Pass, s.Failures+s.Errors == 0, "a suite is green when the run passed, and only then")
}

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	ownTags    = regexp.MustCompile(`</?(details|summary)>`)
)

func requireHarmlessMarkdown(t *testing.T, r v1alpha1.Report) {
	t.Helper()
	var text bytes.Buffer
	require.NoError(t, WriteMarkdown(&text, r))
	requireHarmlessLines(t, text.String())
}

// requireHarmlessLines looks at a ticket line by line: outside code, nothing but our own may be markup.
func requireHarmlessLines(t *testing.T, text string) {
	t.Helper()
	fence, columns := "", 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		for _, c := range line {
			require.True(t, unicode.IsPrint(c) || c == '\u200b', "%q", line)
		}
		switch {
		case fence != "":
			if strings.Trim(line, "`") == "" && len(line) >= len(fence) {
				fence = ""
			}
			continue
		case strings.HasPrefix(line, "```"):
			fence = strings.TrimSuffix(line, "text")
			continue
		}
		line = ownTags.ReplaceAllString(strings.ReplaceAll(line, `\\`, ""), "")
		pipes := strings.Count(line, "|") - strings.Count(line, `\|`)
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0: // the head of a table
			columns = pipes
		default:
			require.Equal(t, columns, pipes, line)
		}
		line = inlineCode.ReplaceAllString(regexp.MustCompile(`\\[^a-z0-9 ]`).ReplaceAllString(line, ""), "")
		require.NotRegexp(t, "[<>`]|!\\[|\\]\\(|@[a-z]|[a-z]://|www\\.", line)
	}
	require.Empty(t, fence, "every block of code ends")
}

func TestMarkdownBlocksAreNotClosedByTheLog(t *testing.T) {
	in := failInput()
	in.Groups[1].FailureLog.Tail = "a\n`````\n## all is well\n"
	var text bytes.Buffer
	require.NoError(t, WriteMarkdown(&text, Build(in)))
	require.Contains(t, text.String(), "\n``````text\na\n`````\n## all is well\n``````\n")
}

func TestSeveralRunsStandOnOnePage(t *testing.T) {
	pages := []v1alpha1.Report{Build(passInput()), Build(failInput())}
	pages[0].Scope, pages[1].Scope = "aaaaaa", "bbbbbb"
	var page, ticket, suites bytes.Buffer
	require.NoError(t, WriteHTML(&page, pages...))
	require.Contains(t, page.String(), `<span class="tag fail">✕ fail</span> <a href="#run1">nccl-all-reduce (scope bbbbbb)</a>`)
	require.Contains(t, page.String(), `<article id="run1">`)
	require.NoError(t, WriteMarkdown(&ticket, pages...))
	require.Equal(t, 2, strings.Count(ticket.String(), "\n## "))
	require.NoError(t, WriteJUnit(&suites, pages...))
	var all junitSuites
	require.NoError(t, xml.Unmarshal(suites.Bytes(), &all))
	require.Len(t, all.Suites, 2)
	require.Equal(t, all.Suites[0].Tests+all.Suites[1].Tests, all.Tests)
}

func BenchmarkWriteHTML(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("nodes=%d", n), func(b *testing.B) {
			r := failingFleet(n)
			b.ReportAllocs()
			for b.Loop() {
				var page bytes.Buffer
				if err := WriteHTML(&page, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
