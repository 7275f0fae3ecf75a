package rest_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// receiver answers deliveries without a network, and notes what they were.
type receiver struct {
	mu     sync.Mutex
	got    []string
	answer func(*http.Request) (*http.Response, error)
}

// RoundTrip takes one delivery.
func (r *receiver) RoundTrip(in *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(in.Body)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	r.got = append(r.got, in.URL.Host+" "+string(body))
	r.mu.Unlock()
	return r.answer(in)
}

func (r *receiver) received(host string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []string
	for _, one := range r.got {
		if text, found := strings.CutPrefix(one, host+" "); found {
			all = append(all, text)
		}
	}
	return strings.Join(all, "")
}

func respond(status int) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Location": {"http://elsewhere/"}}, Body: io.NopCloser(strings.NewReader("said"))}, nil
	}
}

// hang answers when the client has given up.
func hang(in *http.Request) (*http.Response, error) {
	<-in.Context().Done()
	return nil, in.Context().Err()
}

func add(l *rest.HookLog, hook int64, payloads ...string) {
	for _, payload := range payloads {
		l.Add(rest.HookDelivery{HookID: hook, URL: "http://" + string(rune('a'+hook)) + "/", Payload: []byte(payload)}, "")
	}
}

func TestEachWebhookGetsItsDeliveriesInOrder(t *testing.T) {
	var l rest.HookLog
	to := &receiver{answer: respond(http.StatusOK)}
	add(&l, 1, "1", "2")
	sender := l.Start(&http.Client{Transport: to}, time.Now)
	defer sender.Stop()
	add(&l, 2, "x", "y", "z")
	add(&l, 1, "3", "4")
	require.NoError(t, l.Sent(t.Context()))
	assert.Equal(t, []string{"1234", "xyz"}, []string{to.received("b"), to.received("c")})
}

func TestASlowReceiverHoldsNoOtherUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l rest.HookLog
		to := &receiver{answer: func(in *http.Request) (*http.Response, error) {
			if in.URL.Host == "b" {
				return hang(in)
			}
			return respond(http.StatusOK)(in)
		}}
		sender := l.Start(&http.Client{Transport: to}, time.Now)
		defer sender.Stop()
		add(&l, 1, "1")
		add(&l, 2, "x")
		synctest.Wait()
		assert.Equal(t, "OK", l.Of(2)[0].Status)
		assert.True(t, l.Of(1)[0].Pending())
		require.NoError(t, l.Sent(t.Context()))
		slow := l.Of(1)[0]
		assert.Equal(t, []any{"timed out", http.StatusGatewayTimeout, rest.HookTimeout}, []any{slow.Status, slow.StatusCode, slow.Duration})
	})
}

func TestHowADeliveryWent(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		status string
		code   int
	}{
		"taken":                  {respond(http.StatusAccepted), "OK", 202},
		"refused":                {respond(http.StatusUnauthorized), "Invalid HTTP Response: 401", 401},
		"redirects lead nowhere": {respond(http.StatusFound), "Invalid HTTP Response: 302", 302},
		"nobody is there":        {func(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }, "failed to connect to host", 502},
	} {
		t.Run(name, func(t *testing.T) {
			var l rest.HookLog
			to := &receiver{answer: c.answer}
			defer l.Start(&http.Client{Transport: to}, time.Now).Stop()
			add(&l, 1, "1")
			require.NoError(t, l.Sent(t.Context()))
			assert.Equal(t, []any{c.status, c.code}, []any{l.Of(1)[0].Status, l.Of(1)[0].StatusCode})
			assert.Equal(t, "1", to.received("b"), "it is not tried again")
			assert.Empty(t, to.received("elsewhere"))
		})
	}
}

// What was not sent when sending stopped is sent by the next sender.
func TestSendingStopsAndGoesOn(t *testing.T) {
	var l rest.HookLog
	started := make(chan struct{}, 1)
	to := &receiver{answer: func(in *http.Request) (*http.Response, error) {
		started <- struct{}{}
		return hang(in)
	}}
	sender := l.Start(&http.Client{Transport: to}, time.Now)
	add(&l, 1, "1", "2")
	<-started
	sender.Stop()
	assert.Equal(t, "1", to.received("b"))
	again := &receiver{answer: respond(http.StatusOK)}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, l.Sent(ctx), context.Canceled, "something waits")
	defer l.Start(&http.Client{Transport: again}, time.Now).Stop()
	require.NoError(t, l.Sent(t.Context()))
	assert.Equal(t, "2", again.received("b"))
}

func TestOnlyTheLatestDeliveriesAreKept(t *testing.T) {
	var l rest.HookLog
	for range 6000 {
		add(&l, 1, "x")
	}
	assert.Len(t, l.Of(1), 5000)
}

// Payloads are kept as far as there is room, the newest ones; what is dropped is
// not sent either.
func TestLargePayloadsAreForgotten(t *testing.T) {
	testkit.NeedComplete(t)
	log := &rest.HookLog{}
	large := strings.Repeat("x", rest.MaxPayload)
	for range 30 {
		add(log, 1, large)
	}
	kept := len(log.Of(1))
	assert.Less(t, kept, 12)
	assert.Positive(t, kept)
	got := &receiver{answer: respond(http.StatusOK)}
	sender := log.Start(&http.Client{Transport: got}, time.Now)
	defer sender.Stop()
	require.NoError(t, log.Sent(t.Context()))
	assert.Len(t, got.got, kept)
}
