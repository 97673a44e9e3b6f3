package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// release is the host's as well (bookworm), so that programs which are compiled here find their libraries there.
const release = "bookworm"

// dpkgConfig keeps documents out, and disk flushes: a root that is half written is thrown away anyway.
const dpkgConfig = "force-unsafe-io\npath-exclude=/usr/share/doc/*\npath-exclude=/usr/share/man/*\n" +
	"path-exclude=/usr/share/locale/*\npath-exclude=/usr/share/X11/locale/*\n"

// trimmed returns the patterns of what no test needs. hostname and resolv.conf are the building machine's; for MPI, libicu and
// libxml2 (38 MB) serve only a plugin of hwloc, which has a reader of XML topologies of its own. PyTorch loads them.
func (v variant) trimmed() []string {
	if !strings.Contains(v.packages, "python3-torch") {
		return allTrimmed
	}
	return slices.DeleteFunc(slices.Clone(allTrimmed), func(p string) bool {
		return strings.Contains(p, "libicu") || strings.Contains(p, "libxml")
	})
}

var allTrimmed = []string{
	"var/lib/apt/lists/*", "var/cache/apt/*", "var/cache/debconf/*-old", "var/log/*.log", "var/log/apt",
	"usr/share/doc/*", "usr/share/man/*", "usr/share/locale/*", "usr/share/info/*", "usr/share/X11/locale",
	"usr/share/zoneinfo/right", "usr/share/zoneinfo/posix", "usr/lib/x86_64-linux-gnu/gconv",
	"usr/lib/x86_64-linux-gnu/libicu*", "usr/lib/x86_64-linux-gnu/libxml2.so.*", "usr/lib/x86_64-linux-gnu/hwloc/hwloc_xml_libxml.so",
	"etc/hostname", "etc/resolv.conf", "etc/dpkg/dpkg.cfg.d/seatrial",
}

// realSSHD is where sshd moves, for src/sshd.c takes its place. The base name is PAM's service.
const realSSHD = "usr/lib/seatrial-test/sshd"

// rootKey names the recipe.
func (v variant) rootKey() string {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, release, v.packages, dpkgConfig, v.trimmed(), realSSHD)
	return short(h)
}

// debianRoot returns the folder of the Debian root, which it makes when the cache has none of this recipe.
func (v variant) debianRoot(ctx context.Context, cache string, log io.Writer) (string, error) {
	root := filepath.Join(cache, "image-root-"+v.rootKey())
	if _, err := os.Stat(root); err == nil {
		return root, nil
	}
	// Under another name until it is whole: a build may be stopped at any time.
	part, err := os.MkdirTemp(cache, "image-root-part-")
	if err != nil {
		return "", fmt.Errorf("making a folder for the Debian root: %w", err)
	}
	defer func() { _ = os.RemoveAll(part) }()
	if err := os.Chmod(part, 0o755); err != nil {
		return "", fmt.Errorf("making a folder for the Debian root: %w", err)
	}
	if err := writeTo(filepath.Join(part, "etc/dpkg/dpkg.cfg.d/seatrial"), []byte(dpkgConfig), 0o644); err != nil {
		return "", err
	}
	args := []string{"--variant=minbase", "--include=" + v.packages, release, part}
	if mirror := debianMirror(ctx); mirror != "" {
		args = append(args, mirror)
	}
	if err := run(ctx, log, "debootstrap", args...); err != nil {
		return "", fmt.Errorf("%w; its log: %s", err, tail(filepath.Join(part, "debootstrap/debootstrap.log")))
	}
	if err := v.trim(part); err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Join(part, filepath.Dir(realSSHD)), 0o755); err != nil {
		return "", fmt.Errorf("moving sshd: %w", err)
	}
	if err := os.Rename(filepath.Join(part, "usr/sbin/sshd"), filepath.Join(part, realSSHD)); err != nil {
		return "", fmt.Errorf("moving sshd: %w", err)
	}
	if err := os.Rename(part, root); err != nil && !errors.Is(err, fs.ErrExist) { // another build may have been first
		return "", fmt.Errorf("keeping the Debian root: %w", err)
	}
	return root, nil
}

// debianMirror is where this machine itself gets Debian from; "" leaves the choice to debootstrap.
func debianMirror(ctx context.Context) string {
	if mirror := os.Getenv("SEATRIAL_DEBIAN_MIRROR"); mirror != "" {
		return mirror
	}
	out, err := exec.CommandContext(ctx, "apt-get", "indextargets", "--format", "$(SITE)",
		"Created-By: Packages", "Origin: Debian", "Codename: "+release).Output()
	if err != nil {
		return ""
	}
	site, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(site)
}

func (v variant) trim(root string) error {
	for _, pattern := range v.trimmed() {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return fmt.Errorf("trimming %s: %w", pattern, err)
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				return fmt.Errorf("trimming the Debian root: %w", err)
			}
		}
	}
	return nil
}

// tail returns the end of a file for an error message; "" when there is none.
func tail(file string) string {
	content, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	return string(content[max(0, len(content)-2000):])
}

func writeTo(file string, content []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	if err := os.WriteFile(file, content, mode); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}
