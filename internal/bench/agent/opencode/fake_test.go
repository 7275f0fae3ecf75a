package opencode_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
)

// fakeHost runs fake servers of OpenCode in memory, so that tests may run on
// the clock of testing/synctest. It implements [agent.Host].
type fakeHost struct {
	folders agent.Folders
	// change is applied to each server before it starts.
	change func(*fakeServer)

	mu      sync.Mutex
	servers []*fakeServer
	closed  bool
}

func newFakeHost(t testing.TB, change func(*fakeServer)) *fakeHost {
	t.Helper()
	h := &fakeHost{change: change}
	for name, folder := range map[string]*string{"home": &h.folders.Home, "work": &h.folders.Work, "tmp": &h.folders.Temp} {
		*folder = filepath.Join(t.TempDir(), name)
		require.NoError(t, os.Mkdir(*folder, 0o700))
	}
	return h
}

func (h *fakeHost) Folders() agent.Folders { return h.folders }

func (h *fakeHost) Start(_ context.Context, command agent.Command) (agent.Process, error) {
	s := newFakeServer(command)
	if h.change != nil {
		h.change(s)
	}
	h.mu.Lock()
	h.servers = append(h.servers, s)
	h.mu.Unlock()
	return s, s.start()
}

func (h *fakeHost) Dial(context.Context, string, string) (net.Conn, error) {
	return h.last().listener.dial()
}

func (h *fakeHost) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	return nil
}

// last returns the server that was started last.
func (h *fakeHost) last() *fakeServer {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.servers[len(h.servers)-1]
}

// starts counts the servers that were started.
func (h *fakeHost) starts() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.servers)
}

// memoryListener takes connections that its own dial makes.
type memoryListener struct {
	connections chan net.Conn
	closed      chan struct{}
	close       func()
}

func newMemoryListener() *memoryListener {
	l := &memoryListener{connections: make(chan net.Conn), closed: make(chan struct{})}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

var errRefused = errors.New("connection refused")

func (l *memoryListener) dial() (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case l.connections <- theirs:
		return ours, nil
	case <-l.closed:
		return nil, errRefused
	}
}

func (l *memoryListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.connections:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *memoryListener) Close() error {
	l.close()
	return nil
}

func (l *memoryListener) Addr() net.Addr { return &net.UnixAddr{Name: "memory", Net: "unix"} }

// fakeServer is a server that does what a test says, and otherwise what
// OpenCode does. It implements [agent.Process].
type fakeServer struct {
	command agent.Command
	// Version is what it says its version is, Prints what it prints once it
	// listens.
	Version, Prints string
	// Override answers requests to "METHOD path", where the id of a session
	// is written as ID.
	Override map[string]http.HandlerFunc
	// OnPrompt has a turn. By default the agent says "done".
	OnPrompt func(turn *fakeTurn)
	// Providers and MCP are what it knows of models and MCP servers, as JSON.
	Providers, MCP string
	// Config is its configuration, Others the sessions that are left, as JSON.
	Config, Others string

	listener *memoryListener
	server   *http.Server
	done     chan struct{}
	swept    int

	mu       sync.Mutex
	sessions int
	// messages has the messages of each session by its id.
	messages map[string][]json.RawMessage
	streams  []chan string
	aborts   int
	deleted  []string
	turns    sync.WaitGroup
}

const knownModels = `{"providers":[{"id":"stub","models":{"m":{"cost":{"input":1.75,"output":14,"cache":{"read":0.175,"write":0}},"variants":{"high":{}}}}}]}`

func newFakeServer(command agent.Command) *fakeServer {
	s := &fakeServer{
		command: command, Version: opencode.Version, Prints: "opencode server listening on http://127.0.0.1:4096\n",
		Override: map[string]http.HandlerFunc{}, Providers: knownModels, MCP: "{}",
		Config: "{}", Others: "[]",
		OnPrompt: func(t *fakeTurn) { t.say("done") },
		listener: newMemoryListener(), done: make(chan struct{}), messages: map[string][]json.RawMessage{},
	}
	s.server = &http.Server{Handler: s}
	return s
}

func (s *fakeServer) start() error {
	go func() { _ = s.server.Serve(s.listener) }()
	_, err := s.command.Output.Write([]byte(s.Prints))
	return err
}

// die ends the server as a crash does.
func (s *fakeServer) die() {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return
	default:
	}
	close(s.done)
	_ = s.listener.Close()
	_ = s.server.Close()
	for _, stream := range s.streams {
		close(stream)
	}
	s.streams = nil
}

