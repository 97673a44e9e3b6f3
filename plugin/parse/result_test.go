package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// resultJSON is what nccl-tests writes with -J for two processes of two GPUs, with a secret in the environment.
const resultJSON = `{"version":3,"start_time":"2026-01-31 10:11:12","args":["\/opt\/nccl-tests\/build\/all_reduce_perf","-J","x"],"env":["HOME=\/root","TOKEN={\"version\":9}"],"nccl_version":22809,` +
	`"config":{"nthreads":1,"ngpus":2,"minimum_bytes":8,"maximum_bytes":16,"step_factor":2,"validation":1,"blocking_collectives":"false","devices":[` +
	`{"rank":0,"group":0,"pid":12,"hostname":"node-a","device":0,"device_hex":"0x04","device_info":"NVIDIA H100"},` +
	`{"rank":2,"group":0,"pid":13,"hostname":"node-b","device":0,"device_hex":"0x04","device_info":"NVIDIA H100"}]},` +
	`"results":[{"size":1048576,"count":262144,"type":"float","redop":"sum","root":"    -1","out_of_place":{"time":27.761234,"alg_bw":100.000000,"bus_bw":150.000000,"nwrong":0.000000},"in_place":{"time":27.5,"alg_bw":102.0,"bus_bw":153.0,"nwrong":3.0},"actual_iterations":20,"experiment_name":"all_reduce"},` +
	`{"size":2097152,"count":524288,"type":"float","redop":"sum","root":"    -1","out_of_place":null,"in_place":{"time":"nan","alg_bw":"nan","bus_bw":"nan","nwrong":null},"in_place_per_iter":{"min_us":1.0,"times_us":[1.0,2.0]},"actual_iterations":20}],` +
	`"out_of_bounds":{"count":3,"okay":"false"},"average_bus_bandwidth":{"bandwidth":151.500000,"okay":"unchecked"},"errors":[],"end_time":"2026-01-31 10:11:13"}`

