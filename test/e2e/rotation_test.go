//go:build cluster

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// noisyTable prints the table at 100 ms a call beside some 3 MB of other lines: the local cluster's kubelets rotate a log at 256 KiB
// and keep three files, so that its beginning is gone long before its end is written. Every line is written whole, and by one rank,
// since mpirun may cut a line where another rank's output comes in.
const noisyTable = `#!/bin/sh
{ all_reduce_perf_mpi -b 8 -e 512K -f 2 -n 5; echo $? >/tmp/status; } | while IFS= read -r row; do printf '%s\n' "$row"; done &
job=$!
line=0
while [ "$OMPI_COMM_WORLD_RANK" -eq 0 ] && kill -0 $job 2>/dev/null; do
  line=$((line + 1))
  printf 'node:7:%07d [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0 %0400d\n' $line $line
  [ $((line % 40)) -ne 0 ] || sleep 0.1
done
wait $job
exit "$(cat /tmp/status)"
`

func TestALogThatIsRotatedInTheMiddleOfItsTableLosesNoRow(t *testing.T) {
	s := newStand(t, "smoke-rotation")
	f := runFile{Name: "rotation", Measure: true, Env: map[string]string{"SEATRIAL_TEST_FAULT": "slow=100"}}
	text, err := os.ReadFile(s.write(f))
	require.NoError(t, err)
	edited := strings.Replace(string(text), "binary: /usr/local/bin/all_reduce_perf_mpi", "binary: /config/noisy.sh", 1)
	edited += "  config:\n    inline:\n      noisy.sh: |\n" + indent(noisyTable, "        ")
	file := filepath.Join(t.TempDir(), "rotation.yaml")
	require.NoError(t, os.WriteFile(file, []byte(edited), 0o600))

	r := s.run("seatrial", "workloadrun", "run", file, "--wait")
	require.Zero(t, r.code, r.stdout+r.stderr)
	report := s.report("rotation")
	for _, g := range report.Groups {
		require.Equal(t, v1alpha1.Pass, g.Verdict, g.Message)
		require.NotNil(t, g.Bandwidth)
		require.True(t, g.Bandwidth.Complete)
		var sizes []int64
		for _, size := range g.Bandwidth.Results {
			sizes = append(sizes, size.SizeBytes)
			require.Equal(t, 1, size.Samples, "no row is counted twice")
		}
		var want []int64
		for bytes := int64(8); bytes <= 512<<10; bytes *= 2 {
			want = append(want, bytes)
		}
		require.Equal(t, want, sizes, "every row is scored")
	}
}

func indent(text, by string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		fmt.Fprint(&b, by, line)
	}
	return b.String()
}
