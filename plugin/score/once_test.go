package score_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// resultOf is what nccl-tests writes with -J for a run of two ranks whose table has some sizes: the same numbers with more digits.
func resultOf(sizes ...int) string {
	var results []string
	for _, size := range sizes {
		values := map[int][2]string{524288: {`"time":20.391,"alg_bw":25.7119,"bus_bw":25.7119`, `"time":20.4799,"alg_bw":25.6,"bus_bw":25.6`},
			1048576: {`"time":27.7602,"alg_bw":37.7731,"bus_bw":37.7731`, `"time":27.4944,"alg_bw":38.1381,"bus_bw":38.1381`}}[size]
		results = append(results, fmt.Sprintf(`{"size":%d,"count":1,"type":"float","redop":"sum","root":"    -1","out_of_place":{%s,"nwrong":0.000000},"in_place":{%s,"nwrong":0.000000}}`, size, values[0], values[1]))
	}
	return `{"version":3,"args":["all_reduce_perf"],"config":{"nthreads":1,"ngpus":1,"validation":1,"devices":[{"rank":0,"hostname":"node-a"},{"rank":1,"hostname":"node-b"}]},"results":[` +
		strings.Join(results, ",") + `],"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":31.805775,"okay":"unchecked"},"errors":[""],"end_time":"x"}` + "\n"
}

// TestOnce: the file of -J behind the table of the same run is no second run.
func TestOnce(t *testing.T) {
	result := resultOf(524288, 1048576)
	t.Run("table and file are one test, with the table's numbers", func(t *testing.T) {
		want := of(good)
		require.Equal(t, want, of(good+"=== results.json ===\n"+result))
		require.Equal(t, want, of(good+result+result))
	})
	t.Run("a file that was cut takes nothing from a whole table", func(t *testing.T) {
		cut := result[:strings.Index(result, `"out_of_bounds"`)]
		require.Equal(t, of(good), of(good+cut))
	})
	t.Run("the list of rccl-tests as well", func(t *testing.T) {
		list := `[{"numCycle":0,"name":"AllReduce","size":524288,"type":"float","redop":"sum","inPlace":0,"time":20.391,"algBw":25.7119,"busBw":25.7119,"wrong":"0"},
{"numCycle":0,"name":"AllReduce","size":1048576,"type":"float","redop":"sum","inPlace":1,"time":27.4944,"algBw":38.1381,"busBw":38.1381,"wrong":"0"}]
`
		require.Equal(t, of(good), of(good+list))
		require.Equal(t, of(good), of(good+strings.ReplaceAll(list, "\n", "")+"\n"), "in one line")
		wrong := strings.ReplaceAll(strings.Replace(list, `"wrong":"0"}]`, `"wrong":"7"}]`, 1), "\n", "") + "\n"
		require.Equal(t, v1alpha1.CauseWrongResults, of(good+wrong).Cause)
		require.Equal(t, v1alpha1.CauseWrongResults, of(wrong).Cause, "without a table before it")
		torn := list[:strings.Index(list, "\n")] + `{"numCycle":0,"name":"AllReduce","size":10485` + "\n"
		require.Equal(t, v1alpha1.CauseIncomplete, of(torn).Cause, "and one that breaks is not whole")
	})
	for name, text := range map[string]string{
		"other numbers are another run":       good + strings.Replace(result, "27.7602", "28.7602", 1),
		"another size is another run":         good + strings.Replace(result, `"size":524288`, `"size":524292`, 1),
		"one row does not show the same run":  good + resultOf(1048576),
		"an unfinished table takes no file":   begin + devices + header + rows + result,
		"two tables are two runs":             good + good,
		"a file that is there twice is twice": result + result,
	} {
		t.Run(name, func(t *testing.T) {
			require.Nil(t, of(text).Bandwidth.AvgBusGBps)
		})
	}
	t.Run("what a file counts as wrong is not left out", func(t *testing.T) {
		require.Equal(t, v1alpha1.CauseWrongResults, of(good+strings.Replace(result, `"nwrong":0.000000`, `"nwrong":5.000000`, 1)).Cause)
	})
}