func TestResult(t *testing.T) {
	indented := func(text string) string {
		var b bytes.Buffer
		require.NoError(t, json.Indent(&b, []byte(text), "", "  "))
		return b.String()
	}
	check := func(t *testing.T, text string) {
		t.Helper()
		log := Text([]byte(text))
		require.Len(t, log.Tests, 1)
		test := log.Tests[0]
		require.Equal(t, "all_reduce", test.Name)
		require.NotZero(t, test.StartLine)
		require.NotZero(t, test.EndLine)
		require.Equal(t, 1, test.Configs[0].Threads)
		require.Equal(t, 2, test.Configs[0].GPUs)
		require.True(t, *test.Configs[0].Validation)
		var ranks []string
		for _, d := range test.Devices {
			ranks = append(ranks, fmt.Sprint(d.Rank, d.Host))
		}
		require.ElementsMatch(t, []string{"0node-a", "1node-a", "2node-b", "3node-b"}, ranks)
		require.Equal(t, 2, test.Table.Rows)
		require.Equal(t, Size{SizeBytes: 1048576, DType: "float", RedOp: "sum", Root: -1, Rows: 1,
			OutOfPlace: Sum{Rows: 1, TimeUs: 27.761234, AlgGBps: 100, BusGBps: 150, Counted: 1},
			InPlace:    Sum{Rows: 1, TimeUs: 27.5, AlgGBps: 102, BusGBps: 153, Counted: 1, Wrong: 3}}, test.Table.Sizes[0])
		require.Equal(t, Size{SizeBytes: 2097152, DType: "float", RedOp: "sum", Root: -1, Rows: 1,
			InPlace: Sum{Iterations: &Iterations{Rows: 1, MinUs: 1}}}, test.Table.Sizes[1])
		require.EqualValues(t, 3, test.Bounds.Count)
		require.False(t, test.Bounds.OK)
		require.InDelta(t, 151.5, test.Average.GBps, 0)
		require.False(t, test.Average.BelowMinimum)
		require.Empty(t, log.Failures)
	}
	t.Run("in one line", func(t *testing.T) { check(t, resultJSON) })
	t.Run("laid out", func(t *testing.T) { check(t, indented(resultJSON)) })
	t.Run("laid out, with prefixes and noise", func(t *testing.T) {
		var b strings.Builder
		for line := range strings.Lines(indented(resultJSON) + "\n") {
			b.WriteString("2026-02-05T16:17:20.615110976Z " + line)
			b.WriteString("2026-02-05T16:17:20.615110976Z node-a:1:2 [0] NCCL INFO x\n")
		}
		check(t, b.String())
	})
	t.Run("longer than a line may be", func(t *testing.T) {
		long := strings.Replace(resultJSON, `"HOME=`, `"X=`+strings.Repeat("y", 3*maxLine)+`","HOME=`, 1)
		check(t, long)
		check(t, "before\n"+long+"\nafter\n")
		check(t, indented(long))
		for at := 0; at < len(long); at += 997 {
			var p Parser
			_, _ = p.Write([]byte(long[:at]))
			_, _ = p.Write([]byte(long[at:]))
			require.Equal(t, Text([]byte(long)), p.Finish(), "split at %d", at)
		}
	})
	t.Run("every prefix lacks its end", func(t *testing.T) {
		for n := range resultJSON {
			for _, test := range Text([]byte(resultJSON[:n])).Tests {
				require.Zero(t, test.EndLine, "cut at %d", n)
			}
		}
	})
	t.Run("the environment is not read", func(t *testing.T) {
		text := strings.Replace(resultJSON, "HOME=", "X=node-a: Test NCCL failure common.cu:1 'out of memory'", 1)
		check(t, text)
	})
	t.Run("errors are", func(t *testing.T) {
		text := strings.Replace(resultJSON, `"errors":[]`, `"errors":["node-a: Test NCCL failure common.cu:1 'out of memory'"]`, 1)
		log := Text([]byte(text))
		require.Len(t, log.Failures, 1)
		require.Equal(t, v1alpha1.CauseOutOfMemory, log.Failures[0].Cause)
		require.Equal(t, "node-a", log.Failures[0].Host)
	})
	t.Run("not checked", func(t *testing.T) {
		test := Text([]byte(strings.Replace(resultJSON, `"okay":"false"`, `"okay":"unchecked"`, 1))).Tests[0]
		require.True(t, test.Bounds.OK)
		require.False(t, *test.Configs[0].Validation)
	})
	for name, text := range map[string]string{
		"a logger's record with a version": `{"version":1,"msg":"node-a: Test NCCL failure common.cu:1 'out of memory'"}`,
		"a record with another first key":  "{\n\"msg\": 1\nnode-a: Test NCCL failure common.cu:1 'out of memory'",
		"a brace and then a message":       "{\nnode-a: Test NCCL failure common.cu:1 'out of memory'",
		"an object that breaks":            "{\"version\":3,\nnode-a: Test NCCL failure common.cu:1 'out of memory'",
	} {
		t.Run(name+" is none", func(t *testing.T) {
			log := Text([]byte(text + "\n"))
			require.Empty(t, log.Tests)
			require.Len(t, log.Failures, 1)
		})
	}
	t.Run("facts in a wrong order do no harm", func(t *testing.T) {
		log := Text([]byte(`{"version":3,"out_of_bounds":{"count":0,"okay":"true"},"average_bus_bandwidth":{"bandwidth":1,"okay":"true"},"results":[{"size":8,"type":"float"}],"config":{"nthreads":1}}`))
		require.NotEmpty(t, log.Tests)
	})
}

