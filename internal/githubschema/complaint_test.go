package githubschema_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

// request returns an operation that takes a body.
func request(t testing.TB, name string) *githubschema.Operation {
	t.Helper()
	for _, op := range githubschema.Requests() {
		if op.String() == name {
			return op
		}
	}
	require.Fail(t, "GitHub has no such operation with a body", name)
	return nil
}

func decodedBody(t testing.TB, text string) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value))
	return value
}

// The sentences are those that GitHub has answered to others.
func TestComplaints(t *testing.T) {
	const repo = "/repos/{owner}/{repo}"
	for _, c := range []struct{ name, operation, body, want string }{
		{"nothing to complain of", "POST " + repo + "/issues", `{"title":"a","body":"b","labels":["c",{"name":"d"}],"milestone":3}`, ""},
		{"another kind of value", "POST " + repo + "/issues/{issue_number}/comments", `{"body":42}`, `For 'properties/body', 42 is not a string.`},
		{"a text for a boolean", "POST " + repo + "/hooks", `{"active":"true"}`, `For 'properties/active', "true" is not a boolean.`},
		{"an object for a list", "PATCH " + repo + "/issues/{issue_number}", `{"labels":{}}`, `For 'properties/labels', {} is not an array.`},
		{"what is written in a text", "POST " + repo + "/pulls/{pull_number}/requested_reviewers", `{"reviewers":"[\"copilot\"]"}`, `For 'properties/reviewers', "[\"copilot\"]" is not an array.`},
		{"null for what is required", "POST " + repo + "/git/commits", `{"message":"a","tree":null}`, `For 'properties/tree', nil is not a string.`},
		{"null for an object", "POST " + repo + "/git/commits", `{"message":"a","tree":"b","author":null}`, `For 'properties/author', nil is not an object.`},
		{"null for an optional text", "POST " + repo + "/issues", `{"title":"a","body":null}`, ""},
		{"null where it is published", "PATCH " + repo + "/issues/{issue_number}", `{"milestone":null}`, ""},
		{"what is missing", "POST " + repo + "/git/commits", `{"message":"a"}`, `"tree" wasn't supplied.`},
		{"several that are missing", "PUT " + repo + "/contents/{path}", `{}`, `"message", "content" weren't supplied.`},
		{"none of the values", "POST " + repo + "/milestones", `{"title":"a","state":""}`, ` is not a member of ["open", "closed"].`},
		{"a time that is none", "POST " + repo + "/git/commits", `{"message":"a","tree":"b","author":{"name":"c","email":"d","date":"4728-11-02T15:05:10"}}`,
			"4728-11-02T15:05:10 is not a valid date-time."},
		{"a time of another zone", "POST " + repo + "/git/commits", `{"message":"a","tree":"b","author":{"name":"c","email":"d","date":"1932-11-02T15:05:10+08:00"}}`, ""},
		{"a date alone", "POST " + repo + "/milestones", `{"title":"a","due_on":"2026-02-03"}`, ""},
		{"parts of a part", "POST " + repo + "/git/commits", `{"message":"a","tree":"b","author":{"name":1,"email":[2]}}`,
			"For 'properties/email', [2] is not a string.\nFor 'properties/name', 1 is not a string."},
		{"an element", "POST " + repo + "/issues/{issue_number}/assignees", `{"assignees":["a",{"login":true}]}`, `For 'properties/login', true is not a string.`},
		{"a list in a list", "POST " + repo + "/issues/{issue_number}/assignees", `{"assignees":["a",[{"b":true}]]}`, `For 'items', [{"b"=>true}] is not a string or object.`},
		{"one of several kinds", "POST " + repo + "/issues", `{"title":"a","labels":[null]}`, `For 'items', nil is not a string or object.`},
		{"a kind or null", "POST " + repo + "/issues", `{"title":"a","milestone":true}`, `For 'properties/milestone', true is not a string or integer or null.`},
		{"too long a text", "POST " + repo + "/dispatches", `{"event_type":"` + strings.Repeat("é", 101) + `"}`, "Only 100 characters are allowed; 101 were supplied."},
		{"too short a text", "POST " + repo + "/dispatches", `{"event_type":""}`, "At least 1 character is required; only 0 were supplied."},
		{"a fraction of an integer", "PUT " + repo + "/branches/{branch}/protection", `{"enforce_admins":null,"required_status_checks":null,"restrictions":null,"required_pull_request_reviews":{"required_approving_review_count":1.5}}`,
			`For 'properties/required_approving_review_count', 1.5 is not an integer.`},
		{"a field that GitHub does not have", "POST " + repo + "/issues", `{"title":"a","colour":"red"}`, ""},
		{"no object", "POST " + repo + "/issues", `[1]`, `For 'links/0/schema', [1] is not an object.`},
		{"fields of any name", "PATCH /gists/{gist_id}", `{"files":{"a.txt":7}}`, `For 'additionalProperties', 7 is not an object.`},
		{"null for a field of any name", "PATCH /gists/{gist_id}", `{"files":{"a.txt":null}}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			complaints := request(t, c.operation).Body.Complaints(decodedBody(t, c.body))
			assert.Equal(t, c.want, strings.Join(complaints, "\n"))
		})
	}
}

func TestComplaintsOfBounds(t *testing.T) {
	number := &githubschema.Shape{Kind: githubschema.Number, Least: new(int64(1)), Most: new(int64(5))}
	list := &githubschema.Shape{Kind: githubschema.List, Elem: &githubschema.Shape{Kind: githubschema.Any}, Least: new(int64(1)), Most: new(int64(2))}
	one := &githubschema.Shape{Kind: githubschema.List, Elem: number, Least: new(int64(2)), Most: new(int64(1))}
	short := &githubschema.Shape{Kind: githubschema.String, Least: new(int64(2)), Most: new(int64(1))}
	for _, c := range []struct {
		shape      *githubschema.Shape
		body, want string
	}{
		{number, `1`, ""}, {number, `5`, ""}, {number, `2.5`, ""},
		{number, `0.5`, "0.5 must be greater than or equal to 1."},
		{number, `6`, "6 must be less than or equal to 5."},
		{list, `[1]`, ""}, {list, `[1,"a"]`, ""},
		{list, `[]`, "1 item required; only 0 were supplied."},
		{list, `[1,2,3]`, "No more than 2 items are allowed; 3 were supplied."},
		{one, `[4]`, "2 items required; only 1 was supplied."},
		{&githubschema.Shape{Kind: githubschema.List, Elem: number, Most: new(int64(0))}, `[4]`, "No more than 0 items are allowed; 1 was supplied."},
		{short, `"a"`, "At least 2 characters are required; only 1 was supplied."},
		{short, `"ab"`, "Only 1 character is allowed; 2 were supplied."},
	} {
		assert.Equal(t, c.want, strings.Join(c.shape.Complaints(decodedBody(t, c.body)), "\n"), c.body)
	}
}

func BenchmarkComplaints(b *testing.B) {
	body := request(b, "POST /repos/{owner}/{repo}/issues").Body
	text := []byte(`{"title":"Something is broken","body":"It does not work any more since yesterday.","labels":["bug","help wanted"],"assignees":["octocat"]}`)
	for b.Loop() {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var value any
		if err := decoder.Decode(&value); err != nil || body.Complaints(value) != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRequestsAreRead(b *testing.B) {
	for b.Loop() {
		githubschema.ReadRequests()
	}
}
