package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// The paths of the APIs: github.com's, and those of enterprise servers, which
// clients with a base URL of their own use.
const (
	graphqlPath           = "/graphql"
	enterpriseGraphqlPath = "/api/graphql"
	enterpriseRESTPath    = "/api/v3"
)

// maxBody is the largest request body that is read, in bytes.
const maxBody = 64 << 20

// exchange is a request that is being answered.
type exchange struct {
	out  http.ResponseWriter
	in   *http.Request
	body []byte
	// push is the body of a push, nil for all other requests.
	push  *received
	token credential
	// refusal is the answer to a credential that is no good, nil otherwise.
	refusal *rest.Response
	logged  Entry
	// draft is what it changes.
	draft draft
	// quota is how the token stands with a primary limit that is enforced, nil
	// otherwise; cost is what the request has used of it.
	quota *quota
	cost  graphql.Cost
	// file has what git answered, nil for all other requests; sendFile is true if
	// that is the body of the answer.
	file     *os.File
	sendFile bool
	fileSize int64
	// stale is true for what is read from the state before the last write.
	stale bool
}

// ServeHTTP answers a request to one of GitHub's names, or to the API under
// any other name.
func (w *World) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	to := siteOf(r)
	x := &exchange{out: out, in: r, logged: Entry{Part: to.part, Method: r.Method, Path: r.URL.Path, Began: w.clientsTime()}}
	defer x.removeFiles()
	x.token, x.refusal = w.authenticate(r)
	x.logged.Token = x.token.value
	x.logged.GraphQL = to.part == PartAPI && (r.URL.Path == graphqlPath || r.URL.Path == enterpriseGraphqlPath)
	if w.control.answer(w, out, r) {
		return
	}
	err := w.readBody(x, to)
	if to.part == PartAPI {
		x.logged.asked = asked(r, x.body)
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge, errors.Is(err, errTooLong):
		w.send(x, rest.Failure(http.StatusRequestEntityTooLarge, "Payload too large"))
	case err != nil:
		w.send(x, rest.Failure(http.StatusBadRequest, "Problems reading the request body"))
	default:
		w.answerOrFail(x, to)
	}
}

// readBody reads what a client sends.
func (w *World) readBody(x *exchange, to site) (err error) {
	if to.part == PartGit && w.takesPush(x) {
		x.push, err = receive(x.in.Body, w.maxPush)
		x.logged.Bytes = x.push.size
		return err
	}
	x.body, err = io.ReadAll(http.MaxBytesReader(x.out, x.in.Body, maxBody))
	x.logged.Bytes = int64(len(x.body))
	return err
}

// asked is what a request says, as far as it is kept.
func asked(r *http.Request, body []byte) string {
	query, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil {
		query = r.URL.RawQuery
	}
	return r.URL.Path + "?" + query + "\n" + string(body[:min(len(body), maxAsked)])
}

// answerAPI answers a request to the REST or the GraphQL API.
func (w *World) answerAPI(x *exchange) rest.Response {
	switch {
	case x.nameless():
		return rest.Nameless()
	case conversionOf(x.in) != "":
		x.logged.Write = true
		return w.convert(x, conversionOf(x.in))
	case x.refusal != nil:
		return *x.refusal
	}
	if limited := w.spend(x); limited != nil {
		return *limited
	}
	if x.logged.GraphQL {
		return leadBack(x.in, w.answerGraphQL(x))
	}
	answer := w.answerREST(x)
	w.refund(x, answer.Status)
	return leadBack(x.in, answer)
}

func (w *World) answerREST(x *exchange) rest.Response {
	r, base, quotas := withoutEnterprise(x.in), baseURL(x.in)+enterprisePrefix(x.in.URL.Path), w.quotas(x.token.value)
	x.logged.Write = w.rest.Writes(r)
	answer := w.inView(x, func(s *model.State) rest.Response {
		return w.rest.Answer(rest.Request{
			Request: r, State: s, Actor: actor(s, x.token), Integration: integration(s, x.token), App: s.Apps.Get(x.token.app), Body: x.body, BaseURL: base,
			Downloads: w.downloads(x.in), Deliveries: &w.hooks, Credentials: office{w}, Token: x.token.value, Quotas: quotas, Unscoped: x.token.unscoped(), Scopes: x.token.Scopes,
		})
	})
	if x.logged.Write {
		return w.change(x, whole(answer))
	}
	return w.read(w.traced(x, answer))
}

// enterprisePrefix is what the paths of enterprise servers begin with, empty for others.
func enterprisePrefix(path string) string {
	for _, prefix := range []string{enterpriseRESTPath, enterpriseUploadsPath} {
		if strings.HasPrefix(path, prefix+"/") {
			return prefix
		}
	}
	return ""
}