func (s *fakeServer) Done() <-chan struct{} { return s.done }

func (s *fakeServer) Sweep() error {
	s.swept++
	return nil
}

func (s *fakeServer) End() error {
	s.die()
	s.turns.Wait()
	return nil
}

// alive reports whether it was not ended.
func (s *fakeServer) alive() bool {
	select {
	case <-s.done:
		return false
	default:
		return true
	}
}

// page is what OpenCode answers where it has no endpoint.
func page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte("<!doctype html>"))
}

// failing answers 500.
func failing(w http.ResponseWriter, _ *http.Request) {
	http.Error(w, "it broke", http.StatusInternalServerError)
}

// hanging answers when the client has gone.
func hanging(_ http.ResponseWriter, r *http.Request) {
	// Whether the client is there is watched once the body was read.
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

// saying answers with a text.
func saying(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(text))
	}
}

func (s *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path, id := r.URL.Path, ""
	if parts := strings.Split(path, "/"); len(parts) > 2 && parts[1] == "session" {
		id, parts[2] = parts[2], "ID"
		path = strings.Join(parts, "/")
	}
	if _, password, _ := r.BasicAuth(); !slices.Contains(s.command.Env, "OPENCODE_SERVER_PASSWORD="+password) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	if override := s.Override[r.Method+" "+path]; override != nil {
		override(w, r)
		return
	}
	switch r.Method + " " + path {
	case "GET /global/health":
		saying(fmt.Sprintf(`{"healthy":true,"version":%q}`, s.Version))(w, r)
	case "GET /config/providers":
		saying(s.Providers)(w, r)
	case "GET /config":
		saying(s.Config)(w, r)
	case "GET /experimental/session":
		saying(s.Others)(w, r)
	case "GET /mcp":
		saying(s.MCP)(w, r)
	case "GET /event":
		s.stream(w, r)
	case "POST /session":
		s.mu.Lock()
		s.sessions++
		id := fmt.Sprintf("ses_%d", s.sessions)
		s.mu.Unlock()
		saying(fmt.Sprintf(`{"id":%q}`, id))(w, r)
	case "POST /session/ID/prompt_async":
		s.prompt(w, r, id)
	case "GET /session/ID/message":
		s.mu.Lock()
		list, _ := json.Marshal(append([]json.RawMessage{}, s.messages[id]...))
		s.mu.Unlock()
		saying(string(list))(w, r)
	case "POST /session/ID/abort":
		s.mu.Lock()
		s.aborts++
		s.mu.Unlock()
		s.tell("session.error", fmt.Sprintf(`"sessionID":%q,"error":{"name":"MessageAbortedError","data":{"message":"Aborted"}}`, id))
		s.tell("session.status", fmt.Sprintf(`"sessionID":%q,"status":{"type":"idle"}`, id))
		saying("true")(w, r)
	case "DELETE /session/ID":
		s.mu.Lock()
		s.deleted = append(s.deleted, id)
		s.mu.Unlock()
		saying("true")(w, r)
	default:
		page(w, r)
	}
}

// stream sends events until the server or the client ends.
func (s *fakeServer) stream(w http.ResponseWriter, r *http.Request) {
	events := make(chan string, 1000)
	s.mu.Lock()
	if !s.alive() {
		s.mu.Unlock()
		return
	}
	s.streams = append(s.streams, events)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = w.Write([]byte("data: {\"type\":\"server.connected\",\"properties\":{}}\n\n"))
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case data, more := <-events:
			if !more {
				return
			}
			_, _ = w.Write([]byte("data: " + data + "\n\n"))
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

// silence ends the streams of events.
func (s *fakeServer) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range s.streams {
		close(stream)
	}
	s.streams = nil
}

// tell sends an event, whose properties are given without their braces.
func (s *fakeServer) tell(kind, properties string) {
	s.tellRaw(fmt.Sprintf(`{"id":"evt","type":%q,"properties":{%s}}`, kind, properties))
}

func (s *fakeServer) tellRaw(data string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, stream := range s.streams {
		stream <- data
	}
}

// fakePrompt is the body of a prompt.
type fakePrompt struct {
	Agent   string
	Model   struct{ ProviderID, ModelID string }
	Variant string
	System  string
	Parts   []struct{ Type, Text string }
	Format  any
}

