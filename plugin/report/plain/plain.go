// Package plain makes text from outside fit to be shown: banners, log lines, names, other people's error messages.
//
//  1. Line drops ANSI sequences and everything that does not print, and makes one line of what is left.
//  2. Cut shortens a line to a number of runes, Fit to a number of terminal columns.
//
// What comes out holds no control character, no escape sequence and no direction override, and is valid UTF-8.
package plain

import (
	"regexp"
	"strings"
	"unicode"
)

const ellipsis = "…"

// ansi matches the escape sequences of ECMA-48 as a whole (CSI, OSC and the other string types, two-byte forms),
// so that their printable tails go with them. A lone escape is left to Line.
var ansi = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\`-~])")

// Line returns s as one printable line. White space of any kind, line ends too, becomes single spaces.
func Line(s string) string {
	return strings.Join(strings.Fields(printable(s)), " ")
}

// Indented is Line for a line of a log: inner and leading spaces stay, a tab is two spaces, trailing space goes.
func Indented(s string) string {
	return strings.TrimRight(strings.ReplaceAll(printable(s), "\t", "  "), " ")
}

func printable(s string) string {
	if strings.Contains(s, "\x1b") {
		s = ansi.ReplaceAllString(s, "")
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t', unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		default:
			return -1
		}
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// Cut returns s, or its first runes and an ellipsis, at most limit runes in all. A limit below 1 gives "".
func Cut(s string, limit int) string {
	return cut(s, limit, func(rune) int { return 1 })
}

// Fit is Cut in terminal columns.
func Fit(s string, columns int) string { return cut(s, columns, runeWidth) }

func cut(s string, limit int, width func(rune) int) string {
	used, keep := 0, 0 // keep: the bytes that leave room for the ellipsis
	for i, r := range s {
		if used < limit {
			keep = i
		}
		if used += width(r); used > limit {
			if limit < 1 {
				return ""
			}
			return s[:keep] + ellipsis
		}
	}
	return s
}

// Width returns the terminal columns of s, counted on the safe side.
func Width(s string) int {
	columns := 0
	for _, r := range s {
		columns += runeWidth(r)
	}
	return columns
}

// runeWidth counts two columns for the blocks that hold the wide characters of Unicode's East Asian Width (UAX #11).
// Some narrow ones in these blocks count double, which only leaves room unused.
func runeWidth(r rune) int {
	switch {
	case r >= 0x1100 && r <= 0x115F, r >= 0x231A && r <= 0x2B55 && unicode.Is(unicode.So, r),
		r >= 0x2E80 && r <= 0xD7FF, r >= 0xF900 && r <= 0xFAFF, r >= 0xFE30 && r <= 0xFE6F,
		r >= 0xFF00 && r <= 0xFF60, r >= 0xFFE0 && r <= 0xFFE6, r >= 0x1F000:
		return 2
	default:
		return 1
	}
}
