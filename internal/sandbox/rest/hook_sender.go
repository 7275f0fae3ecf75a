package rest

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1" //nolint:gosec // GitHub's older signature
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	// HookTimeout is how long a receiver may take to answer.
	HookTimeout = 10 * time.Second
	// maxResponse is how much of an answer is kept, in bytes.
	maxResponse = 64 << 10
	userAgent   = "GitHub-Hookshot/sandbox"
)

// GitHub's words for how a delivery went.
const (
	statusOK           = "OK"
	statusTimedOut     = "timed out"
	statusNoConnection = "failed to connect to host"
)

// HookSender sends the deliveries of a log: those of each webhook one after the
// other, without trying again.
type HookSender struct {
	log    *HookLog
	client *http.Client
	now    func() time.Time

	// begin starts sending what waits for a webhook, cancel ends all of it.
	begin  func(hook int64)
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// Start has a log's deliveries sent with a client, those that wait already
// first, until Stop is called. The clock tells when, and how long it took.
// There is one sender for a log; a further one takes its place.
func (l *HookLog) Start(client *http.Client, now func() time.Time) *HookSender {
	plain := *client
	plain.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s := &HookSender{log: l, client: &plain, now: now}
	ctx, cancel := context.WithCancel(context.Background())
	s.cancel = cancel
	s.begin = func(hook int64) { s.work.Go(func() { s.drain(ctx, hook) }) }
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sender = s
	for hook := range l.waiting {
		l.wake(hook)
	}
	return s
}

// Stop ends sending and waits for what is under way, which is broken off. What
// was not sent waits for another sender.
func (s *HookSender) Stop() {
	s.log.mu.Lock()
	if s.log.sender == s {
		s.log.sender = nil
	}
	s.log.mu.Unlock()
	s.cancel()
	s.work.Wait()
}

// Sent waits until nothing waits to be sent, or the context ends.
func (l *HookLog) Sent(ctx context.Context) error {
	for {
		idle, changed := l.idle()
		if idle {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// wake has a webhook's deliveries sent, unless they are already. The caller
// holds the lock.
func (l *HookLog) wake(hook int64) {
	if l.sender == nil || l.sending[hook] || len(l.waiting[hook]) == 0 {
		return
	}
	l.sending[hook] = true
	l.sender.begin(hook)
}

// drain sends the deliveries of a webhook until none waits.
func (s *HookSender) drain(ctx context.Context, hook int64) {
	for {
		d, more := s.log.next(ctx, hook)
		if !more {
			return
		}
		sent := s.send(ctx, d)
		s.log.mu.Lock()
		d.DeliveredAt, d.Duration, d.Status, d.StatusCode = sent.DeliveredAt, sent.Duration, sent.Status, sent.StatusCode
		d.RequestHeader, d.ResponseHeader, d.Response = sent.RequestHeader, sent.ResponseHeader, sent.Response
		s.log.mu.Unlock()
	}
}

// next takes a webhook's next delivery. If there is none, or the context has
// ended, nothing is being sent any more.
func (l *HookLog) next(ctx context.Context, hook int64) (*HookDelivery, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	if queue := l.waiting[hook]; len(queue) > 0 && ctx.Err() == nil {
		l.waiting[hook] = queue[1:]
		return queue[0], true
	}
	delete(l.sending, hook)
	if len(l.waiting[hook]) == 0 {
		delete(l.waiting, hook)
	}
	l.wake(hook)
	return nil, false
}

// send sends one delivery and returns it with what became of it.
func (s *HookSender) send(ctx context.Context, d *HookDelivery) HookDelivery {
	sent := *d
	ctx, cancel := context.WithTimeout(ctx, HookTimeout)
	defer cancel()
	sent.DeliveredAt = s.now()
	request, err := d.request(ctx)
	if err != nil {
		sent.Status, sent.StatusCode = statusNoConnection, http.StatusBadGateway
		return sent
	}
	sent.RequestHeader = request.Header
	response, err := s.client.Do(request)
	sent.Duration = s.now().Sub(sent.DeliveredAt)
	if err != nil {
		sent.Status, sent.StatusCode = statusNoConnection, http.StatusBadGateway
		if wait, ok := errors.AsType[net.Error](err); ok && wait.Timeout() {
			sent.Status, sent.StatusCode = statusTimedOut, http.StatusGatewayTimeout
		}
		return sent
	}
	defer response.Body.Close()
	// What cannot be read of an answer is not shown.
	body, _ := io.ReadAll(io.LimitReader(response.Body, maxResponse))
	sent.Response, sent.ResponseHeader, sent.StatusCode = string(body), response.Header, response.StatusCode
	sent.Status = statusOK
	if response.StatusCode < 200 || response.StatusCode > 299 {
		sent.Status = fmt.Sprintf("Invalid HTTP Response: %d", response.StatusCode)
	}
	return sent
}

// request makes a delivery's request, as "Webhook events and payloads" of
// GitHub's documentation describes it.
func (d *HookDelivery) request(ctx context.Context) (*http.Request, error) {
	body, kind := d.Payload, "application/json"
	if d.Form {
		body, kind = []byte(url.Values{"payload": {string(d.Payload)}}.Encode()), "application/x-www-form-urlencoded"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"Accept": "*/*", "Content-Type": kind, "User-Agent": userAgent, "X-GitHub-Event": d.Event, "X-GitHub-Delivery": d.GUID,
		"X-GitHub-Hook-ID": strconv.FormatInt(d.HookID, 10), "X-GitHub-Hook-Installation-Target-ID": strconv.FormatInt(d.TargetID, 10),
		"X-GitHub-Hook-Installation-Target-Type": d.TargetType,
	} {
		r.Header.Set(name, value)
	}
	if d.Secret != "" {
		r.Header.Set("X-Hub-Signature", "sha1="+signature(sha1.New, d.Secret, body))
		r.Header.Set("X-Hub-Signature-256", "sha256="+signature(sha256.New, d.Secret, body))
	}
	return r, nil
}

func signature(algorithm func() hash.Hash, secret string, body []byte) string {
	mac := hmac.New(algorithm, []byte(secret))
	// A hash never returns an error.
	_, _ = mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// newGUID returns a random UUID (RFC 9562, version 4).
func newGUID() string {
	var b [16]byte
	// It never returns an error.
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
