package sandbox

import (
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Write is an act that may have changed a world.
type Write struct {
	// What is the request, by method, path and operation; "setup" for
	// [World.Setup].
	What string
	// After is the state itself.
	After *model.State
	// Events are what the log is told of it; Kept is true if anything of it was
	// kept, even if there is nothing to tell.
	Events []changes.Event
	Kept   bool
}

// Proof looks at a state before a write, and returns what looks at the write
// then; nil for nothing.
type Proof func(before *model.State) func(Write)

// proof looks at every write of every world, unless it is nil.
var proof atomic.Pointer[Proof]

// ProveWrites lets a test look at every write of every world, before it is
// answered.
func ProveWrites(p Proof) { proof.Store(&p) }

// proven runs an act of a draft, of which tests may be told.
func (w *World) proven(d *draft, act func()) {
	var look func(Write)
	if prove := proof.Load(); prove != nil {
		look = (*prove)(w.state)
	}
	act()
	if look != nil {
		look(Write{What: d.what, After: w.state, Events: w.audit.events[d.from:d.to], Kept: d.kept})
	}
}

// Heard is a request to the API with its answer.
type Heard struct {
	// Path has nothing of an enterprise server's; what it has in place of
	// characters it still has. Accept is the media type that was asked for.
	Method, Path, Accept string
	Body                 []byte
	Status               int
	Header               http.Header
	Answer               []byte
}

// listener hears every answer of the API of every world, unless it is nil.
var listener atomic.Pointer[func(Heard)]

// HearAnswers lets a test hear every answer of the API of every world, before the
// client has it.
func HearAnswers(hear func(Heard)) { listener.Store(&hear) }

// heard tells of an answer.
func heard(x *exchange, status int, answer []byte) {
	if hear := listener.Load(); hear != nil && x.logged.Part == PartAPI {
		path := strings.TrimPrefix(x.in.URL.EscapedPath(), enterprisePrefix(x.in.URL.Path))
		(*hear)(Heard{x.in.Method, path, x.in.Header.Get("Accept"), x.body, status, x.out.Header(), answer})
	}
}
