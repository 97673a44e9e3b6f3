package simulate

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Marks of the generated part of docs/isolation.md.
const (
	tableBegins = "<!-- table: go test ./internal/simulate -run TestTable -update -->\n"
	tableEnds   = "<!-- end of the table -->\n"
)

// Three draws a fleet of 128 nodes, three of them bad, in groups of eight.
func Three(seed uint64) *Fleet {
	rng := rand.New(rand.NewPCG(seed, 0x80))
	f := newFleet(rng, 128, 16)
	f.Size, f.Noise, f.Follow = 8, 0.02*rng.Float64(), rng.IntN(2) == 0
	for len(f.Faults) < 3 {
		f.strike([]Kind{Dead, Slow, Wrong, Hang}[rng.IntN(4)])
	}
	f.index()
	return f
}

// method is a way to judge a fleet.
type method struct {
	name string
	run  func(*Fleet) (Opinion, error)
}

func always(run func(*Fleet) Opinion) func(*Fleet) (Opinion, error) {
	return func(f *Fleet) (Opinion, error) { return run(f), nil }
}

var methods = []method{
	{"Seatrial", Seatrial},
	{"random pairs, second pass (Google CHS)", always(TwoPass)},
	{"two rounds of pairs (DLRover)", always(TwoRounds)},
	{"bisection", always(Bisection)},
}

// row sums up one method over fleets.
type row struct {
	fleets, rounds, jobs int
	// mostRounds and mostJobs are the most that a fleet took beyond the screening.
	mostRounds, mostJobs int
	score                Score
}

func (r *row) add(f *Fleet, o Opinion) {
	r.fleets++
	r.rounds += o.Rounds
	r.jobs += o.Jobs
	r.mostRounds = max(r.mostRounds, o.Rounds-1)
	r.mostJobs = max(r.mostJobs, o.Jobs-o.Screening)
	r.score.Add(Compare(f, o))
}

const head = "| method | fleets | rounds | jobs | most beyond the screening | node faults found | left as suspects | healthy accused | of them alone in a leaf | healthy left as suspects | flaky noticed | faults of the fabric called | called in vain |\n" +
	"|---|---|---|---|---|---|---|---|---|---|---|---|---|\n"

func (r *row) write(b *strings.Builder, name string, fabric bool) {
	s, n := r.score, float64(max(r.fleets, 1))
	links, vain := "none", "-"
	if fabric {
		links, vain = fmt.Sprintf("%d of %d", s.LinksFound, s.Links), fmt.Sprint(s.FalseLinks)
	}
	fmt.Fprintf(b, "| %s | %d | %.1f | %.1f | %d rounds, %d jobs | %d of %d | %d | %d | %d | %d | %d of %d | %s | %s |\n", name, r.fleets,
		float64(r.rounds)/n, float64(r.jobs)/n, r.mostRounds, r.mostJobs, s.Found, s.Nodes, s.Kept, s.False, s.FalseAlone, s.Doubted, s.FlakyFound, s.Flaky, links, vain)
}

// Table plays fleets, seeds 0 to fleets-1, with every method and returns the result as Markdown. Every method sees a fleet of
// its own of the same seed.
func Table(fleets int) (string, error) {
	var b strings.Builder
	b.WriteString(tableBegins)
	// 1. All kinds of faults.
	judged, rest := make([]row, len(methods)), make([]row, len(methods))
	for seed := range uint64(fleets) {
		enough := false
		for i, m := range methods {
			f := New(seed)
			o, err := m.run(f)
			if err != nil {
				return "", fmt.Errorf("playing fleet %d: %w", seed, err)
			}
			if o.Case != nil { // Seatrial's, which is first
				enough = Judged(f, o.Case)
			}
			if enough {
				judged[i].add(f, o)
			} else {
				rest[i].add(f, o)
			}
		}
	}
	b.WriteString("\nFleets in which each suspect has two known-good partners:\n\n" + head)
	for i, m := range methods {
		judged[i].write(&b, m.name, i == 0)
	}
	b.WriteString("\nThe other fleets, in which some suspect has fewer:\n\n" + head)
	for i, m := range methods {
		rest[i].write(&b, m.name, i == 0)
	}
	// 2. The plain case.
	b.WriteString("\n128 nodes in groups of 8, three of them bad:\n\n" + head)
	for i, m := range methods {
		var r row
		for seed := range uint64(fleets / 20) {
			f := Three(seed)
			o, err := m.run(f)
			if err != nil {
				return "", fmt.Errorf("playing fleet %d of three: %w", seed, err)
			}
			r.add(f, o)
		}
		r.write(&b, m.name, i == 0)
	}
	b.WriteString("\n")
	return b.String(), nil
}
