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

// MaxSpecBytes bounds the text of the parameter spec: it is carried in the Workflow object.
const MaxSpecBytes = 64 << 10

// maxPlain bounds what a compressed spec may unpack to.
const maxPlain = 1 << 20

// EncodeSpec returns text as the parameter spec carries it: plain, so that the Argo UI shows it, unless it contains {{.
func EncodeSpec(text []byte) (string, error) {
	if len(text) > maxPlain {
		return "", tooLarge(len(text), maxPlain)
	}
	encoded := string(text)
	if bytes.Contains(text, []byte("{{")) || strings.HasPrefix(encoded, EncodedSpec) {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write(text); err != nil {
			return "", fmt.Errorf("compressing the spec: %w", err)
		}
		if err := z.Close(); err != nil {
			return "", fmt.Errorf("compressing the spec: %w", err)
		}
		encoded = EncodedSpec + base64.StdEncoding.EncodeToString(b.Bytes())
	}
	if len(encoded) > MaxSpecBytes {
		return "", tooLarge(len(encoded), MaxSpecBytes)
	}
	return encoded, nil
}

func tooLarge(size, most int) error {
	return fmt.Errorf("the spec has %d bytes; at most %d fit into a Workflow: move large files of spec.config.inline into the image", size, most)
}

// DecodeSpec is the inverse of EncodeSpec. A text that unpacks to more than 1 MiB is an error.
func DecodeSpec(text string) ([]byte, error) {
	packed, is := strings.CutPrefix(text, EncodedSpec)
	if !is {
		return []byte(text), nil
	}
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		return nil, fmt.Errorf("is not base64 after %s: %w", EncodedSpec, err)
	}
	z, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("is not gzip after %s: %w", EncodedSpec, err)
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
