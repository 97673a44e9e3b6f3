package parse

// interner keeps one copy of each name, so that a list of a thousand ranks holds a name for each host.
type interner struct {
	known map[string]string
	// recent holds names of the last lines, by their ends: those of the types and operations of a table are in every row.
	recent [16]string
}

// maxNames and maxName bound the memory of names that a hostile log invents.
const (
	maxNames = 1 << 14
	maxName  = 253 // the longest DNS name
)

func (m *interner) of(name []byte) string {
	if len(name) == 0 {
		return ""
	}
	if len(name) > maxName {
		name = name[:maxName]
	}
	last := &m.recent[(name[0]+2*name[len(name)-1]+byte(len(name)))%byte(len(m.recent))]
	if *last != string(name) {
		*last = m.lookup(name)
	}
	return *last
}

func (m *interner) lookup(name []byte) string {
	if known, ok := m.known[string(name)]; ok {
		return known
	}
	if m.known == nil {
		m.known = make(map[string]string)
	}
	s := string(name)
	if len(m.known) < maxNames {
		m.known[s] = s
	}
	return s
}
