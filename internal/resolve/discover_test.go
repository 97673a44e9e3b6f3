package resolve

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// Every row of shared/reference/nvcre-platforms.md §2.1, and what is next to it.
func TestPlatform(t *testing.T) {
	for name, c := range map[string]struct {
		id        string
		labels    map[string]string
		resources []string
		want      string
	}{
		"nothing":                              {"", nil, nil, "onprem"},
		"forge_by_hostname":                    {"", map[string]string{corev1.LabelHostname: "gpu-forge-01"}, nil, "forge"},
		"forge_by_site":                        {"", map[string]string{"nke.nvidia.com/site-name": ""}, nil, "forge"},
		"a_providerID_goes_before_forges_site": {"aws:///a/i-1", map[string]string{"nke.nvidia.com/site-name": "x"}, nil, "aws"},
		"aws":                                  {"aws:///us-east-1a/i-0123", nil, nil, "aws"},
		"gcp":                                  {"gce://project/zone/name", nil, nil, "gcp"},
		"gcp_is_not_its_own_name":              {"gcp://project/zone/name", nil, nil, "onprem"},
		"azure":                                {"azure:///subscriptions/x", nil, nil, "azure"},
		"oci_has_no_scheme":                    {"ocid1.instance.oc1.iad.x", nil, nil, "oci"},
		"oci_with_a_scheme_is_not_oci":         {"oci://ocid1.instance", nil, nil, "onprem"},
		"openstack":                            {"openstack:///uuid", nil, nil, "onprem"},
		"openstack_of_nscale":                  {"openstack:///uuid", nil, []string{"nscale.com/rdmashare"}, "nscale"},
		"rdmashare_alone_is_not_nscale":        {"", nil, []string{"nscale.com/rdmashare"}, "onprem"},
		"nscale":                               {"nscale://x", nil, nil, "nscale"},
		"kubevirt":                             {"kubevirt://vm", nil, nil, "onprem"},
		"kubevirt_of_togetherai":               {"kubevirt://vm", map[string]string{"node-role.together.ai/worker": ""}, nil, "togetherai"},
		"togethers_label_alone":                {"", map[string]string{"node-role.together.ai/worker": "true"}, nil, "onprem"},
		"metal3_is_mistral":                    {"metal3://ns/host", nil, nil, "mistral"},
		"anything_else":                        {"k3s://node", nil, nil, "onprem"},
		"a_prefix_is_not_a_part":               {"x-aws://", nil, nil, "onprem"},
	} {
		t.Run(name, func(t *testing.T) {
			n := node("n", c.labels, func(n *corev1.Node) { n.Spec.ProviderID = c.id }, has(c.resources...))
			require.Equal(t, c.want, Platform(&n))
			if c.want != "onprem" {
				require.Contains(t, v1alpha1.Platforms, c.want)
			}
		})
	}
}

// has lets a node advertise one of each resource.
func has(resources ...string) func(*corev1.Node) { return hasN("1", resources...) }

func hasN(count string, resources ...string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		for _, r := range resources {
			n.Status.Allocatable[corev1.ResourceName(r)] = resource.MustParse(count)
		}
	}
}

func from(id string) func(*corev1.Node) { return func(n *corev1.Node) { n.Spec.ProviderID = id } }

func of(product string) map[string]string { return map[string]string{LabelGPUProduct: product} }

func unlabelled(n *corev1.Node) { delete(n.Labels, LabelGPUProduct) }

func noGPUs(n *corev1.Node) { delete(n.Status.Allocatable, ResourceGPU) }

func TestDiscover_platform(t *testing.T) {
	t.Run("mixed_platforms_fail_and_name_a_node_of_each", func(t *testing.T) {
		_, err := Discover([]corev1.Node{node("b", nil, from("aws://")), node("a", nil, from("aws://")), node("c", nil)}, nil, nil, Ask{})
		require.EqualError(t, err, "HeterogeneousPlatform: the nodes are of several platforms: aws (2 nodes, such as a), onprem (1 nodes, such as c); narrow the target, or set the parameter platform")
	})
	t.Run("a_node_that_cannot_be_tested_does_not_count", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", nil, from("aws://")), node("c", nil, func(n *corev1.Node) { n.Spec.Unschedulable = true })}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, "aws", d.Platform)
	})
	t.Run("what_is_asked_for_is_not_detected", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", nil, from("aws://")), node("c", nil, from("metal3://"))}, nil, nil, Ask{Platform: "onprem"})
		require.NoError(t, err)
		require.Equal(t, "onprem", d.Platform)
		require.Empty(t, d.Warnings)
	})
	t.Run("metal3_is_named_since_any_site_may_use_it", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", nil, from("metal3://"))}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Len(t, d.Warnings, 1)
		require.Contains(t, d.Warnings[0], "set the parameter platform to onprem")
	})
}

