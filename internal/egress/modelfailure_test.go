package egress_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

// failuresOf returns what an attempt tells of a model's API after one call of it.
func failuresOf(t *testing.T, baseURL string) (failures []string) {
	t.Helper()
	t.Run(baseURL, func(t *testing.T) {
		p := serve(t, egress.Options{Model: &egress.Model{BaseURL: baseURL + "/v1", Key: key}})
		a := p.Begin(nil)
		response, err := p.client(t).Get(p.ModelURL() + "/models")
		if err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			require.NoError(t, response.Body.Close())
		}
		failures = a.Usage().ModelFailures
	})
	return failures
}

func TestN10FailuresOfTheProviderAreNoted(t *testing.T) {
	var status int
	answers := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	defer answers.Close()
	for _, status = range []int{200, 301, 400, 401, 402, 403, 404, 413, 422} {
		assert.Empty(t, failuresOf(t, answers.URL), "status %d is not the provider's", status)
	}
	for _, status = range []int{408, 409, 425, 429, 500, 502, 503, 529, 599} {
		assert.Equal(t, []string{fmt.Sprintf("the model's API answered %d", status)}, failuresOf(t, answers.URL))
	}
}

func TestN10BrokenConnectionsAreTheProviders(t *testing.T) {
	cut := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		_, _ = io.WriteString(w, "data: half")
	}))
	defer cut.Close()
	dropped := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer dropped.Close()
	secured := httptest.NewTLSServer(http.NotFoundHandler())
	defer secured.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	nobody := l.Addr().String()
	require.NoError(t, l.Close())
	for url, want := range map[string]string{
		cut.URL:               "the model's API broke its answer off",
		dropped.URL:           "the connection to the model's API was cut",
		secured.URL:           "the model's API has no valid certificate",
		"http://" + nobody:    "the model's API refused the connection",
		"https://model.bench": "the name of the model's API is not known",
	} {
		assert.Equal(t, []string{want}, failuresOf(t, url), url)
	}
}

// An agent that goes away, as one does whose time is up, is no failure of the
// provider's; and each way to fail is told once.
func TestN10WhatTheAgentBreaksOffIsNotTheProviders(t *testing.T) {
	asked, gone := make(chan struct{}), make(chan struct{})
	var status int
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		close(asked)
		<-r.Context().Done()
		close(gone)
	}))
	defer upstream.Close()
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: upstream.URL + "/v1"}})
	a := p.Begin(nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-asked; cancel() }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.ModelURL()+"/models", nil)
	require.NoError(t, err)
	_, err = p.client(t).Do(request) //nolint:bodyclose // there is none
	require.ErrorIs(t, err, context.Canceled)
	<-gone
	assert.Empty(t, a.Usage().ModelFailures)
	for _, status = range []int{429, 429, 500, 429} {
		do(t, p.client(t), "GET", p.ModelURL()+"/models", "")
	}
	assert.Equal(t, []string{"the model's API answered 429", "the model's API answered 500"}, a.Usage().ModelFailures)
	assert.Empty(t, p.Begin(nil).Usage().ModelFailures, "another attempt has its own")
}

func TestN10TenFailuresAreTold(t *testing.T) {
	status := 499
	p := serve(t, egress.Options{Model: &egress.Model{BaseURL: "https://api.model.example/v1", Transport: tripper(
		func(r *http.Request) (*http.Response, error) { status++; return respond(r, status, ""), nil })}})
	a := p.Begin(nil)
	for range 12 {
		do(t, p.client(t), "GET", "https://api.model.example/v1/models", "")
	}
	failures := a.Usage().ModelFailures
	require.Len(t, failures, 10)
	assert.Equal(t, "the model's API answered 509", failures[9])
}

func TestN10AStatusBelow500IsNotTheProviders(t *testing.T) {
	assert.False(t, egress.ProviderStatus(499))
	assert.True(t, egress.ProviderStatus(500))
}

func TestN10WhyAModelCannotBeReached(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&net.DNSError{IsTimeout: true}, "the name of the model's API is not known"},
		{&net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}, "the model's API refused the connection"},
		{&tls.CertificateVerificationError{}, "the model's API has no valid certificate"},
		{tls.RecordHeaderError{}, "the model's API has no valid certificate"},
		{&net.OpError{Op: "read", Err: os.ErrDeadlineExceeded}, "the model's API did not answer in time"},
		{context.DeadlineExceeded, "the model's API did not answer in time"},
		{&net.OpError{Op: "read", Err: syscall.ECONNRESET}, "the connection to the model's API was cut"},
		{io.ErrUnexpectedEOF, "the connection to the model's API was cut"},
	} {
		assert.Equal(t, c.want, egress.Unreachable(fmt.Errorf("ask: %w", c.err)), "%T", c.err)
	}
}
