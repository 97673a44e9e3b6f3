package demo

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"time"
)

// job is an all_reduce over some nodes.
type job struct {
	name  string
	nodes []string
}

// took is how long the job ran.
func (j job) took(dice *rand.Rand) time.Duration {
	return 92*time.Second + time.Duration(dice.IntN(8000))*time.Millisecond
}

// run makes the job's log, as its launcher would have written it.
func (f Fleet) run(j job) (text string, took time.Duration) {
	name := fnv.New64a()
	_, _ = name.Write([]byte(j.name))                   // it never fails
	dice := rand.New(rand.NewPCG(f.seed, name.Sum64())) // chance that can be repeated
	best := goodGBps * (1 + noiseShare*dice.NormFloat64())
	if f.Slow != "" && slices.Contains(j.nodes, f.Slow) {
		best *= slowShare
	}
	l := logWriter{ranks: len(j.nodes) * gpusPerNode, best: best, wrong: f.Corrupt != "" && slices.Contains(j.nodes, f.Corrupt), dice: dice}
	return l.text(j), j.took(dice)
}

// Log is what the launcher of a good all_reduce over eight GPUs on each of the hosts writes. The same name gives the same bytes.
func Log(name string, hosts []string) string {
	text, _ := Fleet{}.run(job{name, hosts})
	return text
}
