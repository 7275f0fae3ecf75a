package sandboxtest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// asker asks a world's API under GitHub's name; the referee judges the answers.
type asker struct {
	t          *testing.T
	url, token string
}

func newAsker(t *testing.T, world *sandbox.World) asker {
	t.Helper()
	world.AddToken(token, sandbox.Token{User: me})
	server := httptest.NewServer(world)
	t.Cleanup(server.Close)
	return asker{t, server.URL, token}
}

type fields = map[string]any

// field returns what is at a path of objects in an answer.
func field(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(fields)
		value = object[name]
	}
	return value
}

// ask sends a request, whose answer must have a status, and returns its body.
func (a asker) ask(status int, method, path string, body any) any {
	a.t.Helper()
	text, err := json.Marshal(body)
	require.NoError(a.t, err)
	if body == nil {
		text = nil
	}
	request, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, bytes.NewReader(text))
	require.NoError(a.t, err)
	request.Host = "api.github.com"
	request.Header.Set("Authorization", "Bearer "+a.token)
	response, err := http.DefaultClient.Do(request)
	require.NoError(a.t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	require.NoError(a.t, err)
	require.Equal(a.t, status, response.StatusCode, "%s %s: %s", method, path, answer)
	var value any
	if len(answer) > 0 {
		require.NoError(a.t, json.Unmarshal(answer, &value))
	}
	return value
}

// id is that of what was made.
func (a asker) id(path string, body any) string {
	a.t.Helper()
	made, _ := a.ask(http.StatusCreated, "POST", path, body).(fields)
	return fmt.Sprintf("%s/%.0f", path, made["id"])
}

func TestAnswersAboutDeployments(t *testing.T) {
	a := newAsker(t, newWorld(t))
	const repo = "/repos/" + fullName
	d := a.id(repo+"/deployments", fields{"ref": "main", "required_contexts": []string{}, "environment": "test", "payload": fields{"a": 1}})
	other := a.id(repo+"/deployments", fields{"ref": "main", "required_contexts": []string{}, "environment": "test"})
	a.ask(http.StatusOK, "GET", repo+"/deployments?environment=test", nil)
	a.ask(http.StatusOK, "GET", d, nil)
	// Without addresses GitHub answers with empty texts, which its own description
	// takes for none.
	done := fields{"state": "success", "log_url": "https://example.com/log", "environment_url": "https://example.com", "description": "done"}
	status := a.id(d+"/statuses", done)
	a.ask(http.StatusOK, "GET", status, nil)
	a.ask(http.StatusOK, "GET", d+"/statuses", nil)
	a.id(other+"/statuses", done)
	a.ask(http.StatusUnprocessableEntity, "DELETE", other, nil)
	a.ask(http.StatusNoContent, "DELETE", d, nil)
	a.ask(http.StatusNoContent, "DELETE", other, nil)
	a.ask(http.StatusNotFound, "GET", d, nil)

	const e = repo + "/environments/test"
	a.ask(http.StatusOK, "GET", repo+"/environments", nil)
	a.ask(http.StatusOK, "PUT", e, fields{"deployment_branch_policy": fields{"protected_branches": false, "custom_branch_policies": true}})
	a.ask(http.StatusOK, "GET", e, nil)
	made, _ := a.ask(http.StatusOK, "POST", e+"/deployment-branch-policies", fields{"name": "main"}).(fields)
	policy := fmt.Sprintf("%s/deployment-branch-policies/%.0f", e, made["id"])
	a.ask(http.StatusOK, "GET", e+"/deployment-branch-policies", nil)
	a.ask(http.StatusSeeOther, "POST", e+"/deployment-branch-policies", fields{"name": "main"})
	a.ask(http.StatusOK, "PUT", policy, fields{"name": "release/*"})
	a.ask(http.StatusOK, "GET", policy, nil)
	a.ask(http.StatusNoContent, "DELETE", policy, nil)
	a.ask(http.StatusOK, "GET", e+"/deployment_protection_rules", nil)
	a.ask(http.StatusNotImplemented, "PUT", e, fields{"wait_timer": 30})
	key, _ := a.ask(http.StatusOK, "GET", e+"/secrets/public-key", nil).(map[string]any)
	a.ask(http.StatusCreated, "PUT", e+"/secrets/A", fields{"encrypted_value": "x", "key_id": key["key_id"]})
	a.ask(http.StatusOK, "GET", e+"/secrets", nil)
	a.ask(http.StatusCreated, "POST", e+"/variables", fields{"name": "B", "value": "x"})
	a.ask(http.StatusNoContent, "PATCH", e+"/variables/B", fields{"value": "y"})
	a.ask(http.StatusOK, "GET", e+"/variables/B", nil)
	a.ask(http.StatusNotFound, "GET", repo+"/actions/variables/B", nil)
	a.ask(http.StatusNoContent, "DELETE", e, nil)
	a.ask(http.StatusNoContent, "POST", repo+"/dispatches", fields{"event_type": "x", "client_payload": fields{"a": 1}})
	a.ask(http.StatusUnprocessableEntity, "POST", repo+"/dispatches", fields{})
}

func TestAnswersAboutWebhooks(t *testing.T) {
	a := newAsker(t, newWorld(t))
	for _, at := range []string{"/repos/" + fullName, "/orgs/" + acme} {
		hook := a.id(at+"/hooks", fields{"name": "web", "events": []string{"*"}, "config": fields{"url": "https://example.com/hook", "content_type": "json"}})
		a.ask(http.StatusOK, "GET", at+"/hooks", nil)
		a.ask(http.StatusOK, "GET", hook, nil)
		a.ask(http.StatusOK, "PATCH", hook, fields{"active": false})
		a.ask(http.StatusOK, "GET", hook+"/config", nil)
		a.ask(http.StatusOK, "PATCH", hook+"/config", fields{"secret": "x"})
		a.ask(http.StatusOK, "GET", hook+"/deliveries", nil)
		a.ask(http.StatusNoContent, "POST", hook+"/pings", nil)
		a.ask(http.StatusNoContent, "DELETE", hook, nil)
		a.ask(http.StatusNotFound, "GET", hook, nil)
	}
}

