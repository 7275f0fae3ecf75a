package rest_test

import (
	"net/http"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func TestGitDataWithGoGitHub(t *testing.T) {
	w := sandboxtest.New(t, gitstore.Change{Path: "gone.txt", Content: []byte("x")})
	ctx, git := t.Context(), w.As("writer").REST.Git
	main, _, err := git.GetRef(ctx, "owner", "hello", "heads/main")
	require.NoError(t, err)
	base := main.GetObject().GetSHA()

	blob, _, err := git.CreateBlob(ctx, "owner", "hello", &github.Blob{Content: github.String("aGk="), Encoding: github.String("base64")})
	require.NoError(t, err)
	content, _, err := git.GetBlobRaw(ctx, "owner", "hello", blob.GetSHA())
	require.NoError(t, err)
	assert.Equal(t, "hi", string(content))

	file := func(path, mode string) *github.TreeEntry {
		return &github.TreeEntry{Path: &path, Mode: &mode, Type: github.String("blob")}
	}
	byName, inline, gone := file("run.sh", "100755"), file("src/new.txt", "100644"), file("gone.txt", "100644")
	byName.SHA, inline.Content = blob.SHA, github.String("new\n")
	tree, _, err := git.CreateTree(ctx, "owner", "hello", base, []*github.TreeEntry{byName, inline, gone})
	require.NoError(t, err)
	var paths []string
	for _, e := range tree.Entries {
		paths = append(paths, e.GetMode()+" "+e.GetPath())
	}
	assert.Equal(t, []string{"100644 README.md", "100755 run.sh", "040000 src"}, paths)

	commit, _, err := git.CreateCommit(ctx, "owner", "hello", &github.Commit{
		Message: github.String("m"), Tree: tree, Parents: []*github.Commit{{SHA: &base}},
		Author: &github.CommitAuthor{Name: github.String("A"), Email: github.String("a@example.com")},
	}, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"A", "A", base}, []string{commit.GetAuthor().GetName(), commit.GetCommitter().GetName(), commit.Parents[0].GetSHA()})
	_, _, err = git.UpdateRef(ctx, "owner", "hello", &github.Reference{Ref: github.String("refs/heads/main"), Object: &github.GitObject{SHA: commit.SHA}}, false)
	require.NoError(t, err)
	assert.Equal(t, "new\n", w.As("reader").Get(sandboxtest.Path+"/contents/src/new.txt", "Accept", "application/vnd.github.raw").Body)

	tag, _, err := git.CreateTag(ctx, "owner", "hello", &github.Tag{
		Tag: github.String("v1"), Message: github.String("one"), Object: &github.GitObject{SHA: commit.SHA, Type: github.String("commit")},
	})
	require.NoError(t, err)
	_, _, err = git.CreateRef(ctx, "owner", "hello", &github.Reference{Ref: github.String("refs/tags/v1"), Object: &github.GitObject{SHA: tag.SHA}})
	require.NoError(t, err)
	same, _, err := git.GetTag(ctx, "owner", "hello", tag.GetSHA())
	require.NoError(t, err)
	assert.Equal(t, []string{"v1", "one", "writer", "commit", commit.GetSHA()}, []string{
		same.GetTag(), same.GetMessage(), same.GetTagger().GetName(), same.GetObject().GetType(), same.GetObject().GetSHA(),
	})
	tags, _, err := w.As("reader").REST.Repositories.ListTags(ctx, "owner", "hello", nil)
	require.NoError(t, err)
	require.Len(t, tags, 1)
	assert.Equal(t, []string{"v1", commit.GetSHA()}, []string{tags[0].GetName(), tags[0].GetCommit().GetSHA()})
}

