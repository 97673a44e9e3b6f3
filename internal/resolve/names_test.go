package resolve

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestNames(t *testing.T) {
	for _, c := range []struct {
		names Names
		want  string
	}{
		{Names{Workflow: "my-workload", Group: "group-0", Attempt: 1}, "my-workload-group-0"},
		{Names{Workflow: "my-workload", Group: "group-0"}, "my-workload-group-0"},
		{Names{Workflow: "my-workload", Group: "group-12", Attempt: 2}, "my-workload-group-12-a2"},
		{Names{Workflow: "my-workload", Scope: "abc123", Group: "group-0", Attempt: 1}, "my-workload-abc123-group-0"},
		{Names{Workflow: "a.b", Group: "group-0"}, "a-b-" + Hash("a.b") + "-group-0"},
		{Names{Workflow: "1st", Group: "group-0"}, "r1st-" + Hash("1st") + "-group-0"},
		{Names{Workflow: strings.Repeat("a", 36), Group: "group-0"}, strings.Repeat("a", 36) + "-group-0"},
		{Names{Workflow: strings.Repeat("a", 37), Group: "group-0"}, strings.Repeat("a", 29) + "-" + Hash(strings.Repeat("a", 37)) + "-group-0"},
		{Names{Workflow: strings.Repeat("a", 28) + "-" + strings.Repeat("b", 34), Group: "group-0"}, strings.Repeat("a", 28) + "-" + Hash(strings.Repeat("a", 28)+"-"+strings.Repeat("b", 34)) + "-group-0"},
	} {
		require.Equal(t, c.want, c.names.Base())
	}
}

// Whatever the workflow is called: at most 44 characters, a DNS label that begins with a letter, its own for every group.
func TestBase_holds_for_any_name(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	dns := regexp.MustCompile(`^[a-z]([a-z0-9-]*[a-z0-9])?$`)
	word := func(alphabet string, most int) string {
		var b strings.Builder
		for range 1 + random.IntN(most) {
			b.WriteByte(alphabet[random.IntN(len(alphabet))])
		}
		return b.String()
	}
	seen := map[string]Names{}
	known := map[Names]bool{}
	for range 20000 {
		n := Names{
			Workflow: word("ab1.-", 63), Group: fmt.Sprintf("group-%d", random.IntN(2000)), Attempt: 1 + random.IntN(3),
		}
		if random.IntN(10) == 0 {
			n.Group, n.Workflow = word("aZ_.é-", 80), word("Aé /\x1b", 300)
		}
		if random.IntN(3) == 0 {
			n.Scope = Hash(word("abc", 5))
		}
		if known[n] {
			continue
		}
		known[n] = true
		base := n.Base()
		require.LessOrEqual(t, len(base), maxBase, n)
		require.Regexp(t, dns, base, n)
		require.Empty(t, validation.IsDNS1035Label(base+"-launcher-0-0-abcde"), n)
		require.LessOrEqual(t, len(base+"-launcher-0-0-abcde"), 63)
		other, met := seen[base]
		require.False(t, met, "%+v and %+v are both %s", n, other, base)
		seen[base] = n
	}
}

func TestLabels(t *testing.T) {
	n := Names{Workflow: strings.Repeat("w", 63), Scope: "abc123", Run: strings.Repeat("r", 100), Group: "group-0"}
	for key, value := range n.Labels() {
		require.Empty(t, validation.IsQualifiedName(key))
		require.Empty(t, validation.IsValidLabelValue(value), key)
	}
	require.Equal(t, "my.run", Names{Run: "my.run"}.Labels()[LabelRun], "a name that fits is shown as it is")
}
