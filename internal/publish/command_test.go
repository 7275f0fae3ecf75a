package publish_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/publish"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// answering is a publisher whose GitHub answers everything with a status and a text.
func (p *place) answering(status int, text string) *publish.Publisher {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	p.t.Cleanup(server.Close)
	return p.with("token", server.URL)
}

// A command holds for the commit that was the head when it was written: where it
// cannot be told, nothing may seem to have been pushed since.
func TestWhenACommitWasPushed(t *testing.T) {
	const ours = 7
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	p := newPlace(t)
	for name, c := range map[string]struct {
		suites string
		at     time.Time
		want   bool
	}{
		"nobody looked at it":          {`[]`, at, false},
		"we alone did":                 {`[{"app": {"id": 7}, "created_at": "2026-03-01T13:00:00Z"}]`, at, false},
		"after the comment":            {`[{"app": {"id": 7}, "created_at": "2026-03-01T11:00:00Z"}, {"app": {"id": 8}, "created_at": "2026-03-01T12:00:01Z"}]`, at, true},
		"with the comment":             {`[{"app": {"id": 8}, "created_at": "2026-03-01T12:00:00Z"}]`, at, false},
		"before, and looked at since":  {`[{"app": {"id": 8}, "created_at": "2026-03-01T13:00:00Z"}, {"app": {"id": 9}, "created_at": "2026-03-01T11:00:00Z"}]`, at, false},
		"nobody knows when":            {`[{"app": {"id": 8}}]`, at, false},
		"nobody knows of the comment":  {`[{"app": {"id": 8}, "created_at": "2026-03-01T13:00:00Z"}]`, time.Time{}, false},
		"by what GitHub does not name": {`[{"created_at": "2026-03-01T13:00:00Z"}]`, at, true},
	} {
		got, err := p.answering(http.StatusOK, `{"check_suites": `+c.suites+`}`).PushedAfter(t.Context(), p.head, c.at, ours)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, name)
	}
	got, err := p.answering(http.StatusForbidden, `{}`).PushedAfter(t.Context(), p.head, at, ours)
	assert.ErrorContains(t, err, "ask when commit "+p.head+" was pushed")
	assert.False(t, got)
}

func TestRolesSayMoreThanPermissions(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		answer, least string
		want          bool
	}{
		{`{"permission": "write", "role_name": "write"}`, publish.Write, true},
		{`{"permission": "write", "role_name": "maintain"}`, publish.Maintain, true},
		{`{"permission": "write", "role_name": "of our own"}`, publish.Write, true},
		{`{"permission": "write", "role_name": "of our own"}`, publish.Maintain, false},
		{`{"permission": "write", "role_name": "write"}`, publish.Admin, false},
		{`{"permission": "admin", "role_name": "of our own"}`, publish.Admin, true},
		{`{"permission": "read", "role_name": "triage"}`, publish.Write, false},
		{`{"permission": "read", "role_name": "triage"}`, "of a later version", false},
		{`{}`, publish.Write, false},
	} {
		got, err := p.answering(http.StatusOK, c.answer).Permitted(t.Context(), "mona", c.least)
		require.NoError(t, err)
		assert.Equal(t, c.want, got, "%s for %s", c.answer, c.least)
	}
	got, err := p.answering(http.StatusBadRequest, `{}`).Permitted(t.Context(), "mona", publish.Write)
	assert.ErrorContains(t, err, "ask what mona may do")
	assert.False(t, got)
}

