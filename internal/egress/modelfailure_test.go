package egress_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
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
