package report

import (
	"strings"

	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

const (
	pageColumns = 80
	// maxLine bounds a text that is wrapped, in runes; the JSON report has it whole.
	maxLine = 1000
)

// page is text under construction. Whatever is put on it comes out clean and within its columns.
type page struct{ strings.Builder }

// cell is a column of a row. Text that is too long for it is cut.
type cell struct {
	text    string
	columns int
}

func (p *page) section(title string) {
	p.text("")
	p.line("", title)
}

// text writes a line that is clean and fits.
func (p *page) text(line string) {
	p.WriteString(strings.TrimRight(line, " "))
	p.WriteByte('\n')
}

// row writes cells side by side and then a last text, cut at the edge: one line, whatever the texts are.
func (p *page) row(last string, cells ...cell) {
	var line strings.Builder
	for _, c := range cells {
		fitted := plain.Fit(plain.Indented(strings.ReplaceAll(c.text, "\n", " ")), c.columns)
		line.WriteString(fitted)
		line.WriteString(strings.Repeat(" ", c.columns-plain.Width(fitted)+1))
	}
	p.text(plain.Fit(line.String()+plain.Line(last), pageColumns))
}

// line writes text between the indent and the edge, over as many lines as its words need, the later ones indented by two more.
// A word that is longer than a line is broken.
func (p *page) line(indent, text string) {
	current, empty := indent, true
	for _, word := range strings.Fields(plain.Cut(plain.Line(text), maxLine)) {
		if !empty && plain.Width(current)+1+plain.Width(word) > pageColumns {
			p.text(current)
			current, empty = indent+"  ", true
		}
		if !empty {
			current += " "
		}
		for plain.Width(current)+plain.Width(word) > pageColumns {
			head := headOf(word, pageColumns-plain.Width(current))
			p.text(current + head)
			word, current = word[len(head):], indent+"  "
		}
		current, empty = current+word, false
	}
	p.text(current)
}

// headOf is as much of word as fits.
func headOf(word string, columns int) string {
	used := 0
	for i, r := range word {
		if used += plain.Width(string(r)); used > columns {
			return word[:i]
		}
	}
	return word
}