func TestAReplyIsSaidAndFound(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	said := func(text string) bool {
		t.Helper()
		is, err := publisher.Said(t.Context(), p.number, text)
		require.NoError(t, err)
		return is
	}
	p.comment("stranger", "not yet")
	assert.False(t, said("not yet"), "others say much")
	require.NoError(t, publisher.Reply(t.Context(), p.number, "it is not yet time"))
	assert.True(t, said("not yet"))
	assert.False(t, said("too late"))

	broken := p.answering(http.StatusForbidden, `{}`)
	require.ErrorContains(t, broken.Reply(t.Context(), p.number, "x"), "reply to the command")
	is, err := broken.Said(t.Context(), p.number, "x")
	require.ErrorContains(t, err, "look for an answer")
	assert.False(t, is)
	is, err = broken.Checked(t.Context(), p.head, "bench", func(string) bool { return true })
	require.ErrorContains(t, err, "look for check runs")
	assert.False(t, is)
	left, notices := broken.OpenCheck(t.Context(), p.start())
	assert.Nil(t, left)
	assert.Len(t, notices, 1)
	_, err = broken.Standing(t.Context(), p.number, "ghx")
	require.ErrorContains(t, err, "look for our comment")
}

// The App keeps the number of what it has opened: GitHub is not asked for it again.
func TestACheckRunThatIsKnownIsNotLookedFor(t *testing.T) {
	p := newPlace(t)
	opened, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)
	start := p.start()
	start.ID, start.URL = opened.ID(), opened.URL()
	require.NotZero(t, start.ID)

	known := p.publisher(everything).Check(start)
	assert.Equal(t, start.ID, known.ID())
	assert.Equal(t, start.URL, known.URL())
	assert.False(t, known.Ended())
	before := p.wire.count()
	assert.Empty(t, known.Complete(t.Context(), passed(0)))
	assert.True(t, known.Ended())
	assert.Equal(t, 1, p.wire.count()-before)
	require.Len(t, p.checks(), 1)
	assert.Equal(t, model.Success, p.checks()[0].Conclusion)

	again, notices := p.publisher(everything).StartCheck(t.Context(), start, working("1 of 9"))
	require.Empty(t, notices)
	assert.Equal(t, start.ID, again.ID(), "the one that is named")
	require.Len(t, p.checks(), 1)

	unknown := p.publisher(everything).Check(p.start())
	assert.Zero(t, unknown.ID())
	assert.Empty(t, unknown.URL())
	assert.Empty(t, unknown.Progress(t.Context(), time.Now(), working("x").Output), "there is nothing to show it in")
	assert.False(t, unknown.Ended())
}

