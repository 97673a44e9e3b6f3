package v1alpha1

import "strings"

// wrongImage says what no registry could have under an image's name; "" when nothing is wrong. A name is
// [DOMAIN[:PORT]/]PATH[:TAG][@DIGEST], its path in lower case (OCI distribution specification 1.1, Pulling manifests).
func wrongImage(image string) string {
	name, digest, pinned := strings.Cut(image, "@")
	if algorithm, hex, has := strings.Cut(digest, ":"); pinned && (!has || algorithm == "" || len(hex) < 32 || !only(hex, lowerHex)) {
		return "its digest is none; one such as sha256:… would do"
	}
	if colon := strings.LastIndexByte(name, ':'); colon > strings.LastIndexByte(name, '/') {
		tag := name[colon+1:]
		if tag == "" || len(tag) > 128 || strings.ContainsRune(".-", rune(tag[0])) || !only(tag, tagBytes) {
			return "its tag is none; letters, digits and _.- would do, at most 128"
		}
		name = name[:colon]
	}
	steps := strings.Split(name, "/")
	if first := steps[0]; len(steps) > 1 && (first == "localhost" || strings.ContainsAny(first, ".:") || strings.ToLower(first) != first) {
		steps = steps[1:] // a registry's address, which the container runtime looks up
	}
	for _, step := range steps {
		if step == "" || !only(step, pathBytes) || strings.ContainsRune("._-", rune(step[0])) || strings.ContainsRune("._-", rune(step[len(step)-1])) {
			return "its path is none; lower-case letters, digits and ._- between slashes would do"
		}
	}
	return ""
}

const (
	lowerHex  = "0123456789abcdef"
	pathBytes = "abcdefghijklmnopqrstuvwxyz0123456789._-"
	tagBytes  = pathBytes + "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func only(text, of string) bool { return strings.Trim(text, of) == "" }
