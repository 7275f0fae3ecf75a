package egress

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// ServeModel has the model's API answer on l, until Close, for programs that are told
// where the API is and need not know of a proxy: a request is passed on as
// [Proxy.ModelURL]'s are. It has to show the key, which is worth nothing anywhere else,
// in any of the ways in which keys of models are shown: other users of the machine may
// reach l too. There has to be a model.
func (p *Proxy) ServeModel(l net.Listener, key string) {
	front := p.newServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !shows(r, key) {
			modelError(w, http.StatusUnauthorized, "wrong_key", "This is for the agents of a benchmark alone: show the key that stands in their environment.")
			return
		}
		p.serveModel(w, r)
	}))
	p.mu.Lock()
	p.fronts = append(p.fronts, front)
	p.mu.Unlock()
	p.ended.Go(func() { _ = front.Serve(&clientListener{Listener: l, proxy: p}) })
}

// ModelURLAt returns the base URL of the model's API where [Proxy.ServeModel] serves it.
func (p *Proxy) ModelURLAt(addr net.Addr) string {
	return "http://" + addr.String() + strings.TrimSuffix(p.model.url.Path, "/")
}

// shows reports whether a request has a key in one of the headers for it.
func shows(r *http.Request, key string) bool {
	for _, name := range agentCredentials {
		shown := strings.TrimPrefix(r.Header.Get(name), "Bearer ")
		if key != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(key)) == 1 {
			return true
		}
	}
	return false
}

// maxAsked is how long a request is whose model is looked for, in bytes.
const maxAsked = 32 << 20

// namedModel returns the model that a request's body names, empty where it names none.
// The body can be read again.
func namedModel(r *http.Request) (string, error) {
	text, err := io.ReadAll(io.LimitReader(r.Body, maxAsked+1))
	if err != nil || len(text) > maxAsked {
		return "", fault.Invalidf("the request cannot be read, or is longer than %d MiB", maxAsked>>20)
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	var asked map[string]json.RawMessage // a struct would take "Model" too
	var model string
	if json.Unmarshal(text, &asked) == nil && json.Unmarshal(asked["model"], &model) == nil {
		return model, nil
	}
	return "", nil
}
