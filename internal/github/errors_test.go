package github_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

func TestErrorsNameTheMend(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   string
		header []string
		kind   fault.Kind
		want   string
	}{
		{"a bad token", 401, `{"message":"Bad credentials"}`, nil, fault.Invalid,
			"GitHub does not accept the token (401): give one that is whole, not revoked and not expired"},
		{"a permission that is missing", 403, `{"message":"Resource not accessible by integration"}`,
			[]string{"X-Accepted-GitHub-Permissions", "issues=write; pull_requests=write,contents=read"}, fault.Invalid,
			`the token lacks a permission (403): grant it "issues: write" or "pull-requests: write and contents: read"; the token of a fork's pull request may only read`},
		{"a permission that is not named", 403, `{"message":"Resource not accessible by personal access token"}`, nil, fault.Invalid,
			"the token lacks a permission (403): grant it in the workflow's permissions or in the App's settings; the token of a fork's pull request may only read"},
		{"single sign-on", 403, `{"message":"Resource protected by organization SAML enforcement."}`,
			[]string{"X-GitHub-SSO", "required; url=https://github.com/orgs/o/sso?authorization_request=hunter2"}, fault.Invalid,
			"the organization asks for single sign-on (403): authorize the token for it in the token's settings"},
		{"another refusal", 403, `{"message":"Must have admin rights"}`, nil, fault.Invalid, "GitHub refuses it (403): Must have admin rights"},
		{"what is not there", 404, `{"message":"Not Found"}`, nil, fault.Invalid,
			"GitHub has no such thing, or the token may not see it (404): check the name and the token's permissions"},
		{"what was deleted", 410, `{"message":"This issue was deleted"}`, nil, fault.Invalid, "it was deleted or is turned off (410): This issue was deleted"},
		{"what is not valid", 422, `{"message":"Validation Failed","errors":[{"field":"data","code":"unprocessable","message":"Body is too long"},{"field":"name","code":"missing_field"}]}`,
			nil, fault.Invalid, "GitHub does not accept what was sent (422): Validation Failed: Body is too long: name is missing field"},
		{"too many requests", 429, `{"message":"slow down"}`, nil, fault.Infrastructure, "GitHub's rate limit is used up (429): slow down"},
		{"a primary limit", 403, `{"message":"API rate limit exceeded"}`, []string{"X-RateLimit-Remaining", "0"}, fault.Infrastructure,
			"GitHub's rate limit is used up (403): API rate limit exceeded"},
		{"a secondary limit", 403, `{"message":"secondary rate limit","documentation_url":"https://docs.github.com/x#secondary-rate-limits"}`, nil, fault.Infrastructure,
			"GitHub's rate limit is used up (403): secondary rate limit"},
		{"a failure", 503, `<html>`, nil, fault.Infrastructure, "GitHub failed (503): try again later"},
		{"something else", 409, `{"message":"Conflict"}`, nil, fault.Infrastructure, "GitHub refuses it (409): Conflict"},
		{"words without end", 403, `{"message":"` + strings.Repeat("a\n ", 9999) + `"}`, nil, fault.Infrastructure, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := client(t, github.Options{Token: "hunter2", Transport: roundTrip(says(c.status, c.body, c.header...))})
			if c.want == "" {
				long := fault.Public(github.Explain("x", get(t.Context(), client)))
				assert.Less(t, len(long), 400)
				assert.NotContains(t, long, "\n")
				return
			}
			for name, call := range map[string]call{"REST": get, "GraphQL": query} {
				err := call(t.Context(), client)
				explained := github.Explain("do it", err)
				want := c.want
				if name == "GraphQL" && c.status == 422 {
					want = "GitHub does not accept what was sent (422): Validation Failed"
				}
				assert.Equal(t, "do it: "+want, fault.Public(explained), name)
				assert.Equal(t, c.kind, fault.KindOf(explained), name)
				assert.NotContains(t, explained.Error(), "hunter2", name)
				assert.Equal(t, c.status, github.StatusOf(explained), name)
			}
		})
	}
}

func TestErrorsWithoutAnAnswer(t *testing.T) {
	unreachable := errors.New(`Get "https://u:hunter2@api.github.com/x?token=hunter2": no route`)
	for _, c := range []struct {
		err  error
		kind fault.Kind
		want string
	}{
		{unreachable, fault.Infrastructure, "do it: GitHub cannot be reached, or its answer cannot be read"},
		{fmt.Errorf("x: %w", context.Canceled), fault.Infrastructure, "do it: it was stopped before GitHub answered"},
		{github.GraphQLErrors{{Type: "NOT_FOUND", Message: "Could not resolve"}}, fault.Invalid, "do it: GitHub has no such thing, or the token may not see it: Could not resolve"},
		{github.GraphQLErrors{{Type: "FORBIDDEN", Message: "no"}}, fault.Invalid, "do it: the token may not do this: no"},
		{github.GraphQLErrors{{Message: "Something went wrong"}}, fault.Infrastructure, "do it: GitHub says: Something went wrong"},
	} {
		got := github.Explain("do it", c.err)
		assert.Equal(t, c.want, fault.Public(got))
		assert.Equal(t, c.kind, fault.KindOf(got))
		assert.NotContains(t, got.Error(), "hunter2")
		assert.ErrorContains(t, errors.Unwrap(errors.Unwrap(got)), c.err.Error())
		assert.Zero(t, github.StatusOf(got))
	}
	assert.NoError(t, github.Explain("do it", nil))
	assert.False(t, github.Limited(nil))
	assert.True(t, github.Limited(get(t.Context(), client(t, github.Options{Transport: roundTrip(says(http.StatusTooManyRequests, `{}`))}))))
}

func TestWhatGitHubDoesNotDoLaterEither(t *testing.T) {
	for _, c := range []struct {
		status  int
		body    string
		refused bool
	}{
		{405, `{"message":"Pull Request is not mergeable"}`, true},
		{409, `{"message":"Conflict"}`, true},
		{422, `{"message":"Validation Failed"}`, true},
		{429, `{"message":"slow down"}`, false},
		{503, `{}`, false},
	} {
		client := client(t, github.Options{Token: "hunter2", Transport: roundTrip(says(c.status, c.body))})
		assert.Equal(t, c.refused, github.Refused(get(t.Context(), client)), c.status)
	}
	for kind, refused := range map[string]bool{"UNPROCESSABLE": true, "RATE_LIMITED": false} {
		client := client(t, github.Options{Token: "hunter2", Transport: roundTrip(says(200, `{"errors":[{"type":"`+kind+`","message":"no"}]}`))})
		assert.Equal(t, refused, github.Refused(query(t.Context(), client)), kind)
	}
	assert.False(t, github.Refused(errors.New("connection reset")))
}
