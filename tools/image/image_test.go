package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	"github.com/stretchr/testify/require"
)

const testName = "example.test/seatrial/plugin:1"

// fakeELF is the smallest file that debug/elf takes for a program of a machine.
func fakeELF(t *testing.T, machine elf.Machine, interp bool) []byte {
	t.Helper()
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(machine), Version: uint32(elf.EV_CURRENT), Ehsize: 64,
	}
	var b bytes.Buffer
	if interp {
		header.Phoff, header.Phentsize, header.Phnum = 64, 56, 1
	}
	require.NoError(t, binary.Write(&b, binary.LittleEndian, header))
	if interp {
		require.NoError(t, binary.Write(&b, binary.LittleEndian, elf.Prog64{Type: uint32(elf.PT_INTERP), Off: 64, Filesz: 1}))
	}
	return b.Bytes()
}

func writeFile(t *testing.T, file string, content []byte, mode os.FileMode) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, content, mode))
	require.NoError(t, os.Chmod(file, mode))
	return file
}

// image calls Main and returns its exit status, stdout and stderr.
func image(args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = Main(args, &out, &errs)
	return status, strings.TrimSpace(out.String()), errs.String()
}

// unpack reads an archive back as an OCI layout.
func unpack(t *testing.T, file string) v1.ImageIndex {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // archive/tar returns it bare
			break
		}
		require.NoError(t, err)
		require.Zero(t, h.Uid+h.Gid)
		require.True(t, h.ModTime.Equal(epoch), h.Name)
		if h.Typeflag == tar.TypeDir {
			require.NoError(t, os.MkdirAll(filepath.Join(dir, h.Name), 0o755))
			continue
		}
		content, err := io.ReadAll(r)
		require.NoError(t, err)
		writeFile(t, filepath.Join(dir, h.Name), content, 0o644)
	}
	path, err := layout.FromPath(dir)
	require.NoError(t, err)
	index, err := path.ImageIndex()
	require.NoError(t, err)
	require.NoError(t, validate.Index(index))
	return index
}

// entries lists a layer's headers in order, and its files' content by name.
func entries(t *testing.T, layer v1.Layer) (headers []*tar.Header, content map[string]string) {
	t.Helper()
	content = map[string]string{}
	rc, err := layer.Uncompressed()
	require.NoError(t, err)
	defer func() { _ = rc.Close() }()
	for r := tar.NewReader(rc); ; {
		h, err := r.Next()
		if err == io.EOF { //nolint:errorlint // archive/tar returns it bare
			return headers, content
		}
		require.NoError(t, err)
		b, err := io.ReadAll(r)
		require.NoError(t, err)
		headers = append(headers, h)
		content[h.Name] = string(b)
	}
}

func onlyLayer(t *testing.T, img v1.Image) v1.Layer {
	t.Helper()
	layers, err := img.Layers()
	require.NoError(t, err)
	require.Len(t, layers, 1)
	return layers[0]
}

