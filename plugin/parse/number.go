package parse

import (
	"math"
	"strconv"
)

// pow10 holds the powers of ten that are doubles without a rest.
var pow10 = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// number reads a number that is not negative, as the tools print it: 437.89, 33605, 1e+05, 2e-07, inf, nan.
func number(text []byte) (float64, bool) {
	var (
		mantissa uint64
		decimals = -1
	)
	if len(text) == 0 || len(text) > 32 {
		return 0, false
	}
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9' && i < 16:
			mantissa = mantissa*10 + uint64(c-'0')
			if decimals >= 0 {
				decimals++
			}
		case c == '.' && decimals < 0 && i > 0:
			decimals = 0
		default:
			return slowNumber(text)
		}
	}
	if decimals <= 0 {
		return float64(mantissa), true
	}
	return float64(mantissa) / pow10[decimals], true // both are exact, so that the quotient is the nearest double
}

// slowNumber reads what has an exponent, a sign, many digits or no digits.
func slowNumber(text []byte) (float64, bool) {
	switch string(text) {
	case "inf", "Inf":
		return math.Inf(1), true
	case "nan", "NaN", "-nan":
		return math.NaN(), true
	}
	if c := text[0]; c < '0' || c > '9' {
		return 0, false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != 'e' && c != 'E' && c != '+' && c != '-' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil
}

// integer reads a decimal integer that is not negative.
func integer(text []byte) (int64, bool) {
	if len(text) == 0 || len(text) > 19 {
		return 0, false
	}
	var v int64
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		d := int64(c - '0')
		if v > (math.MaxInt64-d)/10 {
			return 0, false
		}
		v = v*10 + d
	}
	return v, true
}

func allDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) > 0
}

// finite reports whether v is a number that can be compared and written as JSON.
func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
