package parse

import (
	"bytes"
	"math"
)

// read gives a line to the reader of its family.
func (t *trainer) read(l *Log, line []byte, found signals) {
	switch {
	case found.has(megatronStep):
		t.megatron(l, line)
		return
	case found.has(nemoStep):
		t.nemo(l, line)
	case found.has(maxtextStep):
		t.maxtext(l, line)
	case found.has(deepspeedStep):
		t.deepspeed(l, line)
	case found.has(titanStep):
		t.titan(l, line)
	case found.has(nanoStep):
		t.nano(l, line)
	case found.has(bridgeStep):
		t.bridge(l, line)
	case found.has(trainerStep):
		t.trainer(l, line)
	case found.has(watchdog):
		l.training()
	default:
		return
	}
	t.wrapped = false
}

// megatron reads Megatron-LM since 2023, Megatron-Bridge, Megatron-DeepSpeed and Primus:
//
//	[2024-04-06 02:59:36] iteration 43/ 100 | … | elapsed time per iteration (ms): 5444.9 | throughput per GPU (TFLOP/s/GPU): 239.8 | … | lm loss: 1.825991E+00 | …
//
// Primus prints `value/average`. Some terminals wrap the line: its values go on in the lines after it.
func (t *trainer) megatron(l *Log, line []byte) {
	values, nan := megatronValues(line)
	if tr := l.training(); nan && tr.NaNLine == 0 {
		tr.NaNLine = l.Lines
	}
	number, ok := numberBefore(line, "iteration", '/')
	if ok {
		values.Number = number
		t.add(l, values)
		t.wrapped = true
		return
	}
	if step := t.last(l); t.wrapped && step != nil {
		t.check(l, &values)
		t.merge(step, len(l.Training.Steps)-1, values)
	}
}

// megatronValues reads what stands behind the colons of a line. It goes through the line once: it has 300 bytes and a dozen
// values, and a cluster prints it for every rank.
//
// nan: it counts iterations whose loss was not a number. Of those since the last line only the last has its loss in the line, and
// one that was skipped has none.
func megatronValues(line []byte) (values Step, nan bool) {
	var seconds, perGPU, tflops, loss, nans Measure
	for {
		end := bytes.IndexByte(line, ':')
		if end < 0 {
			return Step{Number: -1, TimeSec: seconds, TFLOPs: firstOf(perGPU, tflops), Loss: loss}, nans.Value > 0
		}
		key, rest := trimRight(line[:end]), line[end+1:]
		line = rest
		if len(key) == 0 {
			continue
		}
		var m *Measure
		places := 0
		switch last := key[len(key)-1]; { // which of a dozen keys it may be
		case last == ')' && endsInKey(key, "elapsed time per iteration (ms)"):
			m, places = &seconds, millisecond
		case last == ')' && endsInKey(key, "throughput per GPU (TFLOP/s/GPU)"):
			m = &perGPU
		case last == 's' && endsInKey(key, "TFLOPs"):
			m = &tflops
		case last == 's' && (endsInKey(key, "lm loss") || endsInKey(key, "lm_loss")):
			m = &loss
		case last == 's' && endsInKey(key, "number of nan iterations"):
			m = &nans
		default:
			continue
		}
		if v, ok := scaledNumber(trimLeft(rest), places); ok && !m.Seen {
			*m = Measure{v, true}
		}
	}
}

// endsInKey reports whether text ends in a key that stands by itself.
func endsInKey(text []byte, key string) bool {
	begin := len(text) - len(key)
	return begin >= 0 && string(text[begin:]) == key && (begin == 0 || !isNameByte(text[begin-1]))
}

// nemo reads NeMo's progress bar, whose global_step is rounded while the bar's own count is not, and its log line:
//
//	Epoch 0: :   3%|▎ | 9000/301500 [1:42:42<55:37:46, reduced_train_loss=7.1, global_step=9e+3, train_step_timing in s=0.615]
//	Training epoch 0, iteration 3/99 | lr: … | global_step: 3 | reduced_train_loss: 11.03 | train_step_timing in s: 7.123 | TFLOPS_per_GPU: 400
func (t *trainer) nemo(l *Log, line []byte) {
	s := Step{
		Number:  -1,
		TimeSec: valueOf(line, "train_step_timing in s"),
		TFLOPs:  valueOf(line, "TFLOPS_per_GPU"),
		Loss:    valueOf(line, "reduced_train_loss"),
	}
	if n, ok := barCount(line); ok {
		s.Number = n
		t.inEpoch(l, valueOf(line, "Epoch"))
		defer func() { t.epochal = false }()
	} else if g := valueOf(line, "global_step"); g.Seen {
		s.Number = stepNumber(g.Value)
	} else if n, ok := numberBefore(line, "iteration", '/'); ok {
		s.Number = n
	}
	t.add(l, s)
}

// maxtext reads `completed step: 5, seconds: 2.345, TFLOP/s/device: 123.456, Tokens/s/device: 1234.5, …, loss: 10.8`.
func (t *trainer) maxtext(l *Log, line []byte) {
	if n := valueOf(line, "completed step"); n.Seen {
		t.add(l, Step{
			Number:  stepNumber(n.Value),
			TimeSec: valueOf(line, "seconds"),
			TFLOPs:  valueOf(line, "TFLOP/s/device"),
			Loss:    valueOf(line, "loss"),
		})
	}
}

