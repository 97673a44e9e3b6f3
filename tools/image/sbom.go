package main

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// writeSBOM writes what programs are made of as CycloneDX JSON: the modules that Go's linker has noted in each of them, and Go itself.
// It has no time and no serial number, so that the same programs give the same bytes. Programs of one name, built for several
// architectures, are one.
func writeSBOM(out, version string, programs []string) error {
	if len(programs) == 0 {
		return usagef("no program: give the files that the image holds")
	}
	b := bill{version, map[string]cdx.Component{}, map[string]map[string]bool{}}
	for _, file := range programs {
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return fmt.Errorf("reading what %s is made of: %w", file, err)
		}
		b.add(filepath.Base(file), info)
	}
	f, err := os.Create(out)
	if err != nil {
		return fmt.Errorf("creating the bill of materials: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := cdx.NewBOMEncoder(f, cdx.BOMFileFormatJSON).SetPretty(true).Encode(b.bom()); err != nil {
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("writing the bill of materials: %w", err)
	}
	return nil
}

// bill collects what programs are made of: components by their reference, and which of them a program uses.
type bill struct {
	version    string
	components map[string]cdx.Component
	uses       map[string]map[string]bool
}

func (b bill) add(name string, info *debug.BuildInfo) {
	b.components[name] = cdx.Component{BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name, Version: b.version}
	if b.uses[name] == nil {
		b.uses[name] = map[string]bool{}
	}
	modules := append(slices.Clone(info.Deps), &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")})
	for _, m := range modules {
		if m.Replace != nil {
			m = m.Replace
		}
		c := moduleOf(m)
		b.components[c.BOMRef], b.uses[name][c.BOMRef] = c, true
	}
}

func (b bill) bom() *cdx.BOM {
	bom := cdx.NewBOM()
	bom.Components, bom.Dependencies = &[]cdx.Component{}, &[]cdx.Dependency{}
	for _, ref := range slices.Sorted(maps.Keys(b.components)) {
		*bom.Components = append(*bom.Components, b.components[ref])
	}
	for _, ref := range slices.Sorted(maps.Keys(b.uses)) {
		all := slices.Sorted(maps.Keys(b.uses[ref]))
		*bom.Dependencies = append(*bom.Dependencies, cdx.Dependency{Ref: ref, Dependencies: &all})
	}
	return bom
}

// moduleOf is a module under its package URL. The sum is go.sum's, which is over the module's files and no hash of one file.
func moduleOf(m *debug.Module) cdx.Component {
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: "pkg:golang/" + m.Path + "@" + m.Version}
	c.BOMRef = c.PackageURL
	if m.Sum != "" {
		c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}
