package parse

func (r *result) config(key string, text []byte) {
	c := &r.test().Configs[0]
	switch key {
	case "nthreads":
		c.Threads = smallInt(text)
	case "ngpus":
		c.GPUs = smallInt(text)
	case "validation":
		on := string(text) != "0" && string(text) != "false"
		c.Validation = &on
	}
}

func (r *result) listed(key string, text []byte) {
	switch key {
	case "rank":
		if v, ok := integer(text); ok && v < maxDevices {
			r.device.Rank = int(v)
		}
	case "group":
		r.device.Group = smallInt(text)
	case "pid":
		r.device.Pid = smallInt(text)
	case "hostname":
		r.device.Host = r.p.host(text)
	}
}

// fillProcesses completes the list of devices: the object names one for each process, however many ranks it has.
func (r *result) fillProcesses() {
	t := r.test()
	c := t.Configs[0]
	ranks := c.Threads * c.GPUs
	if ranks < 2 || ranks > maxDevices {
		return
	}
	for _, d := range t.Devices {
		if d.Rank%ranks != 0 {
			return // the list is already whole
		}
	}
	for _, d := range t.Devices[:len(t.Devices):len(t.Devices)] {
		for range ranks - 1 {
			d.Rank++
			r.p.addDevice(d)
		}
	}
}

func (r *result) entry(key string, text []byte) {
	switch key {
	case "size":
		r.row.sizeBytes, r.sized = integer(text)
	case "type":
		r.row.dtype = r.p.names.of(text)
	case "redop":
		r.row.redop = r.p.names.of(text)
	case "root":
		if root, ok := rootRank(trimBlanks(text)); ok {
			r.row.root = root
		}
	}
}

func (r *result) measured(key string, text []byte) {
	v, ok := number(text)
	ok = ok && finite(v)
	switch key {
	case "time", "cpu_time":
		r.cell.timeUs = v
	case "alg_bw":
		r.cell.algGBps = v
	case "bus_bw":
		r.cell.busGBps = v
	case "nwrong":
		if ok {
			r.cell.check, r.cell.wrong = byCount, int64(min(v, maxCount))
		} else if s := string(text); s != "N/A" && s != "null" {
			r.cell.broken = true
		}
		return
	default:
		return
	}
	r.cell.measured = r.cell.measured && ok
	if s := string(text); !ok && s != "N/A" && s != "null" {
		r.cell.broken = true
	}
}

func (r *result) bounds(key string, text []byte) {
	t := r.test()
	if t.Bounds == nil {
		t.Bounds = &Bounds{Line: r.p.log.Lines}
	}
	t.Bounds.read(key, text)
	if key == "okay" && string(text) == "unchecked" {
		off := false
		t.Configs[0].Validation = &off
	}
}

// repeats reads how many results differed when the run repeated itself.
func (r *result) repeats(key string, text []byte) {
	t := r.test()
	if t.Repeats == nil {
		t.Repeats = &Bounds{Line: r.p.log.Lines}
	}
	t.Repeats.read(key, text)
}

// read takes the count of an object, or whether it is okay.
func (b *Bounds) read(key string, text []byte) {
	switch key {
	case "count":
		if v, ok := number(text); ok && finite(v) {
			b.Count = int64(min(v, maxCount))
		}
	case "okay":
		b.OK = string(text) != "false"
	}
}

func (r *result) average(key string, text []byte) {
	t := r.test()
	switch key {
	case "bandwidth":
		if v, ok := number(text); ok && finite(v) {
			t.Average = &Average{Line: r.p.log.Lines, GBps: v}
		}
	case "okay":
		if t.Average != nil {
			t.Average.BelowMinimum = string(text) == "false"
		}
	}
}

// failure reads an entry of errors. It is the last that NCCL said, which it may have worked around.
func (r *result) failure(text []byte) {
	if found := scan(text); found.has(reporters) {
		r.p.failure(text, found)
	} else if why, known := classify(found); known {
		r.p.fail(Failure{Cause: why.cause, Strength: why.strength, Warning: true}, text)
	}
}
