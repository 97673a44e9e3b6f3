package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// mountsBelow returns the mount points at or below the folders, the deepest first, from the text of /proc/self/mounts.
func mountsBelow(mounts string, folders []string) []string {
	var out []string
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		point := unescapeMount(fields[1])
		if slices.ContainsFunc(folders, func(folder string) bool { return point == folder || strings.HasPrefix(point, folder+"/") }) {
			out = append(out, point)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(b, a) })
	return out
}

// unescapeMount undoes the octal escapes of blanks in /proc/self/mounts (proc_pid_mounts(5)).
func unescapeMount(text string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(text)
}

// RemoveFolders unmounts everything below the folders and removes them. Nothing is removed while anything is mounted
// there: it may be a folder of the machine.
func RemoveFolders(folders ...string) error {
	if slices.ContainsFunc(folders, func(folder string) bool { return !filepath.IsAbs(folder) || filepath.Dir(folder) == "/" }) {
		return fmt.Errorf("removing %v: each must be a whole path below a folder of the machine", folders)
	}
	for range 3 { // a mount may hide another at the same place
		points, err := mounted(folders)
		if err != nil {
			return err
		}
		for _, point := range points {
			if err := syscall.Unmount(point, syscall.MNT_DETACH); err != nil && !errors.Is(err, syscall.EINVAL) {
				return fmt.Errorf("unmounting %s: %w", point, err)
			}
		}
	}
	left, err := mounted(folders)
	if err != nil {
		return err
	}
	if len(left) > 0 {
		return fmt.Errorf("removing the cluster's folders: still mounted: %s", strings.Join(left, ", "))
	}
	for _, folder := range folders {
		if err := os.RemoveAll(folder); err != nil {
			return fmt.Errorf("removing %s: %w", folder, err)
		}
	}
	return nil
}

func mounted(folders []string) ([]string, error) {
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, fmt.Errorf("listing mounts: %w", err)
	}
	return mountsBelow(string(text), folders), nil
}