func TestAnswersAboutNotifications(t *testing.T) {
	world := newWorld(t)
	a := newAsker(t, world)
	world.AddToken("octocat", sandbox.Token{User: "octocat"})
	other := a
	other.token = "octocat"
	other.id("/repos/"+fullName+"/issues", fields{"title": "noted", "body": "@" + me})
	list, _ := a.ask(http.StatusOK, "GET", "/notifications", nil).([]any)
	require.NotEmpty(t, list)
	first, _ := list[0].(fields)
	thread := fmt.Sprint("/notifications/threads/", first["id"])
	a.ask(http.StatusOK, "GET", "/repos/"+fullName+"/notifications?all=true", nil)
	a.ask(http.StatusOK, "GET", thread, nil)
	a.ask(http.StatusOK, "PUT", thread+"/subscription", fields{})
	a.ask(http.StatusOK, "GET", thread+"/subscription", nil)
	a.ask(http.StatusResetContent, "PATCH", thread, nil)
	a.ask(http.StatusNoContent, "DELETE", thread+"/subscription", nil)
	a.ask(http.StatusResetContent, "PUT", "/notifications", fields{})
	a.ask(http.StatusResetContent, "PUT", "/repos/"+fullName+"/notifications", fields{})
	a.ask(http.StatusOK, "PUT", "/repos/"+fullName+"/subscription", fields{"subscribed": true})
	a.ask(http.StatusOK, "GET", "/repos/"+fullName+"/subscribers", nil)
	a.ask(http.StatusOK, "GET", "/user/subscriptions", nil)
	a.ask(http.StatusOK, "GET", "/users/"+me+"/subscriptions", nil)
}

// TestAnswersAboutCommentsWithoutAPlace is about a comment on a whole file, and one on
// a line that the branch has no more.
func TestAnswersAboutCommentsWithoutAPlace(t *testing.T) {
	a := newAsker(t, newWorld(t))
	const repo, pull = "/repos/" + fullName, "/repos/" + fullName + "/pulls/7"
	head := func() any {
		return field(a.ask(http.StatusOK, "GET", repo+"/git/ref/heads/topic", nil), "object", "sha")
	}
	wide, _ := a.ask(http.StatusCreated, "POST", pull+"/comments", fields{"body": "all of it", "commit_id": head(), "path": "topic.txt", "subject_type": "file"}).(fields)
	assert.Nil(t, wide["line"])
	review, _ := a.ask(http.StatusOK, "POST", pull+"/reviews", fields{
		"event": "COMMENT", "body": "see below", "comments": []fields{{"path": "topic.txt", "line": 2, "body": "two?"}},
	}).(fields)
	blob := field(a.ask(http.StatusOK, "GET", repo+"/contents/topic.txt?ref=topic", nil), "sha")
	a.ask(http.StatusOK, "PUT", repo+"/contents/topic.txt", fields{"message": "one is enough", "content": "b25lCg==", "branch": "topic", "sha": blob})

	list, _ := a.ask(http.StatusOK, "GET", pull+"/comments", nil).([]any)
	require.Len(t, list, 2)
	gone, _ := list[1].(fields)
	assert.Nil(t, gone["line"])
	assert.EqualValues(t, 2, gone["original_line"])
	require.Contains(t, gone, "position")
	assert.Nil(t, gone["position"])
	a.ask(http.StatusOK, "GET", fmt.Sprintf("%s/reviews/%.0f/comments", pull, review["id"]), nil)
	a.ask(http.StatusOK, "GET", fmt.Sprintf("%s/pulls/comments/%.0f", repo, wide["id"]), nil)
	a.ask(http.StatusOK, "GET", repo+"/pulls/comments", nil)
}

func TestAnswersAboutRelations(t *testing.T) {
	a := newAsker(t, newWorld(t))
	const issues = "/repos/" + fullName + "/issues"
	a.ask(http.StatusOK, "POST", "/orgs/"+acme+"/issue-types", fields{"name": "Defect", "is_enabled": true, "color": "red"})
	a.ask(http.StatusOK, "PATCH", issues+"/2", fields{"type": "Defect", "state": "closed", "state_reason": "not_planned"})
	sub := field(a.ask(http.StatusOK, "GET", issues+"/2", nil), "id")
	a.ask(http.StatusCreated, "POST", issues+"/1/sub_issues", fields{"sub_issue_id": sub})
	a.ask(http.StatusCreated, "POST", issues+"/1/dependencies/blocked_by", fields{"issue_id": sub})
	for _, path := range []string{issues + "/events", issues + "/1/events", issues + "/2/events", issues + "/1/timeline", issues + "/2/timeline"} {
		a.ask(http.StatusOK, "GET", path, nil)
	}
	events, _ := a.ask(http.StatusOK, "GET", issues+"/1/events", nil).([]any)
	partOf(t, events, []any{
		fields{"event": "sub_issue_added", "sub_issue": fields{
			"number": 2.0, "state": "closed", "state_reason": "not_planned",
			"repository": fields{"full_name": fullName}, "issue_type": fields{"name": "Defect"},
		}},
		fields{"event": "blocked_by_added", "blocked_by": fields{"number": 2.0}},
	}, "events")
}
