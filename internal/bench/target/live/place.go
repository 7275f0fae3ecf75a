package live

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/egress"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// headerTimeout is how long a client may take to send a request's header.
const headerTimeout = 30 * time.Second

// place is where one attempt's agent reaches the repository: by GitHub's names
// through its proxy, or at a port on loopback.
type place struct {
	target *Target
	// token is the agent's placeholder.
	token  string
	github http.Handler
	// url is the REST API's address on loopback.
	url    string
	server *http.Server

	rest, graphQL, bytes atomic.Int64

	mu sync.Mutex
	// onWrite is told of writes; nil where nobody asked.
	onWrite func()
	// made is what the agent has made.
	made []Made
}

func newPlace(ctx context.Context, t *Target, token string) (*place, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fault.Infraf("serve the repository on loopback: %w", err)
	}
	p := &place{target: t, token: cmp.Or(token, target.NewToken()), url: "http://" + listener.Addr().String()}
	p.github = t.live.Handler(p.token)
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: headerTimeout}
	go func() {
		// Serve always returns an error; that of a closed server is expected
		// and any other shows in the agent's requests.
		_ = p.server.Serve(listener)
	}()
	return p, nil
}

// watch has f called after every write, before the agent gets its answer.
func (p *place) watch(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.onWrite = f
}

func (p *place) usage() target.Usage {
	return target.Usage{Requests: bench.APIRequests{
		REST: int(p.rest.Load()), GraphQL: int(p.graphQL.Load()), Bytes: p.bytes.Load(),
	}}
}

// ServeHTTP answers a request of the agent's.
func (p *place) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	asked := ask(r)
	p.count(asked)
	w = egress.Count(w, r, &p.bytes)
	if err := asked.read(); err != nil {
		err.send(w)
		return
	}
	if err := p.target.scope.check(asked); err != nil {
		err.send(w)
		return
	}
	if !asked.writes() {
		p.github.ServeHTTP(w, asked.onward())
		return
	}
	p.forwardWrite(w, asked)
}

// forwardWrite has GitHub answer in full, and those who watch look, before the
// agent gets the answer.
func (p *place) forwardWrite(w http.ResponseWriter, asked *question) {
	// An answer that does not come may be that of a write which happened.
	p.target.touched()
	sent := &beginning{ReadCloser: asked.Body}
	r := asked.onward()
	if asked.part == partWeb {
		r.Body = sent
	}
	held := &heldWriter{header: http.Header{}, status: http.StatusOK}
	p.github.ServeHTTP(held, r)
	if held.status < http.StatusBadRequest && !(asked.part == partAPI && asked.graphQL() && held.refused()) {
		p.mu.Lock()
		p.made = append(p.made, madeBy(asked, sent.kept, held)...)
		f := p.onWrite
		p.mu.Unlock()
		if f != nil {
			f()
		}
	}
	held.release(w)
}

func (p *place) count(asked *question) {
	switch {
	case asked.part == partAPI && asked.graphQL():
		p.graphQL.Add(1)
	case asked.part == partAPI || asked.part == partRaw:
		p.rest.Add(1)
	}
}

// heldWriter keeps an answer.
type heldWriter struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header returns the answer's header.
func (h *heldWriter) Header() http.Header { return h.header }

// WriteHeader keeps the status, unless it is that of an interim answer.
func (h *heldWriter) WriteHeader(status int) {
	if status >= http.StatusOK {
		h.status = status
	}
}

// Write keeps a part of the body.
func (h *heldWriter) Write(p []byte) (int, error) { return h.body.Write(p) }

// release sends the answer.
func (h *heldWriter) release(w http.ResponseWriter) {
	maps.Copy(w.Header(), h.header)
	w.WriteHeader(h.status)
	// The client is gone if this fails.
	_, _ = io.Copy(w, &h.body)
}
