// Package sandbox is a local GitHub: REST, GraphQL and real git repositories
// in memory, over real HTTP, for agents and tests that must not touch the real
// one.
//
// A [World] is one GitHub. It is made empty by [New], filled through its API
// or by [World.Setup], copied by [World.Clone], and carried in a file by
// [World.Save] and [Load]. It is an [http.Handler]; [World.Listen] serves it
// on loopback.
package sandbox

import (
	"crypto/rand"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/gql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// World is one GitHub. It is safe for concurrent use.
type World struct {
	mu     sync.RWMutex
	state  *model.State
	tokens map[string]Token

	// The protocols hold no state and are shared by all worlds.
	rest *rest.API
	gql  *gql.API

	audit audit
	// unlogged is true if the audit log has no changes.
	unlogged bool
	// tracing is true if the audit log tells what requests are about.
	tracing atomic.Bool
	exports exports
	// maxPush is the largest push that is taken, in bytes.
	maxPush int64
	// downloadKey signs the addresses of downloads.
	downloadKey string

	hooks   rest.HookLog
	signIn  signIn
	limiter limiter
	outside Outside
	control control
	faults  faults.Set
	// before is the state before the last write, kept while a fault asks for
	// it; else nil.
	before *model.State
}

// Token is a credential of a user, or of an App in the repositories in which it
// is installed.
type Token struct {
	// User is the login of whom the token belongs to; of an App's token, that
	// of the App's bot.
	User string
	// App is the slug of the App whose token it is, empty for a user's. The
	// token of a workflow's job is one of "github-actions".
	App string
	// Permissions are what an App's token was granted by resource, for example
	// checks: write, issues: read. A user's token has none.
	Permissions map[string]string
	// Installation is the App's that the token was made for, 0 for none; Repos
	// are the repositories to which it is narrowed, nil for all of them.
	Installation model.ID
	Repos        []model.ID
	// OAuth is the slug of the App through which a user signed in, whose token
	// reaches what the user and the App both reach; empty for others.
	OAuth string
	// Expires is when the token ends by the world's clock; the zero time is never.
	Expires time.Time
	// Scopes are those of a classic token, as X-OAuth-Scopes lists them; nil
	// for a token of another kind, whose answers have no such header.
	Scopes []string
}

func (t Token) clone() Token {
	t.Scopes = slices.Clone(t.Scopes)
	t.Repos = slices.Clone(t.Repos)
	t.Permissions = maps.Clone(t.Permissions)
	return t
}

// protocols are those of all worlds: reading their schemas takes longer than
// everything else that a new world needs.
var protocols = sync.OnceValues(func() (*World, error) {
	graph, err := gql.New()
	return &World{rest: rest.New(), gql: graph}, err
})

// New returns an empty world.
func New() (*World, error) {
	shared, err := protocols()
	if err != nil {
		return nil, err
	}
	state := model.New()
	state.Index()
	return &World{state: state, tokens: map[string]Token{}, rest: shared.rest, gql: shared.gql, downloadKey: rand.Text(), maxPush: maxPush}, nil
}

// Unlogged has the world keep no log of what is changed from now on, for one
// that is filled and then copied: nobody asks how, and telling it takes as long
// as doing it. Copies have a log.
func (w *World) Unlogged() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unlogged = true
}

// Setup changes the state directly, for what has no API: users, empty
// repositories, scripts. An error takes everything back. Nothing else runs
// meanwhile. Rows that the function changes are those that the state has
// returned to it: pointers from before are no good.
func (w *World) Setup(change func(*model.State) error) (err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drafted(&draft{what: "setup"}, func() {
		err = w.state.Atomically(func() error { return change(w.state) })
	})
	return err
}

// Look reads the state directly. The function must not change it nor keep
// pointers into it.
func (w *World) Look(read func(*model.State)) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	read(w.state)
}

// AddToken makes value a token of this world. A token of a user who does not
// exist is refused like an unknown one.
func (w *World) AddToken(value string, token Token) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if token = token.clone(); token.App != "" {
		token.User = token.App + "[bot]"
	}
	w.tokens[value] = token
}

// Clone returns an independent copy of the world, without its tokens and its
// audit log: a token of one world is nothing in another, nor is the address of
// a download.
func (w *World) Clone() *World {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return &World{
		maxPush: w.maxPush,
		state:   w.state.CloneIndexed(), tokens: map[string]Token{}, rest: w.rest, gql: w.gql, downloadKey: rand.Text(), outside: w.outside,
	}
}

// Tokens returns the logins and scopes of the world's tokens by value.
func (w *World) Tokens() map[string]Token {
	w.mu.RLock()
	defer w.mu.RUnlock()
	tokens := maps.Clone(w.tokens)
	for value, t := range tokens {
		tokens[value] = t.clone()
	}
	return tokens
}

// ShiftTo moves all of the world's times so far that it is a time now. What is
// returned tells what names its commits since then. It is called before the first
// request.
func (w *World) ShiftTo(now time.Time) (*model.Shifted, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Shift(now.UTC().Truncate(time.Second).Sub(w.state.Now))
}
