package sandbox

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
)

// Entry is one request in a world's audit log.
type Entry struct {
	// Time is the world's. Began is by the clock of those who ask, and Took how long
	// the answer took; both are zero where that clock is not known.
	Time, Began time.Time
	Took        time.Duration
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
	// of one that wrote what it changed; of others what they name, and that
	// only if [World.Trace] was called before.
	Objects []string
	// Changes are what the request changed in the end; the single steps are in
	// [World.Changes].
	Changes []changes.Change
	// Unsupported names what the request asked for that GitHub has and the
	// sandbox lacks, such as "GET /repos/{owner}/{repo}/pages", "mutation
	// updateDiscussion" and "Repository.discussions"; nil where it lacks
	// nothing (rule S20).
	Unsupported []string
	// asked is what the request says: its path, query and body, at most
	// [maxAsked] of them; empty for others than those of the API.
	asked string
	// refusal is what GitHub has against it.
	refusal refusal
}

// maxAsked is how much of a request is kept, in bytes.
const maxAsked = 64 << 10

// maxAskedInAll is how much is kept of all requests of a world, in bytes; what comes
// later counts as not asked, so nothing is won by asking much.
const maxAskedInAll = 64 << 20

// audit keeps a world's requests and what they changed, and tells watchers of
// writes.
type audit struct {
	mu      sync.Mutex
	entries []Entry
	// asked is how many bytes of what requests say are kept.
	asked int
	// events are the log of changes, acts how many it is of.
	events   []changes.Event
	acts     int
	watchers map[string][]func()
}

// add logs a request with what it changed, tells the watchers of its token if
// it wrote, and returns its number.
func (a *audit) add(e Entry, did draft) int {
	a.mu.Lock()
	number := len(a.entries) + 1
	own := a.events[did.from:did.to]
	for n := range own {
		own[n].Request = number
	}
	if a.asked += len(e.asked); a.asked > maxAskedInAll {
		e.asked = ""
	}
	e.Changes = changes.Net(own)
	for _, c := range e.Changes {
		e.Objects = append(e.Objects, c.String())
	}
	a.entries = append(a.entries, e)
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

// Asked reports whether a token has sent a request of the API that names a text
// by itself, not as a part of a longer word or number: in its path, its query
// or its body. Letters' case does not matter.
func (w *World) Asked(token, text string) bool {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	return slices.ContainsFunc(w.audit.entries, func(e Entry) bool { return e.Token == token && names(e.asked, text) })
}

// Unsupported returns what requests of a token asked for that GitHub has and the
// sandbox lacks, each once, in order of first appearance.
func (w *World) Unsupported(token string) []string {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	var all []string
	for _, e := range w.audit.entries {
		if e.Token != token {
			continue
		}
		for _, name := range e.Unsupported {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// names reports whether a text has a word in it, with no letter, digit, hyphen
// or underscore right before or behind: what a longer name begins with is not
// asked for.
func names(text, word string) bool {
	text, word = strings.ToLower(text), strings.ToLower(word)
	for at := 0; ; at++ {
		next := strings.Index(text[at:], word)
		if next < 0 || word == "" {
			return false
		}
		at += next
		if !inWord(text, at-1) && !inWord(text, at+len(word)) {
			return true
		}
	}
}

func inWord(text string, at int) bool {
	return at >= 0 && at < len(text) && (text[at] >= '0' && text[at] <= '9' || text[at] >= 'a' && text[at] <= 'z' || text[at] == '-' || text[at] == '_')
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
