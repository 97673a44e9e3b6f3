package parse

import (
	"encoding/binary"
	"math/bits"
)

// split returns the fields of a line, which blanks part, in memory that the next call uses again. It stops one field after
// the widest row there is.
//
// It looks at 64 bytes at once: the fields of a table are so short that asking of every byte whether it ends one would be
// most of the work of a row.
func (p *Parser) split(line []byte) [][]byte {
	fields, begin, before := p.fields[:0], -1, uint64(1) // what is before the line counts as a blank
	for at := 0; at < len(line); at += maskLen {
		mask := blankMask(line[at:])
		edges := mask ^ (mask<<1 | before) // where a field begins or ends
		before = mask >> (maskLen - 1)
		for ; edges != 0; edges &= edges - 1 {
			i := at + bits.TrailingZeros64(edges)
			if begin < 0 {
				begin = i
				continue
			}
			fields, begin = append(fields, line[begin:i]), -1
			if len(fields) > maxColumns {
				p.fields = fields
				return fields
			}
		}
	}
	if begin >= 0 {
		fields = append(fields, line[begin:])
	}
	p.fields = fields
	return fields
}

// maskLen is how many bytes a mask tells of.
const maskLen = 64

// blankMask has a bit for each of the first 64 bytes of text that is a blank, the lowest for the first. What is beyond the end
// of a shorter text counts as blank.
func blankMask(text []byte) uint64 {
	var mask uint64
	if len(text) >= maskLen {
		for i := 0; i < maskLen; i += 8 {
			mask |= bitOfEach(blanksIn(binary.LittleEndian.Uint64(text[i:]))) << i
		}
		return mask
	}
	i := 0
	for ; i+8 <= len(text); i += 8 {
		mask |= bitOfEach(blanksIn(binary.LittleEndian.Uint64(text[i:]))) << i
	}
	mask |= ^uint64(0) << i
	for ; i < len(text); i++ {
		if !isBlank(text[i]) {
			mask &^= 1 << i
		}
	}
	return mask
}

const everyByte = 0x0101010101010101

// blanksIn has the highest bit set in those of eight bytes that are blanks.
func blanksIn(eight uint64) uint64 {
	const low = 0x7f * everyByte
	notSpace, notTab := eight^' '*everyByte, eight^'\t'*everyByte
	notSpace |= notSpace&low + low // the highest bit of a byte is set unless the byte is 0; no carry leaves a byte
	notTab |= notTab&low + low
	return ^(notSpace & notTab) & (0x80 * everyByte)
}

// bitOfEach gathers the highest bits of eight bytes.
func bitOfEach(eight uint64) uint64 { return eight >> 7 * 0x0102040810204080 >> 56 }

// numbersApart reports whether two digits stand in a line with two blanks or more between them, as in every row that the tool
// itself printed and in nearly no message.
func numbersApart(line []byte) bool {
	for i := 0; i+8 <= len(line); i += 7 { // the last byte is the next one's first
		eight := binary.LittleEndian.Uint64(line[i:])
		// The highest bit of every byte below '!', and now and then of one behind such a byte: nearly no two stand together.
		low := (eight - '!'*everyByte) &^ eight & (0x80 * everyByte)
		if low&(low>>8) == 0 {
			continue
		}
		blanks := blanksIn(eight)
		for gaps := blanks & (blanks >> 8); gaps != 0; gaps &= gaps - 1 {
			at := i + bits.TrailingZeros64(gaps)/8
			if at > 0 && isDigit(line[at-1]) {
				if rest := trimLeft(line[at:]); len(rest) > 0 && isDigit(rest[0]) {
					return true
				}
			}
		}
	}
	return false
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