func TestGitDataThatIsRefused(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	head := writer.Get(base + "/git/ref/heads/main").Text("object.sha")
	const none = "0123456789012345678901234567890123456789"
	entry := func(fields map[string]any) map[string]any { return map[string]any{"tree": []any{fields}} }
	for _, c := range []struct {
		reason, path string
		body         any
		status       int
		message      string
	}{
		{"a blob has content", "/git/blobs", map[string]any{}, 422, "Invalid request.\n\n\"content\" wasn't supplied."},
		{"content is as it says", "/git/blobs", map[string]any{"content": "!", "encoding": "base64"}, 422, "content is not valid Base64"},
		{"a tree has entries", "/git/trees", map[string]any{}, 422, "Invalid request.\n\n\"tree\" wasn't supplied."},
		{"and not none", "/git/trees", map[string]any{"tree": []any{}}, 422, "Invalid tree info"},
		{"the base is there", "/git/trees", map[string]any{"base_tree": none, "tree": []any{map[string]any{}}}, 404, "Not Found"},
		{"modes are git's", "/git/trees", entry(map[string]any{"path": "a", "content": "x"}), 422, "Must supply a valid tree.mode"},
		{"a type is that of the mode", "/git/trees", entry(map[string]any{"path": "a", "mode": "100644", "type": "tree", "content": "x"}), 422, "Must supply a valid tree.type"},
		{"an entry is something", "/git/trees", entry(map[string]any{"path": "a", "mode": "100644"}), 422, "Must supply either tree.sha or tree.content"},
		{"an entry's blob is there", "/git/trees", entry(map[string]any{"path": "a", "mode": "100644", "sha": none}), 422, "tree.sha " + none + " is not a valid blob"},
		{"a tree is no file", "/git/trees", entry(map[string]any{"path": "a", "mode": "040000", "content": "x"}), 422, "tree.path contains a malformed path component"},
		{"paths stay inside", "/git/trees", entry(map[string]any{"path": "../a", "mode": "100644", "content": "x"}), 422, "tree.path contains a malformed path component"},
		{"what is removed is there", "/git/trees", entry(map[string]any{"path": "a", "mode": "100644", "sha": nil}), 422, "GitRPC::BadObjectState"},
		{"a commit has a message", "/git/commits", map[string]any{"tree": none}, 422, "Invalid request.\n\n\"message\" wasn't supplied."},
		{"its tree is there", "/git/commits", map[string]any{"message": "m", "tree": none}, 422, "Tree SHA does not exist"},
		{"its tree is a tree", "/git/commits", map[string]any{"message": "m", "tree": head}, 422, "Tree SHA does not exist"},
		{"a tag has a name", "/git/tags", map[string]any{"object": head}, 422, "Invalid request.\n\n\"tag\", \"message\", \"type\" weren't supplied."},
		{"a tag says of what it is", "/git/tags", map[string]any{"tag": "v1", "message": "m", "object": head}, 422, "Invalid request.\n\n\"type\" wasn't supplied."},
		{"and is of that", "/git/tags", map[string]any{"tag": "v1", "message": "m", "object": head, "type": "tree"}, 422, "Object is not a tree"},
		{"its object is there", "/git/tags", map[string]any{"tag": "v1", "message": "m", "object": none, "type": "commit"}, 422, "Object does not exist"},
	} {
		reply := writer.Do(http.MethodPost, base+c.path, c.body)
		assert.Equal(t, c.status, reply.Status, c.reason)
		assert.Equal(t, c.message, reply.Text("message"), c.reason)
	}
	tree := writer.Get(base + "/git/commits/" + head).Text("tree.sha")
	reply := writer.Do(http.MethodPost, base+"/git/commits", map[string]any{"message": "m", "tree": tree, "parents": []string{tree}})
	assert.Equal(t, "Parent SHA does not exist or is not a commit object", reply.Text("message"))
	for _, path := range []string{"/git/blobs", "/git/trees", "/git/commits", "/git/tags"} {
		body := map[string]any{"content": "x", "tag": "v1", "message": "m", "object": head, "type": "commit", "tree": []any{map[string]any{"path": "a", "mode": "100644", "content": "x"}}}
		if path == "/git/commits" {
			body["tree"] = tree
		}
		assert.Equal(t, http.StatusForbidden, w.As("reader").Do(http.MethodPost, base+path, body).Status, path)
	}
}
