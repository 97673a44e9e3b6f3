package server

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The files of test/compat/wire are what modules with other versions of Argo read and write (make test-compat). Here the plugin is
// held to them, so that what they prove is proved of it.
func TestTheWireIsTheOneThatIsTriedWithOtherVersionsOfArgo(t *testing.T) {
	const folder = "../../test/compat/wire"
	request, err := os.ReadFile(filepath.Join(folder, "request.json"))
	require.NoError(t, err)
	replies := map[string]Reply{
		"running": {Phase: Running, Message: "2 of 4 ready"},
		"poll":    {},
		"final":   {Phase: Failed, Message: "fail (threshold): busbw 12 GB/s", Outputs: map[string]string{"verdict": "fail", "failed": `["n1"]`}},
	}
	for name, reply := range replies {
		t.Run(name, func(t *testing.T) {
			want, err := os.ReadFile(filepath.Join(folder, "reply-"+name+".json"))
			require.NoError(t, err)
			var got Call
			s := newServer(map[string]Step{"score": stepFunc(func(_ context.Context, call Call) Reply { got = call; return reply })})
			w := post(s, string(request))
			require.Equal(t, http.StatusOK, w.Code)
			require.JSONEq(t, string(want), w.Body.String())
			require.Equal(t, Workflow{Name: "wf", Namespace: "ns", UID: "u-1"}, got.Workflow)
			require.Equal(t, map[string]string{"image": "example.org/x:1", "numNodes": "2"}, got.Parameters)
			require.Equal(t, "groups 32-47", got.Group)
		})
	}
	t.Run("not-ours", func(t *testing.T) {
		want, err := os.ReadFile(filepath.Join(folder, "reply-not-ours.json"))
		require.NoError(t, err)
		w := post(newServer(nil), strings.Replace(string(request), `"seatrial"`, `"other"`, 1))
		require.JSONEq(t, string(want), w.Body.String())
	})
	files, err := filepath.Glob(folder + "/reply-*.json")
	require.NoError(t, err)
	require.Len(t, files, len(replies)+1, "each file is held to")
}
