package ghxbuild_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
)

func TestACheckoutTellsWhereItIsFrom(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git makes the repository")
	}
	folder := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	open := func() ghxbuild.Checkout {
		t.Helper()
		checkout, err := ghxbuild.OpenCheckout(folder)
		require.NoError(t, err)
		return checkout
	}
	git("init", "-q", "-b", "trunk")
	assert.Equal(t, "trunk", open().DefaultBranch(), "before there is a commit")
	assert.Empty(t, open().MergedFrom(10))
	owner, _ := open().Origin()
	assert.Empty(t, owner)
	for _, message := range []string{
		"Merge pull request #9 from aaron/x",
		"Merge pull request #1 from acme/fix\n\nFix", "Fix (#2)", "Merge pull request #3 from octocat/main\n\nMerge pull request #4 from mallory/x",
		"Merge branch 'main' of github.com:hubot/tool", "Merge pull request #5 from acme/other",
	} {
		git("commit", "-q", "--allow-empty", "-m", message)
	}
	assert.Equal(t, []string{"aaron", "acme", "octocat"}, open().MergedFrom(10))
	assert.Equal(t, []string{"acme"}, open().MergedFrom(2), "of the last ones alone")
	assert.Equal(t, []string{"acme", "octocat"}, open().MergedFrom(3))
	git("remote", "add", "origin", "x")
	for address, want := range map[string][2]string{
		"https://github.com/acme/tool":                  {"acme", "tool"},
		"https://token@github.com/acme/tool.git":        {"acme", "tool"},
		"git@github.com:acme/tool.git":                  {"acme", "tool"},
		"ssh://git@ghe.example.com:2222/acme/tool.git/": {"acme", "tool"},
		"https://github.com/acme/tool.js":               {"acme", "tool.js"},
		"/srv/git/acme/tool":                            {},
		"https://github.com/acme":                       {},
	} {
		git("remote", "set-url", "origin", address)
		owner, name := open().Origin()
		assert.Equal(t, want, [2]string{owner, name}, address)
	}
	git("config", "--unset", "remote.origin.url")
	owner, _ = open().Origin()
	assert.Empty(t, owner, "it has no address")
	git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
	assert.Equal(t, "develop", open().DefaultBranch())
	git("symbolic-ref", "--delete", "refs/remotes/origin/HEAD")
	git("checkout", "-q", "--detach")
	assert.Empty(t, open().DefaultBranch())
	checkout := open()
	require.NoError(t, os.Remove(filepath.Join(folder, ".git/HEAD")))
	assert.Empty(t, checkout.DefaultBranch(), "it goes away meanwhile")
}
