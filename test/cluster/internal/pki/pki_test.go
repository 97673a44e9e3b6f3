package pki

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var now = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestIssue(t *testing.T) {
	authority, err := NewAuthority("seatrial", now)
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(authority.Certificate()))
	pair, err := authority.Issue(Request{Name: "system:node:gpu-node-01", Organization: "system:nodes", DNS: []string{"gpu-node-01"}, IPs: []string{"100.65.0.1"}})
	require.NoError(t, err)
	loaded, err := tls.X509KeyPair(pair.Certificate, pair.Key)
	require.NoError(t, err)

	verify := func(name string, at time.Time, usage x509.ExtKeyUsage) error {
		_, err := loaded.Leaf.Verify(x509.VerifyOptions{DNSName: name, Roots: roots, CurrentTime: at, KeyUsages: []x509.ExtKeyUsage{usage}})
		return err
	}
	t.Run("the_authority_vouches_for_names_and_addresses", func(t *testing.T) {
		require.NoError(t, verify("gpu-node-01", now, x509.ExtKeyUsageServerAuth))
		require.NoError(t, verify("100.65.0.1", now, x509.ExtKeyUsageServerAuth))
		require.NoError(t, verify("", now, x509.ExtKeyUsageClientAuth))
	})
	t.Run("for_no_other_name", func(t *testing.T) {
		require.Error(t, verify("gpu-node-02", now, x509.ExtKeyUsageServerAuth))
	})
	t.Run("not_after_its_lifetime", func(t *testing.T) {
		require.Error(t, verify("gpu-node-01", now.Add(lifetime+time.Second), x509.ExtKeyUsageServerAuth))
	})
	t.Run("user_and_group_are_the_subject", func(t *testing.T) {
		require.Equal(t, "system:node:gpu-node-01", loaded.Leaf.Subject.CommonName)
		require.Equal(t, []string{"system:nodes"}, loaded.Leaf.Subject.Organization)
	})
	t.Run("an_issued_certificate_is_no_authority", func(t *testing.T) {
		require.False(t, loaded.Leaf.IsCA)
	})
	t.Run("a_bad_address_is_an_error", func(t *testing.T) {
		_, err := authority.Issue(Request{Name: "x", IPs: []string{"100.65.0"}})
		require.ErrorContains(t, err, `"100.65.0" is no IP address`)
	})
}

func TestSigningKey(t *testing.T) {
	t.Run("both_halves_belong_together", func(t *testing.T) {
		pair, err := SigningKey()
		require.NoError(t, err)
		private, _ := pem.Decode(pair.Key)
		public, _ := pem.Decode(pair.Certificate)
		key, err := x509.ParseECPrivateKey(private.Bytes)
		require.NoError(t, err)
		other, err := x509.ParsePKIXPublicKey(public.Bytes)
		require.NoError(t, err)
		require.True(t, key.PublicKey.Equal(other))
	})
}
