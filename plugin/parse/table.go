package parse

// Table is the rows of a test, folded by size.
type Table struct {
	// Rows counts the whole rows, from FirstLine to LastLine.
	Rows, FirstLine, LastLine int
	// Sizes are in the order of their first row.
	Sizes []Size
	// Peak is the best bus bandwidth of a single row and placement, as printed; nil without a measured row.
	Peak *Peak
	// Counts: the table has a column with a count of wrong values, and a row that was checked.
	Counts bool
	// Wrong is the sum of that column.
	Wrong int64
	// WrongCells are the first 16 places with wrong values.
	WrongCells []WrongCell
	// CheckedRows have a result of the check in at least one placement, UncheckedRows in none.
	CheckedRows, UncheckedRows int
	// Amid counts NCCL's own lines from the first row to the footer. A row that shared its line with one may be lost.
	Amid int
	// Repeats counts the rows that have the size, type and operation of the row before them.
	Repeats int

	halves int // rows with one placement, the other blank
	index  map[sizeKey]int
	last   int // the size of the last row
}

// Peak is one measured bus bandwidth, GB/s, and where it stands.
type Peak struct {
	Line      int
	GBps      float64
	SizeBytes int64
	InPlace   bool
}

// WrongCell is one placement of a row with wrong values.
type WrongCell struct {
	Line int
	// SizeBytes is -1 for a row that has lost its size.
	SizeBytes int64
	InPlace   bool
	Count     int64
}

// Size is the rows of one message size, type and operation: a test that runs in cycles (-N) has several.
type Size struct {
	SizeBytes int64
	DType     string
	// RedOp is empty when the cell is blank or the table has no such column; "none" as printed.
	RedOp string
	// Root is -1 when the table says so or has no such column.
	Root int
	Rows int
	// OutOfPlace and InPlace hold the sums over the rows.
	OutOfPlace, InPlace Sum
}

// Sum adds up one placement over the rows of a size. Divide by Rows for the mean.
type Sum struct {
	// Rows counts the rows in which the placement was measured, with finite numbers.
	Rows int
	// TimeUs is in µs; the bandwidths are in GB/s, 10^9 bytes per second.
	TimeUs, AlgGBps, BusGBps float64
	// Counted is the number of rows in which wrong values were counted, Wrong their sum.
	Counted int
	Wrong   int64
	// Iterations is nil when the table does not tell of single iterations.
	Iterations *Iterations
}

// row is one line of a table.
type row struct {
	line      int
	sizeBytes int64
	dtype     string
	redop     string
	root      int
	half      bool    // the out-of-place half is blank, or the line has lost its in-place half
	cells     [2]cell // out of place, in place
}

// cell is one placement of a row.
type cell struct {
	measured                 bool // its three numbers are there and finite
	broken                   bool // one of them is inf or nan, or the check's result is
	timeUs, algGBps, busGBps float64
	check                    check
	wrong                    int64
	iterations               Iterations // Rows is 1 when the row tells of them
}

// check is what a row says about the correctness of its result.
type check uint8

const (
	unchecked check = iota // N/A, or the table has no such column
	byCount
	byDelta
)

// add folds a row in. It returns false when the row has a new size and there is no room for one.
func (t *Table) add(r *row, room bool) bool {
	t.Rows++
	if t.LastLine = r.line; t.FirstLine == 0 {
		t.FirstLine = r.line
	}
	if r.half {
		t.halves++
	}
	s, fits := t.size(r, room)
	checked := false
	for i := range r.cells {
		c := &r.cells[i]
		inPlace := i == 1
		if c.measured && (t.Peak == nil || c.busGBps > t.Peak.GBps) {
			t.Peak = &Peak{Line: r.line, GBps: c.busGBps, SizeBytes: r.sizeBytes, InPlace: inPlace}
		}
		if c.check != unchecked {
			checked = true
		}
		if c.check == byCount {
			t.addWrong(WrongCell{Line: r.line, SizeBytes: r.sizeBytes, InPlace: inPlace, Count: c.wrong})
		}
		if fits && inPlace {
			s.InPlace.add(c)
		} else if fits {
			s.OutOfPlace.add(c)
		}
	}
	if checked {
		t.CheckedRows++
	} else {
		t.UncheckedRows++
	}
	if fits {
		s.Rows++
	}
	return fits
}

// addWrong adds the count of one placement, which may be 0.
func (t *Table) addWrong(c WrongCell) {
	t.Counts = true
	t.Wrong += c.Count
	if c.Count > 0 && len(t.WrongCells) < maxWrong {
		t.WrongCells = append(t.WrongCells, c)
	}
}

// halved reports whether a row has one placement where the rows before it have two, or the other way round.
func (t *Table) halved(r *row) bool {
	if r.half {
		return t.halves < t.Rows
	}
	return t.halves > 0
}

// size finds the row's size, or begins it. A sweep that is run again comes in the same order: the size after the last
// one is tried before the index.
func (t *Table) size(r *row, room bool) (*Size, bool) {
	key := sizeKey{r.sizeBytes, r.dtype, r.redop, r.root}
	if len(t.Sizes) > 0 && t.Sizes[t.last].key() == key {
		t.Repeats++
		return &t.Sizes[t.last], true
	}
	if next := t.last + 1; next < len(t.Sizes) && t.Sizes[next].key() == key {
		t.last = next
		return &t.Sizes[next], true
	}
	if i, ok := t.index[key]; ok {
		t.last = i
		return &t.Sizes[i], true
	}
	if !room {
		return nil, false
	}
	if t.index == nil {
		t.index = make(map[sizeKey]int)
	}
	t.last = len(t.Sizes)
	t.index[key] = t.last
	t.Sizes = append(t.Sizes, Size{SizeBytes: r.sizeBytes, DType: r.dtype, RedOp: r.redop, Root: r.root})
	return &t.Sizes[t.last], true
}

// sizeKey is what tells two sizes apart.
type sizeKey struct {
	sizeBytes    int64
	dtype, redop string
	root         int
}

func (s *Size) key() sizeKey { return sizeKey{s.SizeBytes, s.DType, s.RedOp, s.Root} }

func (s *Sum) add(c *cell) {
	if c.measured {
		s.Rows++
		s.TimeUs += c.timeUs
		s.AlgGBps += c.algGBps
		s.BusGBps += c.busGBps
	}
	if c.check == byCount {
		s.Counted++
		s.Wrong += c.wrong
	}
	if c.iterations.Rows > 0 {
		if s.Iterations == nil {
			s.Iterations = &Iterations{}
		}
		s.Iterations.add(&c.iterations)
	}
}