func TestBinary(t *testing.T) {
	dir := t.TempDir()
	amd := writeFile(t, filepath.Join(dir, "amd64", "seatrial-plugin"), fakeELF(t, elf.EM_X86_64, false), 0o700)
	arm := writeFile(t, filepath.Join(dir, "arm64", "seatrial-plugin"), fakeELF(t, elf.EM_AARCH64, false), 0o600)
	build := func(t *testing.T, out string, args ...string) string {
		t.Helper()
		status, digest, stderr := image(append([]string{"binary", "--name", testName, "--out", out,
			"--user", "8737", "--entrypoint", "/seatrial-plugin"}, args...)...)
		require.Zero(t, status, stderr)
		return digest
	}

	t.Run("one_index_holds_both_architectures_under_the_name", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "plugin.tar")
		digest := build(t, out, "amd64="+amd, "amd64="+amd+":/bin/seatrial", "arm64="+arm, "arm64="+arm+":/bin/seatrial")
		top, err := unpack(t, out).IndexManifest()
		require.NoError(t, err)
		require.Len(t, top.Manifests, 1)
		require.Equal(t, digest, top.Manifests[0].Digest.String())
		require.Equal(t, map[string]string{containerdName: testName, ociName: testName}, top.Manifests[0].Annotations)

		index, err := unpack(t, out).ImageIndex(top.Manifests[0].Digest)
		require.NoError(t, err)
		manifest, err := index.IndexManifest()
		require.NoError(t, err)
		require.Len(t, manifest.Manifests, 2)
		for i, arch := range []string{"amd64", "arm64"} {
			require.Equal(t, &v1.Platform{OS: "linux", Architecture: arch}, manifest.Manifests[i].Platform)
			img, err := index.Image(manifest.Manifests[i].Digest)
			require.NoError(t, err)
			config, err := img.ConfigFile()
			require.NoError(t, err)
			require.Equal(t, arch, config.Architecture)
			require.Equal(t, "8737", config.Config.User)
			require.Equal(t, []string{"/seatrial-plugin"}, config.Config.Entrypoint)

			headers, content := entries(t, onlyLayer(t, img))
			var names []string
			for _, h := range headers {
				names = append(names, h.Name)
				require.EqualValues(t, 0o755, h.Mode, h.Name)
				require.Zero(t, h.Uid+h.Gid)
				require.True(t, h.ModTime.Equal(epoch))
			}
			require.Equal(t, []string{"bin/", "bin/seatrial", "seatrial-plugin"}, names)
			want, err := os.ReadFile([]string{amd, arm}[i])
			require.NoError(t, err)
			require.Equal(t, string(want), content["seatrial-plugin"])
		}
	})

	t.Run("the_same_programs_give_the_same_bytes_whatever_their_age_mode_and_order", func(t *testing.T) {
		one, two := filepath.Join(t.TempDir(), "1.tar"), filepath.Join(t.TempDir(), "2.tar")
		first := build(t, one, "amd64="+amd, "arm64="+arm)
		copied := writeFile(t, filepath.Join(t.TempDir(), "seatrial-plugin"), fakeELF(t, elf.EM_X86_64, false), 0o555)
		require.Equal(t, first, build(t, two, "arm64="+arm, "amd64="+copied))
		a, err := os.ReadFile(one)
		require.NoError(t, err)
		b, err := os.ReadFile(two)
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b))
	})

	t.Run("another_program_gives_another_digest", func(t *testing.T) {
		out := filepath.Join(t.TempDir(), "1.tar")
		other := writeFile(t, filepath.Join(t.TempDir(), "seatrial-plugin"), append(fakeELF(t, elf.EM_X86_64, false), 0), 0o755)
		require.NotEqual(t, build(t, out, "amd64="+amd), build(t, out, "amd64="+other))
	})
}

func TestBinaryRefuses(t *testing.T) {
	dir := t.TempDir()
	amd := writeFile(t, filepath.Join(dir, "p"), fakeELF(t, elf.EM_X86_64, false), 0o755)
	dynamic := writeFile(t, filepath.Join(dir, "dynamic"), fakeELF(t, elf.EM_X86_64, true), 0o755)
	script := writeFile(t, filepath.Join(dir, "script"), []byte("#!/bin/sh\n"), 0o755)
	for name, c := range map[string]struct {
		args   []string
		status int
		says   string
	}{
		"a_path_that_climbs":                 {[]string{"--entrypoint", "/p", "amd64=" + amd + ":/../etc/passwd"}, 2, "absolute clean path"},
		"a_path_with_a_hidden_climb":         {[]string{"--entrypoint", "/p", "amd64=" + amd + ":/a/../../p"}, 2, "absolute clean path"},
		"the_root_itself":                    {[]string{"--entrypoint", "/", "amd64=" + amd + ":/"}, 2, "absolute clean path"},
		"a_double_slash":                     {[]string{"--entrypoint", "/p", "amd64=" + amd + "://p"}, 2, "absolute clean path"},
		"a_line_break":                       {[]string{"--entrypoint", "/p", "amd64=" + amd + ":/p\n"}, 2, "control character"},
		"a_whiteout":                         {[]string{"--entrypoint", "/p", "amd64=" + amd + ":/.wh.p"}, 2, "would delete"},
		"a_destination_twice":                {[]string{"--entrypoint", "/p", "amd64=" + amd, "amd64=" + amd}, 2, "twice"},
		"an_entrypoint_that_is_not_there":    {[]string{"--entrypoint", "/q", "amd64=" + amd}, 2, "none of the amd64 programs"},
		"architectures_that_differ":          {[]string{"--entrypoint", "/p", "amd64=" + amd, "arm64=" + amd, "arm64=" + amd + ":/q"}, 2, "differ"},
		"an_unknown_architecture":            {[]string{"--entrypoint", "/p", "mips=" + amd}, 2, "not one of amd64, arm64"},
		"nothing":                            {[]string{"--entrypoint", "/p"}, 2, "no program"},
		"a_program_of_another_architecture":  {[]string{"--entrypoint", "/p", "arm64=" + amd}, 1, "not for arm64"},
		"a_program_that_needs_a_loader":      {[]string{"--entrypoint", "/dynamic", "amd64=" + dynamic}, 1, "CGO_ENABLED=0"},
		"a_script":                           {[]string{"--entrypoint", "/script", "amd64=" + script}, 1, "reading program"},
		"a_program_that_is_missing":          {[]string{"--entrypoint", "/no", "amd64=" + dir + "/no"}, 1, "no such file"},
		"a_flag_that_is_unknown":             {[]string{"--push"}, 2, "not defined"},
		"a_name_without_a_registry":          {[]string{"--name", "plugin:1", "--entrypoint", "/p", "amd64=" + amd}, 2, "registry"},
		"a_name_without_a_tag":               {[]string{"--name", "example.test/plugin", "--entrypoint", "/p", "amd64=" + amd}, 2, "--name"},
		"a_name_with_a_path_in_disguise":     {[]string{"--name", "example.test/../x:1", "--entrypoint", "/p", "amd64=" + amd}, 2, "--name"},
		"a_name_with_capitals_in_repository": {[]string{"--name", "example.test/Plugin:1", "--entrypoint", "/p", "amd64=" + amd}, 2, "--name"},
	} {
		t.Run(name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "x.tar")
			status, digest, stderr := image(append([]string{"binary", "--name", testName, "--out", out}, c.args...)...)
			require.Equal(t, c.status, status, stderr)
			require.Empty(t, digest)
			require.Contains(t, stderr, c.says)
			left, err := os.ReadDir(filepath.Dir(out))
			require.NoError(t, err)
			require.Empty(t, left, "nothing is left behind")
		})
	}
	for name, args := range map[string][]string{"no_command": nil, "an_unknown_command": {"push", "--name", testName, "--out", "x"}} {
		t.Run(name, func(t *testing.T) {
			status, _, _ := image(args...)
			require.Equal(t, 2, status)
		})
	}
}

