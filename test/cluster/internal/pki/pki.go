// Package pki makes the certificates of one local cluster: an authority of its own, a certificate a component, and the key
// pair that signs service account tokens. All keys are ECDSA P-256: Kubernetes takes them everywhere, and making one costs
// microseconds where RSA costs a second.
package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"time"
)

// lifetime is how long a certificate is valid: longer than any cluster lives, as `up` makes new ones.
const lifetime = 30 * 24 * time.Hour

// backdate covers a clock that is set back while the cluster runs.
const backdate = time.Hour

// Pair is a certificate and its private key, both PEM.
type Pair struct {
	Certificate, Key []byte
}

// Authority signs certificates. Make one with NewAuthority.
type Authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	pem         []byte
	now         time.Time
}

// Request says whose certificate is wanted. It serves both as client and as server.
type Request struct {
	Name         string   // the user's or server's name
	Organization string   // the user's group; empty for a server
	DNS          []string // names and
	IPs          []string // addresses the server is reached at
}

// NewAuthority makes a self-signed authority whose certificates are valid from now.
func NewAuthority(name string, now time.Time) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("making the key of authority %s: %w", name, err)
	}
	template, err := certificate(Request{Name: name}, now)
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid = true, true
	template.KeyUsage, template.ExtKeyUsage = x509.KeyUsageCertSign|x509.KeyUsageDigitalSignature, nil
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, fmt.Errorf("signing authority %s: %w", name, err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, fmt.Errorf("reading authority %s: %w", name, err)
	}
	return &Authority{certificate: parsed, key: key, pem: block("CERTIFICATE", der), now: now}, nil
}

// Certificate returns the authority's own certificate, PEM.
func (a *Authority) Certificate() []byte { return a.pem }

// Issue makes a key and signs its certificate.
func (a *Authority) Issue(request Request) (Pair, error) {
	template, err := certificate(request, a.now)
	if err != nil {
		return Pair{}, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("making the key of %s: %w", request.Name, err)
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	if err != nil {
		return Pair{}, fmt.Errorf("signing the certificate of %s: %w", request.Name, err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("writing the key of %s: %w", request.Name, err)
	}
	return Pair{Certificate: block("CERTIFICATE", der), Key: block("EC PRIVATE KEY", private)}, nil
}

// SigningKey makes the key pair of service account tokens: Certificate holds the public key.
func SigningKey() (Pair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Pair{}, fmt.Errorf("making the key of service account tokens: %w", err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return Pair{}, fmt.Errorf("writing the key of service account tokens: %w", err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return Pair{}, fmt.Errorf("writing the public key of service account tokens: %w", err)
	}
	return Pair{Certificate: block("PUBLIC KEY", public), Key: block("EC PRIVATE KEY", private)}, nil
}

func certificate(request Request, now time.Time) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		return nil, fmt.Errorf("drawing a serial number: %w", err)
	}
	out := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: request.Name},
		NotBefore:    now.Add(-backdate),
		NotAfter:     now.Add(lifetime),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:     request.DNS,
	}
	if request.Organization != "" {
		out.Subject.Organization = []string{request.Organization}
	}
	for _, text := range request.IPs {
		ip := net.ParseIP(text)
		if ip == nil {
			return nil, fmt.Errorf("making the certificate of %s: %q is no IP address", request.Name, text)
		}
		out.IPAddresses = append(out.IPAddresses, ip)
	}
	return out, nil
}

func block(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}
