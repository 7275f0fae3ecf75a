package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Defaults of [Patience].
const (
	DefaultMaxWait  = 2 * time.Minute
	DefaultAttempts = 4
)

// Patience is how a client bears GitHub's rate limits and failures.
type Patience struct {
	// Now tells the time.
	Now func() time.Time
	// Random returns numbers of [0, 1), for pauses that do not coincide with
	// those of others.
	Random func() float64
	// MaxWait is the longest that one request waits in all; 0 means
	// [DefaultMaxWait].
	MaxWait time.Duration
	// Attempts is how often one request is sent at most; 0 means
	// [DefaultAttempts].
	Attempts int
}

const (
	// firstPause is the pause after the first failure; each further one is
	// twice as long.
	firstPause = 500 * time.Millisecond
	// limitPause is how long to wait for a limit that does not say when it
	// ends: GitHub asks for a minute.
	limitPause = time.Minute
)

// patient waits for rate limits and repeats requests where that is safe: any
// that GitHub turned away for a limit or that did not reach it, and after other
// failures those whose repetition changes nothing.
type patient struct {
	Patience
	graphqlPath string
	next        http.RoundTripper

	mu sync.Mutex
	// until is when the limits end that are known, by resource; that of all
	// resources is of the empty one.
	until map[string]time.Time
}

func newPatient(p Patience, graphqlPath string, next http.RoundTripper) *patient {
	if p.MaxWait == 0 {
		p.MaxWait = DefaultMaxWait
	}
	if p.Attempts == 0 {
		p.Attempts = DefaultAttempts
	}
	return &patient{Patience: p, graphqlPath: graphqlPath, next: next, until: map[string]time.Time{}}
}

// RoundTrip sends a request until it has an answer to keep. Its own errors are
// of kind infrastructure.
func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	var waited time.Duration
	for attempt := 1; ; attempt++ {
		if until, limited := p.known(r); limited {
			if err := p.await(r.Context(), until, &waited); err != nil {
				return nil, err
			}
		}
		sent, err := repetition(r, attempt)
		if err != nil {
			return nil, err
		}
		response, err := p.next.RoundTrip(sent)
		limit, limited := p.limited(r, response, err)
		last := attempt == p.Attempts || r.Body != nil && r.GetBody == nil
		switch {
		case limited && last:
			drain(response)
			return nil, resetsAt(limit)
		case limited:
			drain(response)
		case last || !repeatable(r, response, err):
			return response, err
		default:
			pause := time.Duration(float64(firstPause<<(attempt-1)) * (0.5 + p.Random()/2))
			if p.await(r.Context(), p.Now().Add(pause), &waited) != nil {
				return response, err
			}
			drain(response)
		}
	}
}

// repetition returns the request of an attempt, with a body of its own.
func repetition(r *http.Request, attempt int) (*http.Request, error) {
	if attempt == 1 || r.Body == nil || r.Body == http.NoBody {
		return r, nil
	}
	body, err := r.GetBody()
	if err != nil {
		return nil, fault.Internalf("repeat request: %w", err)
	}
	r = r.Clone(r.Context())
	r.Body = body
	return r, nil
}

// readsOnly marks the context of a POST that changes nothing.
type readsOnly struct{}

// repeatable reports whether a request may be sent again after what came of
// it.
func repeatable(r *http.Request, response *http.Response, err error) bool {
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		return true
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
	default:
		if r.Context().Value(readsOnly{}) == nil {
			return false
		}
	}
	if err != nil {
		// The request for the token was repeated itself, as far as that helps.
		_, noToken := errors.AsType[*fault.Error](err)
		return !noToken && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	switch response.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	default:
		return false
	}
}

// drain lets go of a response that nobody reads.
func drain(response *http.Response) {
	if response != nil {
		_ = response.Body.Close()
	}
}

