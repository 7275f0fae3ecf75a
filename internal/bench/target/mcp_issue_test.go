package target_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestMCPReadsIssues(t *testing.T) {
	m := openAllMCP(t)
	read := func(method string) map[string]any {
		return m.in(map[string]any{"method": method, "issue_number": number(t, m.place, "issue")})
	}
	m.has(map[string]any{
		"title": "[bench:default] Document the configuration file", "state": "open", "user": map[string]any{"login": target.Owner}, "comments": 2,
		"labels": []any{map[string]any{"name": "bench-fixture"}, map[string]any{"name": "bench-seed:default"}},
	}, "issue_read", read("get"))
	m.has([]any{map[string]any{"user": map[string]any{"login": target.Reviewer}}, map[string]any{"user": map[string]any{"login": target.Owner}}},
		"issue_read", read("get_comments"))
	m.has(map[string]any{"totalCount": 2}, "issue_read", read("get_labels"))
	m.has([]any{}, "issue_read", read("get_sub_issues"))

	one := map[string]any{"number": number(t, m.place, "issue"), "state": "OPEN"}
	m.has(map[string]any{"totalCount": 1, "issues": []any{one}}, "list_issues", m.in(nil))
	m.has(map[string]any{"totalCount": 1, "issues": []any{one}}, "list_issues", m.in(map[string]any{
		"state": "OPEN", "labels": []string{"bench-fixture"}, "since": "2020-01-01T00:00:00Z", "orderBy": "UPDATED_AT", "direction": "ASC",
	}))
	m.has(map[string]any{"totalCount": 0}, "list_issues", m.in(map[string]any{"state": "CLOSED"}))
}

func TestMCPWritesIssues(t *testing.T) {
	m := openAllMCP(t)
	m.Call("issue_write", m.in(map[string]any{
		"method": "create", "title": "New", "body": "Text", "labels": []string{"bench-fixture"}, "assignees": []string{target.Reviewer},
	}))
	var made *model.Issue
	latest := func() {
		lookAt(t, m.place, func(s *model.State, repo *model.Repo) { made = s.Issue(repo, repo.LastNumber) })
	}
	latest()
	assert.Equal(t, []any{"New", "Text", 1, 1}, []any{made.Title, made.Body, len(made.Labels), len(made.Assignees)})

	update := func(args map[string]any) {
		args["method"], args["issue_number"] = "update", made.Number
		m.Call("issue_write", m.in(args))
		latest()
	}
	update(map[string]any{"title": "Other", "body": "Words", "assignees": []string{target.Owner, target.Agent}})
	assert.Equal(t, []any{"Other", "Words", 2}, []any{made.Title, made.Body, len(made.Assignees)})
	update(map[string]any{"state": "closed", "state_reason": "not_planned"})
	assert.Equal(t, []any{true, "not_planned"}, []any{made.Closed, made.StateReason})
	update(map[string]any{"state": "open"})
	assert.False(t, made.Closed)

	m.Call("add_issue_comment", m.in(map[string]any{"issue_number": made.Number, "body": "Hello"}))
	lookAt(t, m.place, func(s *model.State, _ *model.Repo) {
		comments := s.CommentsOf(made)
		assert.Len(t, comments, 1)
		assert.Equal(t, []string{"Hello", target.Agent}, []string{comments[0].Body, s.Login(comments[0].AuthorID)})
	})
}

func TestMCPSubIssues(t *testing.T) {
	m := openAllMCP(t)
	var first, second model.ID
	change(t, m.place, func(s *model.State, repo *model.Repo) error {
		for _, id := range []*model.ID{&first, &second} {
			i, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "Part"})
			if err != nil {
				return err
			}
			*id = i.ID
		}
		return nil
	})
	write := func(method string, sub model.ID, args map[string]any) map[string]any {
		args = m.in(args)
		args["method"], args["issue_number"], args["sub_issue_id"] = method, number(t, m.place, "issue"), sub
		return args
	}
	order := func(want ...model.ID) {
		t.Helper()
		lookAt(t, m.place, func(s *model.State, repo *model.Repo) {
			assert.Equal(t, want, s.Issue(repo, number(t, m.place, "issue")).SubIssues)
		})
	}
	m.Call("sub_issue_write", write("add", first, nil))
	m.Call("sub_issue_write", write("add", second, nil))
	order(first, second)
	m.has([]any{map[string]any{"id": first}, map[string]any{"id": second}}, "issue_read",
		m.in(map[string]any{"method": "get_sub_issues", "issue_number": number(t, m.place, "issue")}))
	again := m.Try("sub_issue_write", write("add", first, nil))
	assert.True(t, again.IsError)
	assert.Contains(t, again.Text, "Sub issue may only have one parent")

	m.Call("sub_issue_write", write("reprioritize", first, map[string]any{"after_id": second}))
	order(second, first)
	m.Call("sub_issue_write", write("remove", second, nil))
	order(first)
	missing := m.Try("sub_issue_write", write("remove", 1, nil))
	assert.True(t, missing.IsError)
	assert.Contains(t, missing.Text, "The provided sub-issue does not exist")
}

func TestMCPLabels(t *testing.T) {
	m := openAllMCP(t)
	m.has(map[string]any{"totalCount": 2}, "list_label", m.in(nil))
	m.has(map[string]any{"name": "bench-fixture", "color": "5319e7"}, "get_label", m.in(map[string]any{"name": "bench-fixture"}))
	label := func() (found *model.Label) {
		lookAt(t, m.place, func(s *model.State, repo *model.Repo) {
			for _, l := range s.LabelsOf(repo) {
				found = l
			}
		})
		return found
	}
	m.Call("label_write", m.in(map[string]any{"method": "create", "name": "new", "color": "ff0000", "description": "D"}))
	assert.Equal(t, []string{"new", "ff0000", "D"}, []string{label().Name, label().Color, label().Description})
	m.Call("label_write", m.in(map[string]any{"method": "update", "name": "new", "new_name": "newer", "color": "00FF00"}))
	assert.Equal(t, []string{"newer", "00ff00", "D"}, []string{label().Name, label().Color, label().Description})
	taken := m.Try("label_write", m.in(map[string]any{"method": "update", "name": "newer", "new_name": "bench-fixture"}))
	assert.True(t, taken.IsError)
	assert.Contains(t, taken.Text, "Name has already been taken")
	m.Call("label_write", m.in(map[string]any{"method": "delete", "name": "newer"}))
	assert.Equal(t, "bench-seed:default", label().Name)
}
