package opencode

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

const sessionsPath = "/session"

// server is a running `opencode serve`.
type server struct {
	options Options
	// setup is what its sessions have in common: all but their instructions.
	setup   agent.Setup
	host    agent.Host
	process agent.Process
	output  *output
	api     *client
	// version and price are set once it has started.
	version string
	price   *bench.Price
	// config is the configuration before the first session.
	config json.RawMessage
	// gone is closed when the server cannot be used any more.
	gone chan struct{}
	// end ends the server.
	end func() error

	mu sync.Mutex
	// why says why it cannot be used.
	why error
	// sessions has the sessions by their ids and by those of the sessions that
	// their agents have begun.
	sessions map[string]*session
	unlisten context.CancelFunc
	tasks    sync.WaitGroup
}

// launch starts a server and sees to it that it works. The context is that of
// the start alone.
func launch(ctx context.Context, host agent.Host, options Options, setup agent.Setup) (*server, error) {
	if err := host.Folders().Reset(homeFiles()); err != nil {
		return nil, fmt.Errorf("empty the agent's folders: %w", err)
	}
	password := rand.Text()
	environment, err := options.environment(setup, host.Folders(), password)
	if err != nil {
		return nil, err
	}
	out := newOutput()
	process, err := host.Start(ctx, agent.Command{
		Path: options.Bin, Args: []string{"serve", "--hostname", "127.0.0.1", "--port", "0"}, Env: environment, Output: out,
	})
	if err != nil {
		return nil, err
	}
	s := &server{
		options: options, setup: setup, host: host, process: process, output: out,
		gone: make(chan struct{}), sessions: map[string]*session{}, unlisten: func() {},
	}
	s.end = sync.OnceValue(s.shutDown)
	s.tasks.Go(func() {
		<-process.Done()
		s.fail(fmt.Errorf("OpenCode has ended%s", out.last()))
	})
	if err := s.boot(ctx, password); err != nil {
		return nil, errors.Join(err, s.end())
	}
	return s, nil
}

// boot waits until the server listens, and checks it.
func (s *server) boot(ctx context.Context, password string) error {
	select {
	case address := <-s.output.address:
		s.api = newClient(address, password, s.options.RequestTimeout, s.host.Dial)
	case <-s.gone:
		return s.reason()
	case <-ctx.Done():
		return fmt.Errorf("wait for it to listen: %w%s", context.Cause(ctx), s.output.last())
	}
	if err := s.checkVersion(ctx); err != nil {
		return err
	}
	err := s.check(ctx)
	if errors.Is(err, errNoEndpoint) {
		return unsupported(s.version, err.Error())
	}
	return err
}

// fits reports whether the server is one for sessions of that setup.
func (s *server) fits(setup agent.Setup) bool {
	setup.Instructions = s.setup.Instructions
	return reflect.DeepEqual(s.setup, setup)
}

// works reports whether the server can be used.
func (s *server) works() bool {
	select {
	case <-s.gone:
		return false
	default:
		return true
	}
}

// reason says why the server cannot be used.
func (s *server) reason() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.why
}

// fail has the server not be used any more; the first reason counts.
func (s *server) fail(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.why == nil {
		s.why = why
		close(s.gone)
	}
}

var errEnded = errors.New("OpenCode was ended")

func (s *server) shutDown() error {
	s.fail(errEnded)
	s.mu.Lock()
	unlisten := s.unlisten
	s.mu.Unlock()
	unlisten()
	err := s.process.End()
	s.tasks.Wait()
	return err
}

// listen hears of the server's events until it ends.
func (s *server) listen(ctx context.Context) error {
	whole, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.unlisten = cancel
	s.mu.Unlock()
	stop := context.AfterFunc(ctx, cancel)
	stream, err := s.api.subscribe(whole)
	if err != nil {
		cancel()
		return err
	}
	if !stop() {
		return errors.Join(context.Cause(ctx), stream.Close())
	}
	s.tasks.Go(func() {
		defer stream.Close()
		s.unheard(readEvents(stream, s.take))
	})
	return nil
}

// deathGrace is how long the end of a server may be noticed after that of its
// connections.
const deathGrace = 500 * time.Millisecond

// unheard ends a server whose events have ended: it is of no use.
func (s *server) unheard(why error) {
	grace := time.NewTimer(deathGrace)
	defer grace.Stop()
	select {
	case <-s.gone:
	case <-grace.C:
		s.fail(fmt.Errorf("the events of OpenCode have ended: %w", cmp.Or(why, io.EOF)))
	}
	// What keeps it from ending is told when the server is closed.
	_ = s.process.End()
}

// take takes the data of an event.
func (s *server) take(data []byte) {
	e, ok := readEvent(data)
	if !ok {
		return
	}
	id, parent := e.Properties.SessionID, e.Properties.Info.ParentID
	s.mu.Lock()
	to := s.sessions[id]
	if e.Type == eventSessionCreated {
		to = s.adopt(id, parent)
	}
	s.mu.Unlock()
	if to != nil {
		to.take(e)
	}
}

// adopt returns the session whose agent has begun the session of that id, nil
// if there is none. It is called with the lock held.
func (s *server) adopt(id, parent string) *session {
	if s.sessions[id] != nil || s.sessions[parent] == nil {
		return nil
	}
	s.sessions[id] = s.sessions[parent]
	return s.sessions[id]
}

// open begins a session.
func (s *server) open(ctx context.Context, model bench.ModelRef, instructions string) (*session, error) {
	// A session with a title is not given one by a model call.
	in := map[string]string{"title": "bench"}
	var out wireInfo
	if err := s.api.call(ctx, http.MethodPost, sessionsPath, in, &out); err != nil {
		return nil, err
	}
	if out.ID == "" {
		return nil, errors.New("the session has no id")
	}
	opened := newSession(s, model, instructions, out.ID)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[out.ID] = opened
	return opened, nil
}

// forget lets no event reach a session any more.
func (s *server) forget(closed *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, other := range s.sessions {
		if other == closed {
			delete(s.sessions, id)
		}
	}
}
