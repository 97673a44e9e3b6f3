package cluster

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubefake "k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/seed-95c1acfe/seatrial/internal/resolve"
)

func notFound(resource, name string) error {
	return apierrors.NewNotFound(schema.GroupResource{Resource: resource}, name)
}

type counter struct{ N int }

func add(c *counter) error { c.N++; return nil }

func read(t *testing.T, r *Record, key string) counter {
	t.Helper()
	var c counter
	has, err := r.Read(context.Background(), key, &c)
	require.NoError(t, err)
	require.True(t, has, key)
	return c
}

func TestRecord(t *testing.T) {
	ctx := context.Background()
	fresh := func() (*Fake, *Record) {
		f := NewFake()
		f.Versioned()
		return f, f.Record(owner, "", "my-run")
	}
	t.Run("what_was_never_written_is_not_there", func(t *testing.T) {
		_, r := fresh()
		var c counter
		has, err := r.Read(ctx, "plan", &c)
		require.NoError(t, err)
		require.False(t, has)
		_, err = Update(ctx, r, "group-1", add)
		require.NoError(t, err)
		has, err = r.Read(ctx, "group-2", &c)
		require.NoError(t, err)
		require.False(t, has, "the shard is there, the key is not")
	})
	t.Run("a_change_builds_on_the_last_one", func(t *testing.T) {
		_, r := fresh()
		for i := range 3 {
			c, err := Update(ctx, r, "plan", add)
			require.NoError(t, err)
			require.Equal(t, i+1, c.N)
		}
		require.Equal(t, 3, read(t, r, "plan").N)
	})
	t.Run("unchanged_writes_nothing_and_an_error_is_passed_on", func(t *testing.T) {
		f, r := fresh()
		_, err := Update(ctx, r, "plan", add)
		require.NoError(t, err)
		as[*kubefake.Clientset](f.Kube).ClearActions()
		c, err := Update(ctx, r, "plan", func(c *counter) error { c.N = 99; return fmt.Errorf("no need: %w", ErrUnchanged) })
		require.NoError(t, err)
		require.Equal(t, 99, c.N)
		_, err = Update(ctx, r, "plan", func(*counter) error { return context.Canceled })
		require.ErrorIs(t, err, context.Canceled)
		require.Len(t, as[*kubefake.Clientset](f.Kube).Actions(), 2, "two reads")
		require.Equal(t, 1, read(t, r, "plan").N)
	})
	t.Run("8_groups_share_a_ConfigMap_that_the_workflow_owns", func(t *testing.T) {
		f, r := fresh()
		for _, key := range []string{"plan", "close", "group-0", "group-7", "group-8", "group-15", "group-16", "group-x", "group-10-i2", "isolate-3-1"} {
			_, err := Update(ctx, r, key, add)
			require.NoError(t, err)
		}
		list, err := f.Kube.CoreV1().ConfigMaps("ns").List(ctx, metav1.ListOptions{})
		require.NoError(t, err)
		keys := map[string][]string{}
		for _, m := range list.Items {
			require.True(t, owner.Owns(&m))
			require.Equal(t, resolve.ManagedBy, m.Labels[resolve.LabelManagedBy])
			require.NotContains(t, m.Labels, resolve.LabelGroup, "a group's clean-up must not match it")
			for key := range m.BinaryData {
				keys[m.Name+" "+m.Labels[labelRecord]] = append(keys[m.Name+" "+m.Labels[labelRecord]], key)
			}
		}
		require.Len(t, keys, 6)
		require.ElementsMatch(t, []string{"plan", "close", "group-x"}, keys["run-seatrial 0"])
		require.ElementsMatch(t, []string{"group-0", "group-7"}, keys["run-seatrial-1 1"])
		require.ElementsMatch(t, []string{"group-8", "group-15"}, keys["run-seatrial-2 2"])
		require.ElementsMatch(t, []string{"group-16"}, keys["run-seatrial-3 3"])
		require.ElementsMatch(t, []string{"group-10-i2"}, keys["run-seatrial-i2-2 i2-2"])
		require.ElementsMatch(t, []string{"isolate-3-1"}, keys["run-seatrial-r3-1 r3-1"])
	})
	t.Run("groups_of_all_shards_are_read_and_told_from_the_rest", func(t *testing.T) {
		_, r := fresh()
		for _, key := range []string{"plan", "group-0", "group-64", "group-64", "group-500", "isolate-1-0"} {
			_, err := Update(ctx, r, key, add)
			require.NoError(t, err)
		}
		got := map[string]int{}
		others := []string{}
		require.NoError(t, r.ReadEach(ctx, func(key string, group bool, decode func(any) error) error {
			var c counter
			err := decode(&c)
			if group {
				got[key] = c.N
			} else {
				others = append(others, key)
			}
			return err
		}))
		require.Equal(t, map[string]int{"group-0": 1, "group-64": 2, "group-500": 1, "isolate-1-0": 1}, got)
		require.Equal(t, []string{"plan"}, others)
		require.ErrorIs(t, r.ReadEach(ctx, func(string, bool, func(any) error) error { return context.Canceled }), context.Canceled)
	})
	t.Run("scopes_do_not_see_each_other", func(t *testing.T) {
		f, r := fresh()
		other := f.Record(owner, "abc123", "second")
		_, err := Update(ctx, r, "group-0", add)
		require.NoError(t, err)
		_, err = Update(ctx, other, "plan", add)
		require.NoError(t, err)
		require.NoError(t, other.ReadEach(ctx, func(key string, group bool, _ func(any) error) error {
			if group {
				return errors.New(key)
			}
			return nil
		}))
		_, err = Update(ctx, r, "plan", add)
		require.NoError(t, err)
		records, err := f.Records(ctx, Owner{Namespace: "ns", Name: "run"})
		require.NoError(t, err)
		require.Len(t, records, 2)
		require.ElementsMatch(t, []string{"", "abc123"}, []string{records[0].Scope(), records[1].Scope()})
		require.Equal(t, owner, records[0].Owner(), "the UID is found when it is not known")
		records, err = f.Records(ctx, Owner{Namespace: "ns", Name: "run", UID: "uid-2"})
		require.NoError(t, err)
		require.Empty(t, records, "an earlier workflow of the same name has records of its own")
	})
}

