package egress

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
)

// Live answers requests to GitHub's names by asking GitHub itself.
type Live struct {
	token   func(ctx context.Context) (string, error)
	reverse *httputil.ReverseProxy
}

// tokenHosts are the names at which GitHub takes a token. Clients do not send
// theirs elsewhere, and nor do we.
var tokenHosts = []string{webHost, apiHost, uploadHost, rawHost, "codeload.github.com"}

// flushAtOnce has a reverse proxy send on what it has got without waiting for
// more.
const flushAtOnce = -1

// credentials of a request, in its context.
type credentials struct {
	// authorization is the header's value and token the token in it.
	authorization, token string
	placeholder          string
}

type credentialsKey struct{}

// NewLive returns a Live that shows GitHub the token that a function returns,
// for each request anew. The transport carries the requests; nil is one of its
// own.
func NewLive(token func(ctx context.Context) (string, error), transport http.RoundTripper) *Live {
	transport = cmp.Or[http.RoundTripper](transport, newTransport())
	return &Live{token: token, reverse: &httputil.ReverseProxy{
		Transport: transport, FlushInterval: flushAtOnce, ErrorHandler: unreachable,
		ErrorLog: asLogger(slog.New(slog.DiscardHandler)),
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = "https", r.In.Host, r.In.Host
			r.Out.Header.Del("Authorization")
			if c, ok := r.In.Context().Value(credentialsKey{}).(credentials); ok {
				r.Out.Header.Set("Authorization", c.authorization)
			}
		},
		ModifyResponse: func(r *http.Response) error {
			c, _ := r.Request.Context().Value(credentialsKey{}).(credentials) // Without any, nothing takes nothing's place.
			scrubHeader(r.Header, c.token, c.placeholder)
			return nil
		},
	}}
}

// Handler returns the handler for an attempt, to be given to [Proxy.Begin],
// whose agent has the placeholder for a token. A request with another token is
// answered with 401 and goes nowhere; one without goes on without. Redirects
// are the client's to follow.
func (l *Live) Handler(placeholder string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent := r.Header.Values("Authorization")
		if len(sent) == 0 || !slices.Contains(tokenHosts, r.Host) {
			passOn(l.reverse, w, r)
			return
		}
		if _, ours := replaceToken(sent[0], placeholder, ""); !ours || len(sent) > 1 {
			apiError(w, http.StatusUnauthorized, "Bad credentials")
			return
		}
		token, err := l.token(r.Context())
		if err != nil {
			apiError(w, http.StatusBadGateway, "The benchmark has no token for GitHub.")
			return
		}
		authorization, _ := replaceToken(sent[0], placeholder, token)
		ctx := context.WithValue(r.Context(), credentialsKey{}, credentials{authorization, token, placeholder})
		passOn(l.reverse, w, r.WithContext(ctx))
	})
}

// replaceToken puts a token in the place of the placeholder in the value of
// an Authorization header: "Bearer" or "token" with it, or "Basic" with it as
// the user or the password. ok is false if it is not there.
func replaceToken(value, placeholder, token string) (replaced string, ok bool) {
	scheme, rest, _ := strings.Cut(value, " ")
	rest = strings.TrimSpace(rest)
	switch strings.ToLower(scheme) {
	case "bearer", "token":
		return scheme + " " + token, rest == placeholder
	case "basic":
		decoded, err := base64.StdEncoding.DecodeString(rest)
		user, password, found := strings.Cut(string(decoded), ":")
		if err != nil || !found {
			return "", false
		}
		switch placeholder {
		case password:
			password = token
		case user:
			user = token
		default:
			return "", false
		}
		return scheme + " " + base64.StdEncoding.EncodeToString([]byte(user+":"+password)), true
	default:
		return "", false
	}
}

// passOn has a reverse proxy answer. Without full duplex, the server of an HTTP/1
// connection closes a request's body as soon as its answer begins; a transport
// that has sent all of it and still looks for its end then drops the connection,
// and with it the answer.
func passOn(to *httputil.ReverseProxy, w http.ResponseWriter, r *http.Request) {
	// A writer that is not a server's closes no body.
	_ = http.NewResponseController(w).EnableFullDuplex()
	to.ServeHTTP(w, r)
}

// newDialer returns a dialer that does not wait for ever.
func newDialer() *net.Dialer { return &net.Dialer{Timeout: dialTime} }

// newTransport returns a transport that leaves bodies as they are and does
// not go by our environment.
func newTransport() *http.Transport {
	return &http.Transport{
		DialContext:         newDialer().DialContext,
		TLSHandshakeTimeout: headerTime, IdleConnTimeout: idleTime,
		ForceAttemptHTTP2: true, DisableCompression: true,
	}
}

// unreachable answers for a host that does not.
func unreachable(w http.ResponseWriter, r *http.Request, _ error) {
	apiError(w, http.StatusBadGateway, "The benchmark's proxy cannot reach "+r.URL.Host+".")
}

// apiError answers as GitHub does.
func apiError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// The client is gone if this fails.
	_ = json.NewEncoder(w).Encode(map[string]string{"message": message})
}
