package proc

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// pollInterval is how often Stop looks whether a process has ended.
const pollInterval = 50 * time.Millisecond

// killPatience is how long a killed process may take: one in a system call that cannot be interrupted ends late.
const killPatience = 10 * time.Second

// Stop ends processes: SIGTERM, then SIGKILL to those that live after the grace period (zero: SIGKILL at once). Identities
// whose process is gone are passed over.
func Stop(identities []Identity, grace time.Duration) error {
	if grace > 0 {
		signalAll(identities, syscall.SIGTERM)
		if waitGone(identities, grace) {
			return nil
		}
	}
	signalAll(identities, syscall.SIGKILL)
	if waitGone(identities, killPatience) {
		return nil
	}
	var left []string
	for _, identity := range identities {
		if identity.Alive(Proc{}) {
			left = append(left, strconv.Itoa(identity.PID))
		}
	}
	return fmt.Errorf("ending processes: still there after SIGKILL: %s", strings.Join(left, ", "))
}

// Signal sends a signal to every process that lives.
func Signal(identities []Identity, signal syscall.Signal) { signalAll(identities, signal) }

// signalAll holds each process by a pidfd before it looks whether it is the right one, so that the number cannot change owner in between.
func signalAll(identities []Identity, signal syscall.Signal) {
	for _, identity := range identities {
		process, err := os.FindProcess(identity.PID)
		if err != nil {
			continue
		}
		if identity.Alive(Proc{}) {
			_ = process.Signal(signal) // it may end first: waitGone tells
		}
		_ = process.Release()
	}
}

func waitGone(identities []Identity, patience time.Duration) bool {
	for deadline := time.Now().Add(patience); ; time.Sleep(pollInterval) {
		if !slices.ContainsFunc(identities, func(i Identity) bool { return i.Alive(Proc{}) }) {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// Find returns the processes whose command line satisfies match.
func Find(match func(argv []string) bool) ([]Identity, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var found []Identity
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		identity, err := Identify(Proc{}, pid)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it ended while we looked
		}
		if err != nil {
			return nil, err
		}
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && match(strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")) {
			found = append(found, identity)
		}
	}
	return found, nil
}
