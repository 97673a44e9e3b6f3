package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// NodeList writes names in short: gpu-node-[01-03,07],login-1. Names are gathered by the last digits before their
// first dot, where all else and the number of digits are the same, so that each can be read back. Names are sorted, and each stands once; no names give "".
func NodeList(names []string) string {
	type pattern struct {
		before, after string
		digits        int
	}
	numbers := map[pattern][]int{}
	var order []pattern
	for _, name := range slices.Compact(slices.Sorted(slices.Values(names))) {
		before, number, after := lastNumber(name)
		p := pattern{before, after, len(number)}
		if _, seen := numbers[p]; !seen {
			order = append(order, p)
		}
		n, _ := strconv.Atoi(number)
		numbers[p] = append(numbers[p], n)
	}
	parts := make([]string, 0, len(order))
	for _, p := range order {
		middle := ""
		switch all := numbers[p]; {
		case p.digits == 0:
		case len(all) == 1:
			middle = fmt.Sprintf("%0*d", p.digits, all[0])
		default:
			middle = "[" + ranges(all, p.digits) + "]"
		}
		parts = append(parts, p.before+middle+p.after)
	}
	return strings.Join(parts, ",")
}

// lastNumber splits a name around the last digits of its host part. Only so many are taken as an int surely holds.
func lastNumber(name string) (before, number, after string) {
	host, _, _ := strings.Cut(name, ".")
	end := strings.LastIndexAny(host, "0123456789") + 1
	start := end
	for start > 0 && end-start < 9 && name[start-1] >= '0' && name[start-1] <= '9' {
		start--
	}
	return name[:start], name[start:end], name[end:]
}

// ranges writes rising numbers as 01-03,07.
func ranges(rising []int, digits int) string {
	var parts []string
	for i := 0; i < len(rising); {
		j := i
		for j+1 < len(rising) && rising[j+1] == rising[j]+1 {
			j++
		}
		part := fmt.Sprintf("%0*d", digits, rising[i])
		if j > i {
			part += fmt.Sprintf("-%0*d", digits, rising[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
