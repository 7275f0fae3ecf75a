// Package rest is the sandbox's REST API: GitHub's routes, shapes and status
// codes over the state of package model.
package rest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// API answers REST requests. It holds no state.
type API struct {
	mux *http.ServeMux
	// served are the operations that there are, see [operationsOf].
	served map[string]bool
}

// Request is a request with what the server knows about it.
type Request struct {
	*http.Request
	State *model.State
	// Actor is the user who asks, 0 for nobody.
	Actor model.ID
	// Integration is the App whose token was used, nil for a user's token.
	Integration *Integration
	// Body is the request's body.
	Body []byte
	// BaseURL is the address under which the client reached the API, without
	// a final slash; links to further pages begin with it.
	BaseURL string
	// Downloads returns the address at which a client reaches a path of
	// [LogsHost] or [ArchiveHost].
	Downloads func(host, path string) string
	// Deliveries are those of the world's webhooks.
	Deliveries *HookLog
	// App is the one that asks with a JSON web token, nil otherwise.
	App *model.App
	// Quotas are how the client stands with rate limits by resource; nil where
	// they are not enforced.
	Quotas map[string]Quota
	// Unscoped is true for a classic token that lacks the scope for all that it
	// asks to change.
	Unscoped bool
	// Scopes are those of a classic token, nil for other credentials.
	Scopes []string
	// Token is the credential that was used.
	Token       string
	Credentials Credentials
}

// Credentials makes the tokens of installations, and ends them.
type Credentials interface {
	// Issue makes a token for an installation, narrowed to repositories unless
	// they are nil.
	Issue(i *model.Installation, repos []model.ID, permissions map[string]string) (value string, expires time.Time)
	Revoke(value string)
}

// Response is the answer to a request.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Lacking are what GitHub has and the sandbox lacks, where that is why the
	// request was refused.
	Lacking []string
}

// New returns the API.
func New() *API {
	all := routes()
	a := &API{mux: http.NewServeMux(), served: operationsOf(all)}
	for _, rt := range all {
		op := operationOf(rt)
		a.mux.Handle(rt.pattern, op)
		// GitHub's links name a repository by its id.
		if byID := strings.Replace(rt.pattern, reposPath, repositoriesPath, 1); byID != rt.pattern {
			a.mux.Handle(byID, op)
		}
	}
	return a
}

func routes() []route {
	return slices.Concat(
		metaRoutes(), repoRoutes(), gitRoutes(), gitDataRoutes(), contentRoutes(), issueRoutes(), relationRoutes(), labelRoutes(), pullRoutes(), reviewRoutes(),
		actionsRoutes(), artifactRoutes(), logRoutes(), archiveRoutes(), checkRoutes(), searchRoutes(), starRoutes(), watchRoutes(), noneRoutes(), orgSettingsRoutes(),
		checkWriteRoutes(), suiteRoutes(), reactionRoutes(),
		commentRoutes(), readmeRoutes(), compareRoutes(), releaseRoutes(), milestoneRoutes(), projectRoutes(), collaboratorRoutes(), hookRoutes(), protectionRoutes(), rulesetRoutes(), forkRoutes(), appRoutes(), installationRoutes(),
		statusRoutes(), timelineRoutes(), settingsRoutes(), namedRoutes(), gistRoutes(), orgRoutes(), issueTypeRoutes(), moderationRoutes(), deploymentRoutes(), notificationRoutes(),
		templateRoutes(), worldRoutes(), peopleRoutes(), statsRoutes(), commitCommentRoutes(), invitationRoutes(), teamRoutes(), membershipRoutes(), searchMoreRoutes(), actionsSettingsRoutes(),
		codeOwnerRoutes(), feedRoutes(), moveRoutes(), profileRoutes(), gistPartRoutes(), autolinkRoutes(), pushedRoutes(), orgInvitationRoutes(), runnerRoutes(),
	)
}

// The two ways to name a repository in a path.
const (
	reposPath        = "/repos/{owner}/{repo}"
	repositoriesPath = "/repositories/{repository_id}"
)

// Writes reports whether a request may change the state, so that the caller
// can lock it.
func (a *API) Writes(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return false
	}
	h, _ := a.mux.Handler(r)
	op, served := h.(*operation)
	return served && op.writes()
}

// Answer answers a request.
func (a *API) Answer(r Request) Response {
	if refusal, is := unsupported(r.Request); is {
		return refusal
	}
	out := &capture{response: errorResponse(errNotFound)}
	c := &call{
		view: &view{s: r.State, actor: r.Actor}, Request: r.Request, URL: &address{URL: r.URL}, body: r.Body, base: r.BaseURL, downloads: r.Downloads,
		deliveries: r.Deliveries, integration: r.Integration, app: r.App, token: r.Token, credentials: r.Credentials, quotas: r.Quotas, unscoped: r.Unscoped, scopes: r.Scopes,
	}
	a.mux.ServeHTTP(out, r.WithContext(withCall(r.Context(), c)))
	return a.orLacking(c, out.response)
}

// route is how an operation is asked for and done.
type route struct {
	pattern string
	handle  func(c *call) (reply, error)
}

// refused is the answer to a credential that lacks what its user may have.
func (c *call) refused(problem *model.Problem) error {
	switch {
	case c.integration != nil:
		return errNotForApps
	case c.unscoped:
		return errNotFound
	default:
		return problem
	}
}

