package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// timedJSON is a result of three processes whose single iterations were timed; the first iteration is left out, as -I does on
// request. Process 1 takes 1.5 times as long.
func timedJSON(rows ...string) string {
	return `{"version":3,"args":["all_reduce_perf"],"config":{"nthreads":1,"ngpus":8,"validation":1,"per_iter_timing":"true","devices":[` +
		`{"rank":0,"hostname":"node-a"},{"rank":8,"hostname":"node-b"},{"rank":16,"hostname":"node-c"}]},"results":[` + strings.Join(rows, ",") + `]}`
}

func timedRow(size int, iterations string) string {
	return fmt.Sprintf(`{"size":%d,"count":1,"type":"float","redop":"sum","root":"-1","out_of_place":{"time":20.0,"alg_bw":1.0,"bus_bw":1.5,"nwrong":0.0,"bitwise":{"repeats":2,"first_rank":null}},`+
		`"out_of_place_per_iter":{"skipped_iterations":1,"min_us":18.0,"max_us":31.0,"avg_us":20.0,"p50_us":20.0,"p95_us":30.0,"p99_us":30.5,"stdev_us":1.0,"cv_pct":5.0,"times_us":[90.0,30.0,31.0],"per_process_max_times_us":%s},"in_place":null}`, size, iterations)
}

func TestProcesses(t *testing.T) {
	const slow = `[[90.0,20.0,20.0],[50.0,30.0,30.0],[20.0,19.0,21.0]]`
	t.Run("each is told apart, without the iterations that are left out", func(t *testing.T) {
		test := Text([]byte(timedJSON(timedRow(8, slow), timedRow(16, `[[9,20,20],[9,40,40],[9,20,20]]`)))).Tests[0]
		require.Equal(t, []Process{{Rows: 2, Relative: 2, Worst: 1, WorstSize: 8}, {Rows: 2, Relative: 3.5, Worst: 2, WorstSize: 16}, {Rows: 2, Relative: 2, Worst: 1, WorstSize: 8}}, test.Processes)
		out := test.Table.Sizes[0].OutOfPlace
		require.Equal(t, &Iterations{Rows: 1, MinUs: 18, MaxUs: 31, P99Us: 30.5, CVPercent: 5}, out.Iterations)
		require.Equal(t, 1, out.Rows, "what is nested in a placement does not change it")
		require.InDelta(t, 1.5, out.BusGBps, 0)
	})
	t.Run("a value that is none stays none beside nested ones", func(t *testing.T) {
		text := strings.Replace(timedJSON(timedRow(8, slow)), `"bus_bw":1.5`, `"bus_bw":"nan"`, 1)
		require.Zero(t, Text([]byte(text)).Tests[0].Table.Sizes[0].OutOfPlace.Rows)
	})
	for name, iterations := range map[string]string{
		"one process":                 `[[9,20,20]]`,
		"a list that was cut":         `[[9,20,20],[9,30,30],[9,20]]`,
		"nothing behind the left out": `[[9],[9],[9]]`,
		"no time at all":              `[[9,0,0],[9,0,0],[9,0,0]]`,
		"words":                       `[["a","b"],["a","b"]]`,
		"no lists":                    `[1,2,3]`,
		"an object":                   `{"a":[1,2]}`,
	} {
		t.Run(name+" tells nothing", func(t *testing.T) {
			log := Text([]byte(timedJSON(timedRow(8, iterations))))
			require.Len(t, log.Tests, 1)
			require.Empty(t, log.Tests[0].Processes)
			require.Equal(t, 1, log.Tests[0].Table.Rows)
		})
	}
	t.Run("their number is bounded", func(t *testing.T) {
		many := "[" + strings.Repeat("[9,1],", maxDevices-1) + "[9,1]]"
		log := Text([]byte(timedJSON(timedRow(8, many), timedRow(16, many))))
		require.True(t, log.Truncated)
		require.Empty(t, log.Tests[0].Processes, "the list of devices has taken some of the room")
	})
}
