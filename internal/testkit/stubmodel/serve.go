package stubmodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 64 << 20

// protocols are those that a server has.
func protocols() []protocol { return []protocol{chat, messages, responses} }

// ServeHTTP answers a request to the API.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// What the path does not tell is told as OpenAI's API does.
	wire, known := chat, false
	for _, p := range protocols() {
		if r.URL.Path == p.path {
			wire, known = p, r.Method == http.MethodPost
		}
	}
	switch {
	case r.URL.Path == "/" && r.Method == http.MethodHead: // to see whether there is anybody
	case s.Key != "" && presented(r.Header) != s.Key:
		s.mu.Lock()
		s.refused++
		s.mu.Unlock()
		wire.refuse(w, http.StatusUnauthorized, "Incorrect API key provided.", "invalid_api_key")
	case r.URL.Path == modelsPath && r.Method == http.MethodGet:
		s.list(w)
	case known:
		s.complete(w, r, wire)
	default:
		wire.refuse(w, http.StatusNotFound, "Unknown request URL: "+r.Method+" "+r.URL.Path, "unknown_url")
	}
}

// presented returns the key that a client presents: Anthropic's API takes it
// in a header of its own.
func presented(header http.Header) string {
	if key := header.Get("X-Api-Key"); key != "" {
		return key
	}
	key, _ := strings.CutPrefix(header.Get("Authorization"), "Bearer ")
	return key
}

func (p protocol) refuse(w http.ResponseWriter, status int, text, code string) {
	send(w, status, p.problem(status, text, code))
}

// send answers with JSON. Its write fails if the client has gone, and there is
// nobody to tell.
func send(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

func (s *Server) list(w http.ResponseWriter) {
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list := struct {
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{Object: "list", Data: []model{}}
	for _, id := range s.Models {
		list.Data = append(list.Data, model{ID: id, Object: "model"})
	}
	body, err := json.Marshal(list)
	if err != nil {
		panic(fmt.Sprintf("stubmodel: strings that are no JSON: %v", err))
	}
	send(w, http.StatusOK, body)
}

func (s *Server) complete(w http.ResponseWriter, r *http.Request, wire protocol) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		wire.refuse(w, http.StatusBadRequest, "The request cannot be read: "+err.Error(), "invalid_request")
		return
	}
	request, err := wire.read(r.Header, body)
	if err != nil {
		wire.refuse(w, http.StatusBadRequest, "The request is none for a completion: "+err.Error(), "invalid_request")
		return
	}
	at, tries := s.keep(request)
	if s.Models != nil && !slices.Contains(s.Models, request.Model) {
		wire.refuse(w, http.StatusNotFound, fmt.Sprintf("The model `%s` does not exist.", request.Model), "model_not_found")
		return
	}
	step := s.step(request)
	if tries < len(step.Failures) {
		step.Failures[tries].send(w, wire)
		return
	}
	a := &answer{out: w, step: step, request: request, wire: wire, told: func() { s.charge(at, step.Usage) }}
	if err := a.play(r.Context()); err != nil {
		// The client has gone, or is to believe that the server has.
		panic(http.ErrAbortHandler)
	}
}

// step returns what is played. Where a tool must be called, it is. A turn that goes on after its last step is
// given that again.
func (s *Server) step(r Request) Step {
	if r.Title() {
		return Step{Text: DefaultTitle, Usage: s.TitleUsage}
	}
	if r.Choice != "" {
		return Step{Calls: []Call{{Name: r.Choice, Arguments: map[string]any{}}}}
	}
	var steps []Step
	if s.Plan != nil {
		steps = s.Plan(r)
	}
	if len(steps) == 0 {
		return Step{Text: DefaultAnswer}
	}
	return steps[min(r.Step(), len(steps)-1)]
}

func (f Failure) send(w http.ResponseWriter, wire protocol) {
	if f.RetryAfter != 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(f.RetryAfter/time.Second)))
	}
	body := []byte(f.Body)
	if f.Body == "" {
		body = wire.problem(f.Status, fmt.Sprintf("The stub model answers %d.", f.Status), "stub_failure")
	}
	send(w, f.Status, body)
}
