package server

import (
	"encoding/json"
	"errors"
	"fmt"
)

// pluginKey is the key of our body in a template's plugin field.
const pluginKey = "seatrial"

// Workflow is the workflow that a call is for.
type Workflow struct {
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	UID       string `json:"uid"`
}

// Call is one call of a step. All of it but Workflow is text from a template.
type Call struct {
	Workflow Workflow
	// Step is the step's name, Group the id of a group or batch, "groups" in the body (empty for a step of the whole run), Node the workflow node's name,
	// Version that of the templates.
	Step, Group, Node, Version string
	// Parameters are the template's input parameters; nil when it has none.
	Parameters map[string]string
	// Body is the whole object under "seatrial", for steps that take more.
	Body json.RawMessage
}

type request struct {
	Workflow struct {
		Metadata Workflow `json:"metadata"`
	} `json:"workflow"`
	Template struct {
		Inputs struct {
			Parameters []struct {
				Name  string    `json:"name"`
				Value *anyValue `json:"value"`
			} `json:"parameters"`
		} `json:"inputs"`
		Plugin map[string]json.RawMessage `json:"plugin"`
	} `json:"template"`
}

// anyValue is a parameter's value. Argo sends strings; a number or boolean is taken as it is written.
type anyValue string

func (v *anyValue) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		*v = anyValue(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(v))
}

// parseCall reads a request. Without an error and not ours, it is for another plugin.
func parseCall(body []byte) (call Call, ours bool, err error) {
	var req request
	if err := json.Unmarshal(body, &req); err != nil {
		return Call{}, false, fmt.Errorf("reading the request: %w", err)
	}
	raw, ours := req.Template.Plugin[pluginKey]
	if !ours {
		return Call{}, false, nil
	}
	var fields struct {
		Step    string `json:"step"`
		Group   string `json:"groups"`
		Node    string `json:"node"`
		Version string `json:"version"`
	}
	if err := json.Unmarshal(raw, &fields); err != nil {
		return Call{}, true, fmt.Errorf("reading the template's %s body: %w", pluginKey, err)
	}
	if fields.Step == "" {
		return Call{}, true, errors.New(`the template's ` + pluginKey + ` body has no "step"`)
	}
	call = Call{
		Workflow: req.Workflow.Metadata,
		Step:     fields.Step, Group: fields.Group, Node: fields.Node, Version: fields.Version,
		Body: raw,
	}
	for _, p := range req.Template.Inputs.Parameters {
		if p.Value == nil {
			continue
		}
		if call.Parameters == nil {
			call.Parameters = map[string]string{}
		}
		call.Parameters[p.Name] = string(*p.Value)
	}
	return call, true, nil
}
