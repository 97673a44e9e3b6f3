package main

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// sources are the programs of the image and the files beside them, as they were when this program was built.
//
//go:embed src overlay
var sources embed.FS

// openCache returns the folder for what is kept between builds, and makes it.
func openCache() (string, error) {
	dir := os.Getenv("SEATRIAL_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("finding a cache folder: %w; SEATRIAL_CACHE names one", err)
		}
		dir = filepath.Join(user, "seatrial")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("finding the cache folder: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("making the cache folder: %w", err)
	}
	return dir, nil
}

// findRepo returns the root of the repository that the working folder lies in.
func findRepo() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "tools", "image", "main.go")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("finding the repository: no folder above has tools/image; run this inside the repository")
		}
	}
}

// hashSources returns 16 hex digits that change with anything the archive is made of: the root's recipe, the
// programs, how they are compiled, the names, and the archive builder.
func (v variant) hashSources(repo string) (string, error) {
	h := sha256.New()
	_, _ = fmt.Fprintln(h, v.rootKey(), compileArgs("."), strings.Join(v.names, " "), links)
	if err := hashTree(h, sources, "."); err != nil {
		return "", err
	}
	tools := os.DirFS(filepath.Join(repo, "tools"))
	for _, path := range []string{"image", "go.mod"} {
		if err := hashTree(h, tools, path); err != nil {
			return "", err
		}
	}
	return short(h), nil
}

func hashTree(h hash.Hash, tree fs.FS, root string) error {
	return fs.WalkDir(tree, root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
			return err
		}
		content, err := fs.ReadFile(tree, path)
		if err != nil {
			return fmt.Errorf("hashing the sources: %w", err)
		}
		_, _ = fmt.Fprintf(h, "%s %d\n%s", path, len(content), content)
		return nil
	})
}

func short(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil))[:16] }
