package report

import (
	"reflect"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/report/plain"
)

// clean returns a copy of a report whose every text is printable and on one line; the lines of failure logs keep their layout.
// It goes over the type, so that a field added later is cleaned too. The formats that are read as markup begin with it: what is left
// to them is their own syntax.
func clean(r v1alpha1.Report) v1alpha1.Report {
	c, _ := cleaned(reflect.ValueOf(r)).Interface().(v1alpha1.Report) // a copy has its original's type
	return c
}

var (
	failureLogType = reflect.TypeFor[v1alpha1.FailureLog]()
)

// cleaned copies a value as deep as it holds text.
func cleaned(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.String:
		c.SetString(plain.Line(v.String()))
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.Field(i).Set(cleaned(v.Field(i)))
			}
		}
		if v.Type() == failureLogType {
			log, _ := v.Interface().(v1alpha1.FailureLog)
			c.FieldByName("Tail").SetString(strings.Join(logLinesOf(log.Tail), "\n"))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c = reflect.New(v.Type().Elem())
			c.Elem().Set(cleaned(v.Elem()))
		}
	case reflect.Slice:
		if !v.IsNil() && holdsText(v.Type().Elem()) {
			c = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			for i := range v.Len() {
				c.Index(i).Set(cleaned(v.Index(i)))
			}
		}
	default: // a number, or a type without text
	}
	return c
}

// holdsText spares the copying of long lists of numbers.
func holdsText(t reflect.Type) bool {
	return t.Kind() == reflect.Struct || t.Kind() == reflect.String || t.Kind() == reflect.Pointer
}

// logLinesOf cuts a log into lines that print, without empty ones at the end.
func logLinesOf(tail string) []string {
	tail = strings.TrimRight(tail, "\r\n\t ")
	if tail == "" {
		return nil
	}
	lines := strings.Split(tail, "\n")
	for i, line := range lines {
		lines[i] = plain.Indented(line)
	}
	return lines
}
