package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"syscall"
)

// maxModelFailures is how many failures of the model's API an attempt tells.
const maxModelFailures = 10

// attemptKey is the context key of the attempt that a call of the model's API
// belongs to.
type attemptKey struct{}

func (a *Attempt) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, attemptKey{}, a)
}

// attemptOf returns the attempt that an answer of the model's API belongs to.
func attemptOf(r *http.Response) (a *Attempt, known bool) {
	if r.Request == nil { // as a transport of the caller's own may have it
		return nil, false
	}
	return r.Request.Context().Value(attemptKey{}).(*Attempt), true
}

// noteModelFailure notes a failure of the provider in the attempt that a call
// belongs to. What fails because the agent has gone is none.
func noteModelFailure(ctx context.Context, text string) {
	if ctx.Err() != nil {
		return
	}
	a := ctx.Value(attemptKey{}).(*Attempt)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.modelFailures) < maxModelFailures && !slices.Contains(a.modelFailures, text) {
		a.modelFailures = append(a.modelFailures, text)
	}
}

// ProviderStatus reports whether an HTTP status of a model's API says that it
// cannot answer now, whatever it is asked: 408, 409, 425, 429 and 5xx.
func ProviderStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	default:
		return status >= 500
	}
}

// noteAnswer notes an answer that is a failure of the provider, or that breaks
// off.
func noteAnswer(r *http.Response) {
	if r.Request == nil { // as a transport of the caller's own may have it
		return
	}
	ctx := r.Request.Context()
	if ProviderStatus(r.StatusCode) {
		noteModelFailure(ctx, fmt.Sprintf("the model's API answered %d", r.StatusCode))
	}
	r.Body = &watchedBody{r.Body, ctx}
}

// watchedBody notes where an answer breaks off.
type watchedBody struct {
	io.ReadCloser
	call context.Context //nolint:containedctx // a body belongs to one call
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		noteModelFailure(b.call, "the model's API broke its answer off")
	}
	return n, err
}

// modelUnreachable answers for a model's API that does not.
func modelUnreachable(w http.ResponseWriter, r *http.Request, err error) {
	noteModelFailure(r.Context(), Unreachable(err))
	unreachable(w, r, err)
}

// Unreachable says in words why a model's API could not be asked, by the error
// of the call.
func Unreachable(err error) string {
	var unknown *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var late net.Error
	switch {
	case errors.As(err, &unknown):
		return "the name of the model's API is not known"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "the model's API refused the connection"
	case errors.As(err, &certificate), errors.As(err, &record):
		return "the model's API has no valid certificate"
	case errors.As(err, &late) && late.Timeout():
		return "the model's API did not answer in time"
	default:
		return "the connection to the model's API was cut"
	}
}
