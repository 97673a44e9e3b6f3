// Package overlay fits what is written for a fleet of GPU nodes to the local cluster: three nodes of two cores, which claim
// GPUs that are not there. It changes as little as it can and says what it changed.
//
//  1. every run: numNodes at most 2, one GPU a node, and an MPI launcher that asks for little (run.go);
//  2. every workflow that chains runs: a name, and parameters for each run of a framework (workflow.go);
//  3. what one example needs beside these is a JSON merge patch (RFC 7386) of its own.
package overlay

import (
	"encoding/json"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"
)

// read returns a file's object.
func read(text []byte) (map[string]any, error) {
	object := map[string]any{}
	if err := yaml.Unmarshal(text, &object); err != nil {
		return nil, fmt.Errorf("reading the file: %w", err)
	}
	return object, nil
}

// finish merges the file's own patch and compares the outcome with the file.
func finish(text []byte, object map[string]any, patch string) (fitted, changes []byte, err error) {
	before, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the file: %w", err)
	}
	after, err := json.Marshal(object)
	if err != nil {
		return nil, nil, fmt.Errorf("writing the fitted file: %w", err)
	}
	if patch != "" {
		merge, err := yaml.YAMLToJSONStrict([]byte(patch))
		if err != nil {
			return nil, nil, fmt.Errorf("reading the patch: %w", err)
		}
		if after, err = jsonpatch.MergePatch(after, merge); err != nil {
			return nil, nil, fmt.Errorf("merging the patch: %w", err)
		}
	}
	difference, err := jsonpatch.CreateMergePatch(before, after)
	if err != nil {
		return nil, nil, fmt.Errorf("comparing the files: %w", err)
	}
	if changes, err = yaml.JSONToYAML(difference); err != nil {
		return nil, nil, fmt.Errorf("writing the changes: %w", err)
	}
	if fitted, err = yaml.JSONToYAML(after); err != nil {
		return nil, nil, fmt.Errorf("writing the fitted file: %w", err)
	}
	return fitted, changes, nil
}
