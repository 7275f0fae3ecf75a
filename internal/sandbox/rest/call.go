package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// call is one request on its way through a handler.
type call struct {
	*view
	*http.Request
	// URL is the request's.
	URL *address
	// operation is the one that the request asks for.
	operation  *operation
	body       []byte
	base       string
	downloads  func(host, path string) string
	deliveries *HookLog
	// app is the one that asks with a JSON web token, nil otherwise.
	app      *model.App
	quotas   map[string]Quota
	unscoped bool
	// scopes are those of a classic token, nil for other credentials.
	scopes []string
	// token is the credential that was used.
	token       string
	credentials Credentials
	// integration is the App that asks, nil if a user does.
	integration *Integration
	// repository is what the path names, nil if it names none.
	repository *model.Repo
	// read are the types into which the body was decoded.
	read []reflect.Type
	// undecoded is the field of the body that none of them takes, nil if there
	// is none.
	undecoded []string
}

type callKey struct{}

func withCall(ctx context.Context, c *call) context.Context {
	return context.WithValue(ctx, callKey{}, c)
}

func callOf(r *http.Request) *call {
	c, _ := r.Context().Value(callKey{}).(*call)
	return c
}

var (
	errNotFound = &model.Problem{Kind: model.NotFound, Message: "Not Found"}
	errNoUser   = &model.Problem{Kind: model.Unauthorized, Message: "Requires authentication"}
	errEmpty    = &model.Problem{Kind: model.Conflict, Message: "Git Repository is empty."}
	errNoJSON   = &model.Problem{Kind: model.BadRequest, Message: "Problems parsing JSON"}
	errNoObject = &model.Problem{Kind: model.BadRequest, Message: "Body should be a JSON object"}
)

// onRepo makes a handler of one that needs the repository that the path
// names.
func onRepo(handle func(c *call, repo *model.Repo) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		owner, name := c.PathValue("owner"), c.PathValue("repo")
		if id, err := strconv.ParseInt(c.PathValue("repository_id"), 10, 64); err == nil && c.s.Repos.Get(id) != nil {
			owner, name, _ = strings.Cut(c.s.FullName(c.s.Repos.Get(id)), "/")
		}
		repo, err := c.s.VisibleRepo(c.actor, owner, name)
		if err != nil {
			return reply{}, err
		}
		if !strings.EqualFold(c.s.FullName(repo), owner+"/"+name) {
			_, below, _ := strings.Cut(strings.TrimPrefix(c.URL.EscapedPath(), "/repos/"+owner+"/"), "/")
			return moved(c, strings.TrimSuffix(fmt.Sprintf("%s/repositories/%d/%s", c.base, repo.ID, below), "/")), nil
		}
		if !c.integration.granted(c.operation, repo) {
			return reply{}, errNotForApps
		}
		c.repository = repo
		return handle(c, repo)
	}
}

// onCommits is [onRepo] for what needs at least one commit.
func onCommits(handle func(c *call, repo *model.Repo) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		if repo.Empty() {
			return reply{}, errEmpty
		}
		return handle(c, repo)
	})
}

// onIssue makes a handler of one that needs the issue or pull request that the
// path names.
func onIssue(handle func(c *call, repo *model.Repo, i *model.Issue) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		n, err := c.number("number")
		if err != nil {
			return reply{}, err
		}
		switch i := c.s.Issue(repo, n); {
		case i == nil && c.s.TransferredTo(repo, n) != nil:
			to := c.s.TransferredTo(repo, n)
			return moved(c, fmt.Sprintf("%s/repositories/%d/issues/%d", c.base, to.RepoID, to.Number)), nil
		case i == nil && c.s.Discussion(repo, n) != nil:
			return reply{}, errNotFound
		case i == nil && n <= repo.LastNumber:
			return reply{}, &model.Problem{Kind: model.Gone, Message: "This issue was deleted"}
		case i == nil:
			return reply{}, errNotFound
		case i.Pull == nil && !repo.HasIssues:
			return reply{}, model.IssuesDisabled()
		default:
			return handle(c, repo, i)
		}
	})
}

