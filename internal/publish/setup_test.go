package publish_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// place is a sandbox with a pull request, and what is asked of it.
type place struct {
	*sandboxtest.World
	t      *testing.T
	number int
	head   string
	wire   *wire
}

// everything is what a workflow's token needs for publishing.
var everything = map[string]string{"checks": "write", "pull_requests": "write", "contents": "read"}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{World: sandboxtest.New(t), t: t, wire: &wire{next: http.DefaultTransport}}
	p.Change(func(s *model.State, repo *model.Repo) {
		main, _ := s.BranchHead(repo, "main")
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/heads/change", main))
	})
	owner := p.As("owner")
	owner.Do("PUT", sandboxtest.Path+"/contents/a", `{"message":"m","content":"eA==","branch":"change"}`)
	pull := owner.Do("POST", sandboxtest.Path+"/pulls", `{"title":"t","head":"change","base":"main"}`)
	p.number, p.head = pull.Int("number"), pull.Text("head.sha")
	require.NotZero(t, p.number, pull.Body)
	return p
}

// publisher publishes with a token of GitHub Actions.
func (p *place) publisher(permissions map[string]string) *publish.Publisher {
	p.t.Helper()
	token := fmt.Sprint("actions ", permissions)
	p.AddToken(token, sandbox.Token{App: "github-actions", Permissions: permissions})
	return p.with(token, p.URL)
}

func (p *place) with(token, url string) *publish.Publisher {
	p.t.Helper()
	client, err := github.New(github.Options{RESTURL: url, Token: token, Transport: p.wire})
	require.NoError(p.t, err)
	return publish.New(client, sandboxtest.Owner, sandboxtest.Name)
}

func (p *place) start() publish.Start {
	return publish.Start{HeadSHA: p.head, Name: "bench", ExternalID: "run 1"}
}

// working is what a check run shows meanwhile.
func working(summary string) comment.CheckRun {
	return comment.CheckRun{Status: comment.StatusInProgress, Output: comment.CheckOutput{Title: "Working", Summary: summary}}
}

// checks returns the check runs named bench, oldest first.
func (p *place) checks() []model.CheckRun {
	var all []model.CheckRun
	p.Look(func(s *model.State) {
		for c := range s.CheckRuns.All() {
			all = append(all, *c)
		}
	})
	return all
}

// comments returns the pull request's comments, oldest first, with their authors: of
// ours the id of the run that they are about, of others the text.
func (p *place) comments() []string {
	var all []string
	p.Look(func(s *model.State) {
		for c := range s.Comments.All() {
			text := c.Body
			if marker, is := comment.ParseMarker(text); is {
				text = marker.RunID
			}
			all = append(all, s.Login(c.AuthorID)+": "+text)
		}
	})
	return all
}

// comment lets a user comment on the pull request, and returns the comment's
// id.
func (p *place) comment(login, body string) int64 {
	p.t.Helper()
	reply := p.As(login).Do("POST", fmt.Sprintf("%s/issues/%d/comments", sandboxtest.Path, p.number), map[string]any{"body": body})
	require.Equal(p.t, http.StatusCreated, reply.Status, reply.Body)
	return int64(reply.Int("id"))
}

// broken stands for a connection that breaks before the answer.
const broken = 0

// wire counts requests and lets some of them fail.
type wire struct {
	next http.RoundTripper
	// latency is how long each request takes.
	latency time.Duration

	mu    sync.Mutex
	asked []string
	// rules are what happens to requests, by method and a part of the path.
	rules []*rule
}

// rule is what happens to requests.
type rule struct {
	method, path string
	// status is what they are answered, or broken.
	status int
	body   string
	// times is how many requests it is for.
	times int
	// done is true if GitHub has done what was asked before it failed.
	done bool
	// before runs before the request.
	before func()
	// then is the rule for what comes after; nil is none.
	then *rule
}

func (w *wire) fail(r rule) { w.rules = append(w.rules, &r) }

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.asked)
}

// RoundTrip sends a request on, unless a rule says otherwise.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-r.Context().Done():
		return nil, r.Context().Err()
	case <-time.After(w.latency):
	}
	w.mu.Lock()
	w.asked = append(w.asked, r.Method+" "+r.URL.Path)
	var found *rule
	for _, one := range w.rules {
		if one.times > 0 && r.Method == one.method && strings.Contains(r.URL.Path, one.path) {
			one.times--
			found = one
			if one.then != nil {
				w.rules = append(w.rules, one.then)
			}
			break
		}
	}
	w.mu.Unlock()
	if found == nil {
		return w.next.RoundTrip(r)
	}
	return w.apply(found, r)
}

func (w *wire) apply(one *rule, r *http.Request) (*http.Response, error) {
	if one.before != nil {
		one.before()
		return w.next.RoundTrip(r)
	}
	if one.done {
		response, err := w.next.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
	}
	if one.status == broken {
		return nil, errors.New("connection reset by peer")
	}
	body, err := json.Marshal(map[string]string{"message": one.body})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: one.status, Status: fmt.Sprint(one.status), Request: r, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(string(body))),
	}, nil
}

// inside serves a world without a network, so that time can be simulated.
type inside struct{ world http.Handler }

// RoundTrip asks the world.
func (i inside) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.Host = r.URL.Host
	out := httptest.NewRecorder()
	i.world.ServeHTTP(out, r)
	response := out.Result()
	response.Request = r
	return response, nil
}
