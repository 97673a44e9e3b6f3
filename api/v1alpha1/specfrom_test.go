package v1alpha1

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// noise is text that hardly compresses.
func noise(size int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(r.IntN(256))
	}
	return text
}

func TestParseSpecSource(t *testing.T) {
	for text, want := range map[string]SpecSource{
		"big":          {"big", "spec.yaml"},
		"big/run.yaml": {"big", "run.yaml"},
		"a.b-c/K_1":    {"a.b-c", "K_1"},
	} {
		got, err := ParseSpecSource(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, text := range []string{"Big", "big/", "/key", "a/b/c", "../x", "big/..", "a b", "\x1b[31m", strings.Repeat("a", 300)} {
		_, err := ParseSpecSource(text)
		require.ErrorContains(t, err, "the name of a ConfigMap, or NAME/KEY, would do", text)
		require.NotContains(t, err.Error(), "\x1b")
		require.Less(t, len(err.Error()), 200)
	}
}

func TestSpecSourceIn(t *testing.T) {
	source := SpecSource{"big", "spec.yaml"}
	for name, tt := range map[string]struct {
		data map[string]string
		want SpecText
	}{
		"the key's text": {map[string]string{"spec.yaml": "image: i"}, SpecText{Text: "image: i"}},
		"no such key":    {map[string]string{"b": "x", "a": "x"}, SpecText{Wrong: "ConfigMap big has no key spec.yaml; big/KEY with one of a, b would do"}},
		"no text at all": {nil, SpecText{Wrong: "ConfigMap big holds no text; the spec of a WorkloadRun under the key spec.yaml would do"}},
		"an empty text":  {map[string]string{"spec.yaml": " \n"}, SpecText{Wrong: "key spec.yaml of ConfigMap big is empty; the spec of a WorkloadRun as YAML would do"}},
	} {
		require.Equal(t, tt.want, source.In(tt.data), name)
	}
	require.Equal(t, "there is no ConfigMap big in namespace runs; one with the spec under the key spec.yaml would do", source.Missing("runs").Wrong)
}

func TestParseParametersWith(t *testing.T) {
	const whole = "image: i\nnumNodes: 2\nframework: {mpi: {mpirunPath: /m, binary: /b}}\n"
	t.Run("a parameter that is given wins over what specFrom brings, as over spec", func(t *testing.T) {
		spec, _, err := ParseParametersWith(FrameworkMPI, map[string]string{"specFrom": "big", "numNodes": "3"}, SpecText{Text: whole})
		require.NoError(t, err)
		require.Equal(t, "i", spec.Image)
		require.Equal(t, int32(3), spec.NumNodes)
	})
	t.Run("a compressed text is read too", func(t *testing.T) {
		encoded, err := EncodeSpec([]byte(whole + "# {{\n"))
		require.NoError(t, err)
		spec, _, err := ParseParametersWith(FrameworkMPI, map[string]string{"specFrom": "big"}, SpecText{Text: encoded})
		require.NoError(t, err)
		require.Equal(t, "i", spec.Image)
	})
	for name, tt := range map[string]struct {
		values map[string]string
		from   SpecText
		want   string
	}{
		"both are one too many, and spec is still checked": {
			map[string]string{"spec": strings.Replace(whole, "2", "0", 1), "specFrom": "big"}, SpecText{Text: whole},
			"specFrom: is given beside spec; one of them would do\nspec.numNodes: is missing or 0; the nodes of one group, at least 1, would do",
		},
		"without a text only that is news": {
			map[string]string{"specFrom": "big", "gpusPerNode": "x"}, SpecSource{"big", SpecKey}.Missing("runs"),
			"specFrom: there is no ConfigMap big in namespace runs; one with the spec under the key spec.yaml would do\ngpusPerNode: is \"x\"; a whole number, at least 1, would do",
		},
		"what is wrong in the text has its line there": {
			map[string]string{"specFrom": "big/run.yaml"}, SpecText{Text: "image: i\nnumNods: 2\n"},
			"big/run.yaml:2: spec.numNods: unknown field; did you mean numNodes?",
		},
		"a framework of another template": {
			map[string]string{"specFrom": "big"}, SpecText{Text: "image: i\nnumNodes: 2\nframework: {exec: {command: [a]}}\n"},
			"spec.framework: is exec; the template workloadrun-exec would do",
		},
	} {
		_, _, err := ParseParametersWith(FrameworkMPI, tt.values, tt.from)
		require.Error(t, err, name)
		require.Contains(t, err.Error(), tt.want, name)
	}
	t.Run("nobody who has not read it takes it for nothing", func(t *testing.T) {
		values := map[string]string{"specFrom": "big", "image": "i", "numNodes": "2", "mpirunPath": "/m", "binary": "/b"}
		_, _, err := ParseParameters(FrameworkMPI, values)
		require.EqualError(t, err, "specFrom: names a ConfigMap, which only the cluster can show; the parameter spec would do")
	})
}

// A source that is accepted reads the same again, and names one ConfigMap and one key.
func FuzzParseSpecSource(f *testing.F) {
	for _, s := range []string{"big", "big/run.yaml", "/", "a/b/c", ".", "a/.."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		source, err := ParseSpecSource(text)
		if err != nil {
			return
		}
		again, err := ParseSpecSource(source.String())
		require.NoError(t, err)
		require.Equal(t, source, again)
		require.NotContains(t, source.Name+source.Key, "/")
	})
}
