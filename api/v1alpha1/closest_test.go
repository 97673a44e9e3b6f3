package v1alpha1

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClosest(t *testing.T) {
	names := []string{"image", "framework", "numNodes", "kind", "env"}
	for word, want := range map[string]string{
		"imge": "image", "knid": "kind", "Image": "image", "num_nodes": "numNodes", "numNode": "numNodes",
		"frmaewrok": "framework", "volumes": "", "x": "", "": "", "en": "",
	} {
		require.Equal(t, want, Closest(word, names), word)
	}
	t.Run("a_huge_word_costs_nothing", func(t *testing.T) {
		require.Empty(t, Closest(strings.Repeat("a", 10<<20), names))
	})
}

func TestEditDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "xbc", 1}, {"abcd", "bc", 2}} {
		require.Equal(t, c.want, editDistance(c.a, c.b), c)
		require.Equal(t, c.want, editDistance(c.b, c.a), c)
	}
}
