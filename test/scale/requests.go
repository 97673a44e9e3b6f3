package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"k8s.io/client-go/kubernetes"
)

// counter counts what this program itself asks of the API server, but for the leases of its nodes.
type counter struct {
	next http.RoundTripper
	n    *atomic.Int64
}

// RoundTrip counts and passes on.
func (c counter) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.Contains(r.URL.Path, "/leases") {
		c.n.Add(1)
	}
	return c.next.RoundTrip(r)
}

// served is how many requests the API server has answered since its start, but for those about leases: everybody's.
func served(ctx context.Context, kube kubernetes.Interface) (int64, error) {
	text, err := kube.CoreV1().RESTClient().Get().AbsPath("/metrics").SetHeader("Accept", "text/plain").Do(ctx).Raw()
	if err != nil {
		return 0, fmt.Errorf("reading the API server's metrics: %w", err)
	}
	return sum(string(text), "apiserver_request_total", func(labels string) bool { return !strings.Contains(labels, `resource="leases"`) }), nil
}

// sum adds up a counter of a page of metrics over the label sets that count.
func sum(page, name string, counts func(labels string) bool) int64 {
	var total float64
	for line := range strings.Lines(page) {
		rest, is := strings.CutPrefix(line, name)
		if !is || rest == "" || rest[0] != '{' && rest[0] != ' ' {
			continue
		}
		end := strings.LastIndexByte(rest, '}')
		if !counts(rest[:end+1]) {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(rest[end+1:]), 64)
		if err == nil {
			total += n
		}
	}
	return int64(total)
}

// pluginRequests is how many requests the plugin has sent, by its own count.
func pluginRequests(ctx context.Context, ip string) (int64, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+ip+":7244/metrics", nil)
	if err != nil {
		return 0, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, fmt.Errorf("asking the plugin: %w", err)
	}
	defer response.Body.Close() //nolint:errcheck // it was only read
	page, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, fmt.Errorf("asking the plugin: %w", err)
	}
	return sum(string(page), "seatrial_plugin_api_requests_total", func(string) bool { return true }), nil
}