// withoutEnterprise returns a request without the prefix that the paths of
// enterprise servers have; one without it stays what it is.
func withoutEnterprise(r *http.Request) *http.Request {
	prefix := enterprisePrefix(r.URL.Path)
	if prefix == "" {
		return r
	}
	below := r.Clone(r.Context())
	below.URL.Path = strings.TrimPrefix(r.URL.Path, prefix)
	below.URL.RawPath = strings.TrimPrefix(r.URL.RawPath, prefix)
	return below
}

// read runs an answer that changes nothing.
func (w *World) read(answer func(*model.State) rest.Response) rest.Response {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return answer(w.state)
}

// change runs an answer that may change the state. What it changes atomically
// goes into the log, as what the request did.
func (w *World) change(x *exchange, answer func(*model.State) rest.Response) rest.Response {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keepForLag()
	x.draft.request, x.draft.what = unanswered, strings.Join([]string{x.in.Method, x.in.URL.Path, x.logged.Operation}, " ")
	if x.draft.actor == "" {
		x.draft.actor = loginOf(w.state, x.token)
	}
	x.draft.by = actor(w.state, x.token)
	w.state.FillInboxes(true)
	defer w.state.FillInboxes(false)
	var response rest.Response
	w.drafted(&x.draft, func() { response = answer(w.state) })
	return response
}

// loginOf is who acts with a credential, empty for nobody.
func loginOf(s *model.State, token credential) string {
	if app := s.Apps.Get(token.app); app != nil {
		return app.Slug + "[bot]"
	}
	return token.User
}

// errRefused ends what is done atomically for a request that is refused.
var errRefused = errors.New("the request is refused")

// whole makes an answer one that changes nothing if it is a refusal.
func whole(answer func(*model.State) rest.Response) func(*model.State) rest.Response {
	return func(s *model.State) rest.Response {
		var response rest.Response
		// The response says why it is refused.
		_ = s.Atomically(func() error {
			if response = answer(s); response.Status >= http.StatusBadRequest {
				return errRefused
			}
			return nil
		})
		return response
	}
}

// inView makes an answer one of what a request may see. One that lags is
// answered from the state before the last write.
func (w *World) inView(x *exchange, answer func(*model.State) rest.Response) func(*model.State) rest.Response {
	return func(s *model.State) rest.Response {
		if x.stale && !x.logged.Write && w.before != nil {
			s = w.before
		}
		view, isLess := w.narrowed(s, x.token.Token)
		response := answer(view)
		if isLess && x.logged.Write {
			s.Widen(view)
		}
		return response
	}
}

// actor returns the user of a credential, 0 for nobody.
func actor(s *model.State, token credential) model.ID {
	if u := s.User(token.User); u != nil && token.value != "" {
		return u.ID
	}
	return 0
}

// integration returns the App of a credential, nil for a user's own.
func integration(s *model.State, token credential) *rest.Integration {
	if app := s.App(token.App); app != nil {
		return &rest.Integration{App: app.ID, Permissions: token.Permissions, Installation: s.Installations.Get(token.Installation), Repos: token.Repos}
	}
	if app := s.App(token.OAuth); app != nil {
		return &rest.Integration{App: app.ID, Permissions: app.Permissions, User: true}
	}
	return nil
}

// baseURL is the address under which a client reached the API: on loopback
// plain HTTP, elsewhere, behind a proxy, HTTPS.
func baseURL(r *http.Request) string {
	if onLoopback(r) {
		return "http://" + r.Host
	}
	return "https://" + r.Host
}

// onLoopback reports whether a client reached the world on loopback, rather
// than by a name of GitHub's.
func onLoopback(r *http.Request) bool {
	at, err := netip.ParseAddrPort(r.Host)
	return r.TLS == nil && err == nil && at.Addr().IsLoopback()
}

func (w *World) answerGraphQL(x *exchange) rest.Response {
	switch {
	case x.in.Method != http.MethodPost:
		return rest.Failure(http.StatusNotFound, "Not Found")
	case x.token.value == "":
		return rest.Failure(http.StatusUnauthorized, "This endpoint requires you to be authenticated.")
	case x.token.app != 0:
		return *badCredentials()
	}
	var query graphqlRequest
	if err := query.read(x.body); err != nil {
		return rest.Failure(http.StatusBadRequest, "Problems parsing JSON")
	}
	if query.Query == "" {
		return rest.Failure(http.StatusBadRequest, "A query attribute must be specified and must be a string.")
	}
	operation := w.gql.Operation(query.Query, query.OperationName)
	x.logged.Operation, x.logged.Write = operation.String(), operation.Mutation
	answer := w.inView(x, func(s *model.State) rest.Response {
		if operation.Mutation && !integration(s, x.token).MayMutate(operation.Fields) {
			return rest.ForbiddenMutation()
		}
		body, lacking := w.gql.Execute(w.withQuota(x), s, actor(s, x.token), query.Query, query.OperationName, query.Variables)
		return rest.Response{
			Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json; charset=utf-8"}}, Body: body, Lacking: lacking,
		}
	})
	if operation.Mutation {
		// Each field of a mutation is done as a whole, or not.
		return w.change(x, answer)
	}
	return w.read(w.traced(x, answer))
}

