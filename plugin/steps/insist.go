package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/seed-95c1acfe/seatrial/internal/planning"
	"github.com/seed-95c1acfe/seatrial/plugin/parse"
)

// blindFor bounds how long a step bears that the cluster cannot be asked: an upgrade of a single API server takes minutes.
const blindFor = 10 * time.Minute

// insist does work again while it fails for want of an answer from the API server: every step finds its way from the record.
// It gives up after blindFor without success. Work that went on for longer than that begins the time anew.
func (s *Steps) insist(ctx context.Context, say func(string), work func() error) error {
	var since time.Time
	for {
		began := s.clock.Now()
		err := work()
		if err == nil || ctx.Err() != nil || !unreachable(err) {
			return err
		}
		now := s.clock.Now()
		if since.IsZero() || now.Sub(began) > blindFor {
			since = began
		}
		if now.Sub(since) > blindFor {
			return fmt.Errorf("the cluster gave no answer for %s: %w", blindFor, err)
		}
		s.log.Warn("the cluster gives no answer", "error", err)
		say(fmt.Sprintf("the cluster gives no answer; trying until %s: %v", since.Add(blindFor).UTC().Format(time.RFC3339), err))
		if err := s.pause(ctx, poll); err != nil {
			return err
		}
	}
}

// unreachable says whether an error is the API server's want of an answer, and none of what was asked.
func unreachable(err error) bool {
	return utilnet.IsConnectionRefused(err) || utilnet.IsConnectionReset(err) || utilnet.IsHTTP2ConnectionLost(err) ||
		utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded) ||
		apierrors.IsServerTimeout(err) || apierrors.IsTimeout(err) || apierrors.IsTooManyRequests(err) || apierrors.IsServiceUnavailable(err)
}

// oneLine is an error as a message of Argo's, without the secrets that somebody else may have put into it.
func oneLine(err error) string { return parse.Mask(planning.OneLine(err)) }
