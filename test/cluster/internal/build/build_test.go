package build

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func silent(string, ...any) {}

const modules = "../../modules"

func TestCacheRoot(t *testing.T) {
	env := func(set map[string]string) func(string) string { return func(name string) string { return set[name] } }
	for name, want := range map[string]struct {
		set  map[string]string
		root string
	}{
		"our_own_variable_comes_first": {map[string]string{"SEATRIAL_CACHE": "/c", "XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/c"},
		"then_the_desktop's":           {map[string]string{"XDG_CACHE_HOME": "/x", "HOME": "/h"}, "/x/seatrial"},
		"then_the_home_folder":         {map[string]string{"HOME": "/h"}, "/h/.cache/seatrial"},
	} {
		t.Run(name, func(t *testing.T) {
			root, err := CacheRoot(env(want.set))
			require.NoError(t, err)
			require.Equal(t, want.root, root)
		})
	}
	t.Run("none_of_them_is_an_error", func(t *testing.T) {
		_, err := CacheRoot(env(nil))
		require.ErrorContains(t, err, "SEATRIAL_CACHE")
	})
}

func TestVersions(t *testing.T) {
	builder, err := New(modules, t.TempDir(), silent)
	require.NoError(t, err)
	versions, err := builder.Versions()
	require.NoError(t, err)

	t.Run("every_program_is_pinned", func(t *testing.T) {
		require.Len(t, versions, len(programs)-1) // all but pause, which is ours
		for _, version := range versions {
			require.Regexp(t, `^v\d+\.\d+\.\d+$`, version.Version, version.Program)
		}
	})
	t.Run("every_module_has_checksums_or_needs_none", func(t *testing.T) {
		for _, program := range programs {
			require.FileExists(t, filepath.Join(modules, program.name, "go.mod"))
			if program.module != "" {
				require.FileExists(t, filepath.Join(modules, program.name, "go.sum"))
			}
		}
	})
	t.Run("an_empty_cache_is_not_complete", func(t *testing.T) { require.False(t, builder.Complete()) })
}

func TestKubernetesVersion(t *testing.T) {
	flags := kubernetesVersion("v1.34.4")
	for _, want := range []string{"version.gitVersion=v1.34.4", "version.gitMajor=1", "version.gitMinor=34"} {
		require.Contains(t, flags, want)
	}
}

func TestBatches(t *testing.T) {
	t.Run("one_program_has_a_name_of_its_own", func(t *testing.T) {
		one := batches(map[string]string{"jobset-controller": "sigs.k8s.io/jobset"})
		require.Equal(t, []batch{{file: "jobset-controller", paths: []string{"sigs.k8s.io/jobset"}}}, one)
		require.Equal(t, "/s/jobset-controller", one[0].output("/s"))
	})
	t.Run("several_are_built_at_once_and_named_after_their_packages", func(t *testing.T) {
		many := batches(map[string]string{"b": "./cmd/b", "a": "./cmd/a"})
		require.Equal(t, []batch{{paths: []string{"./cmd/a", "./cmd/b"}}}, many)
		require.Equal(t, "/s/", many[0].output("/s"))
	})
	t.Run("so_each_file_must_be_called_as_its_package", func(t *testing.T) {
		for _, program := range programs {
			for file, path := range program.binaries {
				if len(program.binaries) > 1 {
					require.Equal(t, file, filepath.Base(path), program.name)
				}
			}
		}
	})
}

func TestLeaveOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kustomization.yaml")
	require.NoError(t, os.WriteFile(path, []byte("resources:\n- a\n- third-party/jobset\n"), 0o600))
	t.Run("the_line_goes", func(t *testing.T) {
		require.NoError(t, leaveOut(path, "third-party/jobset"))
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "resources:\n- a\n", string(text))
	})
	t.Run("a_line_that_is_not_there_is_an_error", func(t *testing.T) {
		require.ErrorContains(t, leaveOut(path, "third-party/jobset"), "no line with")
	})
}

func TestRunSteps(t *testing.T) {
	folder := t.TempDir()
	clock := time.Unix(0, 0)
	fake := func(name string, takes time.Duration, err error) step {
		file := filepath.Join(folder, name)
		return step{name: name + " (a, b)", makes: []string{file}, cold: time.Minute, run: func(context.Context) error {
			clock = clock.Add(takes)
			if err != nil {
				return err
			}
			return os.WriteFile(file, nil, 0o600)
		}}
	}
	steps := []step{fake("one", 2*time.Minute, nil), fake("two", 2*time.Minute, errors.New("no network")), fake("three", time.Minute, nil)}
	var out strings.Builder
	say := func(format string, args ...any) { out.WriteString(fmt.Sprintf(format, args...) + "\n") }
	now := func() time.Time { return clock }
	err := runSteps(t.Context(), say, steps, now)

	t.Run("the_first_failure_ends_the_build", func(t *testing.T) {
		require.EqualError(t, err, "building two: no network")
		require.NoFileExists(t, filepath.Join(folder, "three"))
	})
	t.Run("each_step_tells_what_is_left_at_the_pace_seen", func(t *testing.T) {
		require.Equal(t, strings.Join([]string{
			"step 1 of 3: one (a, b): about 1m0s; all that is left: about 3m0s",
			"step 1 of 3: one: done in 2m0s, 2m0s since the start",
			"step 2 of 3: two (a, b): about 2m0s; all that is left: about 4m0s", ""}, "\n"), out.String())
	})
	t.Run("the_next_build_goes_on_from_there", func(t *testing.T) {
		out.Reset()
		require.Error(t, runSteps(t.Context(), say, steps, now))
		require.Contains(t, out.String(), "step 1 of 3: one (a, b): in the cache\n")
	})
}

func TestForecast(t *testing.T) {
	long, short := step{name: "long", cold: 10 * time.Minute, makes: []string{"/none"}}, step{name: "short", cold: time.Second, makes: []string{"/none"}}
	t.Run("a_step_beyond_its_guess_is_never_below_zero", func(t *testing.T) {
		require.Equal(t, 2*time.Minute, newForecast([]step{long}).step(long, 20*time.Minute))
	})
	t.Run("a_step_too_short_to_tell_changes_no_guess", func(t *testing.T) {
		forecast := newForecast([]step{short, long})
		forecast.finish(short, time.Minute)
		require.Equal(t, 10*time.Minute, forecast.left(long, 0))
	})
	t.Run("a_warm_cache_shortens_the_rest", func(t *testing.T) {
		forecast := newForecast([]step{long, short})
		forecast.finish(long, time.Minute)
		require.Equal(t, 100*time.Millisecond, forecast.left(short, 0))
	})
}

func FuzzForecast(f *testing.F) {
	f.Add(int64(time.Minute), int64(time.Hour), int64(0))
	f.Fuzz(func(t *testing.T, cold, took, gone int64) {
		bounded := func(n int64) time.Duration { return time.Duration(n & (1<<45 - 1)) } // up to ten hours
		s := step{name: "s", cold: bounded(cold), makes: []string{"/none"}}
		forecast := newForecast([]step{s, {name: "t", cold: time.Minute, makes: []string{"/none"}}})
		forecast.finish(step{name: "u", cold: bounded(cold)}, bounded(took))
		require.GreaterOrEqual(t, forecast.step(s, bounded(gone)), time.Duration(0))
		require.GreaterOrEqual(t, forecast.left(s, bounded(gone)), forecast.step(s, bounded(gone)))
	})
}
