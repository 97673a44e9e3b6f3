package report

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// fleetOf is a run of groups of two nodes, each with a bus bandwidth.
func fleetOf(values ...float64) Input {
	var in Input
	for i, v := range values {
		a, b := fmt.Sprintf("n%02d", 2*i), fmt.Sprintf("n%02d", 2*i+1)
		in.Target = append(in.Target, a, b)
		in.Groups = append(in.Groups, v1alpha1.GroupResult{Name: fmt.Sprintf("group-%d", i), Nodes: []string{a, b}, Verdict: v1alpha1.Pass,
			Bandwidth: &v1alpha1.Bandwidth{BusBandwidthGBps: new(v)}})
	}
	return in
}

func TestOutliers(t *testing.T) {
	for name, c := range map[string]struct {
		in   Input
		want int
	}{
		"a group far below the others":            {fleetOf(390, 391, 389, 392, 300, 388), 2},
		"a group far above the others is no harm": {fleetOf(390, 391, 389, 392, 500, 388), 0},
		"a spread fleet has no outlier":           {fleetOf(390, 300, 350, 280, 320, 370), 0},
		"a small difference is none":              {fleetOf(390, 390, 390, 390, 389, 390), 0},
		"all equal but one":                       {fleetOf(390, 390, 390, 390, 200, 390), 2},
		"too few to compare":                      {fleetOf(390, 390, 390, 200), 0},
		"no finite value":                         {fleetOf(math.NaN(), 390, 390, 390, 390, 390), 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := Build(c.in)
			require.Equal(t, c.want, r.Counts.Suspect)
			require.Zero(t, r.Counts.Failed, "never a fail")
			require.NotEqual(t, v1alpha1.Fail, r.Verdict)
			require.Equal(t, c.want == 0, r.Verdict == v1alpha1.Pass)
		})
	}
	t.Run("the reason has both values", func(t *testing.T) {
		r := Build(fleetOf(390, 391, 389, 392, 300, 388))
		require.Equal(t, "group-4: its bus bandwidth is 300 GB/s, the median of 6 groups like it 389.5 (robust z-score 40.2)", r.Nodes[8].Reason)
	})
	t.Run("groups of another size are not like it", func(t *testing.T) {
		in := fleetOf(390, 391, 389, 392, 300, 388)
		in.Groups[4].Nodes = append(in.Groups[4].Nodes, "n99")
		require.Zero(t, Build(in).Counts.Suspect)
	})
	t.Run("groups over more domains are not like it", func(t *testing.T) {
		in := fleetOf(390, 391, 389, 392, 300, 388)
		in.Groups[4].Domain = "rack-a, rack-b"
		require.Zero(t, Build(in).Counts.Suspect)
	})
	t.Run("a threshold says what is good enough", func(t *testing.T) {
		in := fleetOf(390, 391, 389, 392, 300, 388)
		in.Thresholds = []Threshold{{"busBandwidthGBps", "value >= 250"}}
		for i := range in.Groups {
			in.Groups[i].Thresholds = []v1alpha1.ThresholdResult{{Key: "busBandwidthGBps", Value: in.Groups[i].Bandwidth.BusBandwidthGBps, Met: true}}
		}
		require.Equal(t, v1alpha1.Pass, Build(in).Verdict)
	})
	t.Run("a node that did well elsewhere is none", func(t *testing.T) {
		in := fleetOf(390, 391, 389, 392, 300, 388)
		in.Groups[5].Nodes = []string{"n08", "n11"}
		r := Build(in)
		require.Equal(t, 1, r.Counts.Suspect)
	})
	t.Run("a slow step is worse, a fast one is not", func(t *testing.T) {
		in := fleetOf(5, 5.1, 4.9, 5, 9, 2)
		for i := range in.Groups {
			in.Groups[i].Training = &v1alpha1.Training{AvgStepTimeSec: in.Groups[i].Bandwidth.BusBandwidthGBps}
			in.Groups[i].Bandwidth = nil
		}
		r := Build(in)
		require.Equal(t, 2, r.Counts.Suspect)
		require.Contains(t, r.Nodes[8].Reason, "its step time is 9 s")
	})
}
