package sandbox_test

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// clone is a working copy of a repository of the sandbox's, of a user whose git goes by
// nothing on this machine.
type clone struct {
	t      *testing.T
	folder string
	env    []string
}

func newClone(t *testing.T, w *sandboxtest.World, user, fullName string) *clone {
	t.Helper()
	needGit(t)
	w.As(user)
	home := t.TempDir()
	address := strings.Replace(w.URL, "http://", "http://x:"+sandboxtest.Token(user)+"@", 1) + "/" + fullName + ".git"
	c := &clone{t: t, folder: home, env: []string{
		"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "NO_PROXY=*", "LC_ALL=C",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=http.extraHeader", "GIT_CONFIG_VALUE_0=Host: github.com",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}}
	c.git("clone", "-q", address, "copy")
	c.folder = filepath.Join(home, "copy")
	return c
}

// try runs git and returns all that it prints, and whether it succeeded.
func (c *clone) try(args ...string) (string, bool) {
	c.t.Helper()
	cmd := exec.CommandContext(c.t.Context(), "git", args...)
	cmd.Dir, cmd.Env = c.folder, c.env
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

func (c *clone) git(args ...string) string {
	c.t.Helper()
	out, good := c.try(args...)
	require.True(c.t, good, "git %s: %s", args, out)
	return strings.TrimSpace(out)
}

// commit writes a file and commits it.
func (c *clone) commit(name string, content []byte) {
	c.t.Helper()
	require.NoError(c.t, os.MkdirAll(filepath.Dir(filepath.Join(c.folder, name)), 0o700))
	require.NoError(c.t, os.WriteFile(filepath.Join(c.folder, name), content, 0o600))
	c.git("add", "-A")
	c.git("commit", "-q", "-m", "add "+name)
}

// temporaries has folders for git made below a folder of the test's, and returns it.
func temporaries(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	return folder
}

// packs returns the packs in the folders that are kept.
func packs(t *testing.T, temporary string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(temporary, "sandbox-git-*", "objects", "pack", "*.pack"))
	require.NoError(t, err)
	return all
}

func TestAFetchWritesOnlyWhatHasComeSinceTheLast(t *testing.T) {
	temporary := temporaries(t)
	t.Cleanup(func() {
		left, err := os.ReadDir(temporary)
		require.NoError(t, err)
		assert.Empty(t, left, "nothing is left behind")
	})
	w := sandboxtest.New(t)
	c := newClone(t, w, "writer", "owner/hello")
	require.Len(t, packs(t, temporary), 1)
	first, err := os.Stat(packs(t, temporary)[0])
	require.NoError(t, err)
	reader := newClone(t, w, "reader", "owner/hello")
	require.Len(t, packs(t, temporary), 1, "nothing has come")

	content := make([]byte, 300_000)
	_, err = rand.Read(content)
	require.NoError(t, err)
	c.commit("a/b.bin", content)
	c.git("push", "-q", "origin", "main")
	reader.git("pull", "-q")
	got, err := os.ReadFile(filepath.Join(reader.folder, "a/b.bin"))
	require.NoError(t, err)
	assert.True(t, bytes.Equal(content, got))
	require.Len(t, packs(t, temporary), 2)
	again, err := os.Stat(packs(t, temporary)[0])
	require.NoError(t, err)
	assert.Equal(t, first.ModTime(), again.ModTime(), "the first pack was not written again")

	w.As("writer").Do(http.MethodPost, "/repos/owner/hello/git/refs", map[string]any{"ref": "refs/heads/new", "sha": c.git("rev-parse", "HEAD")})
	reader.git("fetch", "-q")
	assert.Equal(t, c.git("rev-parse", "HEAD"), reader.git("rev-parse", "origin/new"), "a new ref to what was there")
	assert.Len(t, packs(t, temporary), 2)

	assert.Equal(t, c.git("rev-parse", "HEAD"), newClone(t, w, "reader", "owner/hello").git("rev-parse", "HEAD"), "of two packs")
}

func TestWhatAFetchIsAnswered(t *testing.T) {
	needGit(t)
	w := sandboxtest.New(t)
	advertised := func(headers ...string) string {
		response, said := onWeb(t, w, "", http.MethodGet, fetchRefs, "", headers...)
		require.Equal(t, http.StatusOK, response.StatusCode)
		assert.EqualValues(t, len(said), response.ContentLength)
		return said
	}
	old := advertised()
	assert.True(t, strings.HasPrefix(old, line("# service=git-upload-pack\n")+"0000"), old)
	assert.Contains(t, old, " refs/heads/main\n")
	assert.Contains(t, old, "symref=HEAD:refs/heads/main")
	assert.Contains(t, old, " filter")
	assert.Contains(t, advertised("Git-Protocol", "version=2"), line("version 2\n"))
	const fetch = "/owner/hello.git/git-upload-pack"
	_, said := onWeb(t, w, "", http.MethodPost, fetch, line("want "+one+"\n")+"00000009done\n")
	assert.Contains(t, said, "not our ref "+one, "git tells the client itself")
	response, _ := onWeb(t, w, "", http.MethodPost, fetch, "zzzz")
	assert.Equal(t, http.StatusBadRequest, response.StatusCode)
	assert.Contains(t, advertised(), " refs/heads/main\n", "and the next one is served")
}

