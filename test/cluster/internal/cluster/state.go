package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/proc"
)

// State is what is recorded of a running cluster. The zero State is that of no cluster.
type State struct {
	Folder    string                   `json:"folder"`    // cache folder of the programs that run
	Nodes     int                      `json:"nodes"`     // how many
	Provider  string                   `json:"provider"`  // the prefix of the nodes' providerIDs; empty: they have none
	Requeue   string                   `json:"requeue"`   // the workflow controller's, as time.Duration prints it
	Started   time.Time                `json:"started"`   // when `up` began
	Complete  bool                     `json:"complete"`  // `up` came to its end
	Processes map[string]proc.Identity `json:"processes"` // by component
}

// record is the state on disk, written before anything that relies on it goes on.
type record struct {
	mutex sync.Mutex
	path  string
	state State
}

func statePath() string { return filepath.Join(stateFolder, "state.json") }

// readState returns the recorded state; without a record it is zero.
func readState(path string) (State, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return State{}, nil
	}
	if err != nil {
		return State{}, fmt.Errorf("reading the state of the cluster: %w", err)
	}
	var state State
	if err := json.Unmarshal(text, &state); err != nil {
		return State{}, fmt.Errorf("reading the state of the cluster: %s: %w", path, err)
	}
	return state, nil
}

// change changes the state and writes it, whole or not at all.
func (r *record) change(f func(*State)) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.state.Processes == nil {
		r.state.Processes = map[string]proc.Identity{}
	}
	f(&r.state)
	text, err := json.MarshalIndent(r.state, "", "  ")
	if err != nil {
		return fmt.Errorf("writing the state of the cluster: %w", err)
	}
	if err := os.WriteFile(r.path+".new", append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("writing the state of the cluster: %w", err)
	}
	return os.Rename(r.path+".new", r.path)
}

func (r *record) process(component string) proc.Identity {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.state.Processes[component]
}
