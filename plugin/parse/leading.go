package parse

import (
	"bytes"
	"math"
	"strconv"
)

// millisecond and microsecond are how many places the decimals of a time are moved to make seconds of it.
const (
	millisecond = 3
	microsecond = 6
)

// scaledNumber reads the number with which text begins, whatever unit follows (561.94ms, 193,831, 9e+3, nan.0, -1.5), through
// 10^places: by its decimals, since 561.94 ms are 0.56194 s, which a division of the double misses.
func scaledNumber(text []byte, places int) (float64, bool) {
	if v, ok := plainNumber(text, places); ok {
		return v, true
	}
	v, ok := anyNumber(text)
	if !ok || places == 0 {
		return v, ok
	}
	if moved, err := strconv.ParseFloat(strconv.FormatFloat(v, 'f', -1, 64)+"e-"+strconv.Itoa(places), 64); err == nil {
		v = moved
	}
	return v, true
}

// plainNumber reads what nearly every number is, digits with a point and perhaps an exponent: few enough that they and the power
// of ten are doubles without a rest, so that their quotient is the nearest double. It is not ok for any other.
func plainNumber(text []byte, places int) (float64, bool) {
	const mostDigits = 15
	var mantissa uint64
	digits, decimals, i := 0, 0, 0
	for point := false; i < len(text); i++ {
		if d := text[i] - '0'; d <= 9 {
			mantissa = mantissa*10 + uint64(d)
			digits++
			if point {
				decimals++
			}
		} else if text[i] == '.' && !point {
			point = true
		} else {
			break
		}
	}
	if digits == 0 || digits > mostDigits || !isDigit(text[0]) {
		return 0, false
	}
	power := -decimals - places
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		exponent, n := smallExponent(text[i+1:])
		if n == 0 {
			return 0, false
		}
		power, i = power+exponent, i+1+n
	}
	if i < len(text) && bytes.IndexByte([]byte(".,eE+-"), text[i]) >= 0 {
		return 0, false
	}
	switch {
	case power < 0 && -power < len(pow10):
		return float64(mantissa) / pow10[-power], true
	case power >= 0 && power < len(pow10):
		return float64(mantissa) * pow10[power], true
	}
	return 0, false
}

// smallExponent reads a sign and one or two digits, and says how many bytes they are; 0 for any other.
func smallExponent(text []byte) (exponent, n int) {
	negative := false
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		negative, n = text[0] == '-', 1
	}
	begin := n
	for ; n < len(text) && isDigit(text[n]); n++ {
		if n-begin == 2 {
			return 0, 0
		}
		exponent = exponent*10 + int(text[n]-'0')
	}
	if n == begin {
		return 0, 0
	}
	if negative {
		exponent = -exponent
	}
	return exponent, n
}

// anyNumber is what scaledNumber reads, whatever form it has.
func anyNumber(text []byte) (float64, bool) {
	if word := bytes.TrimPrefix(text, []byte("-")); len(word) >= 3 {
		switch {
		case bytes.EqualFold(word[:3], []byte("nan")):
			return math.NaN(), true
		case bytes.EqualFold(word[:3], []byte("inf")):
			return math.Inf(1), true
		}
	}
	digits := make([]byte, 0, 32)
	for i := 0; i < len(text) && len(digits) < cap(digits); i++ {
		c := text[i]
		switch {
		case '0' <= c && c <= '9', c == '.':
		case c == '-' && i == 0:
		case c == ',' && isThousands(text[i+1:]):
			continue
		case (c == 'e' || c == 'E') && isExponent(text[i+1:]):
		case (c == '+' || c == '-') && i > 0 && (text[i-1] == 'e' || text[i-1] == 'E'):
		default:
			text = text[:i]
			continue
		}
		digits = append(digits, c)
	}
	v, err := strconv.ParseFloat(string(bytes.TrimRight(digits, ".")), 64)
	return v, err == nil
}

// isThousands reports whether exactly three digits follow a comma.
func isThousands(text []byte) bool {
	return len(text) >= 3 && allDigits(text[:3]) && (len(text) == 3 || text[3] < '0' || text[3] > '9')
}

func isExponent(text []byte) bool {
	if len(text) > 0 && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return len(text) > 0 && allDigits(text[:1])
}