// tree makes a root folder with one of each kind of entry.
func tree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	writeFile(t, filepath.Join(root, "usr/bin/tool"), []byte("tool"), 0o755)
	writeFile(t, filepath.Join(root, "usr/bin/su"), []byte("su"), 0o755)
	require.NoError(t, os.Chmod(filepath.Join(root, "usr/bin/su"), 0o755|os.ModeSetuid))
	writeFile(t, filepath.Join(root, "etc/ssh/key"), []byte("secret"), 0o600)
	require.NoError(t, os.Mkdir(filepath.Join(root, "tmp"), 0o755))
	require.NoError(t, os.Chmod(filepath.Join(root, "tmp"), 0o777|os.ModeSticky))
	require.NoError(t, os.Symlink("usr/bin", filepath.Join(root, "bin")))
	require.NoError(t, os.Symlink("/etc/ssh/key", filepath.Join(root, "absolute")))
	require.NoError(t, os.Link(filepath.Join(root, "usr/bin/tool"), filepath.Join(root, "usr/bin/twin")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "pipe"), 0o644))
	return root
}

func TestRootfs(t *testing.T) {
	names := []string{"nvcr.io/nvidia/pytorch:26.01-py3", "seatrial.dev/test-image:1"}
	build := func(t *testing.T, out string, dirs ...string) string {
		t.Helper()
		status, digest, stderr := image(append([]string{"rootfs", "--name", names[0], "--name", names[1], "--out", out}, dirs...)...)
		require.Zero(t, status, stderr)
		return digest
	}

	t.Run("modes_links_and_owners_are_kept_and_pipes_left_out", func(t *testing.T) {
		root, out := tree(t), filepath.Join(t.TempDir(), "root.tar")
		owner := 0
		if os.Geteuid() == 0 {
			owner = 1234
			require.NoError(t, os.Lchown(filepath.Join(root, "etc/ssh/key"), owner, owner))
		} else {
			owner = os.Geteuid()
		}
		digest := build(t, out, root)
		index := unpack(t, out)
		manifest, err := index.IndexManifest()
		require.NoError(t, err)
		require.Len(t, manifest.Manifests, 2, "one image under two names")
		for i, n := range names {
			require.Equal(t, n, manifest.Manifests[i].Annotations[containerdName])
			require.Equal(t, digest, manifest.Manifests[i].Digest.String())
		}
		img, err := index.Image(manifest.Manifests[0].Digest)
		require.NoError(t, err)
		headers, content := entries(t, onlyLayer(t, img))
		byName, order := map[string]*tar.Header{}, []string{}
		for _, h := range headers {
			byName[h.Name] = h
			order = append(order, h.Name)
			require.Empty(t, h.Uname+h.Gname)
		}
		require.Equal(t, []string{"absolute", "bin", "etc/", "etc/ssh/", "etc/ssh/key", "tmp/",
			"usr/", "usr/bin/", "usr/bin/su", "usr/bin/tool", "usr/bin/twin"}, order)
		require.EqualValues(t, 0o4755, byName["usr/bin/su"].Mode)
		require.EqualValues(t, 0o1777, byName["tmp/"].Mode)
		require.EqualValues(t, 0o600, byName["etc/ssh/key"].Mode)
		require.Equal(t, owner, byName["etc/ssh/key"].Uid)
		require.Equal(t, "usr/bin", byName["bin"].Linkname)
		require.Equal(t, "/etc/ssh/key", byName["absolute"].Linkname)
		require.Equal(t, byte(tar.TypeLink), byName["usr/bin/twin"].Typeflag)
		require.Equal(t, "usr/bin/tool", byName["usr/bin/twin"].Linkname)
		require.Equal(t, "tool", content["usr/bin/tool"])
	})

	t.Run("equal_trees_give_the_same_bytes", func(t *testing.T) {
		one, two := filepath.Join(t.TempDir(), "1.tar"), filepath.Join(t.TempDir(), "2.tar")
		require.Equal(t, build(t, one, tree(t)), build(t, two, tree(t)))
		a, err := os.ReadFile(one)
		require.NoError(t, err)
		b, err := os.ReadFile(two)
		require.NoError(t, err)
		require.True(t, bytes.Equal(a, b))
	})

	t.Run("each_folder_is_a_layer_the_lowest_first", func(t *testing.T) {
		upper, out := t.TempDir(), filepath.Join(t.TempDir(), "1.tar")
		writeFile(t, filepath.Join(upper, "usr/bin/tool"), []byte("newer"), 0o755)
		build(t, out, tree(t), upper)
		index := unpack(t, out)
		manifest, err := index.IndexManifest()
		require.NoError(t, err)
		img, err := index.Image(manifest.Manifests[0].Digest)
		require.NoError(t, err)
		layers, err := img.Layers()
		require.NoError(t, err)
		require.Len(t, layers, 2)
		_, content := entries(t, layers[1])
		require.Equal(t, "newer", content["usr/bin/tool"])
	})
}

