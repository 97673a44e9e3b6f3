package docs

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

const schemaFile = "docs/reference/report.schema.json"

// schema is the part of JSON Schema that reports need. The order of its fields is that of the keys.
type schema struct {
	Schema      string             `json:"$schema,omitempty"`
	ID          string             `json:"$id,omitempty"`
	Title       string             `json:"title,omitempty"`
	Description string             `json:"description,omitempty"`
	Ref         string             `json:"$ref,omitempty"`
	Type        any                `json:"type,omitempty"`
	Format      string             `json:"format,omitempty"`
	Const       string             `json:"const,omitempty"`
	Enum        []string           `json:"enum,omitempty"`
	AnyOf       []*schema          `json:"anyOf,omitempty"`
	Items       *schema            `json:"items,omitempty"`
	Properties  map[string]*schema `json:"properties,omitempty"`
	Required    []string           `json:"required,omitempty"`
	Closed      *bool              `json:"additionalProperties,omitempty"`
	Defs        map[string]*schema `json:"$defs,omitempty"`
}

// maker makes schemas of types.
type maker struct {
	said map[string]string
	defs map[string]*schema
}

func (m *maker) of(t reflect.Type) *schema {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return &schema{Type: "string", Format: "date-time"}
	case t == reflect.TypeFor[v1alpha1.Verdict]():
		return &schema{Type: "string", Enum: []string{v1alpha1.Unknown.String(), v1alpha1.Pass.String(), v1alpha1.Fail.String()}}
	case t == reflect.TypeFor[v1alpha1.NodeVerdict]():
		return &schema{Type: "string", Enum: []string{
			v1alpha1.NodeUnknown.String(), v1alpha1.Passed.String(), v1alpha1.Failed.String(), v1alpha1.Suspect.String(), v1alpha1.Untested.String(),
		}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return m.of(t.Elem())
	case reflect.Slice:
		return &schema{Type: "array", Items: m.of(t.Elem())}
	case reflect.Struct:
		if m.defs[t.Name()] == nil {
			m.defs[t.Name()] = &schema{} // a type that holds itself ends here
			*m.defs[t.Name()] = *m.object(t)
		}
		return &schema{Ref: "#/$defs/" + t.Name()}
	case reflect.String:
		return &schema{Type: "string"}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Int, reflect.Int64:
		return &schema{Type: "integer"}
	default:
		panic("a report holds a " + t.String())
	}
}

func (m *maker) object(t reflect.Type) *schema {
	o := &schema{Type: "object", Description: m.said[t.Name()], Properties: map[string]*schema{}, Closed: new(bool)}
	for i := range t.NumField() {
		f := t.Field(i)
		key, optional := keyOf(f)
		s := m.of(f.Type)
		if f.Type.Kind() == reflect.Pointer && !optional {
			s = &schema{AnyOf: []*schema{s, {Type: "null"}}}
		}
		s.Description = m.said[t.Name()+"."+f.Name]
		o.Properties[key] = s
		if !optional {
			o.Required = append(o.Required, key)
		}
	}
	return o
}

func reportSchema(t *testing.T) string {
	m := &maker{said: comments(t), defs: map[string]*schema{}}
	s := m.object(reflect.TypeFor[v1alpha1.Report]())
	s.Schema, s.ID, s.Title, s.Defs = "https://json-schema.org/draft/2020-12/schema", "urn:"+strings.ReplaceAll(v1alpha1.ReportSchema, "/", ":"), "Seatrial report", m.defs
	s.Properties["schema"] = &schema{Const: v1alpha1.ReportSchema}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	require.NoError(t, e.Encode(s))
	return text.String()
}

func TestSchema_is_that_of_the_types(t *testing.T) { requirePage(t, schemaFile, reportSchema(t)) }

func compiled(t *testing.T) *jsonschema.Schema {
	text, err := os.ReadFile(filepath.Join(root, schemaFile))
	require.NoError(t, err)
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	require.NoError(t, c.AddResource("report.json", document))
	s, err := c.Compile("report.json")
	require.NoError(t, err)
	return s
}

func TestSchema_takes_every_report(t *testing.T) {
	s := compiled(t)
	files, err := filepath.Glob(root + "/plugin/report/testdata/*.json")
	require.NoError(t, err)
	require.Greater(t, len(files), 5)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		require.NoError(t, err)
		require.NoError(t, s.Validate(value), file)
	}
}

func TestSchema_refuses_what_is_no_report(t *testing.T) {
	s := compiled(t)
	text, err := os.ReadFile(root + "/plugin/report/testdata/fail.json")
	require.NoError(t, err)
	for old, wrong := range map[string]string{
		`"schema": "seatrial.dev/report/v1"`: `"schema": "seatrial.dev/report/v2"`,
		`"verdict": "fail"`:                  `"verdict": "maybe"`,
		`"target": 7`:                        `"target": "7"`,
		`"peakBusGBps"`:                      `"peakBusGbps"`,
		`"started": "2026-03-01T09:30:00Z"`:  `"started": "yesterday"`,
		`"warnings": []`:                     `"warnings": null`,
	} {
		changed := strings.Replace(string(text), old, wrong, 1)
		require.NotEqual(t, string(text), changed, old)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(changed))
		require.NoError(t, err)
		require.Error(t, s.Validate(value), wrong)
	}
}
