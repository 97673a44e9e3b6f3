package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is the plugin's process, which runs on this machine.
type process struct {
	pid int
	// cpu is what it used so far, most the most memory that it ever held (VmHWM).
	cpu  time.Duration
	most int64
}

// findPlugin finds the process of the plugin in the pod with the uid, by its control group.
func findPlugin(uid string) (int, error) {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return 0, err
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(line, []byte("/seatrial-plugin\x00serve")) {
			continue
		}
		groups, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cgroup"))
		if err == nil && bytes.Contains(groups, []byte(uid)) {
			return strconv.Atoi(filepath.Base(filepath.Dir(file)))
		}
	}
	return 0, errors.New("the plugin has no process on this machine")
}

// look reads what the process has used. A process that has ended keeps what was seen of it.
func (p *process) look() error {
	folder := filepath.Join("/proc", strconv.Itoa(p.pid))
	stat, err := os.ReadFile(filepath.Join(folder, "stat"))
	if err != nil {
		return err
	}
	// proc(5): after the name in brackets, utime and stime are the 12th and 13th field, in hundredths of a second.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 13 {
		return fmt.Errorf("reading %s/stat: it is short", folder)
	}
	var ticks int64
	for _, f := range fields[11:13] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return fmt.Errorf("reading %s/stat: %w", folder, err)
		}
		ticks += n
	}
	p.cpu = time.Duration(ticks) * 10 * time.Millisecond
	status, err := os.ReadFile(filepath.Join(folder, "status"))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if rest, is := strings.CutPrefix(line, "VmHWM:"); is {
			kilobytes, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return fmt.Errorf("reading %s/status: %w", folder, err)
			}
			p.most = max(p.most, kilobytes<<10)
		}
	}
	return nil
}