// titan reads `step: 22  loss:  6.2250  memory:  1.41GiB(1.79%)  tps: 193,831  tflops: 18.36  mfu: 1.86%`.
func (t *trainer) titan(l *Log, line []byte) {
	n, loss := valueOf(line, "step"), valueOf(line, "loss")
	if n.Seen && loss.Seen && (bytes.Contains(line, []byte("tps:")) || bytes.Contains(line, []byte("mfu:"))) {
		t.add(l, Step{Number: stepNumber(n.Value), TFLOPs: valueOf(line, "tflops"), Loss: loss})
	}
}

// nano reads `iter 1631: loss 4.0863, time 561.94ms`; the mfu that follows in later versions is a share.
func (t *trainer) nano(l *Log, line []byte) {
	n, ok := numberBefore(line, "iter", ':')
	if loss := valueOf(line, "loss"); ok && loss.Seen {
		t.add(l, Step{Number: n, Loss: loss, TimeSec: scaledValueOf(line, "time", millisecond)})
	}
}

// bridge reads `Step Time : 12.78s GPU utilization: 528.1 TFLOP/s/GPU`, which has no number of the step.
func (t *trainer) bridge(l *Log, line []byte) {
	if seconds := valueOf(line, "Step Time"); seconds.Seen {
		t.add(l, Step{Number: -1, TimeSec: seconds, TFLOPs: valueOf(line, "GPU utilization")})
	}
}

// deepspeed reads the pipeline engine's `steps: 10 loss: 4.51 iter time (s): 0.912 samples/sec: 140.3`; else, which have no time
// of a step, `[Rank 0] step=10, skipped=0, lr=[1e-05]` and `epoch=0/micro_step=40/global_step=10, RunningAvgSamplesPerSec=12.5`.
// Its micro-step timers are no times of a step either: they only show that a training runs.
func (t *trainer) deepspeed(l *Log, line []byte) {
	s := Step{TimeSec: valueOf(line, "iter time (s)"), Loss: valueOf(line, "loss")}
	n := valueOf(line, "steps")
	if !s.TimeSec.Seen {
		n = firstOf(valueOf(line, "global_step"), valueOf(line, "step"))
	}
	if n.Seen {
		s.Number = stepNumber(n.Value)
		t.add(l, s)
		return
	}
	l.training()
}

// trainer reads `{'loss': 4.5, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.01}`, which has neither number nor time.
func (t *trainer) trainer(l *Log, line []byte) {
	if loss := valueOf(line, "'loss'"); loss.Seen {
		t.add(l, Step{Number: -1, Loss: loss})
	}
}

// valueOf is the number after a key: `key: 1.5`, `key=1.5`, `key 1.5`, `key :1.5`. The key must stand by itself.
func valueOf(line []byte, key string) Measure { return scaledValueOf(line, key, 0) }

// scaledValueOf is valueOf through 10^places.
func scaledValueOf(line []byte, key string, places int) Measure {
	for at := 0; ; {
		i := bytes.Index(line[at:], []byte(key))
		if i < 0 {
			return Measure{}
		}
		begin := at + i
		at = begin + len(key)
		if begin > 0 && isNameByte(line[begin-1]) {
			continue
		}
		rest := line[at:]
		for len(rest) > 0 && (isBlank(rest[0]) || rest[0] == ':' || rest[0] == '=') {
			rest = rest[1:]
		}
		if v, ok := scaledNumber(rest, places); ok && len(rest) < len(line[at:]) {
			return Measure{v, true}
		}
	}
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '/' || c == '-'
}

// numberBefore reads `word 43/`: the integer between a word and the mark that follows it.
func numberBefore(line []byte, word string, mark byte) (int, bool) {
	i := bytes.Index(line, []byte(word))
	if i < 0 || i > 0 && isNameByte(line[i-1]) {
		return 0, false
	}
	rest := trimLeft(line[i+len(word):])
	end := bytes.IndexByte(rest[:min(len(rest), 20)], mark)
	if end < 0 {
		return 0, false
	}
	v, ok := integer(trimBlanks(rest[:end]))
	return int(v), ok && v <= math.MaxInt32
}

// barCount is the count of a progress bar: 9000 of `| 9000/301500 [`.
func barCount(line []byte) (int, bool) {
	words := bytes.Fields(line[:min(len(line), 200)])
	for i := 0; i+1 < len(words); i++ {
		count, _, ok := bytes.Cut(words[i], []byte("/"))
		if ok && words[i+1][0] == '[' {
			v, ok := integer(count)
			return int(v), ok && v <= math.MaxInt32
		}
	}
	return 0, false
}

// stepNumber is -1 for what is no number of a step.
func stepNumber(v float64) int {
	if !finite(v) || v < 0 || v > math.MaxInt32 || v != math.Trunc(v) {
		return -1
	}
	return int(v)
}

func firstOf(measures ...Measure) Measure {
	for _, m := range measures {
		if m.Seen {
			return m
		}
	}
	return Measure{}
}