// Nothing of this machine's configuration reaches git.
func TestFetchesAreOnTheirOwn(t *testing.T) {
	needGit(t)
	w := sandboxtest.New(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_TRACE", filepath.Join(home, "trace"))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[broken"), 0o600))
	response, _ := onWeb(t, w, "", http.MethodGet, fetchRefs, "")
	assert.Equal(t, http.StatusOK, response.StatusCode)
	assert.NoFileExists(t, filepath.Join(home, "trace"))
}

func TestFilesThatGitHubDoesNotTake(t *testing.T) {
	testkit.NeedComplete(t)
	w := sandboxtest.New(t)
	c := newClone(t, w, "writer", "owner/hello")
	c.commit("video/large.bin", make([]byte, 60<<20))
	out, good := c.try("push", "origin", "main")
	require.True(t, good, out)
	assert.Contains(t, out, "remote: warning: File video/large.bin is 60.00 MB; this is larger than GitHub's recommended maximum file size of 50.00 MB")
	assert.Contains(t, out, "remote: warning: GH001: Large files detected.")

	c.commit("fine.txt", []byte("x"))
	c.commit("video/huge.bin", make([]byte, 120<<20))
	out, good = c.try("push", "origin", "main", "main:other")
	require.False(t, good, out)
	assert.Contains(t, out, "remote: error: File video/huge.bin is 120.00 MB; this exceeds GitHub's file size limit of 100.00 MB")
	assert.Contains(t, out, "remote: error: GH001: Large files detected. You may want to try Git Large File Storage - https://git-lfs.github.com.")
	assert.Contains(t, out, "main -> main (pre-receive hook declined)")
	assert.Contains(t, out, "main -> other (pre-receive hook declined)")
	w.Look(func(s *model.State) {
		refs := s.Repo("owner", "hello").Git.Refs("")
		require.Len(t, refs, 1, "nothing was taken")
		assert.NotEqual(t, c.git("rev-parse", "HEAD"), refs[0].Hash.String())
	})

	response, said := onWeb(t, w, sandboxtest.Token("writer"), http.MethodPost, "/owner/hello.git/info/lfs/objects/batch", "{}")
	assert.Equal(t, http.StatusNotImplemented, response.StatusCode)
	assert.JSONEq(t, `{"message":"This sandbox has no Git LFS."}`, said)
	assert.Equal(t, []string{"Git LFS"}, w.Unsupported(sandboxtest.Token("writer")))
	response, _ = onWeb(t, w, sandboxtest.Token("writer"), http.MethodGet, "/owner/hello.git/info/refs", "")
	assert.Equal(t, http.StatusNotFound, response.StatusCode, "git of long ago asks so")
	response, said = onWeb(t, w, sandboxtest.Token("writer"), http.MethodGet, "/5d6fd2a9.git/info/refs?service=git-upload-pack", "")
	assert.Equal(t, http.StatusNotImplemented, response.StatusCode)
	assert.Equal(t, "This sandbox has no git of gists: the API has their files.\n", said)
	assert.Equal(t, []string{"Git LFS", "git of gists"}, w.Unsupported(sandboxtest.Token("writer")))
}

// A push that is too large is refused in git's words, once all of it was sent, and
// nothing of it stays.
func TestPushesThatAreTooLarge(t *testing.T) {
	const most = 3 << 20
	temporary := temporaries(t)
	w := sandboxtest.New(t)
	w.LimitPushes(most)
	c := newClone(t, w, "writer", "owner/hello")
	head := c.git("rev-parse", "HEAD")
	noise := func(size int) []byte {
		content := make([]byte, size)
		_, err := rand.Read(content)
		require.NoError(t, err)
		return content
	}
	c.commit("fits.bin", noise(most-most/10))
	c.git("push", "-q", "origin", "HEAD:refs/heads/fits")
	c.git("reset", "-q", "--hard", head)
	c.commit("first.bin", noise(most/2))
	c.commit("second.bin", noise(most/2))
	said, good := c.try("push", "-q", "origin", "HEAD:refs/heads/large")
	assert.False(t, good)
	assert.Contains(t, said, "remote: fatal: pack exceeds maximum allowed size (3.00 MiB)")
	assert.Contains(t, said, "remote unpack failed: index-pack abnormal exit")
	assert.Contains(t, said, "[remote rejected] HEAD -> large (unpacker error)")
	assert.NotContains(t, c.git("ls-remote", "origin"), "refs/heads/large")
	left, err := filepath.Glob(filepath.Join(temporary, "sandbox-push-*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}