// onPull makes a handler of one that needs the pull request that the path
// names.
func onPull(handle func(c *call, repo *model.Repo, i *model.Issue) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		n, err := c.number("number")
		if err != nil {
			return reply{}, err
		}
		i := c.s.Pull(repo, n)
		if i == nil {
			return reply{}, errNotFound
		}
		return handle(c, repo, i)
	})
}

// onRow makes a handler of one that needs a row of a table: the one whose id
// the path names, if it belongs to the repository that the path names.
func onRow[T any](table func(*model.State) *model.Table[T], owner func(*T) model.ID, handle func(c *call, row *T) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("id"), 10, 64)
		if err != nil {
			return reply{}, errNotFound
		}
		row := table(c.s).Get(id)
		if row == nil || owner(row) != repo.ID {
			return reply{}, errNotFound
		}
		return handle(c, row)
	})
}

// number returns a whole number of the path; text that is none is not found.
func (c *call) number(name string) (int, error) {
	n, err := strconv.Atoi(c.PathValue(name))
	if err != nil || n < 1 {
		return 0, errNotFound
	}
	return n, nil
}

// decode reads the body into target, a pointer to a struct. An empty body is
// an empty object.
func (c *call) decode(target any) error {
	c.read = append(c.read, reflect.TypeOf(target))
	body := bytes.TrimSpace(c.body)
	if len(body) == 0 {
		return nil
	}
	if !json.Valid(body) {
		return errNoJSON
	}
	if body[0] != '{' {
		return errNoObject
	}
	err := json.Unmarshal(body, target)
	if err == nil {
		return nil
	}
	message := invalidBody
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		c.undecoded = []string{wrong.Field}
		path := strings.ToLower(strings.ReplaceAll(wrong.Field, ".", "/"))
		message += fmt.Sprintf("\n\nFor 'properties/%s', %s is not %s.", path, shown(body, path, wrong.Value), jsonKind(wrong.Type.Kind().String()))
	}
	return &model.Problem{Kind: model.Invalid, Message: message}
}

// lacks is the error of a handler that does not have a field of the body as it is asked
// for, which makes the answer [lackingFields].
func (c *call) lacks(field string) error {
	c.undecoded = []string{field}
	return &model.Problem{Kind: model.Invalid, Message: invalidBody}
}

// shown returns the value at the top of a body that an error is about, as
// GitHub repeats it; for what lies deeper, what kind of value it is.
func shown(body []byte, name, kind string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(body, &fields) == nil && len(fields[name]) > 0 {
		return string(fields[name])
	}
	return kind
}

func jsonKind(goKind string) string {
	switch {
	case strings.HasPrefix(goKind, "int"):
		return "an integer"
	case goKind == "bool":
		return "a boolean"
	case goKind == "slice":
		return "an array"
	case goKind == "struct" || goKind == "map":
		return "an object"
	default:
		return "a " + goKind
	}
}

// accepts reports whether the client asks for a media type, in whatever
// spelling ("application/vnd.github.v3.diff", "…github.diff", "…raw+json").
func (c *call) accepts(media string) bool { return c.accepted(media) != "" }

// accepted is the first of some media types for which the client asks, empty for none.
func (c *call) accepted(media ...string) string {
	for part := range strings.SplitSeq(c.Request.Header.Get("Accept"), ",") {
		name, _, _ := strings.Cut(strings.TrimSpace(part), ";")
		name = strings.TrimSuffix(name, "+json")
		if strings.HasPrefix(name, "application/vnd.github") {
			if last := name[strings.LastIndexByte(name, '.')+1:]; slices.Contains(media, last) {
				return last
			}
		}
	}
	return ""
}

// plain answers with text of one of GitHub's media types.
func plain(media string, text []byte) (reply, error) {
	return reply{
		status: http.StatusOK, raw: append([]byte{}, text...),
		contentType: "application/vnd.github.v3." + media + "; charset=utf-8",
		header:      http.Header{"X-GitHub-Media-Type": {"github.v3; param=" + media}},
	}, nil
}
