// Package stubmodel is a language model that says what it is told to: a server
// for the chat completions and the responses of OpenAI's API and the messages of
// Anthropic's, streamed and not, with which an agent can be tested from end to
// end at no cost. What is played is the same for all three.
//
// A [Server] asks its Plan what to play in a turn and keeps every request, so
// that a test can look at what the agent told its model and at what it was
// charged. Which step of a turn a request is for follows from the request, by
// the answers that it repeats; so a client may retry, run conversations at
// once, and come back to an old one. The zero value is ready: it answers "ok".
//
// Time passes only where a step asks for it.
package stubmodel

import (
	"context"
	"crypto/sha256"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// The paths that a server answers, besides those of its protocols.
const (
	BasePath   = "/v1"
	modelsPath = BasePath + "/models"
)

// DefaultAnswer is the text of a turn without a plan, DefaultTitle that of
// requests for a title, which are not planned.
const (
	DefaultAnswer = "ok"
	DefaultTitle  = "A title"
)

// Server is the model. Its fields are set before it is used; it is safe for
// concurrent use then. It implements [http.Handler].
type Server struct {
	// Plan returns the steps of the turn that a request belongs to. It is
	// called for every request, also at once, and may wait. A turn without
	// steps, and all turns if Plan is nil, end in [DefaultAnswer].
	Plan func(Request) []Step
	// Key is the only API key that is accepted; empty accepts all.
	Key string
	// Models are the models that there are; nil means any.
	Models []string
	// TitleUsage is what a title is charged with.
	TitleUsage Usage

	mu      sync.Mutex
	records []record
	tries   map[[sha256.Size]byte]int
	refused int
}

// record is a request and what was charged for it so far.
type record struct {
	request Request
	usage   Usage
}

// Step is one answer of the model: what it thinks, what it says, and the tools
// that it calls, in that order.
type Step struct {
	Reasoning, Text string
	Calls           []Call
	// Usage is what the answer is charged with. It is told at the end of the
	// answer, so one that breaks off is not charged.
	Usage Usage

	// Latency is the time before the first byte, Pause that before each chunk
	// but the first.
	Latency, Pause time.Duration
	// ChunkBytes cuts Reasoning and Text into chunks of so many bytes; 0 sends
	// each whole.
	ChunkBytes int

	// Failures are the answers of the first tries. A try is the same request
	// of the same session.
	Failures []Failure
	// Hang stops the answer for a while, Break spoils it; nil does not.
	Hang  *Hang
	Break *Break
}

// Failure is an answer with an HTTP status that is an error.
type Failure struct {
	Status int
	// Body is empty for the error object of the protocol.
	Body string
	// RetryAfter is told in whole seconds if it is not 0.
	RetryAfter time.Duration
}

// Hang stops an answer before the chunk of that index, counted from 0, until
// the channel is closed or the client has gone. An answer that is not streamed
// stops before its first byte.
type Hang struct {
	Before int
	// Until is nil for ever.
	Until <-chan struct{}
}

// Break spoils an answer at the chunk of that index, counted from 0. An answer
// that is not streamed has only one.
type Break struct {
	At  int
	How Damage
}

// Damage is a way to spoil an answer.
type Damage int

// The ways. What comes after the chunk is left out, but for [Garbage].
const (
	// Garbage sends something that is not JSON in the place of the chunk.
	Garbage Damage = iota
	// Cut drops the connection in the middle of the chunk.
	Cut
	// End ends the answer in order, with no sign of what is missing.
	End
)

// Usage is what an answer is charged with, in tokens. Cached and Written, which
// were read from the cache and written to it, are parts of Prompt, Reasoning is
// one of Completion. Anthropic's API does not tell Reasoning, and OpenAI's not
// Written.
type Usage struct {
	Prompt, Cached, Completion, Reasoning, Written int64
}

// Total is the sum of prompt and completion.
func (u Usage) Total() int64 { return u.Prompt + u.Completion }

// Add returns the sum of u and v.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Cached + v.Cached, u.Completion + v.Completion, u.Reasoning + v.Reasoning, u.Written + v.Written}
}

// Requests returns every completion that was asked for so far, in order, those
// that were refused included.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests := make([]Request, 0, len(s.records))
	for _, r := range s.records {
		requests = append(requests, r.request)
	}
	return requests
}

// Refused counts the requests so far that had another key than the right one.
func (s *Server) Refused() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refused
}

// Charged sums the usage that was told for the requests that match. Nil
// matches all that do not ask for a title, see [Request.Title].
func (s *Server) Charged(match func(Request) bool) Usage {
	if match == nil {
		match = func(r Request) bool { return !r.Title() }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var sum Usage
	for _, r := range s.records {
		if match(r.request) {
			sum = sum.Add(r.usage)
		}
	}
	return sum
}

// keep stores a request and returns its place and how often it was made
// before.
func (s *Server) keep(r Request) (at, tries int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, record{request: r})
	if s.tries == nil {
		s.tries = map[[sha256.Size]byte]int{}
	}
	key := sha256.Sum256(slices.Concat([]byte(r.Session()), []byte{0}, r.Body))
	tries = s.tries[key]
	s.tries[key]++
	return len(s.records) - 1, tries
}

func (s *Server) charge(at int, usage Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records[at].usage = usage
}

// Endpoint is a server on a loopback port.
type Endpoint struct {
	// URL is the base URL that clients are given.
	URL    string
	server *http.Server
	done   chan struct{}
}

// headerTimeout is how long a client may take to send a request's header.
const headerTimeout = 30 * time.Second

// Listen serves the model on a free loopback port until the endpoint is
// closed.
func (s *Server) Listen(ctx context.Context) (*Endpoint, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &Endpoint{
		URL:    "http://" + listener.Addr().String() + BasePath,
		server: &http.Server{Handler: s, ReadHeaderTimeout: headerTimeout},
		done:   make(chan struct{}),
	}
	go func() {
		defer close(e.done)
		// Serve always returns an error; that of a closed server is expected
		// and any other shows in the clients' requests.
		_ = e.server.Serve(listener)
	}()
	return e, nil
}

// Close ends the endpoint and its connections, hanging ones too. It may be
// called more than once.
func (e *Endpoint) Close() error {
	err := e.server.Close()
	<-e.done
	return err
}
