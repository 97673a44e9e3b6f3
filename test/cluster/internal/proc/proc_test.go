package proc

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

type files map[string]string

func (f files) ReadFile(path string) ([]byte, error) {
	text, ok := f[path]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(text), nil
}

func table(state string, ticks int, boot string) files {
	return files{
		"/proc/7/stat":                    fmt.Sprintf("7 (a (b) c) %s 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 %d 9 10", state, ticks),
		"/proc/sys/kernel/random/boot_id": boot + "\n",
	}
}

func TestAlive(t *testing.T) {
	identity, err := Identify(table("S", 4711, "boot-1"), 7)
	require.NoError(t, err)
	require.Equal(t, Identity{PID: 7, StartTicks: 4711, Boot: "boot-1"}, identity)

	t.Run("the_same_process_is_alive", func(t *testing.T) {
		require.True(t, identity.Alive(table("R", 4711, "boot-1")))
	})
	t.Run("another_process_with_its_number_is_not_it", func(t *testing.T) {
		require.False(t, identity.Alive(table("S", 4712, "boot-1")))
	})
	t.Run("the_same_number_and_time_after_a_reboot_is_not_it", func(t *testing.T) {
		require.False(t, identity.Alive(table("S", 4711, "boot-2")))
	})
	t.Run("a_zombie_is_not_alive", func(t *testing.T) {
		require.False(t, identity.Alive(table("Z", 4711, "boot-1")))
	})
	t.Run("a_process_that_is_gone_is_not_alive", func(t *testing.T) {
		require.False(t, identity.Alive(files{}))
	})
	t.Run("the_zero_identity_is_nobody", func(t *testing.T) {
		require.False(t, Identity{}.Alive(Proc{}))
	})
}

func start(t *testing.T, argv ...string) Identity {
	t.Helper()
	identity, err := Start(Spec{Argv: argv, Env: []string{"WORD=sea trial"}, Log: filepath.Join(t.TempDir(), "log")})
	require.NoError(t, err)
	t.Cleanup(func() { _ = Stop([]Identity{identity}, 0) })
	require.Eventually(t, func() bool { return identity.Alive(Proc{}) }, 5*time.Second, 10*time.Millisecond)
	return identity
}

func TestStop(t *testing.T) {
	t.Run("ends_a_process", func(t *testing.T) {
		identity := start(t, "sleep", "600")
		require.NoError(t, Stop([]Identity{identity}, 5*time.Second))
		require.False(t, identity.Alive(Proc{}))
	})
	t.Run("kills_one_that_does_not_listen", func(t *testing.T) {
		identity := start(t, "sh", "-c", `trap "" TERM; echo ready; while :; do sleep 1; done`)
		require.NoError(t, Stop([]Identity{identity}, 100*time.Millisecond))
		require.False(t, identity.Alive(Proc{}))
	})
	t.Run("leaves_a_process_alone_that_only_has_the_number", func(t *testing.T) {
		identity := start(t, "sleep", "600")
		other := identity
		other.StartTicks++
		require.NoError(t, Stop([]Identity{other}, 0))
		require.True(t, identity.Alive(Proc{}))
	})
}

func TestSignal(t *testing.T) {
	identity := start(t, "sleep", "600")
	state := func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", identity.PID))
		require.NoError(t, err)
		return strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))[0]
	}
	other := identity
	other.StartTicks++
	Signal([]Identity{other}, syscall.SIGSTOP)
	require.NotEqual(t, "T", state(), "a process that only has the number is left alone")
	Signal([]Identity{identity}, syscall.SIGSTOP)
	require.Eventually(t, func() bool { return state() == "T" }, 5*time.Second, 10*time.Millisecond)
	require.True(t, identity.Alive(Proc{}), "it is halted, not gone")
	Signal([]Identity{identity}, syscall.SIGCONT)
	require.Eventually(t, func() bool { return state() != "T" }, 5*time.Second, 10*time.Millisecond)
}

func TestFind(t *testing.T) {
	marker := "600.0" + fmt.Sprint(os.Getpid())
	identity := start(t, "sleep", marker)
	require.Eventually(t, func() bool {
		found, err := Find(func(argv []string) bool { return len(argv) == 2 && argv[0] == "sleep" && argv[1] == marker })
		return err == nil && len(found) == 1 && found[0] == identity
	}, 5*time.Second, 10*time.Millisecond)
}

func TestStart(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	t.Run("output_goes_to_the_log", func(t *testing.T) {
		identity, err := Start(Spec{Argv: []string{"sh", "-c", `echo "$WORD"; exec sleep 600`}, Env: []string{"WORD=sea trial"}, Log: log})
		require.NoError(t, err)
		defer func() { _ = Stop([]Identity{identity}, 0) }()
		require.Eventually(t, func() bool {
			text, err := os.ReadFile(log)
			return err == nil && strings.Contains(string(text), "sea trial")
		}, 5*time.Second, 10*time.Millisecond)
	})
	t.Run("a_program_that_is_not_there_is_an_error", func(t *testing.T) {
		_, err := Start(Spec{Argv: []string{"/no/such/program"}, Log: log})
		require.ErrorContains(t, err, "/no/such/program")
	})
}

func FuzzParseStat(f *testing.F) {
	f.Add("7 (sleep) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 10")
	f.Add("7 (a) Z) b) R")
	f.Add(")")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseStat(text)
		if err != nil {
			require.Zero(t, got, "an unreadable process is never somebody")
		}
	})
}

func BenchmarkParseStat(b *testing.B) {
	text := table("S", 4711, "b")["/proc/7/stat"]
	for b.Loop() {
		_, _ = parseStat(text)
	}
}
