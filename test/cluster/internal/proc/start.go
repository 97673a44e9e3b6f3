package proc

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// Spec says what to start.
type Spec struct {
	Argv []string
	Env  []string // beside this process's own
	Log  string   // file that takes its output, emptied first
}

// Start starts a process in a session of its own, so that it outlives the caller and its terminal.
func Start(spec Spec) (Identity, error) {
	log, err := os.OpenFile(spec.Log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC|os.O_APPEND, 0o644)
	if err != nil {
		return Identity{}, fmt.Errorf("opening a log: %w", err)
	}
	defer func() { _ = log.Close() }()
	command := exec.Command(spec.Argv[0], spec.Argv[1:]...)
	command.Env = append(os.Environ(), spec.Env...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := command.Start(); err != nil {
		return Identity{}, fmt.Errorf("starting %s: %w", spec.Argv[0], err)
	}
	identity, err := Identify(Proc{}, command.Process.Pid)
	// Collect it when it ends while we live, so that an early end is seen as one. It outlives us otherwise: nobody waits for this.
	go func() { _ = command.Wait() }()
	return identity, err
}
