package v1alpha1

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"strings"
)

// EncodedSpec is the prefix of a spec that is compressed and encoded, so that text which contains {{ passes Argo unchanged.
const EncodedSpec = "gzip+base64:"

// MaxSpecBytes bounds the text of the parameter spec: it is carried in the Workflow object. A longer one goes by a ConfigMap,
// which the parameter specFrom names.
const MaxSpecBytes = 64 << 10

const (
	// maxPlain bounds what a spec may unpack to. A ConfigMap holds no more.
	maxPlain = 1 << 20
	// maxPacked bounds a compressed spec: the run's record, which has 400 KiB for all that is planned, holds it.
	maxPacked = 256 << 10
)

// EncodeSpec returns text as the parameter spec carries it: plain, so that the Argo UI shows it, unless it contains {{ or is
// long. What is longer than MaxSpecBytes even so must go by a ConfigMap. A spec that no run can have is an error.
func EncodeSpec(text []byte) (string, error) {
	if len(text) <= MaxSpecBytes && !bytes.Contains(text, []byte("{{")) && !bytes.HasPrefix(text, []byte(EncodedSpec)) {
		return string(text), nil
	}
	packed, err := packSpec(text)
	if err != nil {
		return "", err
	}
	return EncodedSpec + base64.StdEncoding.EncodeToString(packed), nil
}

func packSpec(text []byte) ([]byte, error) {
	const move = "move large files of spec.config.inline into the image"
	if len(text) > maxPlain {
		return nil, fmt.Errorf("the spec has %d bytes; at most %d fit: %s", len(text), maxPlain, move)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		return nil, fmt.Errorf("compressing the spec: %w", err)
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("compressing the spec: %w", err)
	}
	if b.Len() > maxPacked {
		return nil, fmt.Errorf("the spec has %d bytes even when compressed; at most %d fit into the record of a run: %s", b.Len(), maxPacked, move)
	}
	return b.Bytes(), nil
}

// DecodeSpec is the inverse of EncodeSpec. A text that unpacks to more than 1 MiB is an error.
func DecodeSpec(text string) ([]byte, error) {
	packed, is := strings.CutPrefix(text, EncodedSpec)
	if !is {
		if len(text) > MaxSpecBytes { // only a ConfigMap can bring it
			if _, err := packSpec([]byte(text)); err != nil {
				return nil, err
			}
		}
		return []byte(text), nil
	}
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, fmt.Errorf("is not base64 behind the prefix %s (%w); what `gzip | base64 -w0` writes would do", EncodedSpec, err)
	}
	if len(raw) > maxPacked {
		return nil, fmt.Errorf("has %d bytes after %s; at most %d would do", len(raw), EncodedSpec, maxPacked)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("is not gzip behind the prefix %s (%w); what `gzip | base64 -w0` writes would do", EncodedSpec, err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, maxPlain+1))
	if err != nil {
		return nil, fmt.Errorf("is not whole after %s: %w", EncodedSpec, err)
	}
	if len(plain) > maxPlain {
		return nil, fmt.Errorf("unpacks to more than %d bytes", maxPlain)
	}
	return plain, nil
}
