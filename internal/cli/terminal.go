package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/seed-95c1acfe/seatrial/plugin/report"
)

// isTerminal says whether somebody looks at what is written: a pipe and a file get whole lines and no line that moves.
func isTerminal(w io.Writer) bool {
	file, is := w.(*os.File)
	return is && term.IsTerminal(int(file.Fd())) // a descriptor is a small number
}

// columns is the width of text on stdout.
func (a *app) columns() int {
	if a.terminal(a.stdout) {
		return report.Terminal
	}
	return report.Unbounded
}
