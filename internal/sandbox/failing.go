package sandbox

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Faults returns what goes wrong in this world; nothing at first. A copy of the
// world starts without faults.
func (w *World) Faults() *faults.Set { return &w.faults }

// answerOrFail answers a request, unless a fault stands in the way. What was
// asked is done before a slow answer is held back: a client that gives up has
// its write nevertheless, as with GitHub.
func (w *World) answerOrFail(x *exchange, to site) {
	if !w.faults.Any() {
		w.send(x, to.answer(w, x))
		return
	}
	verdict := w.faults.Decide(w.call(x))
	switch verdict.Kind {
	case faults.Reset:
		w.log(x, rest.Response{})
		w.wait(x, verdict.Delay)
		cut(x.out)
	case faults.LostAnswer:
		w.log(x, to.answer(w, x))
		w.wait(x, verdict.Delay)
		cut(x.out)
	case "", faults.StaleList:
		x.stale = verdict.Kind == faults.StaleList
		answer := to.answer(w, x)
		number := w.log(x, answer)
		w.wait(x, verdict.Delay)
		w.write(x, number, answer)
	default:
		answer := failure(verdict)
		number := w.log(x, answer)
		w.wait(x, verdict.Delay)
		w.write(x, number, answer)
	}
}

// call describes a request to the rules of faults.
func (w *World) call(x *exchange) faults.Call {
	r := withoutEnterprise(x.in)
	c := faults.Call{Method: r.Method, Path: r.URL.Path, Token: x.token.value, GraphQL: x.logged.GraphQL}
	switch {
	case x.logged.Part == PartGit:
		in, isGit := Parse(r)
		c.Path, c.Write = "git:"+c.Path, isGit && in.Service == Push && !in.Advertise
		return c
	case c.GraphQL:
		var query graphqlRequest
		if query.read(x.body) == nil {
			operation := w.gql.Operation(query.Query, query.OperationName)
			c.Operation, c.Fields, c.Write = operation.String(), operation.Fields, operation.Mutation
		}
	default:
		c.Write = w.rest.Writes(r)
		c.Path = w.namedPath(c.Path)
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	c.Lags = w.before != nil && !c.Write && (c.GraphQL || w.rest.Lists(r))
	return c
}

// namedPath is a path that names a repository by its owner and name, where
// links name it by its id.
func (w *World) namedPath(path string) string {
	below, found := strings.CutPrefix(path, "/repositories/")
	if !found {
		return path
	}
	number, rest, _ := strings.Cut(below, "/")
	id, err := strconv.ParseInt(number, 10, 64)
	w.mu.RLock()
	defer w.mu.RUnlock()
	repo := w.state.Repos.Get(id)
	if err != nil || repo == nil {
		return path
	}
	return strings.TrimSuffix("/repos/"+w.state.FullName(repo)+"/"+rest, "/")
}

// keepForLag keeps the state before a write, if a fault asks for it. The caller
// holds the lock for writing.
func (w *World) keepForLag() {
	if w.faults.Lags() {
		w.before = w.state.Clone()
	}
}

// wait holds a request back, unless its client goes.
func (w *World) wait(x *exchange, d time.Duration) {
	if d > 0 {
		// Nobody is there any more to be told of an error.
		_ = w.outside.sleep(x.in.Context(), d)
	}
}

// cut ends a connection with a reset where that can be done, or else as soon
// as the server can.
func cut(out http.ResponseWriter) {
	connection, _, err := http.NewResponseController(out).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	inner := connection
	if wrapped, ok := connection.(interface{ NetConn() net.Conn }); ok {
		inner = wrapped.NetConn()
	}
	if tcp, ok := inner.(*net.TCPConn); ok {
		// Without it, closing sends what ends a connection in good order.
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// failure is the answer of a fault.
func failure(v faults.Verdict) rest.Response {
	switch v.Kind {
	case faults.Unauthorized:
		return rest.Failure(http.StatusUnauthorized, "Bad credentials")
	case faults.Secondary:
		return rest.SecondaryLimit(v.RetryAfter)
	case faults.TooMany:
		return rest.TooManyRequests(v.RetryAfter)
	case faults.NotFound:
		return rest.Failure(http.StatusNotFound, "Not Found")
	case faults.Conflict:
		return rest.Failure(http.StatusConflict, "Conflict")
	case faults.Unprocessable:
		return rest.Failure(http.StatusUnprocessableEntity, "Validation Failed")
	case faults.BadGateway:
		return rest.Failure(http.StatusBadGateway, "Server Error")
	case faults.Unavailable:
		return rest.Unavailable(v.RetryAfter)
	default:
		return rest.Failure(http.StatusInternalServerError, "Server Error")
	}
}

// Outside is what a world takes from the process that it runs in. What is nil
// stays as it is.
type Outside struct {
	// Now is the clock that the world's own follows. The default is none: it
	// moves with every write, and stands still between them.
	Now func() time.Time
	// Clients is the clock of those who ask, by which Apps sign for themselves.
	// The default is Now, or else the world's.
	Clients func() time.Time
	// Sleep waits for a time, or until the context ends. The default waits in
	// real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// clientsTime is what time it is for those who ask, the zero time if that is not
// known.
func (w *World) clientsTime() time.Time {
	if w.outside.Clients == nil {
		return time.Time{}
	}
	return w.outside.Clients()
}

// Use sets what the world takes from outside, before its first request. A copy
// of the world takes the same.
func (w *World) Use(o Outside) {
	if o.Now != nil {
		w.outside.Now = o.Now
		w.state.Follow(o.Now)
	}
	if o.Clients != nil {
		w.outside.Clients = o.Clients
	}
	if o.Sleep != nil {
		w.outside.Sleep = o.Sleep
	}
}

// clients is what time it is for those who ask, while it is a time in the world.
func (o Outside) clients(world time.Time) time.Time {
	switch {
	case o.Clients != nil:
		return o.Clients()
	case o.Now != nil:
		return o.Now()
	default:
		return world
	}
}

// sleep waits by the given function or in real time.
func (o Outside) sleep(ctx context.Context, d time.Duration) error {
	if o.Sleep != nil {
		return o.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
