package steps

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/utils/clock"

	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

const (
	// blindFor bounds how long a step bears that the cluster cannot be asked: an upgrade of a single API server takes minutes.
	blindFor = 10 * time.Minute
	// unreadyFor bounds how long a refusal is borne that may be that of an API server which has just started.
	unreadyFor = time.Minute
)

// insist does work again while it fails for want of an answer from the API server: every step finds its way from the record.
func (s *Steps) insist(ctx context.Context, say func(string), work func() error) error {
	return insist(ctx, s.clock, s.log, say, work)
}

// insist gives up when an error has been borne for as long as it is bearable. Work that went on for longer than that begins the time anew.
func insist(ctx context.Context, clk clock.Clock, log *slog.Logger, say func(string), work func() error) error {
	var since time.Time
	for {
		began := clk.Now()
		err := work()
		most := bearable(err)
		if err == nil || ctx.Err() != nil || most == 0 {
			return err
		}
		now := clk.Now()
		if since.IsZero() || now.Sub(began) > most {
			since = began
		}
		switch late := now.Sub(since) > most; {
		case late && unreachable(err):
			return fmt.Errorf("the cluster gave no answer for %s: %w", most, err)
		case late:
			return err
		}
		log.Warn("the cluster gives no answer", "error", err)
		say(fmt.Sprintf("the cluster gives no answer; trying until %s: %v", since.Add(most).UTC().Format(time.RFC3339), err))
		if err := pause(ctx, clk, poll); err != nil {
			return err
		}
	}
}

// bearable is how long a step bears an error that is the API server's trouble and no answer to what was asked; 0 for an answer.
func bearable(err error) time.Duration {
	switch {
	case unreachable(err):
		return blindFor
	case unready(err):
		return unreadyFor
	}
	return 0
}

// unreachable says whether an error is the API server's want of an answer, and none of what was asked.
func unreachable(err error) bool {
	return utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsHTTP2ConnectionLost(err) ||
		utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err) ||
		storeSilent(err)
}

// storeSilent says whether the API server got no answer from its database. It passes such an error on as it is, with code 500
// and no reason. A webhook that gives no answer is another matter: only what it watches cannot be done.
func storeSilent(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Code != http.StatusInternalServerError {
		return false
	}
	text := err.Error()
	if strings.Contains(text, "webhook") {
		return false
	}
	for _, words := range []string{"etcdserver: ", "code = Unavailable", "code = DeadlineExceeded", "context deadline exceeded", "context canceled"} {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// unready says whether an error may be that of an API server which has just started, or whose database is slow: it has not
// read the roles yet, and refuses what they allow, or cannot look an account's token up, and does not know it. A role that is
// really missing reads the same.
func unready(err error) bool {
	return apierrors.IsUnauthorized(err) || apierrors.IsForbidden(err) && strings.Contains(err.Error(), ` cannot `) && strings.Contains(err.Error(), `User "`)
}

// oneLine is an error as a message of Argo's, without the secrets that somebody else may have put into it.
func oneLine(err error) string { return parse.Mask(planning.OneLine(err)) }