// TestJSONHeld: a file of -J is held to what a table is held to.
func TestJSONHeld(t *testing.T) {
	result := resultOf(524288, 1048576)
	require.Equal(t, v1alpha1.Pass, of(result).Verdict)
	for name, text := range map[string]string{
		"an average that is not the rows'":       strings.Replace(result, `"bandwidth":31.805775`, `"bandwidth":20`, 1),
		"a count of wrong values that is nan":    strings.Replace(result, `"nwrong":0.000000`, `"nwrong":"nan"`, 1),
		"a count of wrong values below 0":        strings.Replace(result, `"nwrong":0.000000`, `"nwrong":-1`, 1),
		"a count of wrong values that is a word": strings.Replace(result, `"nwrong":0.000000`, `"nwrong":"many"`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			got := of(text)
			require.Equal(t, v1alpha1.Unknown, got.Verdict)
			require.Equal(t, v1alpha1.CauseIncomplete, got.Cause)
			require.False(t, got.Bandwidth.Complete)
		})
	}
}

// TestJSONTraps: what the JSON of nccl-tests says in its own way.
func TestJSONTraps(t *testing.T) {
	result := resultOf(524288, 1048576)
	for name, c := range map[string]struct {
		old, new string
		verdict  v1alpha1.Verdict
		cause    v1alpha1.Cause
	}{
		"good":                                    {"", "", v1alpha1.Pass, ""},
		"true and false are texts":                {`"count":0,"okay":"true"`, `"count":0,"okay":"false"`, v1alpha1.Fail, v1alpha1.CauseWrongResults},
		"so is unchecked":                         {`"count":0,"okay":"true"`, `"count":0,"okay":"unchecked"`, v1alpha1.Unknown, v1alpha1.CauseUnchecked},
		"validation off":                          {`"validation":1`, `"validation":0`, v1alpha1.Unknown, v1alpha1.CauseUnchecked},
		"no check has no number of wrong values":  {`"nwrong":0.000000`, `"nwrong":null`, v1alpha1.Unknown, v1alpha1.CauseUnchecked},
		"the tool's own gate":                     {`"okay":"unchecked"`, `"okay":"false"`, v1alpha1.Fail, v1alpha1.CauseThreshold},
		"an average that is none":                 {`"bandwidth":31.805775`, `"bandwidth":"nan"`, v1alpha1.Unknown, v1alpha1.CauseIncomplete},
		"a bandwidth that is none":                {`"bus_bw":37.7731`, `"bus_bw":"nan"`, v1alpha1.Unknown, v1alpha1.CauseIncomplete},
		"an endless one, which is no text":        {`"bus_bw":37.7731`, `"bus_bw":inf`, v1alpha1.Unknown, v1alpha1.CauseIncomplete},
		"processor time":                          {`"time":`, `"cpu_time":`, v1alpha1.Pass, ""},
		"no out-of-place half":                    {`{"time":27.7602,"alg_bw":37.7731,"bus_bw":37.7731,"nwrong":0.000000}`, `null`, v1alpha1.Pass, ""},
		"objects of tomorrow within a placement":  {`"bus_bw":37.7731`, `"bus_bw":37.7731,"bitwise":{"bus_bw":99,"nwrong":9,"first_rank":null}`, v1alpha1.Pass, ""},
		"a host cut at a byte beyond ASCII":       {`"hostname":"node-b"`, `"hostname":""`, v1alpha1.Pass, ""},
		"a rank that stands twice":                {`"rank":1,`, `"rank":0,`, v1alpha1.Fail, v1alpha1.CauseNoMPI},
		"an error that was overcome":              {`"errors":[""]`, `"errors":["Call to ibv_create_qp failed"]`, v1alpha1.Pass, ""},
		"an error that closed the file early":     {`"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":31.805775,"okay":"unchecked"},"errors":[""]`, `"errors":["Call to ibv_create_qp failed"]`, v1alpha1.Fail, v1alpha1.CauseIBError},
		"a file that lost its end":                {`,"errors":[""],"end_time":"x"}`, ``, v1alpha1.Unknown, v1alpha1.CauseIncomplete},
		"a file that was closed without a footer": {`"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":31.805775,"okay":"unchecked"},`, ``, v1alpha1.Unknown, v1alpha1.CauseIncomplete},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, result, c.old)
			got := of(strings.ReplaceAll(result, c.old, c.new))
			require.Equal(t, c.verdict, got.Verdict, "%v", got.Reasons)
			require.Equal(t, c.cause, got.Cause)
		})
	}
}
