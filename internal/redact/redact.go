// Package redact replaces the values of secrets where bytes leave the process:
// in logs, ledgers, reports and transcripts.
//
// It knows two kinds of secret. Values that it is told are found wherever they
// stand, also in base64, in a URL or in a JSON string. Well-known tokens are
// found by their shape: GitHub's tokens, keys that begin with "sk-", bearer
// tokens, values of Authorization headers and private keys in PEM.
//
// What is found becomes [Mask]. It stands inside a JSON string as well as
// anywhere else, so redacted JSON stays JSON, but for secrets that are bare
// numbers.
package redact

import (
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Mask stands in the place of a secret.
const Mask = "[redacted]"

// MinLength is the length in bytes below which a value is no secret: it would
// be found by chance everywhere.
const MinLength = 6

// Redactor replaces secrets. It is safe for concurrent use; nil is not usable.
type Redactor struct {
	// values finds the secrets. It is nil after a secret was added, until
	// somebody needs it.
	values atomic.Pointer[matcher]

	mu      sync.Mutex
	secrets []string
}

// New returns a redactor of these values and of well-known tokens. See
// [Redactor.Add] for which values count.
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		r.Add(s)
	}
	return r
}

// Add has the value redacted from now on, in all its [Forms]. Space around it
// does not count; a value shorter than [MinLength] is ignored.
func (r *Redactor) Add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < MinLength {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.Contains(r.secrets, secret) {
		return
	}
	r.secrets = append(r.secrets, secret)
	r.values.Store(nil)
}

// matcher returns the matcher of all secrets so far.
func (r *Redactor) matcher() *matcher {
	if m := r.values.Load(); m != nil {
		return m
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := newMatcher()
	for _, s := range r.secrets {
		for _, form := range Forms(s) {
			m.add(form, valueFound)
		}
	}
	m.link()
	r.values.Store(m)
	return m
}

// valueFound is what the matcher of secrets reports for each of them.
const valueFound = 1

// String returns s without its secrets, s itself if there are none.
func (r *Redactor) String(s string) string {
	if out := replace(r.matcher(), s); out != nil {
		return string(out)
	}
	return s
}

// Bytes returns b without its secrets, b itself if there are none. It does not
// change b.
func (r *Redactor) Bytes(b []byte) []byte {
	if out := replace(r.matcher(), b); out != nil {
		return out
	}
	return b
}

// replace returns text with masks, nil if there is nothing to mask.
func replace[T text](values *matcher, t T) []byte {
	s := newScanner(values)
	feed(s, t)
	if len(s.found) == 0 {
		return nil
	}
	var out []byte
	at := int64(0)
	for _, found := range s.found {
		out = append(out, t[at:found.start]...)
		out = append(out, Mask...)
		at = found.end
	}
	return append(out, t[at:]...)
}

// Writer returns a writer that passes on to w what is written to it, without
// the secrets, also where one is split over two writes. It holds back no more
// than the beginning of what may become a secret; Close passes on the rest and
// leaves w open. The writer is safe for concurrent use. An error is that of w.
func (r *Redactor) Writer(w io.Writer) io.WriteCloser {
	return &writer{redactor: r, to: w, scanner: newScanner(r.matcher()), masked: -1}
}
