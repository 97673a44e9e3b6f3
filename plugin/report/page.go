package report

import (
	"strings"

	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// Columns of a page of text.
const (
	// Terminal fits a terminal: longer lines are wrapped, rows are cut.
	Terminal = 80
	// Unbounded is for a pipe or a file: every reason is whole and on one line.
	Unbounded = 0
)

// maxLine bounds a text that is wrapped, in runes; the JSON report has it whole.
const maxLine = 1000

// page is text under construction. Whatever is put on it comes out clean and within its columns.
type page struct {
	strings.Builder
	// columns is 0 when there is no bound.
	columns int
}

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

// cut writes a line as far as it fits.
func (p *page) cut(line string) {
	if p.columns > 0 {
		line = plain.Fit(line, p.columns)
	}
	p.text(line)
}

// row writes cells side by side and then a last text: one line, whatever the texts are. On a bounded page what is too long is cut.
func (p *page) row(last string, cells ...cell) {
	var line strings.Builder
	for _, c := range cells {
		fitted := plain.Indented(strings.ReplaceAll(c.text, "\n", " "))
		if p.columns > 0 {
			fitted = plain.Fit(fitted, c.columns)
		}
		line.WriteString(fitted)
		line.WriteString(strings.Repeat(" ", max(c.columns-plain.Width(fitted), 0)+1))
	}
	p.cut(line.String() + plain.Line(last))
}

// line writes text between the indent and the edge, over as many lines as its words need, the later ones indented by two more.
// A word that is longer than a line is broken.
func (p *page) line(indent, text string) {
	if p.columns <= 0 {
		p.text(indent + plain.Line(text))
		return
	}
	current, empty := indent, true
	for _, word := range strings.Fields(plain.Cut(plain.Line(text), maxLine)) {
		if !empty && plain.Width(current)+1+plain.Width(word) > p.columns {
			p.text(current)
			current, empty = indent+"  ", true
		}
		if !empty {
			current += " "
		}
		for plain.Width(current)+plain.Width(word) > p.columns {
			head := headOf(word, p.columns-plain.Width(current))
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