func (s *fakeServer) prompt(w http.ResponseWriter, r *http.Request, id string) {
	turn := &fakeTurn{server: s, id: id}
	if err := json.NewDecoder(r.Body).Decode(&turn.prompt); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
	play := s.OnPrompt
	if turn.prompt.Model.ProviderID == "warm-up" {
		play = func(t *fakeTurn) { t.say("ok") }
	}
	s.turns.Go(func() { play(turn) })
}

// fakeTurn is a prompt that a fake server answers.
type fakeTurn struct {
	server *fakeServer
	id     string
	prompt fakePrompt
	count  int
}

// tell sends an event of the session.
func (t *fakeTurn) tell(kind, properties string) {
	t.server.tell(kind, fmt.Sprintf(`"sessionID":%q,%s`, t.id, properties))
}

func (t *fakeTurn) text() string { return t.prompt.Parts[0].Text }

// begin takes the prompt and begins to work on it.
func (t *fakeTurn) begin() {
	t.message(`"role":"user","time":{"created":1700000000000}`, fmt.Sprintf(`{"id":"prt_u","type":"text","text":%q}`, t.text()))
	t.tell("session.status", `"status":{"type":"busy"}`)
}

// message tells of a message and its parts, and keeps it; that a message has
// finished comes after its parts. Info and parts are JSON without ids.
func (t *fakeTurn) message(info string, parts ...string) (id string) {
	t.count++
	id = fmt.Sprintf("msg_%s_%d_%d", t.id, len(t.server.kept(t.id)), t.count)
	if role, _, finished := strings.Cut(info, ","); finished && strings.Contains(info, `"finish"`) {
		t.tell("message.updated", fmt.Sprintf(`"info":{"id":%q,%s}`, id, role))
		defer t.tell("message.updated", fmt.Sprintf(`"info":{"id":%q,%s}`, id, info))
	} else {
		t.tell("message.updated", fmt.Sprintf(`"info":{"id":%q,%s}`, id, info))
	}
	for _, part := range parts {
		t.part(id, part)
	}
	t.server.keep(t.id, fmt.Sprintf(`{"info":{"id":%q,%s},"parts":[%s]}`, id, info, strings.Join(parts, ",")))
	return id
}

// part tells of a part.
func (t *fakeTurn) part(messageID, part string) {
	t.tell("message.part.updated", fmt.Sprintf(`"part":{"messageID":%q,%s`, messageID, strings.TrimPrefix(part, "{")))
}

// idle ends the turn.
func (t *fakeTurn) idle() {
	t.tell("session.status", `"status":{"type":"idle"}`)
	t.tell("session.idle", `"x":0`)
}

// fail ends the turn with an error.
func (t *fakeTurn) fail(wireError string) {
	t.tell("session.error", `"error":`+wireError)
	t.idle()
}

const (
	assistantInfo = `"role":"assistant","time":{"created":1700000001000,"completed":1700000003000},"finish":"stop","cost":0.25,` +
		`"tokens":{"input":60,"output":7,"reasoning":3,"total":110,"cache":{"read":40,"write":0}}`
	toolInfo = `"role":"assistant","time":{"created":1700000000500,"completed":1700000000900},"finish":"tool-calls",` +
		`"tokens":{"input":10,"output":1,"reasoning":0,"cache":{"read":0,"write":0}}`
	brokenInfo = `"role":"assistant","time":{"created":1700000001000},"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}`
)

// say has a whole turn that ends in a text.
func (t *fakeTurn) say(text string) {
	t.begin()
	t.message(assistantInfo, fmt.Sprintf(`{"id":"prt_a","type":"text","text":%q,"time":{"start":1700000002000,"end":1700000003000}}`, text))
	t.idle()
}

func (s *fakeServer) keep(id, message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages[id] = append(s.messages[id], json.RawMessage(message))
}

func (s *fakeServer) kept(id string) []json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.messages[id]
}

func newFake(t testing.TB, host *fakeHost, change ...func(*opencode.Options)) *opencode.Provider {
	t.Helper()
	options := opencode.Options{
		Bin: os.Args[0], Model: testModel, ModelBaseURL: "http://127.0.0.1:1/v1", ModelKey: placeholder,
		Hosts: func(bench.Mode, int) (agent.Host, error) { return host, nil },
	}
	for _, c := range change {
		c(&options)
	}
	provider, err := opencode.New(options)
	require.NoError(t, err)
	return provider
}

// withFake runs a test on the clock of a bubble.
var fakeSetup = agent.Setup{Mode: bench.AgentDirect, Env: []string{"PATH=/nowhere", "GH_TOKEN=placeholder"}, Instructions: "Work with the gh command.", Shell: true}