func TestUpdate_of_two_writers(t *testing.T) {
	ctx := context.Background()
	t.Run("neither_undoes_the_others_work", func(t *testing.T) {
		f := NewFake()
		f.Versioned()
		r := f.Record(owner, "", "run")
		calls := 0
		for _, first := range []string{"create", "patch"} {
			meddled := false
			_, err := Update(ctx, r, "group-0", func(c *counter) error {
				calls++
				if !meddled { // between our read and our write another writer is faster
					meddled = true
					_, err := Update(ctx, f.Process().Record(owner, "", "run"), "group-0", add)
					require.NoError(t, err, first)
				}
				return add(c)
			})
			require.NoError(t, err, first)
		}
		require.Equal(t, 4, read(t, r, "group-0").N)
		require.Equal(t, 4, calls, "each change was made again on what the other had written")
	})
	t.Run("many_at_once_lose_nothing", func(t *testing.T) {
		f := NewFake()
		f.Versioned()
		var wg sync.WaitGroup
		errs := make(chan error, 40)
		processes := []*Cluster{f.Process(), f.Process()}
		for i := range 8 {
			wg.Go(func() {
				r := processes[i/4].Record(owner, "", "run")
				for range 5 {
					_, err := Update(ctx, r, "group-"+strconv.Itoa(i%2), add)
					errs <- err
				}
			})
		}
		wg.Wait()
		close(errs)
		for err := range errs {
			require.NoError(t, err)
		}
		r := f.Record(owner, "", "run")
		require.Equal(t, 40, read(t, r, "group-0").N+read(t, r, "group-1").N)
	})
	t.Run("who_never_gets_a_turn_gives_up_and_says_so", func(t *testing.T) {
		f := NewFake()
		as[*kubefake.Clientset](f.Kube).PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewAlreadyExists(schema.GroupResource{}, "x")
		})
		_, err := Update(ctx, f.Record(owner, "", "run"), "group-0", add)
		require.EqualError(t, err, "writing the run record's group-0: others wrote 30 times in between")
	})
	t.Run("another_refusal_is_not_tried_again", func(t *testing.T) {
		f := NewFake()
		tries := 0
		as[*kubefake.Clientset](f.Kube).PrependReactor("create", "configmaps", func(clienttesting.Action) (bool, runtime.Object, error) {
			tries++
			return true, nil, apierrors.NewForbidden(schema.GroupResource{}, "x", errors.New("no"))
		})
		_, err := Update(ctx, f.Record(owner, "", "run"), "group-0", add)
		require.True(t, apierrors.IsForbidden(err), err)
		require.Equal(t, 1, tries)
	})
}

