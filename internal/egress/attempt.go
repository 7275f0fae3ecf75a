package egress

import (
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// maxRefused is how many refused hosts an attempt tells: an agent can make up
// as many as it likes.
const maxRefused = 100

// Usage is what an agent asked of the world in one attempt, as seen from
// outside of it.
type Usage struct {
	// REST counts requests to the REST API: to api.github.com but for GraphQL,
	// to uploads.github.com, and to raw.githubusercontent.com, which tools
	// ask for what the API has too.
	REST int
	// GraphQL counts POST requests to api.github.com/graphql.
	GraphQL int
	// Git counts requests to github.com: git's, and those for its pages.
	Git int
	// Downloads counts requests to where the answers of the others lead:
	// archives, assets, logs, artifacts. They are no API requests of their
	// own.
	Downloads int
	// Bytes is the size of the bodies of all of these requests and their
	// responses, as they went over the connection.
	Bytes int64
	// Model counts the calls that were passed on to the model's API, Answers those
	// of them that it answered with what an agent asks models for, and Told the
	// answers that say what they used: Tokens (rule N12).
	Model, Answers, Told int
	Tokens               bench.Tokens
	// ModelFailures says how the provider of the model's API failed, each way
	// once, in order of first appearance, up to ten.
	ModelFailures []string
	// Refused are the hosts that the agent was kept from, in order of first
	// appearance, up to a hundred; with the port where that is unusual.
	Refused []string
}

// Attempt is the time in which the agent works on one thing. Nothing reaches
// GitHub's names or the model outside of one.
type Attempt struct {
	proxy  *Proxy
	github http.Handler
	watch  ModelWatch

	rest, graphQL, git, downloads, model atomic.Int64
	bytes                                atomic.Int64

	mu            sync.Mutex
	answers, told int
	tokens        bench.Tokens
	refused       []string
	modelFailures []string
}

// ModelWatch watches an attempt's calls of the model's API. Each function may
// be nil; both may be called by several goroutines at once.
type ModelWatch struct {
	// Allow is asked before each call; after an error the call is answered with
	// 402 and the error's public text.
	Allow func() error
	// Used is told the tokens of an answer as they become known, before the agent
	// can have the answer's end.
	Used func(bench.Tokens)
	// Asks is told the model that a call names, empty where it names none, before the
	// call is passed on; after an error it is answered with 403 and the error's public text.
	Asks func(model string) error
	// Untold is told how many bytes an answer had that ended, or that the agent left,
	// without having said what it used.
	Untold func(bytes int64)
}

// Begin starts an attempt and ends the one before. From now on github answers
// requests to GitHub's names: it gets them with the name as Host, and as they
// come from a server for HTTPS. Requests under way stay with the handler, and
// the count, that they began with. If github is nil, GitHub's names are
// refused, which serves to warm an agent up.
func (p *Proxy) Begin(github http.Handler) *Attempt { return p.BeginWatched(github, ModelWatch{}) }

// BeginWatched is [Proxy.Begin] with the calls of the model's API watched.
func (p *Proxy) BeginWatched(github http.Handler, watch ModelWatch) *Attempt {
	a := &Attempt{proxy: p, github: github, watch: watch}
	p.attempt.Store(a)
	return a
}

// End ends the attempt, unless another has begun. Requests that come later
// are refused.
func (a *Attempt) End() { a.proxy.attempt.CompareAndSwap(a, nil) }

// Usage tells what was asked so far. A response that a client has read is
// counted.
func (a *Attempt) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Usage{
		REST: int(a.rest.Load()), GraphQL: int(a.graphQL.Load()),
		Git: int(a.git.Load()), Downloads: int(a.downloads.Load()),
		Bytes: a.bytes.Load(), Model: int(a.model.Load()), Answers: a.answers, Told: a.told, Tokens: a.tokens,
		ModelFailures: slices.Clone(a.modelFailures), Refused: slices.Clone(a.refused),
	}
}

// meter counts an answer of the model's API, and what it says that it used.
func (a *Attempt) meter(body io.ReadCloser) io.ReadCloser {
	a.mu.Lock()
	a.answers++
	a.mu.Unlock()
	metered := &metered{untold: a.watch.Untold}
	metered.ReadCloser = Watch(body, func(more bench.Tokens, first bool) {
		a.mu.Lock()
		a.tokens = a.tokens.Add(more)
		if first {
			a.told++
			metered.told = true
		}
		a.mu.Unlock()
		if a.watch.Used != nil {
			a.watch.Used(more)
		}
	})
	return metered
}

// metered is the body of an answer, which one goroutine reads and closes.
type metered struct {
	io.ReadCloser
	untold func(bytes int64) // may be nil
	bytes  int64
	told   bool
}

// Read counts what is read.
func (m *metered) Read(p []byte) (int, error) {
	n, err := m.ReadCloser.Read(p)
	m.bytes += int64(n)
	return n, err
}

// Close tells of an answer that has not said what it used, once.
func (m *metered) Close() error {
	if !m.told && m.untold != nil {
		m.untold(m.bytes)
	}
	m.told = true
	return m.ReadCloser.Close()
}

// noteRefused notes a host and reports whether it is a new one.
func (a *Attempt) noteRefused(host string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.refused) == maxRefused || slices.Contains(a.refused, host) {
		return false
	}
	a.refused = append(a.refused, host)
	return true
}

// serveGitHub has the attempt's handler answer, and counts.
func (a *Attempt) serveGitHub(w http.ResponseWriter, r *http.Request) {
	a.counter(r).Add(1)
	a.github.ServeHTTP(Count(w, r, &a.bytes), r)
}

// Count has the bytes of a request's body, as it is read, and of its answer
// added up. The answer is to be written to what is returned.
func Count(w http.ResponseWriter, r *http.Request, bytes *atomic.Int64) http.ResponseWriter {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &countedBody{r.Body, bytes}
	}
	if r.Method == http.MethodHead {
		return w // what a handler writes in answer is not sent
	}
	return &countedWriter{w, bytes}
}

func (a *Attempt) counter(r *http.Request) *atomic.Int64 {
	switch {
	case r.Host == apiHost && r.URL.Path == "/graphql" && r.Method == http.MethodPost:
		return &a.graphQL
	case r.Host == apiHost, r.Host == uploadHost, r.Host == rawHost:
		return &a.rest
	case r.Host == webHost:
		return &a.git
	default:
		return &a.downloads
	}
}

// countedBody counts what is read.
type countedBody struct {
	io.ReadCloser
	bytes *atomic.Int64
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}

// countedWriter counts what is written, before the client can have it.
type countedWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (w *countedWriter) Write(p []byte) (int, error) {
	w.bytes.Add(int64(len(p)))
	n, err := w.ResponseWriter.Write(p)
	w.bytes.Add(int64(n - len(p)))
	return n, err
}

// Flush sends what was written so far.
func (w *countedWriter) Flush() {
	// Servers' writers can flush; if the client is gone, Write says so.
	_ = http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap is for [http.ResponseController].
func (w *countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
