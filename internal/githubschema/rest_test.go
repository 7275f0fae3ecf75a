package githubschema_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/githubschema"
)

func TestFind(t *testing.T) {
	for _, c := range []struct{ name, method, path, want string }{
		{"the root", "GET", "/", "GET /"},
		{"variables", "PATCH", "/repos/octocat/hello/issues/3", "PATCH /repos/{owner}/{repo}/issues/{issue_number}"},
		{"a query does not count", "GET", "/repos/octocat/hello/issues?state=all", "GET /repos/{owner}/{repo}/issues"},
		{"a HEAD is as its GET", "HEAD", "/repos/octocat/hello", "GET /repos/{owner}/{repo}"},
		{"what is named goes before a variable", "GET", "/repos/octocat/hello/releases/latest", "GET /repos/{owner}/{repo}/releases/latest"},
		{"a name with slashes at the end", "GET", "/repos/octocat/hello/git/ref/heads/a/b", "GET /repos/{owner}/{repo}/git/ref/{ref}"},
		{"a name with slashes in the middle", "GET", "/repos/octocat/hello/branches/a/b/protection", "GET /repos/{owner}/{repo}/branches/{branch}/protection"},
		{"a name with slashes that ends as another path begins", "GET", "/repos/octocat/hello/commits/a/status", "GET /repos/{owner}/{repo}/commits/{ref}/status"},
		{"a file", "PUT", "/repos/octocat/hello/contents/a/b.txt", "PUT /repos/{owner}/{repo}/contents/{path}"},
		{"the root of the files", "GET", "/repos/octocat/hello/contents", "GET /repos/{owner}/{repo}/contents/{path}"},
		{"the root of the files with a slash", "GET", "/repos/octocat/hello/contents/", "GET /repos/{owner}/{repo}/contents/{path}"},
		{"no other empty value", "GET", "/repos/octocat/hello/git/ref", ""},
		{"no other empty value with a slash", "GET", "/repos/octocat/hello/git/ref/", ""},
		{"a repository by its id", "GET", "/repositories/12/issues/3", "GET /repos/{owner}/{repo}/issues/{issue_number}"},
		{"a path to be filled in", "GET", "/repos/{{owner}}/{{repo}}/issues/{{n}}", "GET /repos/{owner}/{repo}/issues/{issue_number}"},
		{"a name that has no slashes", "GET", "/repos/octo/cat/hello/git/ref/heads/main", ""},
		{"a name with slashes is not empty", "GET", "/repos/octocat/hello/branches/protection", "GET /repos/{owner}/{repo}/branches/{branch}"},
		{"another method", "DELETE", "/repos/octocat/hello/issues/3", ""},
		{"a path that GitHub does not have", "GET", "/repos/octocat/hello/isues", ""},
		{"a longer path", "GET", "/repos/octocat/hello/issues/3/mileStone", ""},
		{"no path", "GET", "", ""},
		{"a path of one part", "GET", "/isues", ""},
		{"a path that begins with a name", "GET", "api/repos/octocat/hello", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			op, known := githubschema.Find(c.method, c.path)
			require.Equal(t, c.want != "", known)
			if known {
				assert.Equal(t, c.want, op.String())
			}
		})
	}
}

// Every operation is found by its own path, with values in the place of
// variables.
func TestEveryOperationIsFound(t *testing.T) {
	for _, op := range githubschema.Operations() {
		found, known := githubschema.Find(op.Method, op.Path)
		if op.Path == "/repos/{owner}/{repo}/compare/{base}...{head}" {
			continue // the older name of the operation at {basehead}
		}
		if assert.True(t, known, op.String()) {
			assert.Equal(t, op.String(), found.String())
		}
		assert.NotZero(t, op.Status, op.String())
		assert.NotEmpty(t, op.ID, op.String())
	}
}

func TestAnOperationTellsWhatItTakes(t *testing.T) {
	op, known := githubschema.Find("GET", "/repos/octocat/hello/issues")
	require.True(t, known)
	assert.Equal(t, "issues/list-for-repo", op.ID)
	assert.Equal(t, "https://docs.github.com/rest/issues/issues#list-repository-issues", op.Documentation)
	parameters := map[string]githubschema.Parameter{}
	for _, p := range op.Parameters {
		parameters[p.Name] = p
	}
	assert.True(t, parameters["owner"].Required)
	assert.Equal(t, "path", parameters["owner"].In)
	assert.Equal(t, "query", parameters["state"].In)
	assert.False(t, parameters["state"].Required)
	assert.Equal(t, []string{"open", "closed", "all"}, parameters["state"].Shape.Enum)
	assert.Equal(t, githubschema.Integer, parameters["per_page"].Shape.Kind)
	assert.Nil(t, op.Body)
	assert.Equal(t, 200, op.Status)

	create, known := githubschema.Find("POST", "/repos/octocat/hello/issues")
	require.True(t, known)
	assert.Equal(t, 201, create.Status)
	for _, f := range create.Body.Fields {
		assert.Equal(t, f.Name != "title", f.Optional, f.Name)
	}
	assert.NoError(t, create.Body.Admits(map[string]any{"title": "a", "labels": []any{"bug"}}))
	assert.ErrorContains(t, create.Body.Admits(map[string]any{"tilte": "a"}), `did you mean "title"?`)

	none, known := githubschema.Find("DELETE", "/repos/octocat/hello")
	require.True(t, known)
	assert.Equal(t, 204, none.Status)
	assert.Nil(t, none.Answer)
}
