package report

import (
	"math"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// contrast is WCAG 2.2's ratio of the relative luminances of two colours, from 1 to 21.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

// luminance is WCAG 2.2's relative luminance of an sRGB colour.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(hex[1:], 16, 32)
	require.NoError(t, err)
	require.Len(t, hex, 7)
	linear := func(c uint64) float64 {
		v := float64(c&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}

func TestContrast(t *testing.T) {
	t.Run("the_formula_is_WCAG's", func(t *testing.T) {
		require.InDelta(t, 21, contrast(t, "#000000", "#ffffff"), 0.001)
		require.InDelta(t, 4.54, contrast(t, "#767676", "#ffffff"), 0.005) // the grey that WebAIM gives as the lightest for text on white
	})
	byName := map[string]colour{}
	for _, c := range palette {
		byName[c.name] = c
	}
	for _, pair := range []struct {
		above, below string
		least        float64
	}{
		// Text: 4.5 (WCAG 2.2, 1.4.3).
		{"ink", "page", 4.5}, {"ink", "sheet", 4.5}, {"quiet", "page", 4.5}, {"quiet", "sheet", 4.5}, {"link", "sheet", 4.5},
		{"pass-ink", "pass", 4.5}, {"fail-ink", "fail", 4.5}, {"suspect-ink", "suspect", 4.5}, {"unknown-ink", "unknown", 4.5},
		{"limit", "sheet", 4.5},
		// Lines and tiles that mean something: 3 (1.4.11). Tiles of nodes that passed are quiet on purpose; their text tells them.
		{"line", "sheet", 3}, {"line-bad", "sheet", 3}, {"fail", "sheet", 3},
	} {
		for scheme, of := range map[string]func(colour) string{"light": func(c colour) string { return c.light }, "dark": func(c colour) string { return c.dark }} {
			got := contrast(t, of(byName[pair.above]), of(byName[pair.below]))
			require.GreaterOrEqual(t, got, pair.least, "%s on %s, %s", pair.above, pair.below, scheme)
		}
	}
}

// Every colour of the page is in the palette, so that the test above has seen it.
func TestTheStyleNamesOnlyColoursOfThePalette(t *testing.T) {
	known := map[string]bool{}
	for _, c := range palette {
		known[c.name] = true
	}
	used := regexp.MustCompile(`var\(--([a-z-]+)\)`).FindAllStringSubmatch(pageStyle, -1)
	require.NotEmpty(t, used)
	for _, m := range used {
		require.True(t, known[m[1]], m[1])
	}
	require.NotRegexp(t, `#[0-9a-fA-F]{3,8}\b|rgba?\(|hsla?\(`, pageStyle, "a colour of its own")
}
