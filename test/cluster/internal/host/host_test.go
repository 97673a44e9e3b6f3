package host

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestMissingPackages(t *testing.T) {
	t.Run("each_package_is_named_once", func(t *testing.T) {
		missing := missingPackages(needs("/usr/lib/cni"), func(string) bool { return false })
		require.Equal(t, []string{"containerd", "runc", "containernetworking-plugins", "iproute2", "util-linux"}, missing)
	})
	t.Run("one_missing_file_is_enough", func(t *testing.T) {
		missing := missingPackages(needs("/usr/lib/cni"), func(file string) bool { return file != "/usr/lib/cni/loopback" })
		require.Equal(t, []string{"containernetworking-plugins"}, missing)
	})
	t.Run("nothing_missing_is_an_empty_list", func(t *testing.T) {
		require.Empty(t, missingPackages(needs("/usr/lib/cni"), func(string) bool { return true }))
	})
}

func TestReadCgroups(t *testing.T) {
	v1 := func(names ...string) fstest.MapFS {
		out := fstest.MapFS{"unified/cgroup.procs": {}}
		for _, name := range names {
			out[name+"/cgroup.procs"] = &fstest.MapFile{}
		}
		return out
	}
	t.Run("version_1_has_a_folder_for_each_controller", func(t *testing.T) {
		found, err := readCgroups(v1("cpu,cpuacct", "cpuset", "memory", "pids", "systemd"))
		require.NoError(t, err)
		require.False(t, found.unified)
		require.Contains(t, found.folders, "/sys/fs/cgroup/systemd")
		require.NotContains(t, found.folders, "/sys/fs/cgroup/unified")
	})
	t.Run("version_1_without_pids_is_an_error", func(t *testing.T) {
		_, err := readCgroups(v1("cpu", "cpuset", "memory"))
		require.ErrorContains(t, err, "has no controller pids")
	})
	t.Run("version_2_has_one_folder", func(t *testing.T) {
		found, err := readCgroups(fstest.MapFS{"cgroup.controllers": {Data: []byte("cpuset cpu io memory pids\n")}})
		require.NoError(t, err)
		require.Equal(t, hierarchies{unified: true, folders: []string{"/sys/fs/cgroup"}}, found)
	})
	t.Run("version_2_without_memory_is_an_error", func(t *testing.T) {
		_, err := readCgroups(fstest.MapFS{"cgroup.controllers": {Data: []byte("cpuset cpu pids\n")}})
		require.ErrorContains(t, err, "has no controller memory")
	})
	t.Run("nothing_mounted_is_an_error", func(t *testing.T) {
		_, err := readCgroups(fstest.MapFS{})
		require.Error(t, err)
	})
}

const someMounts = `/dev/vda / ext4 rw 0 0
overlay /run/c/n1/rootfs overlay rw 0 0
tmpfs /var/lib/c/nodes/n1/pods/a\040b tmpfs rw 0 0
tmpfs /var/lib/c/nodes/n1 tmpfs rw 0 0
tmpfs /var/lib/c2 tmpfs rw 0 0
`

func TestMountsBelow(t *testing.T) {
	t.Run("the_deepest_comes_first", func(t *testing.T) {
		require.Equal(t, []string{"/var/lib/c/nodes/n1/pods/a b", "/var/lib/c/nodes/n1", "/run/c/n1/rootfs"},
			mountsBelow(someMounts, []string{"/var/lib/c", "/run/c"}))
	})
	t.Run("a_neighbour_with_the_same_beginning_is_not_below", func(t *testing.T) {
		require.NotContains(t, mountsBelow(someMounts, []string{"/var/lib/c"}), "/var/lib/c2")
	})
}

func TestRemoveFolders(t *testing.T) {
	for _, folder := range []string{"", "/", "/var", "relative/folder"} {
		require.ErrorContains(t, RemoveFolders(folder), "must be a whole path", folder)
	}
	t.Run("a_folder_that_is_not_there_is_no_error", func(t *testing.T) {
		require.NoError(t, RemoveFolders(filepath.Join(t.TempDir(), "gone")))
	})
}

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "lock")
	release, err := Lock(path, func() { t.Error("waits although nobody holds it") })
	require.NoError(t, err)
	waits, taken := make(chan struct{}), make(chan func())
	go func() {
		second, err := Lock(path, func() { close(waits) })
		if err != nil {
			second = nil
		}
		taken <- second
	}()
	<-waits
	select {
	case <-taken:
		t.Fatal("two hold the lock")
	case <-time.After(50 * time.Millisecond):
	}
	release()
	second := <-taken
	require.NotNil(t, second)
	second()
}

func FuzzMountsBelow(f *testing.F) {
	f.Add(someMounts)
	f.Add("x /var/lib/c\\040\\ y")
	f.Fuzz(func(t *testing.T, mounts string) {
		for _, point := range mountsBelow(mounts, []string{"/var/lib/c"}) { // nothing outside the cluster's folder is ever unmounted
			require.True(t, point == "/var/lib/c" || strings.HasPrefix(point, "/var/lib/c/"), point)
		}
	})
}

func BenchmarkMountsBelow(b *testing.B) {
	mounts := strings.Repeat(someMounts, 200)
	for b.Loop() {
		mountsBelow(mounts, []string{"/var/lib/c", "/run/c"})
	}
}
