package parse

import (
	"encoding/json"
	"slices"
	"strconv"
)

// structuredOutput is the result that a proposal for nccl-tests prints in one line (its issue 318): each size is a key.
type structuredOutput struct {
	Benchmark []map[string]structuredRow `json:"benchmark"`
}

type structuredRow struct {
	Type  string      `json:"type"`
	RedOp string      `json:"redop"`
	Root  json.Number `json:"root"`
	structuredCells
}

// structuredCells keep numbers as text: "N/A" stands where there is none.
type structuredCells struct {
	OutTime  loose `json:"oop_time"`
	OutAlg   loose `json:"oop_algbw"`
	OutBus   loose `json:"oop_busbw"`
	OutWrong loose `json:"oop_error"`
	InTime   loose `json:"ip_time"`
	InAlg    loose `json:"ip_algbw"`
	InBus    loose `json:"ip_busbw"`
	InWrong  loose `json:"ip_error"`
}

// loose is a number, or the text in which a tool hides one.
type loose string

// UnmarshalJSON takes a number or a string.
func (l *loose) UnmarshalJSON(text []byte) error {
	s := string(text)
	if unquoted, err := strconv.Unquote(s); err == nil {
		s = unquoted
	}
	*l = loose(s)
	return nil
}

// structured reads such a result. It returns false when the line is none, or has lost its end.
func (p *Parser) structured(line []byte) bool {
	var out structuredOutput
	if err := json.Unmarshal(line, &out); err != nil {
		return false
	}
	for _, sizes := range out.Benchmark {
		for _, size := range ascending(sizes) {
			in := sizes[strconv.FormatInt(size, 10)]
			r := row{line: p.log.Lines, sizeBytes: size, dtype: p.names.of([]byte(in.Type)), redop: p.names.of([]byte(in.RedOp)), root: -1}
			if root, ok := rootRank([]byte(in.Root)); ok {
				r.root = root
			}
			c := &in.structuredCells
			if readCell(&r.cells[0], countBody, cellFields(c.OutTime, c.OutAlg, c.OutBus, c.OutWrong)) &&
				readCell(&r.cells[1], countBody, cellFields(c.InTime, c.InAlg, c.InBus, c.InWrong)) {
				p.addRow(&r)
			} else {
				p.test().spoil(r.line)
			}
		}
	}
	return true
}

func cellFields(values ...loose) [][]byte {
	fields := make([][]byte, len(values))
	for i, v := range values {
		fields[i] = []byte(v)
	}
	return fields
}

// ascending returns the sizes of a table; a key that is none is left out.
func ascending(sizes map[string]structuredRow) []int64 {
	var order []int64
	for key := range sizes {
		if size, ok := integer([]byte(key)); ok && strconv.FormatInt(size, 10) == key {
			order = append(order, size)
		}
	}
	slices.Sort(order)
	return order
}
