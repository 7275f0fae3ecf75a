package sandbox_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const issuesRoute = "/repos/{owner}/{repo}/issues"

func fail(t *testing.T, w *sandboxtest.World, rule faults.Rule) {
	t.Helper()
	_, err := w.Faults().Add(rule)
	require.NoError(t, err)
}

// openIssue opens an issue with go-github.
func openIssue(t *testing.T, c *sandboxtest.Client, title string) (*github.Response, error) {
	t.Helper()
	_, response, err := c.REST.Issues.Create(t.Context(), sandboxtest.Owner, sandboxtest.Name, &github.IssueRequest{Title: &title})
	return response, err
}

func titles(t *testing.T, c *sandboxtest.Client) []string {
	t.Helper()
	all, _, err := c.REST.Issues.ListByRepo(t.Context(), sandboxtest.Owner, sandboxtest.Name, &github.IssueListByRepoOptions{Direction: "asc"})
	require.NoError(t, err)
	got := []string{}
	for _, i := range all {
		got = append(got, i.GetTitle())
	}
	return got
}

func TestFaultsThatAnswer(t *testing.T) {
	for kind, status := range map[faults.Kind]int{
		faults.Unauthorized: 401, faults.NotFound: 404, faults.Conflict: 409, faults.Unprocessable: 422,
		faults.ServerError: 500, faults.BadGateway: 502, faults.Unavailable: 503,
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := sandboxtest.New(t)
			writer := w.As("writer")
			fail(t, w, faults.Rule{Kind: kind, Method: "POST", Path: issuesRoute, Count: 1})
			_, err := openIssue(t, writer, "one")
			refused, ok := errors.AsType[*github.ErrorResponse](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, status, refused.Response.StatusCode)
			assert.Empty(t, titles(t, writer), "nothing was written")
			_, err = openIssue(t, writer, "two")
			assert.NoError(t, err, "it held once")
		})
	}
}

func TestTheSecondaryLimitAsAFault(t *testing.T) {
	w := sandboxtest.New(t)
	fail(t, w, faults.Rule{Kind: faults.Secondary, Path: issuesRoute, Count: 1, RetryAfter: 7 * time.Second})
	_, err := openIssue(t, w.As("writer"), "one")
	limited, ok := errors.AsType[*github.AbuseRateLimitError](err)
	require.True(t, ok, "go-github knows a secondary limit by its documentation: %v", err)
	assert.Equal(t, 7*time.Second, limited.GetRetryAfter())
}

func TestTooManyRequestsAsAFault(t *testing.T) {
	w := sandboxtest.New(t)
	fail(t, w, faults.Rule{Kind: faults.TooMany, Count: 1, RetryAfter: 2 * time.Second})
	reply := w.As("writer").Get("/user")
	assert.Equal(t, []any{429, "2", "0"}, []any{reply.Status, reply.Header.Get("Retry-After"), reply.Header.Get("X-RateLimit-Remaining")})
	assert.Equal(t, http.StatusOK, w.As("writer").Get("/user").Status)
}

func TestFaultsOfGraphQL(t *testing.T) {
	w := sandboxtest.New(t)
	fail(t, w, faults.Rule{Kind: faults.BadGateway, GraphQL: "viewer", Count: 1})
	ask := func() int {
		return w.As("writer").Do("POST", "/graphql", map[string]any{"query": viewer}).Status
	}
	assert.Equal(t, []int{502, 200}, []int{ask(), ask()})
}

// sleeper notes how long it was asked to wait, and waits for nothing.
type sleeper struct {
	mu    sync.Mutex
	slept []time.Duration
}

func (s *sleeper) sleep(_ context.Context, d time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slept = append(s.slept, d)
	return nil
}

func TestSlowAnswers(t *testing.T) {
	w := sandboxtest.New(t)
	var clock sleeper
	w.Use(sandbox.Outside{Sleep: clock.sleep})
	w.Faults().SetLatency(50 * time.Millisecond)
	fail(t, w, faults.Rule{Kind: faults.Slow, Delay: time.Minute, Path: issuesRoute, After: 1, Count: 1})
	for range 3 {
		w.As("writer").Get(sandboxtest.Path + "/issues")
	}
	assert.Equal(t, []time.Duration{50 * time.Millisecond, time.Minute + 50*time.Millisecond, 50 * time.Millisecond}, clock.slept)
}

// A client that gives up on a slow answer has its write nevertheless.
func TestASlowWriteIsDoneThoughTheClientGaveUp(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	ctx, cancel := context.WithCancel(t.Context())
	w.Use(sandbox.Outside{Sleep: func(waiting context.Context, _ time.Duration) error {
		cancel()
		<-waiting.Done()
		return waiting.Err()
	}})
	fail(t, w, faults.Rule{Kind: faults.Slow, Delay: time.Hour, Method: "POST", Path: issuesRoute})
	_, _, err := writer.REST.Issues.Create(ctx, sandboxtest.Owner, sandboxtest.Name, &github.IssueRequest{Title: github.String("one")})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, []string{"one"}, titles(t, writer))
}

