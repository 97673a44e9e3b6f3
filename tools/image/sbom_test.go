package main

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/stretchr/testify/require"
)

func readSBOM(t *testing.T, file string) (cdx.BOM, map[string]cdx.Component) {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer func() { _ = f.Close() }()
	var bom cdx.BOM
	require.NoError(t, cdx.NewBOMDecoder(f, cdx.BOMFileFormatJSON).Decode(&bom))
	byName := map[string]cdx.Component{}
	for _, c := range *bom.Components {
		byName[c.Name] = c
	}
	return bom, byName
}

func TestBillOfTwoArchitectures(t *testing.T) {
	b := bill{"1.2.3", map[string]cdx.Component{}, map[string]map[string]bool{}}
	yaml := &debug.Module{Path: "example.com/yaml", Version: "v1.0.0", Sum: "h1:abc="}
	fork := &debug.Module{Path: "example.com/a", Version: "v1.0.0", Replace: &debug.Module{Path: "example.com/fork", Version: "v2.0.0"}}
	b.add("plugin", &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{yaml, fork}})
	b.add("plugin", &debug.BuildInfo{GoVersion: "go1.26.0", Deps: []*debug.Module{yaml, {Path: "example.com/arm", Version: "v1.0.0"}}})
	bom := b.bom()
	var names []string
	for _, c := range *bom.Components {
		names = append(names, c.Name+" "+c.Version)
	}
	require.Equal(t, []string{"example.com/arm v1.0.0", "example.com/fork v2.0.0", "example.com/yaml v1.0.0", "std 1.26.0", "plugin 1.2.3"}, names)
	require.Equal(t, "pkg:golang/example.com/yaml@v1.0.0", (*bom.Components)[2].PackageURL)
	require.Equal(t, "h1:abc=", (*(*bom.Components)[2].Properties)[0].Value)
	require.Equal(t, []cdx.Dependency{{Ref: "plugin", Dependencies: &[]string{
		"pkg:golang/example.com/arm@v1.0.0", "pkg:golang/example.com/fork@v2.0.0", "pkg:golang/example.com/yaml@v1.0.0", "pkg:golang/std@1.26.0",
	}}}, *bom.Dependencies)
}

func TestSBOM(t *testing.T) {
	self, err := os.Executable() // the test is a program that Go's linker has made
	require.NoError(t, err)
	out := filepath.Join(t.TempDir(), "x.cdx.json")
	status, digest, stderr := image("sbom", "--version", "1.2.3", "--out", out, self)
	require.Zero(t, status, stderr)
	require.Empty(t, digest)

	bom, components := readSBOM(t, out)
	require.Equal(t, "1.2.3", components[filepath.Base(self)].Version)
	require.Regexp(t, `^1\.\d+`, components["std"].Version)
	require.Len(t, *bom.Dependencies, 1)
	require.Len(t, *(*bom.Dependencies)[0].Dependencies, len(*bom.Components)-1, "the program uses each")

	again := filepath.Join(t.TempDir(), "y.cdx.json")
	status, _, stderr = image("sbom", "--version", "1.2.3", "--out", again, self, self)
	require.Zero(t, status, stderr)
	first, err := os.ReadFile(out)
	require.NoError(t, err)
	second, err := os.ReadFile(again)
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, second), "the same program gives the same bytes, for one architecture or two")

	for _, args := range [][]string{{}, {"/no/such/program"}, {"sbom_test.go"}} {
		status, _, _ := image(append([]string{"sbom", "--out", again}, args...)...)
		require.NotZero(t, status)
	}
}
