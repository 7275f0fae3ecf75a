package egress

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// modelAlias is the name by which an agent asks for a model whose API it
// could not name to a proxy: tools do not use one for loopback addresses.
const modelAlias = "model.egress.internal"

// Model is the API of the provider of the agent's model.
type Model struct {
	// BaseURL is where the API is, such as https://api.openai.com/v1. Only
	// what is below it can be asked for.
	BaseURL string
	// Key is added to every call, and what the agent sends in its place is
	// dropped. There is none if it is empty.
	Key string
	// Header is what the key is sent in. "Authorization", which is meant if
	// it is empty, has the key as a bearer token.
	Header string
	// Allow is asked before each call; after an error the call is answered
	// with 402 and the error's public text. It may be nil.
	Allow func() error
	// OnRefused is told the status, once, when the API answers 401 or 403. It
	// may be nil.
	OnRefused func(status int)
	// Transport carries the calls; nil is one of the proxy's own.
	Transport http.RoundTripper
}

// agentCredentials are the headers, and agentParameters the query parameters,
// in which APIs of models take keys.
var (
	agentCredentials = []string{"Authorization", "Api-Key", "X-Api-Key", "X-Goog-Api-Key", "Cookie"}
	agentParameters  = []string{"key", "api_key", "api-key", "access_token"}
)

// modelAPI is a model's API behind the proxy.
type modelAPI struct {
	Model
	url     *url.URL
	target  target
	own     *http.Transport // nil if the transport is not ours
	reverse *httputil.ReverseProxy
	refused sync.Once
}

func newModelAPI(model Model, log *slog.Logger) (*modelAPI, error) {
	u, err := url.Parse(model.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.Invalidf("the model's base URL %q must be of the form https://host/path", model.BaseURL)
	}
	port := httpsPort
	if u.Scheme == "http" {
		port = httpPort
	}
	t, ok := parseTarget(u.Host, port)
	if !ok || t.isGitHub() {
		return nil, fault.Invalidf("the model's base URL %q names no host of a model", model.BaseURL)
	}
	if model.Header == "" {
		model.Header = "Authorization"
	}
	m := &modelAPI{Model: model, url: u, target: t}
	if m.Transport == nil {
		m.own = newTransport()
		m.Transport = m.own
	}
	m.reverse = &httputil.ReverseProxy{
		Rewrite: m.rewrite, ModifyResponse: m.inspect, ErrorHandler: modelUnreachable,
		Transport: m.Transport, FlushInterval: flushAtOnce,
		ErrorLog: asLogger(log),
	}
	return m, nil
}

func (m *modelAPI) close() {
	if m.own != nil {
		m.own.CloseIdleConnections()
	}
}

// names are those that the proxy answers for.
func (m *modelAPI) names() []string { return []string{m.target.host, modelAlias} }

// isTLS reports whether a target of a CONNECT request is the model.
func (m *modelAPI) isTLS(t target) bool {
	return t == target{modelAlias, httpsPort} || m.url.Scheme == "https" && t == m.target
}

// isPlain reports whether the target of an http URL is the model.
func (m *modelAPI) isPlain(t target) bool { return m.url.Scheme == "http" && t == m.target }

// ModelURL returns the base URL to give to the agent: the model's own, or,
// where an agent's tools would not send that to a proxy, one that stands for
// it. It is empty if there is no model.
func (p *Proxy) ModelURL() string {
	if p.model == nil {
		return ""
	}
	u := *p.model.url
	if t := p.model.target; u.Scheme != "https" || t.port != httpsPort || t.isIP() || t.host == "localhost" {
		u.Scheme, u.Host = "https", modelAlias
	}
	return u.String()
}

// serveModel passes a call on to the model's API.
func (p *Proxy) serveModel(w http.ResponseWriter, r *http.Request) {
	a := p.attempt.Load()
	switch {
	case a == nil:
		modelError(w, http.StatusForbidden, "no_attempt", "No attempt is under way.")
		return
	case !p.model.covers(r.URL.Path):
		modelError(w, http.StatusForbidden, "path_refused", "The agent may ask for what is below the model's base URL only.")
		return
	case r.Header.Get("Upgrade") != "":
		modelError(w, http.StatusForbidden, "upgrade_refused", "The proxy passes no WebSockets.")
		return
	}
	for _, allow := range []func() error{p.model.Allow, a.watch.Allow} {
		if allow == nil {
			continue
		}
		if err := allow(); err != nil {
			modelError(w, http.StatusPaymentRequired, "budget_exhausted", fault.Public(err))
			return
		}
	}
	if a.watch.Asks != nil && r.Method == http.MethodPost {
		name, err := namedModel(r)
		if err == nil {
			err = a.watch.Asks(name)
		}
		if err != nil {
			modelError(w, http.StatusForbidden, "model_refused", fault.Public(err))
			return
		}
	}
	a.model.Add(1)
	passOn(p.model.reverse, w, r.WithContext(a.context(r.Context())))
}

// covers reports whether a path is below the base URL's, plainly written.
func (m *modelAPI) covers(p string) bool {
	base := strings.TrimSuffix(m.url.Path, "/") + "/"
	return strings.HasPrefix(p, base) && path.Clean(p) == strings.TrimSuffix(p, "/")
}

func (m *modelAPI) rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = m.url.Scheme, m.url.Host, m.url.Host
	for _, name := range agentCredentials {
		r.Out.Header.Del(name)
	}
	r.Out.Header.Del(m.Header)
	query := r.Out.URL.Query()
	for _, name := range agentParameters {
		query.Del(name)
	}
	r.Out.URL.RawQuery = query.Encode()
	// A compressed answer could not be searched for the key.
	r.Out.Header.Set("Accept-Encoding", "identity")
	if m.Key == "" {
		return
	}
	value := m.Key
	if http.CanonicalHeaderKey(m.Header) == "Authorization" {
		value = "Bearer " + m.Key
	}
	r.Out.Header.Set(m.Header, value)
}

// inspect tells of a refused key and of failures, and takes the key out of what
// the API repeats of it.
func (m *modelAPI) inspect(r *http.Response) error {
	noteAnswer(r)
	if a, known := attemptOf(r); known && isAnswer(r) {
		r.Body = a.meter(r.Body)
	}
	if r.StatusCode == http.StatusUnauthorized || r.StatusCode == http.StatusForbidden {
		m.refused.Do(func() {
			if m.OnRefused != nil {
				m.OnRefused(r.StatusCode)
			}
		})
	}
	if len(m.Key) >= minSecret {
		scrubHeader(r.Header, m.Key, hidden)
		r.Body = newScrubber(r.Body, m.Key)
	}
	return nil
}

// countTokens ends the path of the request by which an agent asks Anthropic's API
// how long a prompt is, which uses no model.
const countTokens = "/count_tokens"

// isAnswer reports whether a response is one of a model.
func isAnswer(r *http.Response) bool {
	return r.Request.Method == http.MethodPost && r.StatusCode/100 == 2 && !strings.HasSuffix(r.Request.URL.Path, countTokens)
}

// modelError answers as the APIs of models do: OpenAI's clients read the
// inner object, Anthropic's both.
func modelError(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client is gone if this fails.
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "error", "error": map[string]string{"type": code, "code": code, "message": message},
	})
}
