package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommands(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"help_names_every_command":               {[]string{"--help"}, 0, "load"},
		"an_unknown_command_is_an_error":         {[]string{"begin"}, 1, `unknown command "begin"`},
		"exec_without_a_command_is_an_error":     {[]string{"exec"}, 1, "at least 1 arg"},
		"an_archive_that_is_missing_is_an_error": {[]string{"load"}, 1, "accepts 1 arg"},
		"a_component_must_be_named":              {[]string{"stop"}, 1, "accepts 1 arg"},
		"a_share_of_all_would_be_a_pause":        {[]string{"slow", "etcd", "--paused", "1"}, 1, "slowing etcd: share 1; one between 0 and 1 would do"},
		"no_nodes_is_an_error":                   {[]string{"up", "--nodes", "0"}, 1, "0 nodes; 1 to 64 would do"},
		"requeue_is_a_duration":                  {[]string{"up", "--requeue", "2"}, 1, "missing unit"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			require.Equal(t, test.code, Main(t.Context(), test.args, &out, &out))
			require.Contains(t, out.String(), test.says)
		})
	}
}
