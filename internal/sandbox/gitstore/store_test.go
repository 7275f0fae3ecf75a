package gitstore_test

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
)

func TestHashesAreThoseOfGit(t *testing.T) {
	g := findGit(t)
	s := gitstore.New()
	content := []byte("hello\n")
	blob, err := s.WriteBlob(content)
	require.NoError(t, err)
	assert.Equal(t, g.run(bytes.NewBuffer(content), "hash-object", "-w", "--stdin"), blob.String()+"\n")

	root, err := s.WriteTree(gitstore.Hash{}, []gitstore.Change{
		{Path: "a", Blob: blob, Mode: filemode.Executable},
		{Path: "a.b", Blob: blob},
		{Path: "a-b", Blob: blob, Mode: filemode.Symlink},
		{Path: "m", Blob: gitstore.Hash{7}, Mode: filemode.Submodule},
	})
	require.NoError(t, err)
	listing := fmt.Sprintf("100755 blob %s\ta\n100644 blob %s\ta.b\n120000 blob %s\ta-b\n160000 commit %s\tm\n",
		blob, blob, blob, gitstore.Hash{7})
	assert.Equal(t, g.run(bytes.NewBufferString(listing), "mktree"), root.String()+"\n")

	zone := time.FixedZone("", -(5*3600 + 30*60))
	author := gitstore.Signature{Name: " Zoë <Z> ", Email: "zoe@example.com", When: time.Unix(1700000000, 0).In(zone)}
	commit, err := s.WriteCommit(gitstore.CommitSpec{Tree: root, Author: author, Committer: author, Message: "no newline"})
	require.NoError(t, err)
	g.env = append(g.env, "GIT_AUTHOR_NAME= Zoë <Z> ", "GIT_AUTHOR_EMAIL=zoe@example.com", "GIT_AUTHOR_DATE=1700000000 -0530",
		"GIT_COMMITTER_NAME= Zoë <Z> ", "GIT_COMMITTER_EMAIL=zoe@example.com", "GIT_COMMITTER_DATE=1700000000 -0530")
	assert.Equal(t, g.run(bytes.NewBufferString("no newline"), "commit-tree", root.String()), commit.String()+"\n")

	tag, err := s.WriteTag(gitstore.TagSpec{Target: commit, Name: "v1.0", Tagger: author, Message: "first\n"})
	require.NoError(t, err)
	text := fmt.Sprintf("object %s\ntype commit\ntag v1.0\ntagger Zoë Z <zoe@example.com> 1700000000 -0530\n\nfirst\n", commit)
	assert.Equal(t, g.run(bytes.NewBufferString(text), "mktag"), tag.String()+"\n")
}

func TestWhatWasWrittenIsReadBack(t *testing.T) {
	s := gitstore.New()
	w := newWorld(t, 1)
	author, committer := w.signature("Alice"), w.signature("Carol")
	author.When = author.When.In(time.FixedZone("", 2*3600))
	empty, err := s.WriteTree(gitstore.Hash{}, nil)
	require.NoError(t, err)
	first, err := s.WriteCommit(gitstore.CommitSpec{Author: author, Committer: committer, Message: "one\n\ntwo"})
	require.NoError(t, err)
	second, err := s.WriteCommit(gitstore.CommitSpec{
		Tree: empty, Parents: []gitstore.Hash{first, first}, Author: author, Committer: committer})
	require.NoError(t, err)

	c, err := s.Commit(second)
	require.NoError(t, err)
	assert.Equal(t, []gitstore.Hash{first, first}, c.Parents)
	assert.Empty(t, c.Message)
	c, err = s.Commit(first)
	require.NoError(t, err)
	assert.Equal(t, empty, c.Tree, "a zero tree is the empty one")
	assert.Equal(t, "one\n\ntwo", c.Message)
	assert.Equal(t, author.String(), c.Author.String())
	assert.Equal(t, committer, c.Committer)

	h, err := s.WriteTag(gitstore.TagSpec{Target: empty, Name: "trees/1", Tagger: committer, Message: "m"})
	require.NoError(t, err)
	tag, err := s.Tag(h)
	require.NoError(t, err)
	assert.Equal(t, gitstore.Tag{Hash: h, Target: empty, TargetType: plumbing.TreeObject,
		Name: "trees/1", Tagger: committer, Message: "m"}, tag)
	kind, ok := s.Type(h)
	assert.True(t, ok)
	assert.Equal(t, plumbing.TagObject, kind)
}

