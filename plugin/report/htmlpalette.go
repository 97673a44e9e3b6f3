package report

import (
	"fmt"
	"html/template"
	"strings"
)

// colour is one colour of the page, for a light and a dark screen, as CSS has it: #rrggbb.
type colour struct{ name, light, dark string }

// palette holds every colour of the page. A test computes the contrast of each pair that stands on each other.
var palette = []colour{
	{"page", "#f4f5f7", "#0e1116"},
	{"sheet", "#ffffff", "#171b21"},
	{"ink", "#14171b", "#e9ecf0"},
	{"quiet", "#545c66", "#a6afba"},
	{"rule", "#d9dde2", "#303842"},
	{"link", "#0a4fb8", "#8fc0ff"},

	{"pass", "#e1f2e7", "#15321f"},
	{"pass-ink", "#14502b", "#a8e0bb"},
	{"fail", "#b3231b", "#ff8d84"},
	{"fail-ink", "#ffffff", "#370603"},
	{"suspect", "#ffe3a6", "#574000"},
	{"suspect-ink", "#553700", "#ffe0a0"},
	{"unknown", "#dfe2e8", "#39424d"},
	{"unknown-ink", "#333a43", "#dde2e8"},

	{"line", "#76818d", "#87929f"},
	{"line-bad", "#b3231b", "#ff8d84"},
	{"limit", "#7a4a00", "#ffcc66"},
}

// paletteCSS declares the palette as CSS variables.
func paletteCSS() template.CSS {
	var light, dark strings.Builder
	for _, c := range palette {
		fmt.Fprintf(&light, "--%s:%s;", c.name, c.light)
		fmt.Fprintf(&dark, "--%s:%s;", c.name, c.dark)
	}
	return template.CSS(fmt.Sprintf(":root{color-scheme:light dark;%s}\n@media (prefers-color-scheme:dark){:root{%s}}\n", light.String(), dark.String())) // our own text
}
