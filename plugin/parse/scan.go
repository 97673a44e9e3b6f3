package parse

// signals is a set of the words of signals.go, one bit each.
type signals uint64

func (s signals) has(any signals) bool { return s&any != 0 }

// machine finds every word of a list in one pass over a text, in any case of letters (Aho and Corasick, 1975).
// A state is the offset of its row in next; states from hit on are those at whose byte a word ends.
type machine struct {
	class [256]uint8 // bytes that no word holds are all of class 0
	width uint32
	next  []uint32
	hit   uint32
	found []signals // by (state - hit) / width
}

// scan returns the words that line holds.
func scan(line []byte) signals {
	m := &words
	var (
		state uint32
		found signals
	)
	for _, c := range line {
		state = m.next[state+uint32(m.class[c])]
		if state >= m.hit {
			found |= m.found[(state-m.hit)/m.width]
		}
	}
	return found
}

// node is a state while the machine is built.
type node struct {
	child map[uint8]int
	fail  int
	found signals
}

// build makes the machine for a vocabulary in lower case.
func build(vocabulary []word) machine {
	m := machine{width: 1}
	for _, w := range vocabulary {
		for _, c := range []byte(w.text) {
			if m.class[c] == 0 {
				m.class[c] = uint8(m.width)
				m.width++
			}
			if 'a' <= c && c <= 'z' {
				m.class[c-'a'+'A'] = m.class[c]
			}
		}
	}
	m.class['\t'] = m.class[' ']
	nodes := trie(vocabulary, &m.class)
	order := link(nodes)

	// Number the states: first those without a find, so that one comparison tells them apart.
	state := make([]uint32, len(nodes))
	var quiet, loud []int
	for _, n := range order {
		if nodes[n].found == 0 {
			quiet = append(quiet, n)
		} else {
			loud = append(loud, n)
		}
	}
	m.hit = uint32(len(quiet)) * m.width
	for i, n := range append(quiet, loud...) {
		state[n] = uint32(i) * m.width
	}
	m.next = make([]uint32, len(nodes)*int(m.width))
	m.found = make([]signals, len(loud))
	for _, n := range order {
		if nodes[n].found != 0 {
			m.found[(state[n]-m.hit)/m.width] = nodes[n].found
		}
		for c := range m.width {
			m.next[state[n]+c] = state[step(nodes, n, uint8(c))]
		}
	}
	return m
}

// trie has a node for each beginning of a word; node 0 is the empty one.
func trie(vocabulary []word, class *[256]uint8) []node {
	nodes := []node{{child: map[uint8]int{}}}
	for _, w := range vocabulary {
		n := 0
		for _, c := range []byte(w.text) {
			next, ok := nodes[n].child[class[c]]
			if !ok {
				next = len(nodes)
				nodes = append(nodes, node{child: map[uint8]int{}})
				nodes[n].child[class[c]] = next
			}
			n = next
		}
		nodes[n].found |= w.means
	}
	return nodes
}

func link(nodes []node) []int {
	order := []int{0}
	for i := 0; i < len(order); i++ {
		n := order[i]
		for c, next := range nodes[n].child {
			if n != 0 {
				nodes[next].fail = step(nodes, nodes[n].fail, c)
			}
			nodes[next].found |= nodes[nodes[next].fail].found
			order = append(order, next)
		}
	}
	return order
}

// step is the node after n and one byte of class c.
func step(nodes []node, n int, c uint8) int {
	for {
		if next, ok := nodes[n].child[c]; ok {
			return next
		}
		if n == 0 {
			return 0
		}
		n = nodes[n].fail
	}
}