func TestArchitectureOf(t *testing.T) {
	for product, want := range map[string]string{
		"NVIDIA-H100-80GB-HBM3": "h100", "NVIDIA-H100-NVL": "h100", "NVIDIA-GB200-NVL72": "gb200", "NVIDIA-A100-SXM4-40GB": "a100",
		"NVIDIA-L40S": "l40s", "NVIDIA-B300-SXM6-AC": "b300", "Tesla-T4": "tesla", "NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition": "rtxpro6000",
		"RTX-Pro-6000-Blackwell": "rtxpro6000", "NVIDIA-RTX-6000-Ada": "rtx", "": "", "-x": "",
	} {
		require.Equal(t, want, architectureOf(product), product)
	}
}

func TestDiscover_architecture(t *testing.T) {
	t.Run("the_minority_is_excluded_and_says_so", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", of("NVIDIA-A100")), node("b", of("NVIDIA-GB200")), node("c", of("NVIDIA-GB200")), node("d", nil, unlabelled)}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, "gb200", d.Architecture)
		require.Equal(t, []string{"b", "c"}, eligible(d.Selection))
		require.Equal(t, []v1alpha1.NodeReason{
			{Name: "a", Reason: "of architecture a100, and the run is for gb200"},
			{Name: "d", Reason: "without the label nvidia.com/gpu.product, and the run is for gb200"},
		}, d.Excluded)
	})
	t.Run("of_equals_the_one_whose_node_comes_first", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("b", of("NVIDIA-A100")), node("a", of("NVIDIA-GB200"))}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, "gb200", d.Architecture)
	})
	t.Run("who_has_no_label_has_no_vote", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", nil, unlabelled), node("b", nil, unlabelled), node("c", of("NVIDIA-H100"))}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, []string{"c"}, eligible(d.Selection))
	})
	t.Run("nobody_says", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", nil, unlabelled)}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Empty(t, d.Architecture)
		require.Equal(t, []string{"a"}, eligible(d.Selection), "8 GPUs are advertised, so the job can be sized")
	})
	t.Run("what_is_asked_for_keeps_nodes_that_do_not_say", func(t *testing.T) {
		d, err := Discover([]corev1.Node{node("a", nil, unlabelled), node("b", of("NVIDIA-A100"))}, nil, nil, Ask{Architecture: "h100"})
		require.NoError(t, err)
		require.Equal(t, []string{"a"}, eligible(d.Selection))
	})
	t.Run("a_ResourceSlice_speaks_for_a_node_without_the_label", func(t *testing.T) {
		slice := func(node, driver string, names ...string) resourcev1.ResourceSlice {
			s := resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Driver: driver, NodeName: ptr.To(node)}}
			for _, n := range names {
				device := resourcev1.Device{Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{}}
				if n != "" {
					device.Attributes["productName"] = resourcev1.DeviceAttribute{StringValue: ptr.To(n)}
				}
				s.Spec.Devices = append(s.Spec.Devices, device)
			}
			return s
		}
		products := Products([]resourcev1.ResourceSlice{
			slice("a", "compute-domain.nvidia.com", "NVIDIA X"), slice("a", "gpu.nvidia.com", "", "NVIDIA GB200"), slice("a", "gpu.nvidia.com", "NVIDIA A100"),
			slice("b", "gpu.nvidia.com", ""), {Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.nvidia.com"}},
		})
		require.Equal(t, map[string]string{"a": "NVIDIA-GB200"}, products)
		d, err := Discover([]corev1.Node{node("a", nil, unlabelled)}, products, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, "gb200", d.Architecture)
		require.Empty(t, d.Eligible[0].Product, "the node has no such label, so no pod may ask for one")
	})
}

