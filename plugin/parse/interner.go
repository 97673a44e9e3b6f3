package parse

// interner keeps one copy of each name, so that a list of a thousand ranks holds a name for each host.
type interner map[string]string

// maxNames and maxName bound the memory of names that a hostile log invents.
const (
	maxNames = 1 << 14
	maxName  = 253 // the longest DNS name
)

func (m *interner) of(name []byte) string {
	if len(name) > maxName {
		name = name[:maxName]
	}
	if known, ok := (*m)[string(name)]; ok {
		return known
	}
	if *m == nil {
		*m = make(interner)
	}
	s := string(name)
	if len(*m) < maxNames {
		(*m)[s] = s
	}
	return s
}
