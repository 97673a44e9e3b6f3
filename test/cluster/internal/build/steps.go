package build

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// step is one part of a build.
type step struct {
	name  string
	makes []string      // files; all there = done
	cold  time.Duration // how long it takes with empty caches
	run   func(ctx context.Context) error
}

func (s step) done() bool {
	for _, file := range s.makes {
		if _, err := os.Stat(file); err != nil {
			return false
		}
	}
	return true
}

// steps are all steps of a build in their order.
func (b *Builder) steps() []step {
	var out []step
	for _, program := range programs {
		out = append(out, step{
			name:  program.name + " (" + strings.Join(slices.Sorted(maps.Keys(program.binaries)), ", ") + ")",
			makes: below(b.bin, slices.Sorted(maps.Keys(program.binaries))...),
			cold:  program.cold,
			run:   func(ctx context.Context) error { return b.program(ctx, program) },
		})
	}
	return append(out,
		step{name: "manifests", makes: below(b.manifests, "argo.yaml", "jobset.yaml", "trainer.yaml"), cold: 5 * time.Second, run: b.renderManifests},
		step{name: "images", makes: below(b.images, "pause.tar", "argoexec.tar"), cold: 5 * time.Second, run: b.writeImages},
	)
}

func below(folder string, names ...string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = filepath.Join(folder, name)
	}
	return out
}

// reportInterval is how often a long step says how far it is.
const reportInterval = 30 * time.Second

// runSteps runs the steps that are not done, one after the other, and tells of each.
func runSteps(ctx context.Context, say Say, steps []step, now func() time.Time) error {
	began, forecast := now(), newForecast(steps)
	for i, step := range steps {
		if step.done() {
			say("step %d of %d: %s: in the cache", i+1, len(steps), step.name)
			continue
		}
		say("step %d of %d: %s: about %s; all that is left: about %s", i+1, len(steps), step.name, rounded(forecast.step(step, 0)), rounded(forecast.left(step, 0)))
		stepBegan := now()
		stop := every(reportInterval, func() {
			gone := now().Sub(stepBegan)
			say("  %s: %s gone, about %s to go; all that is left: about %s", firstWord(step.name), rounded(gone), rounded(forecast.step(step, gone)), rounded(forecast.left(step, gone)))
		})
		err := step.run(ctx)
		stop()
		if err != nil {
			return fmt.Errorf("building %s: %w", firstWord(step.name), err)
		}
		took := now().Sub(stepBegan)
		forecast.finish(step, took)
		say("step %d of %d: %s: done in %s, %s since the start", i+1, len(steps), firstWord(step.name), rounded(took), rounded(now().Sub(began)))
	}
	return nil
}

// every calls f at an interval until stop is called; stop returns after the last call has.
func every(interval time.Duration, f func()) (stop func()) {
	ticker, end, ended := time.NewTicker(interval), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-ticker.C:
				f()
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(end)
		<-ended
	}
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(text, " ")
	return word
}

func rounded(d time.Duration) time.Duration { return d.Round(time.Second) }
