package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/faults"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// What an App does about deliveries that it has missed: it finds them in the
// list and asks for them again.
func TestRedelivery(t *testing.T) {
	w := sandboxtest.New(t)
	to := w.Receive()
	private, public := sandboxtest.Key(t)
	app := gate(w, to, public)
	asApp := w.AsApp(app.ID, private)
	w.Received(to)
	to.Answer(http.StatusServiceUnavailable)
	_, err := openIssue(t, w.As("writer"), "one")
	require.NoError(t, err)
	first := w.Received(to)
	to.Answer(http.StatusOK)
	list := asApp.Get("/app/hook/deliveries?per_page=1")
	require.Equal(t, http.StatusOK, list.Status, list.Body)
	assert.Equal(t, []any{"Invalid HTTP Response: 503", 503, "issues", "opened", false},
		[]any{list.Text("0.status"), list.Int("0.status_code"), list.Text("0.event"), list.Text("0.action"), list.At("0.redelivery")})
	path := fmt.Sprintf("/app/hook/deliveries/%d", list.Int("0.id"))
	assert.Equal(t, http.StatusAccepted, asApp.Do("POST", path+"/attempts", nil).Status)
	again := w.Received(to)
	require.Len(t, again, 1)
	assert.Equal(t, first[0].Body, again[0].Body)
	assert.Equal(t, first[0].Header.Get("X-GitHub-Delivery"), again[0].Header.Get("X-GitHub-Delivery"), "a redelivery keeps its id")
	list = asApp.Get("/app/hook/deliveries?per_page=1")
	assert.Equal(t, []any{"OK", true}, []any{list.Text("0.status"), list.At("0.redelivery")})

	next := list.Header.Get("Link")
	require.Contains(t, next, `rel="next"`)
	_, cursor, _ := strings.Cut(next, "cursor=")
	cursor, _, _ = strings.Cut(cursor, "&")
	assert.Equal(t, "Invalid HTTP Response: 503", asApp.Get("/app/hook/deliveries?per_page=1&cursor="+cursor).Text("0.status"), "pages follow a cursor")
	one := asApp.Get(path)
	assert.Equal(t, []any{"issues", "one", to.URL}, []any{one.Text("request.headers.X-Github-Event"), one.Text("request.payload.issue.title"), one.Text("url")})
	assert.Equal(t, http.StatusNotFound, asApp.Get("/app/hook/deliveries/5").Status)
}

func TestFaultsOfDeliveries(t *testing.T) {
	for kind, want := range map[faults.Kind][]string{
		faults.HookLost:    {"b", "c"},
		faults.HookDoubled: {"a", "a", "b", "c"},
		faults.HookLate:    {"b", "a", "c"},
	} {
		t.Run(string(kind), func(t *testing.T) {
			w := sandboxtest.New(t)
			to := w.Receive()
			private, public := sandboxtest.Key(t)
			app := gate(w, to, public)
			w.Received(to)
			fail(t, w, faults.Rule{Kind: kind, Event: "issues.opened", Count: 1})
			for _, title := range []string{"a", "b", "c"} {
				_, err := openIssue(t, w.As("writer"), title)
				require.NoError(t, err)
			}
			var got []string
			ids := map[string]bool{}
			for _, r := range w.Received(to) {
				var body struct{ Issue struct{ Title string } }
				require.NoError(t, json.Unmarshal(r.Body, &body))
				got = append(got, body.Issue.Title)
				ids[r.Header.Get("X-GitHub-Delivery")] = true
			}
			assert.Equal(t, want, got)
			assert.LessOrEqual(t, len(ids), 3, "one that comes twice has one id")
			if kind == faults.HookLost {
				missed := w.AsApp(app.ID, private).Get("/app/hook/deliveries?per_page=3")
				assert.Equal(t, "failed to connect to host", missed.Text("2.status"), "so that it is found")
			}
		})
	}
}

// An agent may press what a user may.
func TestButtonsOfCheckRuns(t *testing.T) {
	w := sandboxtest.New(t)
	app := gate(w, &sandboxtest.Receiver{URL: "http://127.0.0.1:1"}, nil)
	w.Change(func(s *model.State, repo *model.Repo) {
		title := "bench"
		main, _ := s.BranchHead(repo, "main")
		run, err := s.CreateCheckRun(app, repo, main.String(), model.CheckChange{Name: &title, Actions: []model.CheckAction{{Label: "Full run", Description: "all of it", Identifier: "full"}}})
		require.NoError(t, err)
		assert.NoError(t, s.PressButton(s.User("writer").ID, run, "full"))
		assert.Error(t, s.PressButton(s.User("writer").ID, run, "other"), "there is no such button")
		assert.Error(t, s.PressButton(s.User("reader").ID, run, "full"), "readers see no buttons")
	})
}
