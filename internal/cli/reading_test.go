package cli

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// begun says once that somebody reads; it never ends.
type begun struct {
	io.Reader
	say func()
}

func (b begun) Read(p []byte) (int, error) {
	b.say()
	return b.Reader.Read(p)
}

func TestAnInterruptionEndsTheReading(t *testing.T) {
	for name, args := range map[string]string{
		"of a log": "score -", "of a log in JSON": "score - -o json", "of nodes": "partition --size 1 --nodes -",
		"of hosts": "probe --hosts-file -", "of a run": "wr run -",
	} {
		t.Run(name+" that nobody writes", func(t *testing.T) {
			silent, writer := io.Pipe()
			defer func() { _ = writer.Close() }()
			ctx, interrupt := context.WithCancel(t.Context())
			var stdout, stderr bytes.Buffer
			a := &app{stdin: begun{silent, interrupt}, stdout: &stdout, stderr: &stderr}
			require.Equal(t, Unsure, a.main(ctx, strings.Fields(args)))
			require.Empty(t, stdout.String())
			require.Equal(t, "seatrial: reading stdin: stopped before the end\n", stderr.String())
		})
	}
	t.Run("of a log without an end", func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		reads, ended := 0, make(chan error, 1)
		endless := begun{Reader: strings.NewReader(strings.Repeat("x", 1<<20)), say: func() {
			if reads++; reads == 3 {
				interrupt()
			}
		}}
		_, err := readFrom(ctx, &app{stdin: endless}, "-", func(text io.Reader) (int64, error) {
			n, err := io.Copy(io.Discard, text)
			ended <- err
			return n, err
		})
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, <-ended, context.Canceled, "what nobody waits for ends too")
	})
}