// capture takes a route's response, which the mux hands on. What the mux itself writes
// where there is no route is dropped.
type capture struct{ response Response }

// Header returns a header for nobody.
func (*capture) Header() http.Header { return http.Header{} }

// Write drops what is written.
func (*capture) Write(text []byte) (int, error) { return len(text), nil }

// WriteHeader drops the status.
func (*capture) WriteHeader(int) {}

// reply is what a handler answers.
type reply struct {
	status int
	// body becomes JSON unless raw is set; nil means no body.
	body any
	raw  []byte
	// contentType is that of raw.
	contentType string
	header      http.Header
	// tag is what the ETag is, empty for a hash of the answer.
	tag string
}

func ok(body any) (reply, error)      { return reply{status: http.StatusOK, body: body}, nil }
func created(body any) (reply, error) { return reply{status: http.StatusCreated, body: body}, nil }
func noContent() (reply, error)       { return reply{status: http.StatusNoContent}, nil }

// okOr is [ok] for a view that may have failed.
func okOr[T any](view T, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return ok(view)
}

// createdOr is [created] for a view that may have failed.
func createdOr[T any](view T, err error) (reply, error) {
	if err != nil {
		return reply{}, err
	}
	return created(view)
}

const jsonType = "application/json; charset=utf-8"

func (a reply) response(c *call) Response {
	out := Response{Status: a.status, Header: a.header, Body: a.raw}
	if out.Header == nil {
		out.Header = http.Header{}
	}
	switch {
	case a.raw != nil:
		out.Header.Set("Content-Type", a.contentType)
	case a.body != nil:
		body, err := encode(a.body)
		var media string
		if err == nil {
			body, media, err = c.inMedia(body)
		}
		if err == nil {
			body, err = c.inVersion(body)
		}
		if err != nil {
			return errorResponse(fmt.Errorf("encode answer: %w", err))
		}
		out.Body = body
		if media != "" {
			out.Header.Set("X-GitHub-Media-Type", "github.v3; param="+media+"; format=json")
		}
		out.Header.Set("Content-Type", jsonType)
	}
	if out.Status == http.StatusOK && (c.Method == http.MethodGet || c.Method == http.MethodHead) {
		return sinceWhen(c, conditional(c, out, a.tag))
	}
	return out
}

func encode(body any) ([]byte, error) {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body)
	return bytes.TrimRight(buffer.Bytes(), "\n"), err
}

// conditional adds an ETag, and answers 304 where the client has that version.
func conditional(c *call, out Response, of string) Response {
	sum := sha256.Sum256(out.Body)
	tag := `"` + cmp.Or(of, hex.EncodeToString(sum[:])) + `"`
	out.Header.Set("ETag", "W/"+tag)
	out.Header.Set("Cache-Control", "private, max-age=60, s-maxage=60")
	out.Header.Set("Vary", "Accept, Authorization, Cookie, X-GitHub-OTP, Accept-Encoding, Accept, X-Requested-With")
	for known := range strings.SplitSeq(c.Request.Header.Get("If-None-Match"), ",") {
		if known = strings.TrimSpace(known); known == "*" || strings.TrimPrefix(known, "W/") == tag {
			out.Status, out.Body = http.StatusNotModified, nil
			out.Header.Del("Content-Type")
		}
	}
	return out
}

type errorBody struct {
	Message string `json:"message"`
	// Errors are of type model.FieldError or, for some operations, sentences.
	Errors           any    `json:"errors,omitempty"`
	DocumentationURL string `json:"documentation_url"`
	Status           string `json:"status"`
}

const documentation = "https://docs.github.com/rest"

// Failure is the answer of an error that has only a message.
func Failure(status int, message string) Response {
	return errorBody{Message: message}.response(status)
}

func (b errorBody) response(status int) Response {
	b.DocumentationURL, b.Status = cmp.Or(b.DocumentationURL, documentation), strconv.Itoa(status)
	body, err := encode(b)
	if err != nil {
		status, body = http.StatusInternalServerError, nil
	}
	return Response{Status: status, Header: http.Header{"Content-Type": {jsonType}}, Body: body}
}

func errorResponse(err error) Response {
	problem, ok := errors.AsType[*model.Problem](err)
	if !ok {
		return Failure(http.StatusInternalServerError, "Server Error")
	}
	body := errorBody{Message: problem.Message}
	switch {
	case len(problem.Errors) > 0:
		body.Errors = problem.Errors
	case len(problem.Reasons) > 0:
		body.Errors = problem.Reasons
	}
	return body.response(statusOf(problem.Kind))
}

func statusOf(kind model.ProblemKind) int {
	switch kind {
	case model.NotFound:
		return http.StatusNotFound
	case model.Forbidden:
		return http.StatusForbidden
	case model.Invalid:
		return http.StatusUnprocessableEntity
	case model.NotAllowed:
		return http.StatusMethodNotAllowed
	case model.Conflict:
		return http.StatusConflict
	case model.BadRequest:
		return http.StatusBadRequest
	case model.Gone:
		return http.StatusGone
	case model.Unauthorized:
		return http.StatusUnauthorized
	default:
		return http.StatusInternalServerError
	}
}
