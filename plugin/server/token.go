package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// authorize compares the request's bearer token with the agent's, in constant time. It returns 200, or a status and the reason.
func (s *Server) authorize(r *http.Request) (status int, reason string) {
	if s.Token == nil {
		return http.StatusServiceUnavailable, "the plugin has no token to compare with"
	}
	want, err := s.Token()
	if err != nil {
		return http.StatusServiceUnavailable, "reading the agent's token: " + err.Error()
	}
	if want = strings.TrimSpace(want); want == "" {
		return http.StatusServiceUnavailable, "the agent's token is empty"
	}
	got, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !found {
		return http.StatusUnauthorized, "a bearer token is missing"
	}
	// The sums have one length, so that not even the token's length shows in the time.
	wantSum, gotSum := sha256.Sum256([]byte(want)), sha256.Sum256([]byte(got))
	if subtle.ConstantTimeCompare(wantSum[:], gotSum[:]) != 1 {
		return http.StatusForbidden, "the bearer token is not the agent's"
	}
	return http.StatusOK, ""
}