// What is not known is left out, and not said to be nothing.
func TestWhatIsSentOfACheckRunsEnd(t *testing.T) {
	p := newPlace(t)
	var sent map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent = map[string]any{}
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"check_runs": []}`)
			return
		}
		_ = json.NewDecoder(r.Body).Decode(&sent)
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, `{"id": 5}`)
	}))
	defer server.Close()
	end := publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Success}}
	require.Empty(t, p.with("token", server.URL).Check(publish.Start{HeadSHA: p.head, Name: "bench"}).Complete(t.Context(), end))
	assert.Equal(t, map[string]any{"name": "bench", "head_sha": p.head, "status": "completed", "conclusion": "success"}, sent)
	require.Empty(t, p.with("token", server.URL).Check(publish.Start{HeadSHA: p.head, Name: "bench", ID: 5}).Complete(t.Context(), end))
	assert.Equal(t, map[string]any{"name": "bench", "status": "completed", "conclusion": "success"}, sent)

	end.At = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	end.Output.Annotations = []comment.Annotation{{Path: "a.go", StartLine: 7, Level: comment.LevelNotice, Message: "m"}}
	require.Empty(t, p.with("token", server.URL).Check(publish.Start{HeadSHA: p.head, Name: "bench", ID: 5, DetailsURL: "https://x.example"}).Complete(t.Context(), end))
	assert.Equal(t, map[string]any{
		"name": "bench", "status": "completed", "conclusion": "success", "completed_at": "2026-03-01T12:00:00Z", "details_url": "https://x.example",
		"output": map[string]any{"title": "-", "summary": "-", "annotations": []any{
			map[string]any{"path": "a.go", "start_line": 7.0, "end_line": 7.0, "annotation_level": "notice", "message": "m"},
		}},
	}, sent)
}

func TestACheckRunThatGitHubDoesNotTakeHasNotEnded(t *testing.T) {
	p := newPlace(t)
	for _, status := range []int{http.StatusForbidden, http.StatusUnprocessableEntity} {
		check := p.answering(status, `{"message": "no"}`).Check(p.start())
		assert.NotEmpty(t, check.Complete(t.Context(), passed(0)))
		assert.False(t, check.Ended(), status)
	}
}

func TestProgressThatIsForbiddenIsToldOnceAndNotTriedAgain(t *testing.T) {
	p := newPlace(t)
	check, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)
	p.wire.fail(rule{method: http.MethodPatch, path: runs, status: http.StatusForbidden, body: "Resource not accessible by integration", times: 1})
	assert.Len(t, check.Progress(t.Context(), time.Unix(1000, 0), working("1 of 9").Output), 1)
	before := p.wire.count()
	assert.Empty(t, check.Progress(t.Context(), time.Unix(2000, 0), working("2 of 9").Output))
	assert.Equal(t, before, p.wire.count())
}

func TestACheckRunThatCannotBeTakenOver(t *testing.T) {
	p := newPlace(t)
	opened, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("0 of 9"))
	require.Empty(t, notices)

	left, notices := p.publisher(everything).OpenCheck(t.Context(), p.start())
	require.Empty(t, notices)
	assert.Equal(t, opened.ID(), left.ID())
	assert.Equal(t, opened.URL(), left.URL())

	p.wire.fail(rule{method: http.MethodPatch, path: runs, status: http.StatusUnprocessableEntity, body: "no", times: 1})
	_, notices = p.publisher(everything).StartCheck(t.Context(), p.start(), working("1 of 9"))
	assert.Len(t, notices, 1)
	assert.Len(t, p.checks(), 1, "it is ours, so none is made in its place")

	p.wire.fail(rule{method: http.MethodPatch, path: runs, status: http.StatusForbidden, body: "Resource not accessible by integration", times: 1})
	p.wire.fail(rule{method: http.MethodPost, path: runs, status: http.StatusForbidden, body: "Resource not accessible by integration", times: 1})
	none, notices := p.publisher(everything).StartCheck(t.Context(), p.start(), working("1 of 9"))
	assert.Len(t, notices, 1)
	assert.Zero(t, none.ID(), "another App's is not ours")
}

// A request whose answer is lost may have had its effect, or not.
func TestAnEndWhoseAnswerIsLostIsLookedFor(t *testing.T) {
	p := newPlace(t)
	for there, tries := range map[string]int{
		`{"id": 5, "status": "completed", "conclusion": "success"}`:   1,
		`{"id": 5, "status": "completed", "conclusion": "failure"}`:   2,
		`{"id": 5, "status": "in_progress", "conclusion": "success"}`: 2,
		``: 2, // it cannot be told
	} {
		var tried atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.Method == http.MethodGet && there == "":
				w.WriteHeader(http.StatusNotFound)
			case r.Method == http.MethodGet:
				_, _ = io.WriteString(w, there)
			default:
				if tried.Add(1) == 1 {
					panic(http.ErrAbortHandler)
				}
				_, _ = io.WriteString(w, `{"id": 5}`)
			}
		}))
		start := p.start()
		start.ID = 5
		end := publish.End{CheckRun: comment.CheckRun{Conclusion: comment.Success}}
		assert.Empty(t, p.with("token", server.URL).Check(start).Complete(t.Context(), end), there)
		assert.EqualValues(t, tries, tried.Load(), there)
		server.Close()
	}
}

func TestNothingIsSaidWhereItIsNotKnownWhatWas(t *testing.T) {
	p := newPlace(t)
	publisher := p.publisher(everything)
	p.wire.fail(rule{method: http.MethodPost, path: "/graphql", status: http.StatusForbidden, body: "no", times: 1})
	require.ErrorContains(t, publisher.Answer(t.Context(), p.number, "<!-- mark -->", "no"), "reply to the command")
	assert.Empty(t, p.comments())

	require.NoError(t, publisher.Reply(t.Context(), p.number, "a text without a marker"))
	none, err := publisher.Standing(t.Context(), p.number, "")
	require.NoError(t, err)
	assert.Nil(t, none, "what has no marker is of no suite")
}
