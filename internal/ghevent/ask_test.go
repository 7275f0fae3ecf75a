package ghevent_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/github"
)

var hello = ghevent.Repo{Owner: "owner", Name: "hello"}

// asking returns a client of a GitHub that has these answers, by path, and what
// it was asked for.
func asking(t *testing.T, answers map[string]string) (client *github.Client, asked *[]string) {
	t.Helper()
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.Path)
		body, known := answers[r.URL.Path]
		if !known {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	client, err := github.New(github.Options{RESTURL: server.URL})
	require.NoError(t, err)
	return client, asked
}

const (
	commitPath = "/repos/owner/hello/git/commits/abc"
	filesPath  = "/repos/owner/hello/pulls/3/files"
)

func TestFilesAreAskedForWherePathsMatter(t *testing.T) {
	answers := map[string]string{
		commitPath: `{"message": "[skip bench]"}`,
		filesPath:  `[{"filename": "a.go"}, {"filename": "new.go", "previous_filename": "docs/old.md"}]`,
	}
	pull := ghevent.Pull{Number: 3, HeadSHA: "abc"}
	client, asked := asking(t, answers)
	head, err := ghevent.Rules{}.Ask(t.Context(), client, hello, pull)
	require.NoError(t, err)
	assert.Equal(t, ghevent.Head{Pull: pull, CommitMessage: "[skip bench]"}, head)
	assert.Equal(t, []string{commitPath}, *asked)

	docs := ghevent.Rules{Paths: []string{"docs/**"}}
	head, err = docs.Ask(t.Context(), client, hello, pull)
	require.NoError(t, err)
	assert.Equal(t, []string{"a.go", "new.go", "docs/old.md"}, head.ChangedFiles)
	assert.Empty(t, docs.Skip(head), "a file that was moved away is touched")

	answers[filesPath] = `[]`
	head, err = docs.Ask(t.Context(), client, hello, pull)
	require.NoError(t, err)
	assert.NotEmpty(t, docs.Skip(head), "that nothing is changed is known")

	delete(answers, commitPath)
	_, err = docs.Ask(t.Context(), client, hello, pull)
	require.ErrorContains(t, err, "read the head commit")
	answers[commitPath] = `{}`
	delete(answers, filesPath)
	_, err = docs.Ask(t.Context(), client, hello, pull)
	require.ErrorContains(t, err, "list the changed files")
}

func TestAPullRequestIsAsItIsNow(t *testing.T) {
	client, _ := asking(t, map[string]string{
		"/repos/owner/hello/pulls/3": `{"number": 3, "state": "closed", "draft": true, "labels": [{"name": "bench"}],
			"head": {"sha": "h", "repo": null}, "base": {"sha": "b", "ref": "main"}}`,
		"/repos/owner/hello/pulls/4": `{"number": 4, "state": "open", "head": {"sha": "h", "repo": {"full_name": "Owner/Hello"}}, "base": {"sha": "b", "ref": "main"}}`,
	})
	pull, err := ghevent.AskPull(t.Context(), client, hello, 3)
	require.NoError(t, err)
	assert.Equal(t, ghevent.Pull{Number: 3, HeadSHA: "h", BaseSHA: "b", BaseRef: "main", Fork: true, Draft: true, Closed: true, Labels: []string{"bench"}}, pull)
	pull, err = ghevent.AskPull(t.Context(), client, hello, 4)
	require.NoError(t, err)
	assert.False(t, pull.Fork)
	assert.False(t, pull.Closed)
	_, err = ghevent.AskPull(t.Context(), client, hello, 5)
	require.Error(t, err)
}

func TestThePullRequestsOfABranchAndOfACommit(t *testing.T) {
	const pulls = `[
		{"number": 3, "state": "open", "head": {"sha": "abc", "repo": {"full_name": "octocat/hello"}}, "base": {"ref": "main"}, "user": {"type": "Bot"}, "draft": true},
		{"number": 4, "state": "open", "head": {"sha": "abc", "repo": {"full_name": "Owner/Hello"}}, "base": {"ref": "v1"}},
		{"number": 5, "state": "closed", "head": {"sha": "abc"}, "base": {"ref": "v2"}},
		{"number": 6, "state": "open", "head": {"sha": "def"}, "base": {"ref": "v3"}},
		{"number": 7, "state": "open", "head": {"sha": "abc"}, "base": {"ref": "main"}}]`
	client, _ := asking(t, map[string]string{"/repos/owner/hello/pulls": pulls, "/repos/owner/hello/commits/abc/pulls": pulls})
	from, err := ghevent.AskPullsFrom(t.Context(), client, hello, "octocat", "fix")
	require.NoError(t, err)
	require.Len(t, from, 5)
	assert.Equal(t, ghevent.Pull{Number: 3, HeadSHA: "abc", BaseRef: "main", HeadRepo: "octocat/hello", Fork: true, ByBot: true, Draft: true}, from[0])
	assert.False(t, from[1].Fork)

	for number, others := range map[int][]int{3: {4}, 4: {3, 7}, 7: {4}, 9: {3, 4, 7}} {
		got, err := ghevent.Contested(t.Context(), client, hello, number, "abc")
		require.NoError(t, err)
		assert.Equal(t, others, got, "of pull request %d, those that are open with its head, into other branches", number)
	}
	_, err = ghevent.Contested(t.Context(), client, hello, 3, "0")
	require.Error(t, err)
	_, err = ghevent.AskPullsFrom(t.Context(), client, ghevent.Repo{Owner: "o", Name: "r"}, "octocat", "fix")
	assert.Error(t, err)
}
