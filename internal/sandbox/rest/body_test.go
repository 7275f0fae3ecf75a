package rest_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// least returns the least value of a shape that is as published.
func least(s *githubschema.Shape) any {
	switch s.Kind {
	case githubschema.Object:
		object := map[string]any{}
		for _, f := range s.Fields {
			if !f.Optional {
				object[f.Name] = least(f.Shape)
			}
		}
		return object
	case githubschema.List:
		list := []any{}
		for range lower(s) {
			list = append(list, least(s.Elem))
		}
		return list
	case githubschema.Integer, githubschema.Number:
		return max(1, lower(s))
	case githubschema.Boolean:
		return true
	case githubschema.Any:
		if s.OneOf != nil {
			return least(s.OneOf[0])
		}
		return "x"
	default:
		switch {
		case s.Enum != nil:
			return s.Enum[0]
		case s.Format == "date-time":
			return "2026-01-05T09:00:00Z"
		default:
			return strings.Repeat("x", int(max(1, lower(s))))
		}
	}
}

func lower(s *githubschema.Shape) int64 {
	if s.Least == nil {
		return 0
	}
	return *s.Least
}

// wrongs returns values that a shape does not admit, each with what is wrong.
func wrongs(s *githubschema.Shape) map[string]any {
	all := map[string]any{}
	kinds := []githubschema.Kind{s.Kind}
	for _, one := range s.OneOf {
		kinds = append(kinds, one.Kind)
	}
	if s.Kind == githubschema.Any && s.OneOf == nil {
		return nil
	}
	for _, candidate := range []struct {
		kind  githubschema.Kind
		value any
	}{
		{githubschema.Object, map[string]any{"x": 1}},
		{githubschema.List, []any{map[string]any{}}},
		{githubschema.Boolean, true},
		{githubschema.String, "no such value"},
		{githubschema.Number, 0.5},
	} {
		if !slices.Contains(kinds, candidate.kind) {
			all["a value of kind "+string(candidate.kind)] = candidate.value
		}
	}
	if s.Enum != nil {
		all["none of the values"] = "no such value"
	}
	switch {
	case s.Most != nil && s.Kind == githubschema.String:
		all["too long a text"] = strings.Repeat("x", int(*s.Most)+1)
	case s.Most != nil && s.Kind == githubschema.Integer:
		all["too great a number"] = *s.Most + 1
	case s.Least != nil && s.Kind == githubschema.Integer:
		all["too small a number"] = *s.Least - 1
	}
	if s.Kind == githubschema.List {
		for what, element := range wrongs(s.Elem) {
			all["an element: "+what] = []any{element}
		}
	}
	if s.Kind == githubschema.Object {
		for what, object := range wrongObjects(s) {
			all["a field: "+what] = object
		}
	}
	return all
}

// wrongObjects returns objects of which one field is wrong or missing.
func wrongObjects(s *githubschema.Shape) map[string]any {
	all := map[string]any{}
	for _, f := range s.Fields {
		for what, value := range wrongs(f.Shape) {
			object := least(s).(map[string]any)
			object[f.Name] = value
			all[f.Name+": "+what] = object
		}
		if !f.Optional {
			object := least(s).(map[string]any)
			delete(object, f.Name)
			all[f.Name+": missing"] = object
		}
	}
	return all
}

// objectOf returns what of a body is an object.
func objectOf(s *githubschema.Shape) *githubschema.Shape {
	at := slices.IndexFunc(s.OneOf, func(one *githubschema.Shape) bool { return one.Kind == githubschema.Object })
	if at < 0 {
		return s
	}
	return s.OneOf[at]
}

// What GitHub has published of a body holds for every operation that is served,
// whoever serves it.
func TestBodiesAreAsPublished(t *testing.T) {
	refused := 0
	for pattern, op := range rest.Bodies() {
		shape := objectOf(op.Body)
		body, err := json.Marshal(least(shape))
		require.NoError(t, err)
		status := rest.CheckBody(pattern, string(body))
		assert.NotContains(t, []int{http.StatusUnprocessableEntity, http.StatusBadRequest}, status, "%s %s", op, body)
		for what, wrong := range wrongObjects(shape) {
			body, err := json.Marshal(wrong)
			require.NoError(t, err)
			if assert.Equal(t, http.StatusUnprocessableEntity, rest.CheckBody(pattern, string(body)), "%s: %s: %s", op, what, body) {
				refused++
			}
		}
		assert.Equal(t, http.StatusBadRequest, rest.CheckBody(pattern, `{"a":`), pattern)
	}
	assert.Greater(t, refused, 1000)
}

