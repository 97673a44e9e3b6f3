package v1alpha1

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuiltinLogProfiles(t *testing.T) {
	files, err := builtinProfiles.ReadDir("logprofiles")
	require.NoError(t, err)
	require.Len(t, files, len(LogProfiles))
	for _, name := range LogProfiles {
		text, err := builtinProfiles.ReadFile("logprofiles/" + name + ".yaml")
		require.NoError(t, err)
		p, err := LoadLogProfile(name, text)
		require.NoError(t, err)
		require.Equal(t, name, p.Metadata.Name)
		require.Equal(t, p, BuiltinLogProfile(name))
		for _, n := range p.Spec.Patterns.Named() {
			require.NotEmpty(t, n.Pattern.Example, "%s %s", name, n.Name)
		}
	}
	require.Nil(t, BuiltinLogProfile("mine"))
	require.Nil(t, BuiltinLogProfile("../logprofiles/nccl-bandwidth"))
}

const ownProfile = `apiVersion: nvcre.nvidia.com/v1alpha1
kind: LogProfile
metadata:
  name: mine
spec:
  timestamp: {layout: "2006-01-02"}
  patterns:
    trainingStep:
      regex: 'step (?P<step>\d+) took (?P<stepTiming>[\d.]+)'
      example: step 5 took 1.5
      units: {stepTiming: ms}
`

func TestLoadLogProfile(t *testing.T) {
	p, err := LoadLogProfile("p.yaml", []byte(ownProfile))
	require.NoError(t, err)
	require.Equal(t, "ms", p.Spec.Patterns.TrainingStep.Units["stepTiming"])
	for name, c := range map[string]struct{ old, new, want string }{
		"an unknown field":             {"  timestamp:", "  timestmp: 1\n  timestamp:", "p.yaml:6: spec.timestmp: unknown field; did you mean timestamp?"},
		"another kind":                 {"LogProfile", "WorkloadRun", "p.yaml:2: kind: is \"WorkloadRun\"; LogProfile would do"},
		"no name":                      {"name: mine", "name: ''", "p.yaml:4: metadata.name: is missing"},
		"a name that is none":          {"name: mine", "name: Mine", "p.yaml:4: metadata.name: is \"Mine\""},
		"no layout":                    {`layout: "2006-01-02"`, "", "p.yaml:6: spec.timestamp.layout: is missing"},
		"no pattern":                   {ownProfile[strings.Index(ownProfile, "  patterns"):], "  patterns: {}\n", "p.yaml:7: spec.patterns: holds no pattern"},
		"an expression that is none":   {`\d+) took`, `\d+ took`, "p.yaml:9: spec.patterns.trainingStep.regex: is no regular expression"},
		"a lookahead":                  {"'step ", "'(?=x)step ", "p.yaml:9: spec.patterns.trainingStep.regex: is no regular expression"},
		"an unknown capture":           {"<stepTiming>", "<stepTimeing>", `regex: captures "stepTimeing"; the names are`},
		"a capture that is missing":    {"<step>", "<epoch>", "regex: captures no globalStep, iteration or step"},
		"an example that does not fit": {"example: step 5", "example: stop 5", "p.yaml:10: spec.patterns.trainingStep.example: does not match the regex"},
		"a unit that is none":          {"ms}", "min}", `p.yaml:11: spec.patterns.trainingStep.units.stepTiming: is "min"; s, ms or us would do`},
		"a unit of what has none":      {"{stepTiming", "{loss", "units.loss: is no capture with a unit"},
		"a huge expression":            {"'step ", "'step " + strings.Repeat("a", maxRegex), "at most 4096 would do"},
		"a negative warm-up":           {"  patterns", "  warmupSteps: -1\n  patterns", "p.yaml:7: spec.warmupSteps: is -1; 0 or more would do"},
		"an interval of nothing":       {"  patterns", "  logInterval: 0\n  patterns", "p.yaml:7: spec.logInterval: is 0; 1 or more would do"},
		"a strategy that is none":      {"  patterns", "  workerStrategy: {type: Some, lifecyclePod: middle}\n  patterns", `spec.workerStrategy.type: is "Some"; Single or Multi would do`},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, ownProfile, c.old)
			_, err := LoadLogProfile("p.yaml", []byte(strings.Replace(ownProfile, c.old, c.new, 1)))
			require.ErrorContains(t, err, c.want)
		})
	}
	t.Run("an empty text and a huge one", func(t *testing.T) {
		_, err := LoadLogProfile("p.yaml", nil)
		require.ErrorContains(t, err, "p.yaml: is empty")
		_, err = LoadLogProfile("p.yaml", make([]byte, maxProfile+1))
		require.ErrorContains(t, err, "at most 65536 would do")
	})
}

// FuzzLoadLogProfile: any text loads or tells why not; what loads has expressions that compile and match their examples.
func FuzzLoadLogProfile(f *testing.F) {
	f.Add([]byte(ownProfile))
	for _, name := range LogProfiles {
		text, err := builtinProfiles.ReadFile("logprofiles/" + name + ".yaml")
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := LoadLogProfile("p.yaml", text)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Empty(t, validateLogProfile(p))
		require.NotEmpty(t, p.Spec.Patterns.Named())
	})
}
