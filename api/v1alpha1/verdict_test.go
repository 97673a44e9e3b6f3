package v1alpha1

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// packed returns an encoded spec of so many blanks, which EncodeSpec would refuse to make.
func packed(t *testing.T, size int) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write(bytes.Repeat([]byte(" "), size))
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return EncodedSpec + base64.StdEncoding.EncodeToString(b.Bytes())
}

func TestVerdict(t *testing.T) {
	t.Run("the_zero_value_is_unknown", func(t *testing.T) {
		var group GroupResult
		require.Equal(t, Unknown, group.Verdict)
		var node NodeResult
		require.Equal(t, NodeUnknown, node.Verdict)
		var report Report
		require.NoError(t, json.Unmarshal([]byte("{}"), &report))
		require.Equal(t, Unknown, report.Verdict)
	})
	t.Run("every_verdict_survives_JSON", func(t *testing.T) {
		for _, v := range []Verdict{Unknown, Pass, Fail} {
			text, err := json.Marshal(v)
			require.NoError(t, err)
			again := Verdict(99)
			require.NoError(t, json.Unmarshal(text, &again))
			require.Equal(t, v, again)
		}
		for _, v := range []NodeVerdict{NodeUnknown, Passed, Failed, Suspect, Untested} {
			text, err := json.Marshal(v)
			require.NoError(t, err)
			again := NodeVerdict(99)
			require.NoError(t, json.Unmarshal(text, &again))
			require.Equal(t, v, again)
		}
	})
	t.Run("what_is_out_of_range_reads_unknown", func(t *testing.T) {
		require.Equal(t, "unknown", Verdict(200).String())
		require.Equal(t, "unknown", NodeVerdict(200).String())
	})
	t.Run("a_word_that_is_no_verdict_is_an_error_and_changes_nothing", func(t *testing.T) {
		for _, text := range []string{"", "PASS", "passed", "ok", "pass "} {
			var v Verdict
			require.Error(t, v.UnmarshalText([]byte(text)), text)
			require.Equal(t, Unknown, v)
		}
		var v NodeVerdict
		require.Error(t, v.UnmarshalText([]byte("pass")))
		require.Equal(t, NodeUnknown, v)
	})
}
