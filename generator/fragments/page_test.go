package fragments_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// The rows of the page's table of platform overrides, with the fragments as they are shipped.
func TestThePlatformTableOfThePage(t *testing.T) {
	list := all(t)
	build := func(platform, architecture, framework string) (line string, kinds []string, r resolved) {
		t.Helper()
		r = machine{platform: platform, architecture: architecture}.resolve(t, framework, list)
		for _, o := range r.objects {
			kinds = append(kinds, o.GetKind())
		}
		return strings.Join(r.command(t), " "), kinds, r
	}
	t.Run("AWS, any GPU, any framework: the EFA plugin is removed before the command", func(t *testing.T) {
		for _, architecture := range []string{"h100", "gb200", "gb300"} {
			for _, framework := range v1alpha1.Frameworks {
				line, _, _ := build("aws", architecture, framework)
				before, _, has := strings.Cut(line, "\nexec ")
				require.True(t, has, line)
				require.Contains(t, before, "rm -rf /opt/amazon\nunset NCCL_NET_PLUGIN")
			}
		}
	})
	t.Run("AWS, any GPU, MPI: no network plugin at the ranks", func(t *testing.T) {
		for _, architecture := range []string{"h100", "gb200", "gb300"} {
			line, _, _ := build("aws", architecture, v1alpha1.FrameworkMPI)
			require.Contains(t, line, " -x NCCL_NET_PLUGIN=none ")
		}
	})
	t.Run("AWS GB300, MPI: Open MPI on TCP over eth0, no UCC or HCOLL, RoCE for NCCL", func(t *testing.T) {
		line, _, _ := build("aws", "gb300", v1alpha1.FrameworkMPI)
		for _, part := range []string{"pml ob1", "btl tcp,self", "btl_tcp_if_include eth0", "oob_tcp_if_include eth0", "coll_ucc_enable 0", "coll_hcoll_enable 0"} {
			require.Contains(t, line, " --mca "+part+" ")
		}
		require.Contains(t, line, " -x NCCL_SOCKET_IFNAME=eth0 ")
		require.Contains(t, line, " -x NCCL_IB_GID_INDEX=3 ")
		other, _, _ := build("aws", "gb200", v1alpha1.FrameworkMPI)
		require.NotContains(t, other, "coll_ucc_enable")
	})
	t.Run("AWS GB200 and GB300, any framework: a ComputeDomain and its claim; GB300 the RoCE template too", func(t *testing.T) {
		for _, framework := range v1alpha1.Frameworks {
			for architecture, roce := range map[string]bool{"gb200": false, "gb300": true} {
				_, kinds, r := build("aws", architecture, framework)
				require.Contains(t, kinds, "ComputeDomain")
				require.Equal(t, roce, len(kinds) > 3 && kinds[1] == "ResourceClaimTemplate", kinds)
				claims := r.worker(t).ResourceClaims
				require.Equal(t, "compute-domain", claims[0].Name)
				require.Len(t, claims, map[bool]int{false: 1, true: 2}[roce])
			}
		}
	})
}

// Every name of the merged environment is forwarded once, and one that the platform forwards has the platform's value.
func TestAPlatformsValueReplacesTheDefaultAtTheRanks(t *testing.T) {
	list := all(t)
	plain := machine{platform: "onprem", architecture: "h100"}.resolve(t, v1alpha1.FrameworkMPI, list).env(t)
	ranks := machine{platform: "gcp", architecture: "h100"}.resolve(t, v1alpha1.FrameworkMPI, list).env(t)
	values := map[string]string{}
	for _, pair := range ranks {
		name, value, _ := strings.Cut(pair, "=")
		require.NotContains(t, values, name, "forwarded twice")
		values[name] = value
	}
	for _, pair := range plain {
		name, value, _ := strings.Cut(pair, "=")
		switch name {
		case "NCCL_NET_GDR_LEVEL":
			require.Equal(t, "PHB", value)
			require.Equal(t, "PIX", values[name])
		case "NCCL_P2P_NET_CHUNKSIZE":
			require.Equal(t, "2097152", value)
			require.Equal(t, "524288", values[name])
		default:
			require.Contains(t, values, name, "the full set of the defaults is forwarded")
		}
	}
}
