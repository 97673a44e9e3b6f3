package plan

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/util/yaml"
	sigsyaml "sigs.k8s.io/yaml"
)

// Outside changes a controller's manifests for one that runs on the host instead of in a pod, and returns them as one list
// for `kubectl apply`. Deployments are left out; Services lose their selector and get the host's address as their only
// endpoint; webhooks trust the given authority (PEM).
func Outside(manifests io.Reader, ports map[int]int, authority []byte) ([]byte, error) {
	items := []any{}
	for reader := yaml.NewYAMLReader(bufio.NewReader(manifests)); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("reading manifests: %w", err)
		}
		var object map[string]any
		if err := sigsyaml.Unmarshal(document, &object); err != nil {
			return nil, fmt.Errorf("reading manifests: document %d: %w", len(items)+1, err)
		}
		changed, err := outside(object, ports, base64.StdEncoding.EncodeToString(authority))
		if err != nil {
			return nil, fmt.Errorf("changing manifests: %w", err)
		}
		items = append(items, changed...)
	}
	if len(items) == 0 {
		return nil, errors.New("reading manifests: there are none")
	}
	return json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
}

func outside(object map[string]any, ports map[int]int, bundle string) ([]any, error) {
	switch object["kind"] {
	case nil, "Deployment":
		return nil, nil
	case "Service":
		slice, err := endpoints(object, ports)
		if err != nil {
			return nil, err
		}
		delete(child(object, "spec"), "selector")
		return []any{object, slice}, nil
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		webhooks, _ := object["webhooks"].([]any)
		for _, webhook := range webhooks {
			hook, ok := webhook.(map[string]any)
			if !ok {
				return nil, fmt.Errorf("%s: a webhook is %T, not an object", name(object), webhook)
			}
			child(hook, "clientConfig")["caBundle"] = bundle
		}
	}
	return []any{object}, nil
}

// endpoints makes the EndpointSlice of a Service whose ports are served on the host.
func endpoints(service map[string]any, ports map[int]int) (map[string]any, error) {
	metadata, out := child(service, "metadata"), []any{}
	listed, _ := child(service, "spec")["ports"].([]any)
	for _, entry := range listed {
		port, ok := entry.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("service %s: a port is %T, not an object", name(service), entry)
		}
		number, ok := port["port"].(float64)
		if !ok {
			return nil, fmt.Errorf("service %s: port %v is no number", name(service), port["port"])
		}
		served, ok := ports[int(number)]
		if !ok {
			return nil, fmt.Errorf("service %s: port %d is not among those served on the host, %v", name(service), int(number), slices.Sorted(maps.Keys(ports)))
		}
		label, _ := port["name"].(string)
		out = append(out, map[string]any{"name": label, "port": served, "protocol": "TCP"})
	}
	return map[string]any{
		"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
		"metadata": map[string]any{
			"name": metadata["name"], "namespace": metadata["namespace"],
			"labels": map[string]any{"kubernetes.io/service-name": metadata["name"]}},
		"endpoints": []any{map[string]any{"addresses": []any{HostAddress}, "conditions": map[string]any{"ready": true}}},
		"ports":     out,
	}, nil
}

// child returns the object at a key, made when it is not there.
func child(object map[string]any, key string) map[string]any {
	if found, ok := object[key].(map[string]any); ok {
		return found
	}
	made := map[string]any{}
	object[key] = made
	return made
}

func name(object map[string]any) string {
	text, _ := child(object, "metadata")["name"].(string)
	return text
}
