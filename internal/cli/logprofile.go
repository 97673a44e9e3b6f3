package cli

import (
	"fmt"
	"os"
	"strings"

	"github.com/seed-95c1acfe/seatrial/api/v1alpha1"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// logProfile compiles a built-in profile, or that of a file; nil for "".
func (a *app) logProfile(nameOrFile string) (*parse.Profile, error) {
	if nameOrFile == "" {
		return nil, nil //nolint:nilnil // no profile is a choice, and not a mistake
	}
	p := v1alpha1.BuiltinLogProfile(nameOrFile)
	if p == nil {
		text, err := os.ReadFile(nameOrFile)
		if err != nil {
			return nil, misuse(fmt.Errorf("--profile is %q; one of %s would do, or a file: %w", nameOrFile, strings.Join(v1alpha1.LogProfiles, ", "), err))
		}
		if p, err = v1alpha1.LoadLogProfile(nameOrFile, text); err != nil {
			return nil, err
		}
	}
	return parse.NewProfile(p)
}
