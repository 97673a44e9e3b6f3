//go:build cluster

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

// trainScript is a training on CPUs: steps that all-reduce a tensor by gloo, check the sum, and print what Megatron-LM prints,
// with the times that they took. The profile takes ten for warm-up and looks at each tenth.
const trainScript = `import os, sys, time, torch
import torch.distributed as dist
steps = next((int(sys.argv[i + 1]) for i, a in enumerate(sys.argv) if a in ("--steps", "--train-iters")), 60)
dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
assert world == int(os.environ["EXPECT_WORLD"]), world
for step in range(1, steps + 1):
    began = time.time()
    tensor = torch.full((1 << 18,), float(rank + 1))
    dist.all_reduce(tensor)
    assert torch.all(tensor == world * (world + 1) / 2), tensor
    time.sleep(0.1)
    if rank == world - 1:
        ms = (time.time() - began) * 1000
        print(f" [{time.strftime('%Y-%m-%d %H:%M:%S')}] iteration {step:8d}/{steps:8d} | consumed samples: {step * 8:12d} |"
              f" elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): 0.1 | learning rate: 1.0E-04 |"
              f" global batch size: {8:5d} | lm loss: {5.0 / step:.6E} | loss scale: 1.0 | grad norm: 1.0 |"
              f" number of skipped iterations:   0 | number of nan iterations:   0 |", flush=True)
dist.destroy_process_group()
`

// torchRun is the published goodput example, with that script in the file.
const torchRun = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: WorkloadRun
metadata:
  name: goodput
spec:
  image: seatrial.dev/test-image-torch:1
  framework:
    torch:
      script: /config/train.py
      args: ["--steps", "60"]
  numNodes: 2
  gpusPerNode: 2
  env:
  - name: GLOO_SOCKET_IFNAME
    value: eth0
  - name: PET_REDIRECTS # torchrun 1.13 under Python 3.11 cannot read its own default of 0; rank 9 is not there
    value: "9:1"
  - name: PET_TEE
    value: "9:1"
  - name: EXPECT_WORLD
    value: "4"
  goodputMeasurement:
    logProfileRef: megatron-training
  thresholds:
    avgStepTimeSec: value < 60.0
  config:
    inline:
      train.py: |
`

func TestAreaTorch(t *testing.T) {
	s := newStand(t, "area-torch")
	file := filepath.Join(t.TempDir(), "torch.yaml")
	script := "        " + strings.ReplaceAll(strings.TrimSpace(trainScript), "\n", "\n        ") + "\n"
	require.NoError(t, os.WriteFile(file, []byte(torchRun+script), 0o600))
	r := s.run("seatrial", "workloadrun", "run", file, "--wait", "--timeout", "9m")
	require.Zero(t, r.code, r.stdout+r.stderr)
	report := s.report("goodput")
	require.Equal(t, v1alpha1.Pass, report.Verdict)
	require.Equal(t, 3, report.Counts.Passed)
	require.Len(t, report.Groups, 2)
	for _, g := range report.Groups {
		require.NotNil(t, g.Training, g.Name)
		require.Equal(t, 60, g.Training.Steps[len(g.Training.Steps)-1])
		require.GreaterOrEqual(t, *g.Training.AvgStepTimeSec, 0.1)
	}
	s.noPodLeft("goodput")
	t.Run("a mistake in the arguments fails every node alike and blames none", func(t *testing.T) {
		mistake := strings.NewReplacer("name: goodput", "name: mistake", `["--steps", "60"]`, `["--stops", "60"]`).Replace(torchRun)
		require.NoError(t, os.WriteFile(file, []byte(mistake), 0o600))
		r := s.run("seatrial", "workloadrun", "run", file, "--wait", "--timeout", "9m")
		require.Equal(t, 1, r.code, r.stdout+r.stderr)
		report := s.report("mistake")
		for _, g := range report.Groups {
			require.Equal(t, v1alpha1.CauseWorkload, g.Cause, g.Message)
			require.Empty(t, g.Blamed, g.Message)
		}
		require.Equal(t, 3, report.Counts.Suspect)
		s.noPodLeft("mistake")
	})
}