func TestRecord_is_bounded(t *testing.T) {
	ctx := context.Background()
	f := NewFake()
	f.Versioned()
	r := f.Record(owner, "", "run")
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(size int) string { // random hex digits pack to about half
		var b strings.Builder
		for range size {
			b.WriteByte("0123456789abcdef"[random.IntN(16)])
		}
		return b.String()
	}
	small, large, huge := noise(8<<10), noise(64<<10), noise(1<<20)
	require.True(t, Fits("group-0", small))
	require.False(t, Fits("group-0", large))
	require.True(t, Fits("plan", large))
	require.False(t, Fits("plan", huge))
	require.False(t, Fits("plan", func() {}), "what cannot be encoded does not fit")
	for key, text := range map[string]string{"group-0": large, "plan": huge} {
		_, err := Update(ctx, r, key, func(s *string) error { *s = text; return nil })
		require.ErrorContains(t, err, "the run record's "+key+" has ")
		has, err := r.Read(ctx, key, new(string))
		require.NoError(t, err)
		require.False(t, has, "nothing was written")
	}
	// A full shard, in JSON, is far below the 1.5 MiB that an object of etcd may have.
	require.Less(t, groupsPerShard*maxValue*4/3, 150<<10)
}

func TestRecord_of_somebody_else(t *testing.T) {
	ctx := context.Background()
	f := NewFake(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run-seatrial"}, Data: map[string]string{"a": "b"}})
	r := f.Record(owner, "", "run")
	has, err := r.Read(ctx, "plan", new(counter))
	require.NoError(t, err)
	require.False(t, has)
	_, err = Update(ctx, r, "plan", add)
	require.EqualError(t, err, "ConfigMap run-seatrial exists and is not this run's record; delete it or give the run another name")
}

func TestRecord_that_is_broken_is_an_error_not_an_empty_one(t *testing.T) {
	ctx := context.Background()
	whole, err := pack(counter{N: 7})
	require.NoError(t, err)
	truncated, flipped := whole[:len(whole)-3], append([]byte(nil), whole...)
	flipped[len(flipped)-8] ^= 1 // the checksum
	text, err := pack("no counter")
	require.NoError(t, err)
	for name, value := range map[string][]byte{"empty": {}, "not_gzip": []byte("hello"), "truncated": truncated, "checksum": flipped, "another_type": text} {
		t.Run(name, func(t *testing.T) {
			f := NewFake(&corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "run-seatrial", OwnerReferences: []metav1.OwnerReference{owner.reference()}},
				BinaryData: map[string][]byte{"plan": value},
			})
			r := f.Record(owner, "", "run")
			_, err := r.Read(ctx, "plan", new(counter))
			require.ErrorContains(t, err, "the run record's plan")
			_, err = Update(ctx, r, "plan", add)
			require.Error(t, err, "it must not be written over")
		})
	}
}

// What was packed unpacks to the same, whatever it is; what was not packed gives an error and no panic.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(""), "")
	f.Add([]byte("\x1f\x8b"), "a\x00b")
	f.Fuzz(func(t *testing.T, raw []byte, text string) {
		var any map[string]any
		_, _ = decode(map[string][]byte{"k": raw}, "k", &any)
		packed, err := pack(map[string]string{"text": text})
		require.NoError(t, err)
		var got map[string]string
		has, err := decode(map[string][]byte{"k": packed}, "k", &got)
		require.NoError(t, err)
		require.True(t, has)
		if strings.ToValidUTF8(text, "") == text {
			require.Equal(t, text, got["text"])
		}
	})
}

func BenchmarkUpdate(b *testing.B) {
	f := NewFake()
	r := f.Record(owner, "", "run")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Update(context.Background(), r, "group-0", add); err != nil {
			b.Fatal(err)
		}
	}
}
