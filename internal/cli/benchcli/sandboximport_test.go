package benchcli_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

const fixturesRepo = "aryeko/ghx-bench-fixtures"

// script runs a shell script in a folder, with gh and git, in a sandbox.
func script(t *testing.T, folder, text string, flags ...string) string {
	t.Helper()
	text = strings.NewReplacer("GH ", realtool.Find(t, realtool.GH())+" ", "GIT ", realtool.Find(t, realtool.Git())+" ", "REPO", fixturesRepo).Replace(text)
	cmd := exec.Command("bench", append(append([]string{"sandbox", "exec"}, flags...), "--", "/bin/sh", "-ec", text)...)
	cmd.Dir = folder
	out, err := cmd.Output()
	require.NoError(t, err, "%s", out)
	return string(out)
}

// What gh and git see of a repository that was imported from what they have listed is
// what they see of the one that was listed.
func TestARepositoryThatIsImportedLooksAsTheOneThatWasListed(t *testing.T) {
	testkit.NeedComplete(t)
	folder := t.TempDir()
	script(t, folder, `
		GIT clone -q --mirror https://github.com/REPO repo.git
		GH issue comment 6 -R REPO -b "See #7"
		GH issue close 7 -R REPO -r "not planned"
		GH api --paginate 'repos/REPO/issues?state=all&per_page=7' > issues.json
		GH api --paginate 'repos/REPO/pulls?state=all&per_page=3' > pulls.json
		GH api --paginate 'repos/REPO/issues/comments?per_page=2' > comments.json
		GH api repos/REPO/labels > labels.json
		GH api 'repos/REPO/milestones?state=all' > milestones.json`, "--save", "listed.sandbox")
	args := []string{"sandbox", "import", "--git", "repo.git"}
	for _, name := range []string{"issues", "pulls", "comments", "labels", "milestones"} {
		args = append(args, "--issues", name+".json")
	}
	out, err := benchIn(folder, append(args, "--json", "imported.sandbox")...).Output()
	require.NoError(t, err)
	var told map[string]any
	require.NoError(t, json.Unmarshal(out, &told))
	for _, left := range []string{"pull_requests_not_listed", "pull_requests_without_commits", "comments_on_nothing"} {
		assert.Nil(t, told[left], left)
	}
	const look = `
		GH issue list -R REPO --state all --limit 100 --json number,title,state,stateReason,labels,author,assignees,milestone,body,createdAt,closedAt,comments --jq '
			.[] | .labels = [.labels[] | {name, color, description}] | .comments = [.comments[] | {body, author, createdAt}]
			| .assignees = [.assignees[].login] | .author = .author.login | .milestone = .milestone.title | @json'
		GH pr list -R REPO --state all --limit 100 --json number,title,state,isDraft,headRefName,headRefOid,baseRefName,additions,deletions,changedFiles,mergedAt,author,labels --jq '
			.[] | .author = .author.login | .labels = [.labels[].name] | @json'
		GH label list -R REPO
		GH pr diff 12 -R REPO || true
		GIT clone -q https://github.com/REPO
		GIT -C ghx-bench-fixtures log --all --format='%H %an %ad %s' | sort`
	was := script(t, t.TempDir(), look, "--snapshot", filepath.Join(folder, "listed.sandbox"))
	is := script(t, t.TempDir(), look, "--snapshot", filepath.Join(folder, "imported.sandbox"))
	require.Contains(t, was, "See #7")
	require.Contains(t, was, "NOT_PLANNED")
	assert.Equal(t, was, is)
	// Agents may work there.
	script(t, t.TempDir(), `GH issue create -R REPO -t New -b x | grep issues/21`, "--snapshot", filepath.Join(folder, "imported.sandbox"))
}

func TestWhatAnImportLeavesOutIsTold(t *testing.T) {
	folder := t.TempDir()
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@x", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@x")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	run("git", "init", "-q", "-b", "trunk", ".")
	run("git", "commit", "-q", "--allow-empty", "-m", "first")
	require.NoError(t, os.WriteFile(filepath.Join(folder, "list.json"), []byte(`
		[{"number": 1, "title": "Kept", "labels": [], "user": {"login": "a"}, "created_at": "2030-01-01T00:00:00Z"},
		 {"number": 2, "title": "Listed as issue", "labels": [], "pull_request": {}},
		 {"number": 3, "title": "Without commits", "labels": [], "head": {"sha": "1111111111111111111111111111111111111111"}, "base": {"ref": "trunk"}}]
		[{"id": 9, "issue_url": "https://api.github.com/repos/o/r/issues/7", "body": "lost"}]`), 0o600))
	cmd := benchIn(folder, "sandbox", "import", "--git", ".", "--repo", "o/r", "--issues", "list.json", "w.sandbox")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, want := range []string{
		"1 branches, 1 issues, 0 pull requests", "Clock       2030-01-01T00:00:0",
		"left out #2: no file lists branches of these pull requests; give that of `gh api --paginate 'repos/OWNER/REPO/pulls?state=all'`, too\n",
		"left out #3: the clone does not have the commits", "left out #7: no file lists what these comments are about\n", "Saved as w.sandbox",
	} {
		assert.Contains(t, string(out), want)
	}
	run("git", "commit", "-q", "--allow-empty", "-m", "second")
	run("git", "clone", "-q", "--depth", "1", "file://"+folder, "shallow")
	for says, args := range map[string][]string{
		"complete it with `git fetch --unshallow`":   {"--git", "shallow", "--repo", "o/r"},
		"--git is missing":                           {"--repo", "o/r"},
		"give --repo OWNER/NAME":                     {"--git", "."},
		`"o" is not OWNER/NAME`:                      {"--git", ".", "--repo", "o"},
		"--git no: ":                                 {"--git", "no", "--repo", "o/r"},
		"it cannot be read":                          {"--git", ".", "--repo", "o/r", "--issues", "no.json"},
		"object 1: it is no issue, pull request, co": {"--git", ".", "--repo", "o/r", "--issues", "-"},
	} {
		cmd := benchIn(folder, append(append([]string{"sandbox", "import"}, args...), "x.sandbox")...)
		cmd.Stdin = strings.NewReader(`[{"number": 1}]`)
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		assert.Equal(t, 2, cmd.ProcessState.ExitCode(), "%s", out)
		assert.Contains(t, string(out), says)
		assert.NoFileExists(t, filepath.Join(folder, "x.sandbox"))
	}
}
