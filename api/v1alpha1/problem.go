package v1alpha1

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one thing that is wrong with what a user wrote.
type Problem struct {
	// File is the file's name, or the parameter's when the text came as one; empty when there is no text.
	File string
	// Line counts from 1; 0 means that the line is not known.
	Line int
	// Path is the field, such as spec.framework.mpi.binary; empty when the text as a whole is wrong.
	Path string
	// Text says what is and what would do.
	Text string
}

// String reads `file:line: path: text`, without the parts that are not known.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d", p.Line)
		}
		b.WriteString(": ")
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Text)
	return b.String()
}

// Problems is all that is wrong, in the order of the text. As an error it reads one problem a line.
type Problems []Problem

// mostLines is how many problems a message lists: nobody reads more of them before mending the first.
const mostLines = 50

// Error lists the problems, one a line: the first 50, and how many more there are.
func (p Problems) Error() string {
	var lines []string
	for _, problem := range p[:min(len(p), mostLines)] {
		lines = append(lines, problem.String())
	}
	if more := len(p) - mostLines; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// err returns nil for no problem, so that an empty list never becomes a non-nil error.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	sort.SliceStable(p, func(i, j int) bool { return p[i].Line < p[j].Line })
	return p
}