func TestDiscover_sizes(t *testing.T) {
	gpus := func(count string) func(*corev1.Node) { return hasN(count, string(ResourceGPU)) }
	for name, c := range map[string]struct {
		ask      *int32
		nodes    []corev1.Node
		want     int32
		from     string
		eligible []string
	}{
		"what_is_asked_for_wins":                      {ptr.To[int32](2), []corev1.Node{node("a", nil)}, 2, "spec.gpusPerNode", []string{"a"}},
		"what_the_nodes_agree_on_wins_over_the_table": {nil, []corev1.Node{node("a", nil, gpus("4")), node("b", nil, gpus("4"))}, 4, "what the nodes advertise", []string{"a", "b"}},
		"a_node_that_shows_none_has_no_vote":          {nil, []corev1.Node{node("a", nil, noGPUs), node("b", nil, gpus("4"))}, 4, "what the nodes advertise", []string{"a", "b"}},
		"the_table_where_nothing_shows":               {nil, []corev1.Node{node("a", nil, noGPUs)}, 8, "the default for h100, since the nodes advertise no GPUs", []string{"a"}},
		"the_table_where_they_differ": {nil, []corev1.Node{node("a", nil, gpus("4")), node("b", nil)}, 8,
			"the default for h100, since the nodes advertise different numbers (4 on 1 nodes, 8 on 1 nodes)", []string{"b"}},
		"the_platforms_row_goes_first": {nil, []corev1.Node{node("a", of("NVIDIA-L40S"), from("ocid1."), noGPUs)}, 4, "the default for l40s, since the nodes advertise no GPUs", []string{"a"}},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Discover(c.nodes, nil, nil, Ask{GPUs: c.ask})
			require.NoError(t, err)
			require.Equal(t, c.want, d.GPUs)
			require.Equal(t, c.from, d.GPUsFrom)
			require.Equal(t, c.eligible, eligible(d.Selection))
		})
	}
	for want, nodes := range map[string][]corev1.Node{
		"the nodes advertise different numbers of GPUs (4 on 1 nodes, 8 on 1 nodes); set gpusPerNode, or narrow the target": {node("a", of("NVIDIA-V100"), gpus("4")), node("b", of("NVIDIA-V100"))},
		`the nodes advertise no GPUs and their architecture "v100" is not known; set gpusPerNode`:                           {node("a", of("NVIDIA-V100"), noGPUs)},
	} {
		_, err := Discover(nodes, nil, nil, Ask{})
		require.EqualError(t, err, want)
	}
	t.Run("the_tables", func(t *testing.T) {
		for key, want := range map[[2]string][2]int32{
			{"aws", "h100"}: {8, 8}, {"", "l40"}: {8, 4}, {"aws", "gb200"}: {4, 8}, {"oci", "gb200"}: {4, 0}, {"oci", "gb300"}: {4, 4},
			{"oci", "h100"}: {8, 8}, {"nscale", "gb300"}: {4, 4}, {"gcp", "rtxpro6000"}: {8, 0}, {"oci", "l40s"}: {4, 2}, {"onprem", "b300"}: {8, 8},
		} {
			f, err := Offline(Ask{Platform: key[0], Architecture: key[1]})
			require.NoError(t, err)
			require.Equal(t, want, [2]int32{f.GPUs, f.NICs}, key)
		}
		_, err := Offline(Ask{Architecture: "v100"})
		require.Error(t, err)
	})
}

func TestDiscover_NICs(t *testing.T) {
	gb200 := of("NVIDIA-GB200")
	for name, c := range map[string]struct {
		ask   Ask
		nodes []corev1.Node
		name  string
		count int32
		note  string
	}{
		"azure_has_a_name_for_them":                 {Ask{}, []corev1.Node{node("a", nil, from("azure://"), hasN("6", "nvidia.com/mlnxnics"))}, "nvidia.com/mlnxnics", 6, ""},
		"the_table_where_none_shows":                {Ask{}, []corev1.Node{node("a", nil, from("azure://"))}, "nvidia.com/mlnxnics", 8, ""},
		"0_opts_out":                                {Ask{NICs: ptr.To[int32](0)}, []corev1.Node{node("a", nil, from("azure://"))}, "nvidia.com/mlnxnics", 0, ""},
		"aws_has_no_name":                           {Ask{}, []corev1.Node{node("a", nil, from("aws://"))}, "", 8, ""},
		"onprem_h100_is_not_looked_at":              {Ask{}, []corev1.Node{node("a", nil, hasN("8", "rdma/ib"))}, "", 8, ""},
		"the_only_candidate":                        {Ask{}, []corev1.Node{node("a", gb200, hasN("8", "rdma/ib")), node("b", gb200, hasN("8", "rdma/ib"))}, "rdma/ib", 8, ""},
		"b300_too":                                  {Ask{}, []corev1.Node{node("a", of("NVIDIA-B300"), hasN("8", "nvidia.com/mlnxnics"))}, "nvidia.com/mlnxnics", 8, ""},
		"a_shared_plugins_count_is_not_one_of_NICs": {Ask{}, []corev1.Node{node("a", gb200, hasN("1000", "rdma/shared"))}, "rdma/shared", 8, ""},
		"what_is_named_does_nothing_on_a_platform_with_a_name": {Ask{NICResource: "example.com/nic"}, []corev1.Node{node("a", nil, from("azure://"), hasN("6", "nvidia.com/mlnxnics"))}, "nvidia.com/mlnxnics", 6, ""},
		"what_is_named_does_nothing_on_h100":                   {Ask{NICResource: "example.com/nic"}, []corev1.Node{node("a", of("NVIDIA-H100-80GB-HBM3"))}, "", 8, ""},
		"what_is_named_is_not_looked_for":                      {Ask{NICResource: "example.com/nic"}, []corev1.Node{node("a", gb200, hasN("8", "rdma/a", "rdma/b"))}, "example.com/nic", 8, ""},
		"several":                                              {Ask{}, []corev1.Node{node("a", gb200, hasN("8", "rdma/a", "rdma/b"))}, "", 8, "every node advertises several RDMA resources (rdma/a, rdma/b)"},
		"none":                                                 {Ask{}, []corev1.Node{node("a", gb200)}, "", 8, "no node advertises an RDMA resource"},
		"too_few":                                              {Ask{}, []corev1.Node{node("a", gb200, hasN("4", "rdma/a"))}, "", 8, "(rdma/a) none is advertised 8 times or more by every node"},
		"too_few_on_one":                                       {Ask{}, []corev1.Node{node("a", gb200, hasN("8", "rdma/a")), node("b", gb200)}, "", 8, "none is advertised 8 times"},
		"one_of_two_qualifies":                                 {Ask{}, []corev1.Node{node("a", gb200, hasN("8", "rdma/a"), hasN("2", "rdma/b"))}, "rdma/a", 8, ""},
		"an_opt_out_needs_one_of_a_candidate_though":           {Ask{NICs: ptr.To[int32](0)}, []corev1.Node{node("a", gb200, has("rdma/a"))}, "rdma/a", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Discover(c.nodes, nil, nil, c.ask)
			require.NoError(t, err)
			require.Equal(t, c.name, d.NICResource)
			require.Equal(t, c.count, d.NICs)
			if c.note == "" {
				require.Empty(t, d.Warnings)
			} else {
				require.Len(t, d.Warnings, 1)
				require.Contains(t, d.Warnings[0], c.note)
			}
		})
	}
}

