package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// readFrom lets take read a file, or stdin for "-", and returns what it makes of it. It ends with ctx: a terminal or a pipe that
// nobody writes to would hold it for ever. What take has made by then is not looked at.
func readFrom[T any](ctx context.Context, a *app, file string, take func(io.Reader) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		o.err = a.withOpen(file, func(text io.Reader) (err error) {
			o.value, err = take(whileReader{ctx, text})
			return err
		})
		done <- o
	}()
	var o outcome
	select {
	case o = <-done:
	case <-ctx.Done():
		o.err = stopped{ctx.Err()}
	}
	if o.err != nil && file == "-" {
		return *new(T), fmt.Errorf("reading stdin: %w", o.err)
	}
	if o.err != nil {
		return *new(T), fmt.Errorf("reading the file: %w", o.err)
	}
	return o.value, nil
}

func (a *app) withOpen(file string, read func(io.Reader) error) error {
	if file == "-" {
		return read(a.stdin)
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // it was only read
	return read(f)
}

// whileReader reads while ctx has not ended, so that a file without an end does not go on being read.
type whileReader struct {
	ctx  context.Context
	text io.Reader
}

// Read is the reader's, or ctx's error.
func (r whileReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.text.Read(p)
}

// read reads a whole file, or stdin for "-".
func (a *app) read(ctx context.Context, file string) ([]byte, error) {
	return readFrom(ctx, a, file, io.ReadAll)
}

// unreadable is the exit code of a file that could not be read: an interruption says nothing against the file.
func unreadable(err error) Code {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return Unsure
	}
	return Misused
}

// stopped is an interruption, said without the library's words for it.
type stopped struct{ cause error }

// Error says no more than that it was stopped.
func (stopped) Error() string { return "stopped before the end" }

// Unwrap is the context's error.
func (s stopped) Unwrap() error { return s.cause }