// furnished is a busy world with a way to everything that takes a body.
func furnished(t *testing.T) (w *sandboxtest.World, owner *sandboxtest.Client, fill func(path string) string) {
	t.Helper()
	w = busy(t)
	w.AddToken("all", sandbox.Token{User: "owner"})
	owner = w.With("all")
	branch := base + "/branches/main/protection"
	for _, r := range []struct{ method, path, body string }{
		{"POST", base + "/hooks", `{"config":{"url":"https://example.com"}}`},
		{"PUT", branch, `{"required_status_checks":{"strict":true,"contexts":["a"]},"enforce_admins":false,"required_pull_request_reviews":{},"restrictions":null}`},
		{"POST", base + "/rulesets", `{"name":"r","enforcement":"active"}`},
		{"POST", "/gists", `{"files":{"a.txt":{"content":"x"}}}`},
	} {
		reply := owner.Do(r.method, r.path, r.body)
		require.Less(t, reply.Status, 300, reply.Body)
	}
	var hook, ruleset int64
	gist := owner.Get("/gists").Text("0.id")
	w.Look(func(s *model.State) {
		for h := range s.Hooks.All() {
			hook = h.ID
		}
	})
	ruleset = int64(owner.Get(base + "/rulesets").Int("0.id"))
	return w, owner, func(path string) string {
		path = strings.NewReplacer("/hooks/{id}", "/hooks/"+itoa(hook), "{ruleset}", itoa(ruleset), "{gist}", gist,
			"/issues/comments/{comment_id}", "/issues/{number}/{id}", "/pulls/comments/{comment_id}/", "/pulls/comments/{comment}/", "/pulls/comments/{comment_id}", "/pulls/{number}/{id}",
			"/pulls/comments/{id}/", "/pulls/comments/{comment}/").Replace(path)
		w.Look(func(s *model.State) { path = concrete(s, path) })
		return path
	}
}

// A body that is not as published is refused, and nothing is changed by it.
func TestWrongBodiesChangeNothing(t *testing.T) {
	testkit.NeedComplete(t)
	w, owner, fill := furnished(t)
	saved := func() string {
		var out bytes.Buffer
		require.NoError(t, w.Save(&out))
		return out.String()
	}
	before, from := saved(), len(w.Changes())
	bodies := rest.Bodies()
	refused, asked := 0, 0
	reachedOperations := 0
	for _, pattern := range slices.Sorted(maps.Keys(bodies)) {
		method, path, _ := strings.Cut(pattern, " ")
		path = fill(path)
		reached := false
		wrong := wrongObjects(objectOf(bodies[pattern].Body))
		for _, what := range slices.Sorted(maps.Keys(wrong)) {
			reply := owner.Do(method, path, wrong[what])
			asked++
			switch reply.Status {
			case http.StatusUnprocessableEntity, http.StatusBadRequest:
				refused++
				reached = true
			case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusConflict:
				// Who asks, or what is asked about, is looked at first.
			default:
				assert.Fail(t, "a wrong body is not refused", "%s %s: %s: %d %s", method, path, what, reply.Status, reply.Body)
			}
		}
		if reached {
			reachedOperations++
		}
	}
	t.Logf("%d of %d wrong bodies for %d of %d operations were refused for what is wrong with them", refused, asked, reachedOperations, len(bodies))
	assert.Greater(t, reachedOperations, 70, "the others are for Apps, or about what an organization has")
	for _, entry := range w.Audit()[len(w.Audit())-asked:] {
		assert.False(t, entry.Write, "%s %s", entry.Method, entry.Path)
	}
	assert.Len(t, w.Changes(), from)
	assert.Equal(t, before, saved())
}

// Clients send the newer of two fields alone, where the published description asks for
// the older one.
func TestRequiredChecksNeedNoContexts(t *testing.T) {
	_, owner, _ := furnished(t)
	protect := func(checks string) sandboxtest.Reply {
		return owner.Do("PUT", base+"/branches/main/protection", `{"required_status_checks":`+checks+`,"enforce_admins":false,"required_pull_request_reviews":null,"restrictions":null}`)
	}
	reply := protect(`{"strict":true,"checks":[{"context":"build"}]}`)
	require.Equal(t, http.StatusOK, reply.Status, reply.Body)
	assert.Equal(t, "build", reply.Text("required_status_checks.checks.0.context"))
	for wrong, want := range map[string]string{
		`{"strict":true}`: "contexts", `{"checks":[]}`: "strict", `{"strict":true,"checks":[{}]}`: "context", `{"strict":true,"checks":null}`: "contexts",
	} {
		reply := protect(wrong)
		assert.Equal(t, http.StatusUnprocessableEntity, reply.Status, wrong)
		assert.Contains(t, reply.Text("message"), want, wrong)
	}
}
