package fragments_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/generator/fragments"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

// docs/reference/platforms.md is what the fragments come to.
func TestPlatformsPage(t *testing.T) {
	list := all(t)
	var b strings.Builder
	b.WriteString(`# What each platform adds

Written by ` + "`go test ./generator/fragments -update`" + `; edits are lost. It shows two nodes of each kind with the fragments that
Seatrial brings. A site that edits a fragment has something else: submit it by itself, or run with ` + "`planOnly`" + `, to see.
` + "`seatrial workloadrun render`" + ` shows the same for a run of your own.

The environment is that of the ranks with mpi, and of the container otherwise. What a run gives itself goes before all of it.

`)
	plain := map[string]resolved{}
	for _, framework := range v1alpha1.Frameworks {
		plain[framework] = machine{platform: "onprem", architecture: "h100"}.resolve(t, framework, list)
	}
	b.WriteString("## Every run begins with\n\n```\n" + strings.Join(plain[v1alpha1.FrameworkMPI].env(t), "\n") + "\n```\n")
	for _, m := range machines {
		fmt.Fprintf(&b, "\n## %s, %s%s\n", m.platform, m.architecture, note(m))
		for _, framework := range v1alpha1.Frameworks {
			r := m.resolve(t, framework, list)
			fmt.Fprintf(&b, "\n**%s**: fragments %s\n\n```\n", framework, r.names())
			difference(&b, plain[framework].env(t), r.env(t))
			fmt.Fprintf(&b, "%s\n```\n", strings.Join(words(r.command(t)), " "))
		}
	}
	b.WriteString("\n## Fragments\n")
	for _, f := range list {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n%s", f.Name, strings.TrimSpace(f.Fragment.Description), resolve.Effect(f))
	}
	compare(t, "../../docs/reference/platforms.md", b.String())
}

func note(m machine) string {
	if len(m.with) == 0 {
		return ""
	}
	var parts []string
	for name, count := range m.with { // one at most
		parts = append(parts, name+": "+count)
	}
	return ", nodes that advertise " + strings.Join(parts, ", ")
}

// A platform that nobody knows is one file, as docs/how-to/add-a-platform.md says.
func TestAddingAPlatformIsAddingAFile(t *testing.T) {
	guide, err := os.ReadFile("../../docs/how-to/add-a-platform.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(guide), "```yaml\n")
	require.True(t, found)
	text, _, _ := strings.Cut(rest, "```")

	folder := t.TempDir()
	for _, f := range []string{"defaults.yaml", "nic.yaml"} {
		content, err := os.ReadFile(f)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(folder, f), content, 0o600))
	}
	require.NoError(t, os.WriteFile(filepath.Join(folder, "moonbase.yaml"), []byte(text), 0o600))
	list, err := fragments.Read(os.DirFS(folder))
	require.NoError(t, err)

	providerIDs["onprem"] = "moonbase://crater/7"
	defer func() { providerIDs["onprem"] = "" }()
	r := machine{platform: "onprem", architecture: "h100", with: map[string]string{"moonbase.example/link": "4"}}.resolve(t, v1alpha1.FrameworkMPI, list)
	require.Equal(t, "defaults, moonbase", r.names())
	require.Contains(t, r.env(t), "NCCL_SOCKET_IFNAME=moon0")
	require.Contains(t, strings.Join(r.command(t), " "), "--mca btl_tcp_if_include moon0")
	providerIDs["onprem"] = "earth://1"
	require.Equal(t, "defaults", machine{platform: "onprem", architecture: "h100"}.resolve(t, v1alpha1.FrameworkMPI, list).names())

	t.Run("a mistake in it is told with file and line", func(t *testing.T) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "moonbase.yaml"), []byte(strings.Replace(text, "mpiArgs:", "mpiArg:", 1)), 0o600))
		_, err := fragments.Read(os.DirFS(folder))
		require.ErrorContains(t, err, "moonbase.yaml:")
		require.ErrorContains(t, err, "mpiArg: unknown field; did you mean mpiArgs?")
	})
}
