package main

import (
	"archive/tar"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// inode names a file on this machine, however many names it has.
type inode struct{ dev, ino uint64 }

// addTree writes a root folder as it is: owners, modes, symlinks and hard links, in the order of names. Devices,
// pipes and sockets are left out: a container gets its own. What is mounted inside (a forgotten /proc) is not
// entered. Extended attributes are not kept.
func addTree(root string) func(*tar.Writer) error {
	return func(t *tar.Writer) error {
		links := map[inode]string{}
		var device uint64
		return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
			if err != nil {
				return fmt.Errorf("reading %s: %w", file, err)
			}
			info, err := os.Lstat(file)
			if err != nil {
				return fmt.Errorf("reading %s: %w", file, err)
			}
			stat, ok := info.Sys().(*syscall.Stat_t)
			if !ok {
				return fmt.Errorf("reading %s: its owner is not known on this system", file)
			}
			if file == root {
				device = stat.Dev
				return nil
			}
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return fmt.Errorf("naming %s: %w", file, err)
			}
			if strings.HasPrefix(filepath.Base(rel), whiteout) {
				return fmt.Errorf("adding %s: its name would delete a file when the image is unpacked", file)
			}
			if err := addEntry(t, file, rel, info, stat, links); err != nil {
				return err
			}
			if entry.IsDir() && stat.Dev != device {
				return filepath.SkipDir
			}
			return nil
		})
	}
}

func addEntry(t *tar.Writer, file, rel string, info fs.FileInfo, stat *syscall.Stat_t, links map[inode]string) error {
	header, err := treeHeader(file, rel, info, stat)
	if header == nil || err != nil {
		return err
	}
	if info.Mode().IsRegular() {
		id := inode{stat.Dev, stat.Ino}
		if first, ok := links[id]; ok {
			header.Typeflag, header.Linkname, header.Size = tar.TypeLink, first, 0
		} else {
			if stat.Nlink > 1 {
				links[id] = rel
			}
			return addFile(t, file, header)
		}
	}
	if err := t.WriteHeader(header); err != nil {
		return fmt.Errorf("adding %s: %w", file, err)
	}
	return nil
}

// treeHeader is nil for what an image does not hold.
func treeHeader(file, rel string, info fs.FileInfo, stat *syscall.Stat_t) (*tar.Header, error) {
	var target string
	switch {
	case info.Mode().IsRegular(), info.IsDir():
	case info.Mode()&fs.ModeSymlink != 0:
		var err error
		if target, err = os.Readlink(file); err != nil {
			return nil, fmt.Errorf("reading %s: %w", file, err)
		}
	default:
		return nil, nil //nolint:nilnil // "nothing to add" is an answer
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		return nil, fmt.Errorf("describing %s: %w", file, err)
	}
	if header.Name = rel; info.IsDir() {
		header.Name += "/"
	}
	header.Uid, header.Gid = int(stat.Uid), int(stat.Gid)
	// Names of users are this machine's, not the image's; times are of no use to anyone and change every build.
	header.Uname, header.Gname = "", ""
	header.ModTime, header.AccessTime, header.ChangeTime = epoch, time.Time{}, time.Time{}
	return header, nil
}
