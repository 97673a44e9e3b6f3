package host

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const someNote = `{"kind":"cniCacheV1","containerId":"6a08","result":{"interfaces":[{"name":"cni0"},{"name":"eth0","sandbox":"/var/run/netns/cni-da9f"}]}}`

func TestParseNote(t *testing.T) {
	t.Run("names_container_and_namespace", func(t *testing.T) {
		container, namespace, err := parseNote([]byte(someNote))
		require.NoError(t, err)
		require.Equal(t, "6a08", container)
		require.Equal(t, "cni-da9f", namespace)
	})
	t.Run("a_namespace_that_is_not_a_pod's_is_never_named", func(t *testing.T) {
		_, namespace, err := parseNote([]byte(`{"containerId":"6a08","result":{"interfaces":[{"sandbox":"/run/netns/vpn"},{"sandbox":""}]}}`))
		require.NoError(t, err)
		require.Empty(t, namespace)
	})
	t.Run("an_id_that_is_a_path_is_an_error", func(t *testing.T) {
		_, _, err := parseNote([]byte(`{"containerId":"../../x"}`))
		require.ErrorContains(t, err, "is no container id")
	})
}

func FuzzParseNote(f *testing.F) {
	f.Add([]byte(someNote))
	f.Add([]byte(`{"result":{"interfaces":[{"sandbox":"cni-\u001b[31m"}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		container, namespace, err := parseNote(text)
		if err != nil {
			return
		}
		require.NotContains(t, container, "/") // neither can lead anywhere else
		require.NotContains(t, namespace, "/")
		require.True(t, namespace == "" || strings.HasPrefix(namespace, "cni-"))
	})
}
