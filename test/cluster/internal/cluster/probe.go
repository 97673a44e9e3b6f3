package cluster

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/seed-95c1acfe/seatrial/test/cluster/internal/plan"
)

// probeTimeout bounds one question to a component: an answer later than that comes from one that is not well.
const probeTimeout = 5 * time.Second

// probe asks a component once whether it is well.
func (c *Cluster) probe(ctx context.Context, probe plan.Probe) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if probe.URL == "" {
		conn, err := c.network.Dial(ctx, probe.Network, probe.Address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return c.network.Dial(ctx, network, address)
		},
		TLSClientConfig:   &tls.Config{InsecureSkipVerify: true}, // some components sign for themselves; nothing is told or believed but "200"
		DisableKeepAlives: true,
	}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, probe.URL, nil)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 200))
		return fmt.Errorf("%s answers %s: %s", probe.URL, response.Status, body)
	}
	return nil
}