func TestDiscover_GKE_networks(t *testing.T) {
	all := []string{"default"}
	for _, n := range []string{"h", "g", "f", "e", "d", "c", "b", "a"} {
		all = append(all, n, n+".IP")
	}
	networks := func(names ...string) func(*corev1.Node) {
		for i := range names {
			names[i] = prefixNetwork + names[i]
		}
		return has(names...)
	}
	gke := func(change ...func(*corev1.Node)) corev1.Node {
		return node("a", nil, append(change, from("gce://"))...)
	}
	t.Run("by_name", func(t *testing.T) {
		d, err := Discover([]corev1.Node{gke(networks(append([]string{}, all...)...))}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, []string{"a", "b", "c", "d", "e", "f", "g", "h"}, d.Networks)
		require.Empty(t, d.Warnings)
	})
	t.Run("by_interface_where_the_node_says", func(t *testing.T) {
		d, err := Discover([]corev1.Node{gke(networks(append([]string{}, all...)...), func(n *corev1.Node) {
			n.Annotations = map[string]string{
				annotationNorth: `[{"network":"a","ipAddress":"10.0.0.2"},{"network":"b","ipAddress":"10.0.0.1"},{"network":"c","ipAddress":"10.0.0.3"}]`,
				annotationNIC:   `[{"birthIP":"10.0.0.2","birthName":"eth2"},{"birthIP":"10.0.0.1","birthName":"eth1"},{"birthIP":"10.0.0.3","birthName":"eth10"}]`,
			}
		})}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, []string{"d", "e", "f", "g", "h", "b", "a", "c"}, d.Networks)
	})
	t.Run("otherwise_Googles_names_with_a_warning", func(t *testing.T) {
		d, err := Discover([]corev1.Node{gke(networks("a", "b"))}, nil, nil, Ask{})
		require.NoError(t, err)
		require.Equal(t, "gpu-nic0", d.Networks[0])
		require.Len(t, d.Networks, 8)
		require.Contains(t, d.Warnings[0], "2 networks are on every node")
	})
}

func TestCommonResources(t *testing.T) {
	a := node("a", nil, hasN("32", "vpc.amazonaws.com/efa"), hasN("2Mi", "hugepages-2Mi"), has("x/only-a"), hasN("0", "x/none"))
	b := node("b", nil, hasN("30", "vpc.amazonaws.com/efa"), hasN("2Mi", "hugepages-2Mi"))
	common, partial := commonResources([]corev1.Node{a, b})
	require.Equal(t, map[string]int64{"nvidia.com/gpu": 8, "vpc.amazonaws.com/efa": 30, "hugepages-2Mi": 2 << 20}, common)
	require.Equal(t, map[string]int{"x/only-a": 1}, partial)
	common, partial = commonResources(nil)
	require.Nil(t, common)
	require.Nil(t, partial)
}