// await waits until a moment. It fails at once if that is longer than the
// request may wait, and when the context ends.
func (p *patient) await(ctx context.Context, until time.Time, waited *time.Duration) error {
	wait := max(until.Sub(p.Now()), 0)
	deadline, bounded := ctx.Deadline()
	if *waited+wait > p.MaxWait || bounded && deadline.Before(until) {
		return resetsAt(until)
	}
	*waited += wait
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

func resetsAt(until time.Time) error { return fault.Wrap(fault.Infrastructure, limitError{until}) }

// limitError is that of a request that is not sent before a limit ends.
type limitError struct{ until time.Time }

// Error says when the limit ends.
func (l limitError) Error() string {
	return "GitHub's rate limit is used up; it resets at " + l.until.UTC().Format(time.RFC3339)
}

// LimitedUntil returns when the rate limit ends that a client with [Patience]
// did not wait for. It is false for errors of another reason.
func LimitedUntil(err error) (until time.Time, is bool) {
	limit, is := errors.AsType[limitError](err)
	return limit.until, is
}

// resource is what a request's rate limit is counted for.
func (p *patient) resource(r *http.Request) string {
	switch {
	case r.URL.Path == p.graphqlPath:
		return "graphql"
	case strings.Contains(r.URL.Path, "/search/"):
		return "search"
	default:
		return "core"
	}
}

// known returns when the limit ends that a request would meet.
func (p *patient) known(r *http.Request) (until time.Time, limited bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until = p.until[p.resource(r)]
	if all := p.until[""]; all.After(until) {
		until = all
	}
	return until, until.After(p.Now())
}

// limited notes what a response says about limits, and returns when the one
// ends for which GitHub turned the request away.
func (p *patient) limited(r *http.Request, response *http.Response, err error) (until time.Time, limited bool) {
	if err != nil {
		return time.Time{}, false
	}
	resource, until := p.resource(r), p.resets(response)
	switch response.StatusCode {
	case http.StatusForbidden, http.StatusTooManyRequests:
		if until.IsZero() {
			resource, until = "", p.secondary(response)
		}
		limited = !until.IsZero()
	case http.StatusOK:
		limited = !until.IsZero() && resource == "graphql" && says(response, `"RATE_LIMITED"`)
	}
	if until.IsZero() {
		return until, false
	}
	// go-github, too, would refuse requests until then, without waiting.
	response.Header.Del("X-RateLimit-Reset")
	p.mu.Lock()
	defer p.mu.Unlock()
	p.until[resource] = until
	return until, limited
}

// resets returns when the primary limit ends that a response has used up, the
// zero time if it has not.
func (p *patient) resets(response *http.Response) time.Time {
	reset, err := strconv.ParseInt(response.Header.Get("X-RateLimit-Reset"), 10, 64)
	if err != nil || response.Header.Get("X-RateLimit-Remaining") != "0" || response.Header.Get("Retry-After") != "" {
		return time.Time{}
	}
	return time.Unix(reset, 0).Add(time.Second)
}

// secondary returns when the secondary limit ends for which a request was
// turned away, the zero time if it was for something else.
func (p *patient) secondary(response *http.Response) time.Time {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	switch {
	case err == nil && seconds >= 0:
		return p.Now().Add(time.Duration(seconds) * time.Second)
	case response.StatusCode == http.StatusTooManyRequests || says(response, "secondary rate limit", "secondary-rate-limits"):
		return p.Now().Add(limitPause)
	default:
		return time.Time{}
	}
}

// says reports whether a response's body has one of some texts. The body can
// still be read.
func says(response *http.Response, texts ...string) bool {
	body, err := io.ReadAll(response.Body)
	rest := io.Reader(bytes.NewReader(body))
	if err != nil {
		rest = io.MultiReader(rest, failing{err})
	}
	response.Body = readCloser{rest, response.Body}
	for _, text := range texts {
		if bytes.Contains(body, []byte(text)) {
			return true
		}
	}
	return false
}

type readCloser struct {
	io.Reader
	io.Closer
}

// failing is a reader that fails.
type failing struct{ err error }

// Read fails.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