type graphqlRequest struct {
	Query         string         `json:"query"`
	OperationName string         `json:"operationName"`
	Variables     map[string]any `json:"variables"`
}

// read decodes a body, which is one JSON object; numbers keep all of their
// digits.
func (q *graphqlRequest) read(body []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(q); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the JSON object")
	}
	return nil
}

// send logs a request, tells watchers, and only then lets the client go on.
func (w *World) send(x *exchange, response rest.Response) {
	w.write(x, w.log(x, response), response)
}

// write sends the answer to the request of a number.
func (w *World) write(x *exchange, number int, response rest.Response) {
	header := x.out.Header()
	header.Set("Server", "github.com")
	header.Set("Date", x.logged.Time.Format(http.TimeFormat))
	header.Set("X-GitHub-Request-Id", fmt.Sprintf("BEEF:%04X:%06X", number>>16, number))
	if x.logged.Part == PartAPI {
		apiHeader(header, x)
	}
	for name, values := range response.Header {
		header[name] = values
	}
	if response.Status != http.StatusNoContent && response.Status != http.StatusNotModified {
		header.Set("Content-Length", strconv.FormatInt(x.length(response), 10))
	}
	heard(x, response.Status, response.Body)
	x.out.WriteHeader(response.Status)
	// It fails if the client is gone, and there is nobody to tell, or for a
	// HEAD, whose answer has no body.
	if x.sendFile {
		_, _ = io.Copy(x.out, x.file)
		return
	}
	_, _ = x.out.Write(response.Body)
}

// log logs a request with its answer, tells watchers, and returns the
// request's number.
func (w *World) log(x *exchange, response rest.Response) int {
	x.logged.Status, x.logged.Unsupported, x.logged.refusal = response.Status, response.Lacking, x.refusalBy(response)
	x.logged.Bytes += x.length(response)
	if response.Status >= http.StatusBadRequest {
		x.logged.Write = false
	}
	w.mu.RLock()
	x.logged.Time, x.logged.Took = w.state.Time(), w.clientsTime().Sub(x.logged.Began)
	w.mu.RUnlock()
	return w.audit.add(x.logged, x.draft)
}

// apiHeader writes what every answer of the API has in its header.
func apiHeader(header http.Header, x *exchange) {
	header.Set("X-GitHub-Media-Type", "github.v3; format=json")
	if !x.logged.GraphQL {
		header.Set("X-GitHub-Api-Version-Selected", rest.Version(x.in))
	}
	limits(header, x)
	if x.token.Scopes != nil {
		header.Set("X-OAuth-Scopes", strings.Join(x.token.Scopes, ", "))
		header.Set("X-Accepted-OAuth-Scopes", "")
		if x.token.unscoped() && strings.Contains(x.logged.Path, "/repos/") {
			header.Set("X-Accepted-OAuth-Scopes", "public_repo, repo")
		}
	}
}

// limits writes the headers of rate limits; of those that are not enforced
// nothing is used up.
func limits(header http.Header, x *exchange) {
	if x.quota != nil {
		x.quota.header(header)
		return
	}
	resource, limit := "core", rest.CoreLimit
	switch {
	case x.logged.GraphQL:
		resource, limit = "graphql", rest.GraphQLLimit
	case x.token.value == "":
		limit = rest.AnonymousLimit
	case strings.HasPrefix(x.logged.Path, "/search/"):
		resource, limit = "search", rest.SearchLimit
	}
	header.Set("X-RateLimit-Limit", strconv.Itoa(limit))
	header.Set("X-RateLimit-Remaining", strconv.Itoa(limit))
	header.Set("X-RateLimit-Used", "0")
	header.Set("X-RateLimit-Reset", strconv.FormatInt(x.logged.Time.Add(rest.RateWindow).Unix(), 10))
	header.Set("X-RateLimit-Resource", resource)
}

// Server is a world on a loopback port.
type Server struct {
	// URL is the REST API's address; GraphQL is at /graphql below it.
	URL    string
	server *http.Server
	done   chan struct{}
	// unlisten ends that the world keeps folders for git.
	unlisten func()
}

// headerTimeout is how long a client may take to send a request's header.
const headerTimeout = 30 * time.Second

// Listen serves the world on a free loopback port until the server is closed.
func (w *World) Listen(ctx context.Context) (*Server, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{
		URL:    "http://" + listener.Addr().String(),
		server: &http.Server{Handler: w, ReadHeaderTimeout: headerTimeout},
		done:   make(chan struct{}), unlisten: w.Listened(),
	}
	go func() {
		defer close(s.done)
		// Serve always returns an error; that of a closed server is expected
		// and any other shows in the clients' requests.
		_ = s.server.Serve(listener)
	}()
	return s, nil
}

// Close ends the server and its connections. It may be called more than once.
func (s *Server) Close() error {
	err := s.server.Close()
	<-s.done
	s.unlisten()
	return err
}
