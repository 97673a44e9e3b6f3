package plan

import "encoding/json"

// render writes a configuration as JSON, which every reader of YAML reads too: no name such as n or on turns into a boolean.
// The values are maps, lists, strings, numbers and booleans written in this package, so it cannot fail.
func render(value map[string]any) string {
	text, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(text) + "\n"
}
