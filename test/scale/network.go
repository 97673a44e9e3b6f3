package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"time"
)

const (
	// hostAddress is the cluster's host in its network namespace (test/cluster/internal/plan).
	hostAddress = "100.65.0.1"
	// podRange are the addresses of the pods: none of the cluster's own, and outside of its network namespace nobody's.
	podRange = "100.67.0.0/16"
)

// network takes every address of the pods for this machine's own, inside the cluster's network namespace only, so that one
// listener is the sshd of all workers. undo takes that back.
func network(ctx context.Context) (undo func() error, err error) {
	if !own(hostAddress) {
		return nil, errors.New("this is not the cluster's network: `bin/cluster exec -- bin/scale` would do")
	}
	route := func(ctx context.Context, verb string) error {
		out, err := exec.CommandContext(ctx, "ip", "route", verb, "local", podRange, "dev", "lo").CombinedOutput()
		if err != nil {
			return fmt.Errorf("changing the route to the pods: %w: %s", err, strings.TrimSpace(string(out)))
		}
		return nil
	}
	return func() error { return route(context.WithoutCancel(ctx), "del") }, route(ctx, "replace")
}

func own(address string) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range all {
		if ip, is := a.(*net.IPNet); is && ip.IP.String() == address {
			return true
		}
	}
	return false
}

// sshd greets as OpenSSH does, until ctx ends.
func sshd(ctx context.Context) error {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "0.0.0.0:22")
	if err != nil {
		return fmt.Errorf("listening as sshd: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for {
		conn, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return fmt.Errorf("listening as sshd: %w", err)
		}
		go func() {
			defer conn.Close() //nolint:errcheck // the greeting is all there is
			_ = conn.SetDeadline(time.Now().Add(10 * time.Second))
			_, _ = io.WriteString(conn, "SSH-2.0-OpenSSH_9.2\r\n")
			_, _ = io.Copy(io.Discard, conn)
		}()
	}
}

// serveTLS serves until ctx ends, with a certificate that nobody checks: the API server of the local cluster has no authority
// for kubelets. It says its port before it begins.
func serveTLS(ctx context.Context, handler http.Handler, port chan<- int32) error {
	certificate, err := selfSigned()
	if err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", net.JoinHostPort(hostAddress, "0"))
	if err != nil {
		return fmt.Errorf("listening as kubelet: %w", err)
	}
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	address, _ := listener.Addr().(*net.TCPAddr)
	port <- int32(address.Port)
	if err := server.ServeTLS(listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving logs: %w", err)
	}
	return nil
}

func selfSigned() (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a key: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "simulated kubelet"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour), IPAddresses: []net.IP{net.ParseIP(hostAddress)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("making a certificate: %w", err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
