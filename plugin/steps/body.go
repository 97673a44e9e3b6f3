package steps

import (
	"encoding/json"
	"fmt"

	"github.com/seed-95c1acfe/seatrial/plugin/server"
)

// body is what single steps find in their plugin body beside what every call has.
type body struct {
	// Framework is discover's: the template knows which one it is of.
	Framework string `json:"framework"`
	// Gate is report's: "true" makes the step red unless the run passed.
	Gate string `json:"gate"`
	// Round is round's: which round of isolation to make, counted from 1.
	Round string `json:"round"`
}

func bodyOf(call server.Call) (body, error) {
	var b body
	if err := json.Unmarshal(call.Body, &b); err != nil {
		return b, fmt.Errorf("reading the step's body: %w", err)
	}
	return b, nil
}
