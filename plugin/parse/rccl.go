package parse

import (
	"bytes"
	"encoding/json"
)

// rcclPlacement is one placement of a row, as rccl-tests writes it with its output option: a list of objects, each in a line
// of its own or laid out over several.
type rcclPlacement struct {
	Size    int64  `json:"size"`
	Type    string `json:"type"`
	RedOp   string `json:"redop"`
	InPlace int    `json:"inPlace"`
	Time    loose  `json:"time"`
	AlgBw   loose  `json:"algBw"`
	BusBw   loose  `json:"busBw"`
	Wrong   loose  `json:"wrong"`
}

// placement reads such an object that is in one line, or several behind each other: the list in one line. It returns false when the
// line is none. A list that breaks has a row that cannot be read.
func (p *Parser) placement(line []byte) bool {
	for n := 0; ; n++ {
		var in rcclPlacement
		objects := json.NewDecoder(bytes.NewReader(line))
		err := objects.Decode(&in)
		switch {
		case err == nil && p.addPlacement(&in):
		case n == 0:
			return false
		default:
			p.test().spoil(p.log.Lines)
			return true
		}
		if line = bytes.TrimLeft(line[objects.InputOffset():], ", ]\r"); len(line) == 0 {
			return true
		}
	}
}

func (p *Parser) addPlacement(in *rcclPlacement) bool {
	if in.Size < 0 || in.InPlace < 0 || in.InPlace > 1 {
		return false
	}
	r := row{line: p.log.Lines, sizeBytes: in.Size, dtype: p.names.of([]byte(in.Type)), redop: p.names.of([]byte(in.RedOp)), root: -1}
	if !readCell(&r.cells[in.InPlace], countBody, cellFields(in.Time, in.AlgBw, in.BusBw, in.Wrong)) {
		return false
	}
	p.addRow(&r)
	if t := p.test(); t.Headers == 0 {
		t.Structured = true
	}
	return true
}

// beginsPlacement: no other program's object that is laid out begins with such a key. The tool begins with the first, and
// what sorts keys with the second.
func beginsPlacement(at []jsonFrame) bool {
	return len(at) == 1 && (at[0].key == "numCycle" || at[0].key == "algBw")
}

// value reads one value of an object over several lines.
func (in *rcclPlacement) value(key string, text []byte) {
	switch key {
	case "size":
		var ok bool
		if in.Size, ok = integer(text); !ok {
			in.Size = -1
		}
	case "type":
		in.Type = string(text)
	case "redop":
		in.RedOp = string(text)
	case "inPlace":
		in.InPlace = -1
		if len(text) == 1 && isDigit(text[0]) {
			in.InPlace = int(text[0] - '0')
		}
	case "time":
		in.Time = loose(text)
	case "algBw":
		in.AlgBw = loose(text)
	case "busBw":
		in.BusBw = loose(text)
	case "wrong":
		in.Wrong = loose(text)
	}
}
