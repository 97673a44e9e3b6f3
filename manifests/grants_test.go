package manifests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGrants(t *testing.T) {
	grants, err := Grants()
	require.NoError(t, err)
	require.Len(t, grants, 3)
	for i, want := range []Grant{{Account: "seatrial-workflow"}, {Account: "seatrial-executor-plugin"}, {Account: "seatrial-executor-plugin", Everywhere: true}} {
		require.Equal(t, want.Account, grants[i].Account)
		require.Equal(t, want.Everywhere, grants[i].Everywhere)
		require.NotEmpty(t, grants[i].Rules, "a binding whose role is in none of the manifests")
		for _, rule := range grants[i].Rules {
			require.Empty(t, rule.ResourceNames, "the check asks for every name")
			require.Empty(t, rule.NonResourceURLs)
		}
	}
}
