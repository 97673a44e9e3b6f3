// Package pins reads the pinned versions of everything the local cluster is built from: one small Go module a program,
// under test/cluster/modules, so that the programs' dependencies never meet.
//
//  1. Find the modules folder above the working directory.
//  2. Load every file of it.
//  3. Hash the content: the name of the cache folder, so that a changed pin builds anew.
package pins

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Folder is where the modules are, from the root of the repository.
const Folder = "test/cluster/modules"

// hashLength is how many hex digits name a cache folder: 48 bits, and short enough to read.
const hashLength = 12

// Set is the content of every module folder. The zero Set has no modules.
type Set struct {
	files map[string][]byte
}

// Find returns the modules folder of the repository that holds the folder from.
func Find(from string) (string, error) {
	for dir := from; ; dir = filepath.Dir(dir) {
		modules := filepath.Join(dir, filepath.FromSlash(Folder))
		if info, err := os.Stat(modules); err == nil && info.IsDir() {
			return modules, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("finding %s: not in %s or any folder above it; run inside the repository", Folder, from)
		}
	}
}

// Load reads every file of the modules folder.
func Load(modules fs.FS) (Set, error) {
	set := Set{files: map[string][]byte{}}
	err := fs.WalkDir(modules, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(modules, path)
		if err != nil {
			return err
		}
		set.files[path] = content
		return nil
	})
	if err != nil {
		return Set{}, fmt.Errorf("loading pinned versions: %w", err)
	}
	if len(set.files) == 0 {
		return Set{}, errors.New("loading pinned versions: the folder is empty")
	}
	return set, nil
}

// Hash names the content of the set together with the given words (platform, build recipe).
func (s Set) Hash(words ...string) string {
	paths := make([]string, 0, len(s.files))
	for path := range s.files {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	sum := sha256.New()
	for _, word := range words {
		sum.Write(fmt.Appendf(nil, "word %d %s\n", len(word), word))
	}
	for _, path := range paths {
		sum.Write(fmt.Appendf(nil, "file %d %s %d\n", len(path), path, len(s.files[path])))
		sum.Write(s.files[path])
	}
	return hex.EncodeToString(sum.Sum(nil))[:hashLength]
}

// Version returns the version at which the program's module requires the given module, with its "v".
func (s Set) Version(program, module string) (string, error) {
	file := program + "/go.mod"
	content, ok := s.files[file]
	if !ok {
		return "", fmt.Errorf("reading the version of %s: there is no %s/%s", module, Folder, file)
	}
	required := regexp.MustCompile(`^(?:require\s+)?` + regexp.QuoteMeta(module) + `\s+(v\S+)`)
	for line := range strings.Lines(string(content)) {
		if match := required.FindStringSubmatch(strings.TrimSpace(line)); match != nil {
			return match[1], nil
		}
	}
	return "", fmt.Errorf("reading the version of %s: %s/%s does not require it", module, Folder, file)
}
