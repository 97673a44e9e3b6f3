// Package proc starts, recognises and ends the cluster's processes. A process id alone is no name: the kernel gives it to
// another process once the first is gone. So a process is recorded with its start time and the boot it belongs to, and
// nothing is ended that does not carry all three.
package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Identity names one process for good. The zero Identity names none.
type Identity struct {
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"startTicks"` // clock ticks from boot to its start: field 22 of /proc/PID/stat (proc_pid_stat(5))
	Boot       string `json:"boot"`       // /proc/sys/kernel/random/boot_id
}

// Field numbers of /proc/PID/stat, counted from the one after the command, which is field 3.
const (
	stateField     = 0
	startTimeField = 22 - 3
)

// Table reads processes. Its only implementation outside tests is Proc.
type Table interface {
	ReadFile(path string) ([]byte, error)
}

// Proc reads this machine's /proc.
type Proc struct{}

// ReadFile reads one file.
func (Proc) ReadFile(path string) ([]byte, error) { return os.ReadFile(path) }

// Identify returns the identity of a living process.
func Identify(table Table, pid int) (Identity, error) {
	stat, err := readStat(table, pid)
	if err != nil {
		return Identity{}, err
	}
	boot, err := table.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return Identity{}, fmt.Errorf("reading the id of this boot: %w", err)
	}
	return Identity{PID: pid, StartTicks: stat.startTicks, Boot: string(bytes.TrimSpace(boot))}, nil
}

// Alive tells whether the very process runs: not another with its number, and not one that has ended and waits to be collected.
func (i Identity) Alive(table Table) bool {
	if i.PID <= 0 {
		return false
	}
	stat, err := readStat(table, i.PID)
	if err != nil || stat.ended {
		return false
	}
	boot, err := table.ReadFile("/proc/sys/kernel/random/boot_id")
	return err == nil && string(bytes.TrimSpace(boot)) == i.Boot && stat.startTicks == i.StartTicks
}

type stat struct {
	startTicks uint64
	ended      bool // a zombie, or dead
}

func readStat(table Table, pid int) (stat, error) {
	text, err := table.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return stat{}, fmt.Errorf("looking for process %d: %w", pid, err)
	}
	out, err := parseStat(string(text))
	if err != nil {
		return stat{}, fmt.Errorf("looking for process %d: %w", pid, err)
	}
	return out, nil
}

// parseStat reads /proc/PID/stat. The command in it may hold any character, blanks and brackets too, but it ends at the last bracket.
func parseStat(text string) (stat, error) {
	end := strings.LastIndexByte(text, ')')
	if end < 0 {
		return stat{}, errors.New("its stat has no command")
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) <= startTimeField {
		return stat{}, fmt.Errorf("its stat has %d fields after the command, not %d", len(fields), startTimeField+1)
	}
	ticks, err := strconv.ParseUint(fields[startTimeField], 10, 64)
	if err != nil {
		return stat{}, fmt.Errorf("its start time: %w", err)
	}
	state := fields[stateField]
	return stat{startTicks: ticks, ended: state == "Z" || state == "X"}, nil
}
