// Command image builds container images without docker and without a registry, as OCI archives that
// `ctr images import`, skopeo and crane read.
//
//	go run -C tools ./image binary --name REF --out FILE.tar [--user UID] --entrypoint /PROGRAM ARCH=FILE[:/DEST]…
//	go run -C tools ./image rootfs --name REF [--name REF]… --out FILE.tar DIR…
//	go run -C tools ./image sbom --version V --out FILE.cdx.json FILE…
//
// binary puts static programs, and nothing else, into one image for several architectures. rootfs makes an image
// of this machine's architecture from folders, each a layer, the lowest first. sbom writes what programs are made of (sbom.go). Relative paths are those of the
// working folder, which `go run -C` changes, so scripts pass absolute ones.
//
// The pipeline, in order:
//  1. arguments → what goes in (sources.go, names.go); everything that is refused is refused here
//  2. files or folders → layers: sorted tar entries with a fixed time (layer.go, rootfs.go)
//  3. layers → images with a config, images → an index (image.go)
//  4. index → an OCI layout in a temporary folder → one tar file, put in place by a rename (archive.go)
//
// The same input gives the same bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() { os.Exit(Main(os.Args[1:], os.Stdout, os.Stderr)) }

// Main runs one command and returns its exit status: 0 done, 1 the image could not be built, 2 the command line is
// wrong. The digest of what it wrote goes to stdout.
func Main(args []string, stdout, stderr io.Writer) int {
	digest, err := run(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case errors.As(err, new(usageError)):
		_, _ = fmt.Fprintln(stderr, "image:", err)
		return 2
	case err != nil:
		_, _ = fmt.Fprintln(stderr, "image:", err)
		return 1
	}
	if digest != "" {
		_, _ = fmt.Fprintln(stdout, digest)
	}
	return 0
}

// usageError is a mistake in the command line, as opposed to a file that cannot be read or written.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

// words is a flag that may be given several times.
type words []string

func (w *words) String() string { return strings.Join(*w, " ") }

func (w *words) Set(s string) error {
	*w = append(*w, s)
	return nil
}

func run(args []string, stderr io.Writer) (digest string, err error) {
	if len(args) == 0 {
		return "", usagef("a command is missing: binary, rootfs or sbom")
	}
	var names words
	flags := flag.NewFlagSet("image "+args[0], flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Var(&names, "name", "image name with registry and tag; may be repeated")
	out := flags.String("out", "", "archive to write")
	entrypoint := flags.String("entrypoint", "", "binary: the program that the image runs")
	version := flags.String("version", "", "sbom: version of the programs")
	user := flags.Int("user", 65532, "binary: numeric user that the program runs as")
	if err := flags.Parse(args[1:]); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return "", err
		}
		return "", usagef("%v", err)
	}
	if *out == "" {
		return "", usagef("--out is missing")
	}
	if args[0] == "sbom" {
		return "", writeSBOM(*out, *version, flags.Args())
	}
	if err := checkNames(names); err != nil {
		return "", err
	}
	switch args[0] {
	case "binary":
		programs, err := parsePrograms(flags.Args(), *entrypoint)
		if err != nil {
			return "", err
		}
		return buildBinary(names, *out, programs, *entrypoint, *user)
	case "rootfs":
		if err := checkRoots(flags.Args(), *out); err != nil {
			return "", err
		}
		return buildRootfs(names, *out, flags.Args())
	}
	return "", usagef("command %q is not one of binary, rootfs, sbom", args[0])
}
