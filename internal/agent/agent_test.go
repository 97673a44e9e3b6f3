package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/seed-95c1acfe/seatrial/internal/cluster"
	"github.com/seed-95c1acfe/seatrial/internal/version"
)

func TestCommands(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "") // no cluster around the test
	for name, c := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		"no command shows the usage":          {nil, 0, "finish", ""},
		"the version":                         {[]string{"--version"}, 0, version.Number, ""},
		"an unknown command":                  {[]string{"sail"}, 1, "", `unknown command \"sail\"`},
		"finish must know the workflow":       {[]string{"finish"}, 1, "", `required flag(s) \"namespace\", \"uid\", \"workflow\" not set`},
		"serve outside a cluster":             {[]string{"serve"}, 1, "", "reading the pod's service account: "},
		"finish outside a cluster":            {[]string{"finish", "--namespace=n", "--workflow=w", "--uid=u"}, 1, "", "reading the pod's service account: "},
		"serve takes no arguments":            {[]string{"serve", "x"}, 1, "", `unknown command \"x\"`},
		"an unknown flag is named":            {[]string{"serve", "--port=1"}, 1, "", "unknown flag: --port"},
		"an error is one line without a help": {[]string{"finish", "x"}, 1, "", "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			require.Equal(t, c.code, Main(t.Context(), c.args, &stdout, &stderr))
			require.Contains(t, stdout.String(), c.stdout)
			require.Contains(t, stderr.String(), c.stderr)
			if c.code != 0 {
				require.Empty(t, stdout.String())
				require.Equal(t, 1, strings.Count(stderr.String(), "\n"))
			}
		})
	}
}

// free is an address on which nothing listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}

func status(t *testing.T, url string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, strings.NewReader("{}"))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

func TestServeAnswersUntilItsContextEnds(t *testing.T) {
	calls, health := free(t), free(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, cluster.NewFake().Cluster, calls, health, time.Second, slog.New(slog.DiscardHandler))
	}()

	require.Eventually(t, func() bool { return status(t, "http://"+health+"/readyz") == http.StatusOK }, 5*time.Second, 10*time.Millisecond)
	require.Equal(t, http.StatusOK, status(t, "http://"+health+"/healthz"))
	require.Equal(t, http.StatusOK, status(t, "http://"+health+"/metrics"))
	require.NotEqual(t, http.StatusNotFound, status(t, "http://"+calls+"/nowhere"), "Argo never calls a plugin again that answers 404")

	stop()
	time.Sleep(300 * time.Millisecond)
	require.Equal(t, http.StatusOK, status(t, "http://"+health+"/healthz"), "the agent outlives the signal, and is answered")
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(5 * time.Second):
		t.Fatal("it does not end")
	}
	require.Zero(t, status(t, "http://"+health+"/healthz"), "nothing listens any more")
}

func TestServeSaysWhichAddressIsTaken(t *testing.T) {
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer taken.Close() //nolint:errcheck // the test is over
	for i, addresses := range [][2]string{{taken.Addr().String(), free(t)}, {free(t), taken.Addr().String()}} {
		err := serve(t.Context(), cluster.NewFake().Cluster, addresses[0], addresses[1], 0, slog.New(slog.DiscardHandler))
		require.ErrorContains(t, err, "listening: ", fmt.Sprint(i))
		require.ErrorContains(t, err, taken.Addr().String())
		other := addresses[1-i]
		l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", other)
		require.NoError(t, err, "the other address is free again")
		require.NoError(t, l.Close())
	}
}

func TestTheLogHidesSecrets(t *testing.T) {
	var text bytes.Buffer
	logTo(&text).Error("creating TrainJob a: refused: HF_TOKEN=planted-1", "error", fmt.Errorf("asking: %w", errors.New("https://u:planted-2@example.com")), "workflow", "nccl", "n", 3)
	require.NotContains(t, text.String(), "planted")
	require.Contains(t, text.String(), "HF_TOKEN=***")
	require.Contains(t, text.String(), "workflow=nccl n=3")
}
