package parse

// processRows is a list with a list for each process, of the time of each iteration in µs.
const processRows = "per_process_max_times_us"

// Process is how long one process took beside the others, as the JSON of nccl-tests tells for -I 1 -J. It is one GPU's time only
// where a process has one: else that of its slowest.
type Process struct {
	// Rows counts the placements of rows that tell of it.
	Rows int
	// Relative is the sum over those of its mean time through that of the median process; divide by Rows for the mean.
	Relative float64
	// Worst is the largest of these quotients, at a message size of WorstSize bytes.
	Worst     float64
	WorstSize int64
}

// processTimes adds up the iterations of every process in one placement of a row.
type processTimes struct {
	skip  int // leading iterations that the tool leaves out as well
	sums  []float64
	after []int // iterations seen of each process
}

func (t *processTimes) begin() { t.skip, t.sums, t.after = 0, t.sums[:0], t.after[:0] }

// process begins the next one.
func (t *processTimes) process() {
	if len(t.sums) < maxDevices {
		t.sums, t.after = append(t.sums, 0), append(t.after, 0)
	}
}

func (t *processTimes) iteration(us float64) {
	last := len(t.sums) - 1
	if t.after[last]++; t.after[last] > t.skip {
		t.sums[last] += us
	}
}

// means are the mean times of the processes, nil unless each has as many iterations as the others and took some time.
func (t *processTimes) means() []float64 {
	if len(t.sums) < 2 {
		return nil
	}
	means := make([]float64, 0, len(t.sums))
	for i, sum := range t.sums {
		n := t.after[i] - t.skip
		if n < 1 || t.after[i] != t.after[0] || sum <= 0 || !finite(sum) {
			return nil
		}
		means = append(means, sum/float64(n))
	}
	return means
}

// addProcesses keeps what a placement of a row tells of its processes.
func (p *Parser) addProcesses(t *Test, size int64, means []float64) {
	if more := len(means) - len(t.Processes); more > 0 {
		if p.devices+more > maxDevices {
			p.log.Truncated = true
			return
		}
		p.devices += more
		t.Processes = append(t.Processes, make([]Process, more)...)
	}
	middle := median(means)
	for i, mean := range means {
		process, relative := &t.Processes[i], mean/middle
		if !finite(process.Relative + relative) {
			continue
		}
		process.Rows++
		process.Relative += relative
		if relative > process.Worst {
			process.Worst, process.WorstSize = relative, size
		}
	}
}

// iteration reads what is told of the single iterations of a placement.
func (r *result) iteration(at []jsonFrame, text []byte) {
	v, ok := number(text)
	switch {
	case !ok:
	case len(at) == 6 && at[3].key == processRows && len(r.processes.sums) > 0:
		r.processes.iteration(v)
	case len(at) > 4:
	case at[3].key == "skipped_iterations":
		r.processes.skip = smallInt(text)
	case at[3].key == "min_us":
		r.iterations.read(minColumn, v)
	case at[3].key == "max_us":
		r.iterations.read(maxColumn, v)
	case at[3].key == "p99_us":
		r.iterations.read(p99Column, v)
	case at[3].key == "cv_pct":
		r.iterations.read(cvColumn, v)
	}
}
