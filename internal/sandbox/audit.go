package sandbox

import (
	"slices"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
)

// Entry is one request in a world's audit log.
type Entry struct {
	// Time is the world's.
	Time time.Time
	// Token is the credential that was used, empty for none.
	Token string
	Part  Part
	// GraphQL is true for requests of the GraphQL API.
	GraphQL bool
	// Method and Path are of the HTTP request; Operation is a GraphQL
	// operation's kind and name, for example "mutation PullRequestMerge".
	Method, Path, Operation string
	Status                  int
	// Write is true if the request may have changed the world.
	Write bool
	// Bytes is the size of request and response bodies together.
	Bytes int64
	// Objects are what the request was about, as [changes.Object] names them:
	// of one that wrote what it changed, of others what they name. Changes are
	// what it changed. Both are nil unless [World.Trace] was called before.
	Objects []string
	Changes []changes.Change
}

// audit keeps a world's requests and tells watchers of writes.
type audit struct {
	mu       sync.Mutex
	entries  []Entry
	watchers map[string][]func()
}

// add logs a request, tells the watchers of its token if it wrote, and returns
// its number.
func (a *audit) add(e Entry) int {
	a.mu.Lock()
	a.entries = append(a.entries, e)
	number := len(a.entries)
	var told []func()
	if e.Write {
		told = slices.Clone(a.watchers[e.Token])
	}
	a.mu.Unlock()
	for _, tell := range told {
		tell()
	}
	return number
}

// Audit returns the requests so far, oldest first.
func (w *World) Audit() []Entry {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	return slices.Clone(w.audit.entries)
}

// OnWrite has f called after every request of a token that may have changed
// the world, before the client gets its answer. Requests that are made at the
// same time may call it at the same time.
func (w *World) OnWrite(token string, f func()) {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	if w.audit.watchers == nil {
		w.audit.watchers = map[string][]func(){}
	}
	w.audit.watchers[token] = append(w.audit.watchers[token], f)
}

// Usage is what a token has asked of a world.
type Usage struct {
	REST, GraphQL int
	// Git counts requests to github.com, Downloads those to where answers of
	// the API lead.
	Git, Downloads int
	// Bytes is the size of request and response bodies together.
	Bytes int64
}

// Usage returns what a token has asked so far.
func (w *World) Usage(token string) Usage {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	var u Usage
	for _, e := range w.audit.entries {
		switch {
		case e.Token != token:
			continue
		case e.Part == PartGit:
			u.Git++
		case e.Part == PartDownload:
			u.Downloads++
		case e.GraphQL:
			u.GraphQL++
		default:
			u.REST++
		}
		u.Bytes += e.Bytes
	}
	return u
}
