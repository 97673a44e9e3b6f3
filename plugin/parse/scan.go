package parse

import (
	"encoding/binary"
	"strings"
)

// signals is a set of the words of signals.go, one bit each.
type signals uint64

func (s signals) has(any signals) bool { return s&any != 0 }

// lexicon finds every word of a list in a text, in any case of letters.
//
// A word is known by two keys, four bytes at one place in it and four at the next, so that looking at every second place
// of a text meets one of them. Nearly no key of a line that says nothing is in the table.
type lexicon struct {
	slots [1 << slotBits]uint16 // by the hash of a key: which list; 0 for none
	lists [][]keyed
}

// keyed is a word and the place of the key in it.
type keyed struct {
	word
	at int
	// head is the beginning of the word where mask is set, in one case: most words of a list are passed over by it alone. Blanks are
	// not in the mask, since a tab may stand for one.
	head, mask uint64
}

// headLen is how much of a word its head has.
const headLen = 8

// oneCase makes letters lower, and what is no letter something that is the same for both.
const oneCase = 0x20 * everyByte

func newKeyed(w word, at int) keyed {
	k := keyed{word: w, at: at}
	for i := range min(len(w.text), headLen) {
		if w.text[i] != ' ' {
			k.mask |= 0xff << (8 * i)
			k.head |= uint64(w.text[i]|0x20) << (8 * i)
		}
	}
	return k
}

const (
	keyLen   = 4
	slotBits = 14 // 32 KiB of slots stay in the fastest cache
)

// scan returns the words that line holds.
func scan(line []byte) signals {
	var found signals
	x := &words
	i := 0
	for ; i+8+keyLen <= len(line); i += 8 { // four places at once, of which nearly always none has a key
		low, high := binary.LittleEndian.Uint64(line[i:]), binary.LittleEndian.Uint64(line[i+keyLen:])
		a, b := x.slots[slotOf(uint32(low))], x.slots[slotOf(uint32(low>>16))]
		c, d := x.slots[slotOf(uint32(high))], x.slots[slotOf(uint32(high>>16))]
		if a|b|c|d == 0 {
			continue
		}
		for place, list := range [...]uint16{a, b, c, d} {
			if list != 0 {
				found |= x.at(list, line, i+2*place)
			}
		}
	}
	for ; i+keyLen <= len(line); i += 2 {
		if list := x.slots[slotOf(binary.LittleEndian.Uint32(line[i:]))]; list != 0 {
			found |= x.at(list, line, i)
		}
	}
	return found
}

// at returns the words of a list that stand in line with their key at i.
func (x *lexicon) at(list uint16, line []byte, i int) signals {
	var found signals
	entries := x.lists[list]
	for n := range entries {
		k := &entries[n]
		begin := i - k.at
		if begin < 0 || found&k.means == k.means {
			continue
		}
		rest := line[begin:]
		if len(rest) >= headLen && (binary.LittleEndian.Uint64(rest)|oneCase)&k.mask != k.head {
			continue
		}
		if beginsWith(rest, k.text) {
			found |= k.means
		}
	}
	return found
}

// slotOf hashes a key without regard to the case of letters (Knuth's multiplicative hash).
func slotOf(key uint32) uint32 { return (key | 0x20202020) * 2654435769 >> (32 - slotBits) }

// beginsWith reports whether line begins with a word of lower case, in any case of letters; a tab is a blank.
func beginsWith(line []byte, word string) bool {
	if len(line) < len(word) {
		return false
	}
	for i := range len(word) {
		c := line[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '\t':
			c = ' '
		}
		if c != word[i] {
			return false
		}
	}
	return true
}

// build makes the lexicon of a vocabulary in lower case, whose words have at least keyLen+1 bytes.
func build(vocabulary []word) lexicon {
	x := lexicon{lists: make([][]keyed, 1)}
	for _, w := range vocabulary {
		at := rarest(w.text)
		x.put(w, at)
		x.put(w, at+1)
	}
	return x
}

// put adds a word under its key at a place, and under what tabs make of it.
func (x *lexicon) put(w word, at int) {
	key := w.text[at : at+keyLen]
	x.list(key, newKeyed(w, at))
	if tabbed := strings.ReplaceAll(key, " ", "\t"); tabbed != key {
		x.list(tabbed, newKeyed(w, at))
	}
}

func (x *lexicon) list(key string, k keyed) {
	slot := slotOf(binary.LittleEndian.Uint32([]byte(key)))
	if x.slots[slot] == 0 {
		x.slots[slot] = uint16(len(x.lists))
		x.lists = append(x.lists, nil)
	}
	n := x.slots[slot]
	x.lists[n] = append(x.lists[n], k)
}

// rarest is the place of the two keys whose letters are seldom in English.
func rarest(text string) int {
	const common = "qzxjkv_(:bypgwfmucdlhrsnioate "
	best, place := -1, 0
	for at := 0; at+keyLen < len(text); at++ {
		weight := 0
		for _, c := range text[at : at+keyLen+1] {
			weight += strings.IndexRune(common, c)
		}
		if best < 0 || weight < best {
			best, place = weight, at
		}
	}
	return place
}
