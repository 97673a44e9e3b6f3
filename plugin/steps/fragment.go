package steps

import (
	"context"
	"encoding/json"
	"fmt"

	"sigs.k8s.io/yaml"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/internal/resolve"
	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

const stepFragment = "fragment"

// checkFragment is what a platform fragment does when it is submitted by itself: it validates itself, is laid over made-up
// jobs, and prints what it sets. It touches nothing of the cluster.
func checkFragment(_ context.Context, _ *run, call server.Call, _ func(string)) outcome {
	var body struct {
		Fragment json.RawMessage `json:"fragment"`
	}
	if err := json.Unmarshal(call.Body, &body); err != nil || body.Fragment == nil {
		return outcome{failed: true, message: `the template's seatrial body has no "fragment"`}
	}
	text, err := yaml.JSONToYAML(body.Fragment)
	if err != nil {
		return outcome{failed: true, message: oneLine(fmt.Errorf("reading the fragment: %w", err))}
	}
	n, err := v1alpha1.LoadFragment("fragment", text)
	if err != nil {
		return outcome{failed: true, message: oneLine(err)}
	}
	effect, err := resolve.Try(*n)
	if err != nil {
		return outcome{failed: true, message: oneLine(err)}
	}
	return outcome{message: "valid: " + n.Fragment.Description, outputs: map[string]string{"effect": effect}}
}