func TestAConnectionThatIsReset(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	fail(t, w, faults.Rule{Kind: faults.Reset, Path: issuesRoute, Method: "POST"})
	_, err := openIssue(t, writer, "one")
	require.ErrorIs(t, err, syscall.ECONNRESET)
	assert.Empty(t, titles(t, writer))
	log := w.Audit()
	assert.Zero(t, log[len(log)-2].Status, "it was never answered")
}

func TestAnAnswerThatIsLost(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	told := 0
	w.OnWrite(sandboxtest.Token("writer"), func() { told++ })
	fail(t, w, faults.Rule{Kind: faults.LostAnswer, Path: issuesRoute, Count: 1})
	_, err := openIssue(t, writer, "one")
	require.True(t, errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF), "%v", err)
	assert.Equal(t, []string{"one"}, titles(t, writer), "but the write was done")
	assert.Equal(t, 1, told)
}

func TestAListThatLags(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	_, err := openIssue(t, writer, "old")
	require.NoError(t, err)
	fail(t, w, faults.Rule{Kind: faults.StaleList, Path: issuesRoute, Count: 2})
	fail(t, w, faults.Rule{Kind: faults.StaleList, GraphQL: "*", Count: 1})
	assert.Equal(t, []string{"old"}, titles(t, writer))
	created, err := openIssue(t, writer, "new")
	require.NoError(t, err)
	assert.Equal(t, http.StatusCreated, created.StatusCode)
	const count = `{ repository(owner: "owner", name: "hello") { issues(first: 1) { totalCount } } }`
	assert.Equal(t, [][]string{{"old"}, {"old"}, {"old", "new"}}, [][]string{titles(t, writer), titles(t, writer), titles(t, writer)})
	assert.Equal(t, http.StatusOK, writer.Get(sandboxtest.Path+"/issues/2").Status, "the issue itself is there")
	assert.Equal(t, []int{1, 2}, []int{
		writer.GraphQL(count).Int("data.repository.issues.totalCount"), writer.GraphQL(count).Int("data.repository.issues.totalCount"),
	})
}

func TestLinksByIdMeetTheRulesOfTheirRoute(t *testing.T) {
	w := sandboxtest.New(t)
	fail(t, w, faults.Rule{Kind: faults.NotFound, Path: "/repos/owner/hello/labels"})
	var id model.ID
	w.Look(func(s *model.State) { id = s.Repo(sandboxtest.Owner, sandboxtest.Name).ID })
	reader := w.As("reader")
	for _, prefix := range []string{"", "/api/v3"} {
		assert.Equal(t, http.StatusNotFound, reader.Get(prefix+"/repositories/"+itoa(id)+"/labels?page=2").Status)
	}
}

func TestACopyStartsWithoutFaults(t *testing.T) {
	w := sandboxtest.New(t)
	fail(t, w, faults.Rule{Kind: faults.ServerError})
	other := sandboxtest.Serve(t, w.Clone())
	assert.Equal(t, http.StatusOK, other.As("writer").Get("/user").Status)
}

func TestFaultsAreSetFromOutside(t *testing.T) {
	w := sandboxtest.New(t)
	const path, token = "/_sandbox/faults", "control-token"
	w.EnableControl(token)
	control, writer := w.With(token), w.As("writer")
	for name, c := range map[string]*sandboxtest.Client{"an agent": writer, "nobody": w.As(""), "a stranger": w.With("x")} {
		reply := c.Do("POST", path, map[string]any{"kind": "404"})
		assert.GreaterOrEqual(t, reply.Status, 400, name)
		assert.NotEqual(t, http.StatusUnprocessableEntity, reply.Status, name)
	}
	assert.Empty(t, w.Faults().Rules(), "only the control's token sets faults")

	added := control.Do("POST", path, map[string]any{"kind": "slow", "delay": "250ms", "path": "/user"})
	assert.Equal(t, []int{200, 1}, []int{added.Status, added.Int("number")}, added.Body)
	shown := control.Do("PUT", path, map[string]any{"seed": 3, "latency": "5ms", "rules": []any{map[string]any{"kind": "502", "path": "/user", "count": 1}}})
	assert.Equal(t, []any{"5ms", "502", "1m0s"}, []any{shown.Text("latency"), shown.Text("rules.0.kind"), shown.Text("rules.0.retry_after")}, shown.Body)
	assert.Equal(t, http.StatusBadGateway, writer.Get("/user").Status)
	assert.Equal(t, 1, control.Get(path).Int("rules.0.held"))
	for _, bad := range []any{map[string]any{"kind": "418"}, map[string]any{"kin": "404"}, "[", `{"kind":"404"} x`} {
		assert.Equal(t, http.StatusUnprocessableEntity, control.Do("POST", path, bad).Status)
	}
	assert.Equal(t, http.StatusUnprocessableEntity, control.Do("DELETE", path+"/9", nil).Status)
	assert.Equal(t, http.StatusOK, control.Do("DELETE", path, nil).Status)
	assert.False(t, w.Faults().Any())
	for _, e := range w.Audit() {
		assert.NotEqual(t, token, e.Token, "the control is not GitHub's client")
	}
	assert.Equal(t, http.StatusUnauthorized, control.Get(path, "Host", "api.github.com", "Authorization", "Bearer other").Status)
}

func itoa(id model.ID) string { return strconv.FormatInt(id, 10) }
