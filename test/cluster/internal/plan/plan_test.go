package plan

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

var sample = Layout{
	State: "/var/lib/seatrial-cluster", Run: "/run/seatrial-cluster", NetNS: "seatrial", CNI: CNIFolder,
	Bin: "/cache/bin", Manifests: "/cache/manifests", Images: "/cache/images",
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}

func TestNodeFiles(t *testing.T) {
	files := sample.NodeFiles(2, "")
	t.Run("are_as_the_golden_files_say", func(t *testing.T) {
		require.Len(t, files, 4)
		for path, text := range files {
			golden(t, filepath.Base(path), text)
		}
	})
	t.Run("a_provider_is_the_beginning_of_the_providerID", func(t *testing.T) {
		require.Contains(t, sample.NodeFiles(2, "aws:///")[sample.kubeletFile(NodeName(2))], `"providerID": "aws:///gpu-node-02"`)
	})
	t.Run("no_two_nodes_share_a_folder_or_a_port", func(t *testing.T) {
		for path, text := range sample.NodeFiles(1, "") {
			require.NotContains(t, files, path)
			require.NotContains(t, text, "gpu-node-02")
		}
		require.NotEqual(t, sample.Kubelet(1).Probe, sample.Kubelet(2).Probe)
	})
	t.Run("the_socket_fits_into_a_unix_address", func(t *testing.T) {
		require.Less(t, len(sample.Socket(NodeName(MaxNodes))+".ttrpc"), 107)
	})
}

func TestNodeNames(t *testing.T) {
	require.Equal(t, []string{"gpu-node-01", "gpu-node-02"}, NodeNames(2))
	require.Empty(t, NodeNames(0))
}

func TestComponents(t *testing.T) {
	components := sample.Components(3, 2*time.Second)
	var lines strings.Builder
	seen := map[string]bool{}
	for _, component := range components {
		lines.WriteString(component.Name + "\n  " + strings.Join(append(component.Env, component.Argv...), "\n  ") + "\n")
		require.False(t, seen[component.Name], "two components are named %s", component.Name)
		seen[component.Name] = true
	}
	t.Run("are_as_the_golden_file_says", func(t *testing.T) { golden(t, "components.txt", lines.String()) })
	t.Run("each_can_show_that_it_is_well_at_a_place_of_its_own", func(t *testing.T) {
		places := map[string]string{}
		for _, component := range components {
			place := component.Probe.URL + component.Probe.Address
			require.NotEmpty(t, place, component.Name)
			require.Empty(t, places[place], "%s and %s are asked at %s", component.Name, places[place], place)
			places[place] = component.Name
		}
	})
	t.Run("the_requeue_time_reaches_argo_only", func(t *testing.T) {
		require.Contains(t, sample.Argo(2*time.Second).Env, "DEFAULT_REQUEUE_TIME=2s")
		require.Equal(t, components[:len(components)-1], sample.Components(3, time.Minute)[:len(components)-1])
	})
	t.Run("no_two_controllers_share_a_port", func(t *testing.T) {
		served := map[int]bool{}
		for _, controller := range []Controller{sample.JobSet(), sample.Trainer()} {
			for _, port := range controller.Ports {
				require.False(t, served[port], "port %d", port)
				served[port] = true
			}
		}
	})
}

func TestConfigurations(t *testing.T) {
	golden(t, "Corefile", sample.CorefileText())
	golden(t, "scheduler.yaml", sample.SchedulerText())
	golden(t, "jobset.json", sample.JobSet().ConfigText)
	golden(t, "trainer.json", sample.Trainer().ConfigText)
	for _, controller := range []Controller{sample.JobSet(), sample.Trainer()} {
		require.True(t, json.Valid([]byte(controller.Sample)), controller.Name)
	}
}
