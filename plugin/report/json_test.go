package report

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
)

func TestJSONSteersNoTerminal(t *testing.T) {
	const hostile = "a\x1b[31m\u009b31m\u0085\u202eb\u200b\U000e0041é"
	var text bytes.Buffer
	require.NoError(t, WriteJSON(&text, v1alpha1.Report{Name: "r", Message: hostile}))
	require.Contains(t, text.String(), `a\u001b[31m\u009b31m\u0085\u202eb\u200b\udb40\udc41é`)
	var back v1alpha1.Report
	require.NoError(t, json.Unmarshal(text.Bytes(), &back))
	require.Equal(t, hostile, back.Message)
}
