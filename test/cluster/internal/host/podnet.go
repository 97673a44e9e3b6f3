package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// cniResults is where CNI plugins' results are noted (libcni's default, which containerd keeps): a file
// <network>-<container>-<interface> for each pod.
const cniResults = "/var/lib/cni/results"

// RemovePodNetworks removes the network namespaces of pods that were not taken down in order, and the notes of them. The
// notes tell whose a namespace is: its name, cni- and a random number, does not.
func RemovePodNetworks(ctx context.Context, network string) error {
	notes, err := filepath.Glob(filepath.Join(cniResults, network+"-*"))
	if err != nil {
		return fmt.Errorf("looking for the networks of pods: %w", err)
	}
	for _, note := range notes {
		text, err := os.ReadFile(note)
		if err != nil {
			return fmt.Errorf("reading the network of a pod: %w", err)
		}
		container, namespace, err := parseNote(text)
		if err != nil {
			return fmt.Errorf("reading the network of a pod: %s: %w", note, err)
		}
		if _, err := os.Stat(filepath.Join("/run/netns", namespace)); err == nil && namespace != "" {
			if err := run(ctx, "ip", "netns", "delete", namespace); err != nil {
				return fmt.Errorf("removing the network of a pod: %w", err)
			}
		}
		for _, file := range []string{note, filepath.Join(cniResults, "cni-loopback-"+container+"-lo")} {
			if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("removing the note of a pod's network: %w", err)
			}
		}
	}
	return nil
}

// parseNote reads a note: the container, and the name of its network namespace, empty when the note names none.
func parseNote(text []byte) (container, namespace string, err error) {
	var note struct {
		ContainerID string `json:"containerId"`
		Result      struct {
			Interfaces []struct{ Sandbox string } `json:"interfaces"`
		} `json:"result"`
	}
	if err := json.Unmarshal(text, &note); err != nil {
		return "", "", err
	}
	if strings.ContainsAny(note.ContainerID, "/\x00") {
		return "", "", fmt.Errorf("%q is no container id", note.ContainerID)
	}
	for _, link := range note.Result.Interfaces {
		if name := filepath.Base(link.Sandbox); strings.HasPrefix(name, "cni-") {
			namespace = name
		}
	}
	return note.ContainerID, namespace, nil
}
