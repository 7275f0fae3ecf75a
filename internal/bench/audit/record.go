package audit

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// recording is what an agent did: what it asked of GitHub, in order, and what
// it answered.
type recording struct {
	requests   []request
	answer     string
	transcript agent.Transcript
}

// agentToken is what agents show GitHub, the same when they are recorded and
// when that is played.
var agentToken = sync.OnceValue(target.NewToken)

// recorder is a target that keeps what agents ask of its places, in whatever
// language they do. It is for one attempt.
type recorder struct {
	target.Target
	mu       sync.Mutex
	requests []request
	// wrote is true if the request that is being answered has written.
	wrote bool
	// blind is why what is done there cannot be seen, nil if it can.
	blind error
}

// The variables of an agent's environment that lead it to GitHub's APIs.
const (
	restVariable    = "GITHUB_API_URL="
	graphqlVariable = "GITHUB_GRAPHQL_URL="
)

// Prepare makes a place that is reached by way of the recorder.
func (r *recorder) Prepare(ctx context.Context, needs target.Needs) (*target.Place, error) {
	needs.Token = agentToken()
	place, err := r.Target.Prepare(ctx, needs)
	if err != nil {
		return nil, err
	}
	if place.GitHub == nil || place.OnWrite == nil || place.Changes == nil {
		r.blind = fault.Invalidf("what agents ask and change there cannot be seen: audit scenarios on the sandbox")
		return nil, errors.Join(r.blind, place.Close())
	}
	place.OnWrite(func() { r.wrote = true })
	door, err := open(ctx, r.keeping(place.GitHub))
	if err != nil {
		return nil, errors.Join(place.Close(), err)
	}
	recorded := *place
	recorded.GitHub = door.server.Handler
	recorded.Env = slices.Clone(place.Env)
	for i, variable := range recorded.Env {
		switch {
		case strings.HasPrefix(variable, restVariable):
			recorded.Env[i] = restVariable + door.url
		case strings.HasPrefix(variable, graphqlVariable):
			recorded.Env[i] = graphqlVariable + door.url + graphqlPath
		}
	}
	recorded.Close = func() error { return errors.Join(door.close(), place.Close()) }
	return &recorded, nil
}

// keeping returns a handler that keeps requests and has another one answer
// them, one at a time, so that it is known which of them has written.
func (r *recorder) keeping(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
		body, err := io.ReadAll(in.Body)
		if err != nil {
			http.Error(out, err.Error(), http.StatusBadRequest)
			return
		}
		in.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		defer r.mu.Unlock()
		r.wrote = false
		next.ServeHTTP(out, in)
		kept := request{method: in.Method, host: in.Host, uri: in.URL.RequestURI(), header: in.Header.Clone(), body: body, wrote: r.wrote}
		if kept.wrote {
			kept.acts = understand(kept)
		}
		r.requests = append(r.requests, kept)
	})
}

// kept are the requests so far. A client may have all of an answer before its request is
// kept.
func (r *recorder) kept() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.requests
}

// door is a handler on a loopback port.
type door struct {
	url    string
	server *http.Server
	done   chan struct{}
}

const headerTimeout = 30 * time.Second

func open(ctx context.Context, handler http.Handler) (*door, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Infraf("listen on loopback: %w", err)
	}
	d := &door{
		url: "http://" + listener.Addr().String(), done: make(chan struct{}),
		server: &http.Server{Handler: handler, ReadHeaderTimeout: headerTimeout},
	}
	go func() {
		defer close(d.done)
		// It always returns an error: that it was closed.
		_ = d.server.Serve(listener)
	}()
	return d, nil
}

func (d *door) close() error {
	err := d.server.Close()
	<-d.done
	return err
}