func TestRCCLResult(t *testing.T) {
	text := `[{"numCycle":0,"name":"AllReduce","size":1048576,"type":"float","redop":"sum","inPlace":0,"time":27.5,"algBw":100.0,"busBw":150.0,"wrong":"0"},
{"numCycle":0,"name":"AllReduce","size":1048576,"type":"float","redop":"sum","inPlace":1,"time":27.0,"algBw":102.0,"busBw":153.0,"wrong":"N/A"}]
`
	var laidOut bytes.Buffer
	require.NoError(t, json.Indent(&laidOut, []byte(text), "", "  "))
	for name, text := range map[string]string{"an object for each line": text, "objects over several lines": laidOut.String()} {
		t.Run(name, func(t *testing.T) {
			test := Text([]byte(text)).Tests[0]
			require.Zero(t, test.BadRow)
			require.Equal(t, 2, test.Table.Rows)
			require.Len(t, test.Table.Sizes, 1)
			require.InDelta(t, 150.0, test.Table.Sizes[0].OutOfPlace.BusGBps, 0)
			require.InDelta(t, 153.0, test.Table.Sizes[0].InPlace.BusGBps, 0)
			require.InDelta(t, 153.0, test.Table.Peak.GBps, 0)
		})
	}
	t.Run("an object that breaks off is a row that cannot be read", func(t *testing.T) {
		for _, rest := range []string{"", "node-a: Killed\n"} {
			cut := laidOut.String()[:strings.LastIndex(laidOut.String(), `"busBw"`)] + rest
			test := Text([]byte(cut)).Tests[0]
			require.Equal(t, 1, test.Table.Rows)
			require.NotZero(t, test.BadRow)
		}
	})
}

// TestNested: a record within a record says what it says by itself.
func TestNested(t *testing.T) {
	pack := func(text string) string {
		var b strings.Builder
		for line := range strings.Lines(text) {
			record, err := json.Marshal(map[string]string{"log": line, "stream": "stdout"})
			require.NoError(t, err)
			b.Write(append(record, '\n'))
		}
		return b.String()
	}
	for name, text := range map[string]string{"a table": pack(good), "a result": resultJSON + "\n", "a failure": pack("node-c: Test NCCL failure common.cu:1 'out of memory'\n")} {
		want := Text([]byte(text))
		for range maxNested - 1 - strings.Count(text[:min(8, len(text))], `"log"`) {
			text = pack(text)
			require.Equal(t, want, Text([]byte(text)), name)
		}
		require.NotPanics(t, func() { Text([]byte(pack(pack(pack(text))))) })
	}
}

// recorder is a sink that writes down what it is told.
type recorder struct{ values []string }

func (r *recorder) open([]jsonFrame) {}
func (r *recorder) shut([]jsonFrame) {}
func (r *recorder) value(_ []jsonFrame, text []byte) {
	r.values = append(r.values, string(text))
}

// FuzzJSON: whatever the library takes for JSON is read to its end, with the same scalars, however it is split.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{resultJSON, `{}`, `[]`, `[1,"a\u00e9\n",{"b":[null,true,-1.5e+3]}]`, `{"a":{"b":{}}}`, `[[],[]]`, `{"a":`, `{,}`, `[1 2]`} {
		f.Add([]byte(seed), 3)
	}
	f.Fuzz(func(t *testing.T, text []byte, at int) {
		if at = at % (len(text) + 1); at < 0 {
			at = -at
		}
		whole, split := &recorder{}, &recorder{}
		one := jsonScanner{sink: whole}
		ok := one.feed(text)
		two := jsonScanner{sink: split}
		okSplit := two.feed(text[:at]) && two.feed(text[at:])
		require.Equal(t, ok, okSplit)
		require.Equal(t, whole.values, split.values)
		first := bytes.TrimLeft(text, " \t\r\n")
		if json.Valid(text) && len(first) > 0 && (first[0] == '{' || first[0] == '[') && depth(text) < maxJSONDepth {
			require.True(t, ok, "%q", text)
			require.Equal(t, jsonDone, one.state)
		}
	})
}

// depth bounds how deep text may be nested.
func depth(text []byte) int { return bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{")) }