func TestRootfsRefuses(t *testing.T) {
	root := tree(t)
	whited := tree(t)
	writeFile(t, filepath.Join(whited, "etc", ".wh.passwd"), nil, 0o644)
	out := filepath.Join(t.TempDir(), "x.tar")
	for name, c := range map[string]struct {
		out    string
		dirs   []string
		status int
		says   string
	}{
		"no_folder":                            {out, nil, 2, "no folder"},
		"a_folder_that_is_missing":             {out, []string{root + "/no"}, 2, "no such file"},
		"a_file":                               {out, []string{root + "/etc/ssh/key"}, 2, "not a folder"},
		"the_machine_itself":                   {out, []string{"/usr/.."}, 2, "own root"},
		"an_archive_inside_what_it_is_made_of": {filepath.Join(root, "usr", "x.tar"), []string{root}, 2, "made of"},
		"a_file_that_would_delete_another":     {out, []string{whited}, 1, "would delete"},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, stderr := image(append([]string{"rootfs", "--name", testName, "--out", c.out}, c.dirs...)...)
			require.Equal(t, c.status, status, stderr)
			require.Contains(t, stderr, c.says)
			require.NoFileExists(t, c.out)
		})
	}
}

// FuzzParsePrograms: whatever the arguments, what is accepted lands, and stays, where it says.
func FuzzParsePrograms(f *testing.F) {
	for _, s := range []string{"amd64=/bin/p", "amd64=p:/a/b", "arm64=p:/../x", "amd64=:/p", "=", "amd64=p://", "amd64=..", "amd64=/", "amd64=p:/.wh.x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		_, file, _ := strings.Cut(arg, "=")
		entry := "/" + filepath.Base(file)
		if i := strings.LastIndex(file, ":/"); i > 0 {
			entry = file[i+1:]
		}
		byArch, err := parsePrograms([]string{arg}, entry)
		if err != nil {
			require.ErrorAs(t, err, new(usageError))
			return
		}
		for _, programs := range byArch {
			for _, p := range programs {
				require.Equal(t, filepath.Join("/root", p.dest), "/root"+p.dest)
				require.NotEqual(t, "/", p.dest)
				require.NotEmpty(t, p.source)
			}
		}
	})
}

func BenchmarkBuildBinary(b *testing.B) {
	dir := b.TempDir()
	file := filepath.Join(dir, "p")
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_EXEC), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT), Ehsize: 64,
	}
	var content bytes.Buffer
	require.NoError(b, binary.Write(&content, binary.LittleEndian, header))
	content.Write(make([]byte, 8<<20))
	require.NoError(b, os.WriteFile(file, content.Bytes(), 0o755))
	b.SetBytes(int64(content.Len()))
	for b.Loop() {
		status, _, stderr := image("binary", "--name", testName, "--out", filepath.Join(dir, "x.tar"), "--entrypoint", "/p", "amd64="+file)
		require.Zero(b, status, stderr)
	}
}

func TestHelpIsNotAMistake(t *testing.T) {
	status, _, stderr := image("binary", "-h")
	require.Zero(t, status)
	require.Contains(t, stderr, "entrypoint")
}
