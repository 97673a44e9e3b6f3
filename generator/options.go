package generator

import (
	"fmt"
	"regexp"
)

// Repository is the image's name without its tag.
const Repository = "seatrial.dev/seatrial"

// Options are what may differ between two outputs of the generator.
type Options struct {
	// Image holds the plugin; "" means Repository with the tag Version.
	Image string
	// Version is the plugin's version, which every step carries so that a plugin of another version can say so. It must be given.
	Version string
}

var (
	// versionForm is that of a label's value and of an image's tag, which both carry the version.
	versionForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)
	// imageForm refuses white space and braces, which Argo would read as its own; the registry judges the rest. A count of the length in
	// it would take 10 ms to compile at every start of either program.
	imageForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/@-]*$`)
)

const maxImage = 512

// complete fills in what has a default and refuses what would not be a valid object.
func (o Options) complete() (Options, error) {
	if !versionForm.MatchString(o.Version) {
		return o, fmt.Errorf("choosing the version: it is %q; letters, digits and .-_, such as 1.2.3, would do", o.Version)
	}
	if o.Image == "" {
		o.Image = Repository + ":" + o.Version
	}
	if len(o.Image) > maxImage || !imageForm.MatchString(o.Image) {
		return o, fmt.Errorf("choosing the image: it is %q; a reference such as %s:%s would do", o.Image, Repository, o.Version)
	}
	return o, nil
}
