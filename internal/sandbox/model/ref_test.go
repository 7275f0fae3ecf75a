package model_test

import (
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestRefsThatCannotBeMade(t *testing.T) {
	w := newWorld(t)
	main := plumbing.NewHash(w.head("main"))
	blob, err := w.repo.Git.WriteBlob([]byte("x"))
	require.NoError(t, err)
	for _, c := range []struct {
		ref, want string
		at        plumbing.Hash
	}{
		{"refs/heads/main", "Reference already exists", main},
		{"refs/heads/main/below", "Reference update failed", main},
		{"refs/heads/new", "Object does not exist", plumbing.NewHash("0123456789012345678901234567890123456789")},
		{"refs/heads/new", "Object is not a commit", blob},
		{"heads/new", "Reference name must start with 'refs/heads/' or 'refs/tags/'.", main},
		{"refs/pull/1/head", "Reference name must start with 'refs/heads/' or 'refs/tags/'.", main},
		{"refs/heads/", "refs/heads/ is not a valid ref name.", main},
		{"refs/heads/../../x", "refs/heads/../../x is not a valid ref name.", main},
		{"refs/heads/a..b", "refs/heads/a..b is not a valid ref name.", main},
		{"refs/heads/a b", "refs/heads/a b is not a valid ref name.", main},
		{"refs/heads/x.lock", "refs/heads/x.lock is not a valid ref name.", main},
	} {
		assert.Equal(t, c.want, said(t, w.CreateRef(w.owner, w.repo, c.ref, c.at)), c.ref)
	}
	assert.NoError(t, w.CreateRef(w.owner, w.repo, "refs/tags/v1", main))
	assert.Len(t, w.repo.Git.Refs(""), 2)
}

func TestMovingRefs(t *testing.T) {
	w := newWorld(t)
	first := plumbing.NewHash(w.head("main"))
	w.branch("side")
	ahead := w.write("side", "a", "x", "ahead").Hash
	w.branch("other")
	other := w.write("other", "b", "x", "other").Hash

	move := func(ref string, to plumbing.Hash, force bool) error {
		return w.UpdateRef(w.owner, w.repo, ref, to, force)
	}
	assert.Equal(t, "Reference does not exist", said(t, move("refs/heads/none", first, false)))
	assert.Equal(t, "Object does not exist", said(t, move("refs/heads/side", plumbing.NewHash("11"), false)))
	assert.Equal(t, "Update is not a fast forward", said(t, move("refs/heads/side", other, false)))
	assert.Equal(t, "Update is not a fast forward", said(t, move("refs/heads/side", first, false)))
	assert.NoError(t, move("refs/heads/main", ahead, false))
	assert.NoError(t, move("refs/heads/side", other, true))

	w.repo.Protection["side"] = model.Protection{}
	assert.Equal(t, "Cannot force-push to this branch", said(t, move("refs/heads/side", first, true)))
	assert.Equal(t, "Cannot delete this branch", said(t, w.DeleteRef(w.owner, w.repo, "refs/heads/side")))
	assert.Equal(t, "Cannot delete the default branch", said(t, w.DeleteRef(w.owner, w.repo, "refs/heads/main")))
	assert.Equal(t, "Reference does not exist", said(t, w.DeleteRef(w.owner, w.repo, "refs/heads/none")))
	assert.NoError(t, w.DeleteRef(w.owner, w.repo, "refs/heads/other"))
}

func TestPullRequestsFollowTheirBranches(t *testing.T) {
	w := newWorld(t)
	t.Run("a push to the head moves it", func(t *testing.T) {
		pr := w.pull("a", "a", "x\n")
		commit := w.write("a", "a", "y\n", "more")
		assert.Equal(t, commit.Hash.String(), pr.Pull.HeadSHA)
	})
	t.Run("a head without new commits closes it", func(t *testing.T) {
		pr := w.pull("b", "b", "x\n")
		require.NoError(t, w.UpdateRef(w.owner, w.repo, "refs/heads/b", plumbing.NewHash(w.head("main")), true))
		assert.True(t, pr.Closed)
		assert.False(t, pr.Pull.Merged())
	})
	t.Run("deleting the head closes it, and it cannot be reopened until the branch is back", func(t *testing.T) {
		pr := w.pull("c", "c", "x\n")
		tip := plumbing.NewHash(w.head("c"))
		require.NoError(t, w.DeleteRef(w.owner, w.repo, "refs/heads/c"))
		assert.True(t, pr.Closed)
		reopen := model.IssueEdit{State: ptr("open")}
		assert.Equal(t, "state cannot be changed. The c branch has been deleted.", said(t, w.EditIssue(w.owner, w.repo, pr, reopen)))
		require.NoError(t, w.CreateRef(w.owner, w.repo, "refs/heads/c", tip))
		assert.NoError(t, w.EditIssue(w.owner, w.repo, pr, reopen))
		assert.Empty(t, pr.StateReason, "reasons are for issues")
	})
	t.Run("deleting the base closes it", func(t *testing.T) {
		w.branch("base")
		w.branch("d")
		w.write("d", "d", "x\n", "d")
		pr, err := w.OpenPull(w.owner, w.repo, model.NewPull{Title: "x", Head: "d", Base: "base"})
		require.NoError(t, err)
		require.NoError(t, w.DeleteRef(w.owner, w.repo, "refs/heads/base"))
		assert.True(t, pr.Closed)
		_, err = w.PullDiff(pr)
		assert.NoError(t, err, "its changes can still be seen")
	})
	t.Run("a push of its commits into the base merges it", func(t *testing.T) {
		pr := w.pull("e", "e", "x\n")
		before := w.head("main")
		require.NoError(t, w.UpdateRef(w.owner, w.repo, "refs/heads/main", plumbing.NewHash(w.head("e")), false))
		assert.True(t, pr.Pull.Merged())
		assert.Equal(t, before, pr.Pull.BaseSHA)
		files, err := w.PullDiff(pr)
		require.NoError(t, err)
		assert.Len(t, files, 1, "its changes can still be seen")
	})
	t.Run("commits of the default branch close issues", func(t *testing.T) {
		i := w.issue("x")
		w.write("main", "fix", "x", "repair it\n\nFixes #"+itoa(i.Number))
		assert.True(t, i.Closed)
		assert.Equal(t, "completed", i.StateReason)
	})
}

func TestContents(t *testing.T) {
	write := func(path, sha string, content []byte) model.FileWrite {
		return model.FileWrite{Path: path, Message: "m", Content: content, BlobSHA: sha}
	}
	readme := plumbing.ComputeHash(plumbing.BlobObject, []byte("# hello\n")).String()
	other := plumbing.ComputeHash(plumbing.BlobObject, []byte("other")).String()
	for _, c := range []struct {
		name  string
		write model.FileWrite
		want  string
	}{
		{"a new file", write("a/b.txt", "", []byte("x")), ""},
		{"an empty file", write("empty", "", []byte{}), ""},
		{"a change with the file's blob", write("README.md", readme, []byte("x")), ""},
		{"a change without the blob", write("README.md", "", []byte("x")), "Invalid request.\n\n\"sha\" wasn't supplied."},
		{"a change with another blob", write("README.md", other, []byte("x")), "README.md does not match " + other},
		{"a new file with a blob", write("new", other, []byte("x")), "new does not match " + other},
		{"a deletion", write("README.md", readme, nil), ""},
		{"a deletion without the blob", write("README.md", "", nil), "Invalid request.\n\n\"sha\" wasn't supplied."},
		{"a deletion of what is not there", write("none", readme, nil), "Not Found"},
		{"a directory", write(".github", "", []byte("x")), "path points to a directory"},
		{"a path that leaves the repository", write("../x", "", []byte("x")), "path contains a malformed path component"},
		{"a path into git's own folder", write(".git/config", "", []byte("x")), "path contains a malformed path component"},
		{"a file below a file", write("README.md/x", "", []byte("x")), "path contains a malformed path component"},
		{"an unknown branch", model.FileWrite{Path: "x", Message: "m", Content: []byte("x"), Branch: "none"}, "Branch none not found"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, dispatchable)
			before := w.head("main")
			commit, err := w.WriteFile(w.writer, w.repo, c.write)
			if c.want != "" {
				assert.Equal(t, c.want, said(t, err))
				assert.Equal(t, before, w.head("main"))
				return
			}
			require.NoError(t, err)
			assert.Equal(t, commit.Hash.String(), w.head("main"))
			assert.Equal(t, before, commit.Parents[0].String())
			assert.Equal(t, "writer", commit.Author.Name)
			assert.Equal(t, w.writer, w.Signer(commit.Author).ID, "the commit is the writer's")
			assert.Equal(t, w.Now, commit.Author.When.UTC())
			_, err = w.repo.Git.Entry(commit.Hash, c.write.Path)
			assert.Equal(t, c.write.Content == nil, err != nil)
		})
	}
}

func TestTheFirstFileMakesTheBranch(t *testing.T) {
	w := newWorld(t)
	empty := w.AddRepo(model.NewRepo{Owner: w.owner, Name: "empty", DefaultBranch: "trunk"})
	assert.True(t, empty.Empty())
	commit, err := w.WriteFile(w.owner, empty, model.FileWrite{Path: "a", Message: "m", Content: []byte("x")})
	require.NoError(t, err)
	assert.Empty(t, commit.Parents)
	tip, known := w.BranchHead(empty, "trunk")
	assert.True(t, known)
	assert.Equal(t, commit.Hash, tip)
}