func TestABlobBelongsToItsReader(t *testing.T) {
	s := gitstore.New()
	content := []byte("abc")
	h, err := s.WriteBlob(content)
	require.NoError(t, err)
	content[0] = 'X'
	read, err := s.Blob(h)
	require.NoError(t, err)
	assert.Equal(t, "abc", string(read))
	read[0] = 'Y'
	again, err := s.Blob(h)
	require.NoError(t, err)
	assert.Equal(t, "abc", string(again))
}

func TestWritesThatWouldBreakTheStoreAreRefused(t *testing.T) {
	s := gitstore.New()
	sig := newWorld(t, 1).signature("A")
	blob, err := s.WriteBlob([]byte("x"))
	require.NoError(t, err)
	for name, err := range map[string]error{
		"a commit of an unknown tree":     second(s.WriteCommit(gitstore.CommitSpec{Tree: gitstore.Hash{1}, Author: sig, Committer: sig})),
		"a commit of a blob":              second(s.WriteCommit(gitstore.CommitSpec{Tree: blob, Author: sig, Committer: sig})),
		"a commit with an unknown parent": second(s.WriteCommit(gitstore.CommitSpec{Parents: []gitstore.Hash{{1}}, Author: sig, Committer: sig})),
		"a commit without an author":      second(s.WriteCommit(gitstore.CommitSpec{Committer: sig})),
		"a commit before 1970":            second(s.WriteCommit(gitstore.CommitSpec{Author: gitstore.Signature{Name: "A"}, Committer: sig})),
		"a message with a NUL":            second(s.WriteCommit(gitstore.CommitSpec{Author: sig, Committer: sig, Message: "a\x00b"})),
		"a tag of nothing":                second(s.WriteTag(gitstore.TagSpec{Target: gitstore.Hash{1}, Name: "v", Tagger: sig})),
		"a tag with a bad name":           second(s.WriteTag(gitstore.TagSpec{Target: blob, Name: "a..b", Tagger: sig})),
		"a blob over the limit":           second(s.WriteBlob(make([]byte, gitstore.MaxObjectSize+1))),
	} {
		require.Error(t, err, name)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), name)
	}
}

func second[T any](_ T, err error) error { return err }

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	s := gitstore.New()
	blob, err := s.WriteBlob([]byte("x"))
	require.NoError(t, err)
	for name, err := range map[string]error{
		"unknown blob":         second(s.Blob(gitstore.Hash{1})),
		"blob read as commit":  second(s.Commit(blob)),
		"blob read as tag":     second(s.Tag(blob)),
		"blob read as tree":    second(s.Tree(blob, false)),
		"diff of unknown tree": second(s.Diff(gitstore.Hash{}, gitstore.Hash{1})),
	} {
		assert.ErrorIs(t, err, gitstore.ErrNotFound, name)
	}
	_, ok := s.Type(gitstore.Hash{1})
	assert.False(t, ok)
}

func TestClonesAreIndependent(t *testing.T) {
	w := newWorld(t, 1)
	root := w.first()
	s := w.store
	require.NoError(t, s.SetRef("refs/heads/main", root.commit))
	clone := s.Clone()

	ours := w.next(root)
	require.NoError(t, s.SetRef("refs/heads/main", ours.commit))
	w.store = clone
	theirs := w.next(root)
	require.NoError(t, clone.SetRef("refs/heads/new", theirs.commit))

	h, _ := clone.Ref("refs/heads/main")
	assert.Equal(t, root.commit, h, "the clone keeps its references")
	_, err := clone.Commit(ours.commit)
	assert.ErrorIs(t, err, gitstore.ErrNotFound, "the clone does not see later objects")
	_, err = s.Commit(theirs.commit)
	assert.ErrorIs(t, err, gitstore.ErrNotFound, "nor does the original")
	_, err = clone.Commit(root.commit)
	assert.NoError(t, err)
}

// The race detector watches: clones of one Store are written to at once while
// the Store is read.
func TestClonesNeedNoGuardBetweenThem(t *testing.T) {
	w := newWorld(t, 1)
	root := w.first()
	var group sync.WaitGroup
	for i := range 8 {
		clone := w.store.Clone()
		group.Go(func() {
			for n := range 50 {
				tree, err := clone.WriteTree(root.commit, []gitstore.Change{put("new", fmt.Sprint(i, n))})
				assert.NoError(t, err)
				_, err = clone.Diff(root.commit, tree)
				assert.NoError(t, err)
			}
		})
		group.Go(func() {
			for range 50 {
				_, err := w.store.Log(root.commit, "src", 0)
				assert.NoError(t, err)
				assert.NoError(t, w.store.Clone().SetRef("refs/heads/x", root.commit))
			}
		})
	}
	group.Wait()
}
