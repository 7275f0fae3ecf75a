package gql_test

import (
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const commitOnMain = `mutation($head: GitObjectID!, $add: [FileAddition!]!, $drop: [FileDeletion!]!) { createCommitOnBranch(input: {branch: {repositoryNameWithOwner: "owner/hello", branchName: "main"},
	expectedHeadOid: $head, message: {headline: "Change", body: "Why"}, fileChanges: {additions: $add, deletions: $drop}}) {
	commit { oid message additions deletions changedFilesIfAvailable signature { isValid } author { user { login } } tree { entries { name path type object { __typename ... on Blob { text byteSize isBinary } } } } }
	ref { name target { oid } } } }`

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func TestFilesAreCommittedOnABranch(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	head := writer.Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	add := []map[string]string{{"path": "a/b.txt", "contents": encoded("one\ntwo\n")}}
	drop := []map[string]string{{"path": "README.md"}}

	refused := w.As("reader").GraphQL(commitOnMain, "head", head, "add", add, "drop", drop)
	assert.Equal(t, "FORBIDDEN", refused.Text("errors.0.type"), refused.Body)
	refused = writer.GraphQL(commitOnMain, "head", "0123456789012345678901234567890123456789", "add", add, "drop", drop)
	assert.Equal(t, "STALE_DATA", refused.Text("errors.0.type"), refused.Body)
	refused = writer.GraphQL(commitOnMain, "head", head, "add", add, "drop", []map[string]string{{"path": "none"}})
	assert.Equal(t, "UNPROCESSABLE", refused.Text("errors.0.type"), refused.Body)
	assert.Equal(t, head, writer.Get(sandboxtest.Path+"/git/ref/heads/main").Text("object.sha"), "what is refused changes nothing")

	done := writer.GraphQL(commitOnMain, "head", head, "add", add, "drop", drop)
	at := "data.createCommitOnBranch."
	assert.Equal(t, "Change\n\nWhy", done.Text(at+"commit.message"), done.Body)
	assert.Equal(t, []any{"writer", 2, 1, 2}, []any{done.Text(at + "commit.author.user.login"), done.Int(at + "commit.additions"), done.Int(at + "commit.deletions"), done.Int(at + "commit.changedFilesIfAvailable")})
	assert.Equal(t, done.Text(at+"commit.oid"), done.Text(at+"ref.target.oid"))
	assert.Equal(t, []any{"a", "tree", "Tree"}, []any{done.Text(at + "commit.tree.entries.0.name"), done.Text(at + "commit.tree.entries.0.type"), done.Text(at + "commit.tree.entries.0.object.__typename")})
	assert.Nil(t, done.At(at+"commit.tree.entries.1"), "README.md is gone")
	assert.Equal(t, encoded("one\ntwo\n")+"\n", writer.Get(sandboxtest.Path+"/contents/a/b.txt").Text("content"))
}

func TestRefsAreMadeMovedMergedAndDeleted(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	head := writer.Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
	repo := writer.Get(sandboxtest.Path).Text("node_id")
	made := writer.GraphQL(`mutation($r: ID!, $o: GitObjectID!) { createRef(input: {repositoryId: $r, name: "refs/heads/topic", oid: $o}) { ref { id name prefix } } }`, "r", repo, "o", head)
	assert.Equal(t, []any{"topic", "refs/heads/"}, []any{made.Text("data.createRef.ref.name"), made.Text("data.createRef.ref.prefix")}, made.Body)
	ref := made.Text("data.createRef.ref.id")
	again := writer.GraphQL(`mutation($r: ID!, $o: GitObjectID!) { createRef(input: {repositoryId: $r, name: "refs/heads/topic", oid: $o}) { ref { id } } }`, "r", repo, "o", head)
	assert.Contains(t, again.Text("errors.0.message"), "already exists")

	next := writer.Do("PUT", sandboxtest.Path+"/contents/new.txt", map[string]string{"message": "new", "content": encoded("x"), "branch": "topic"}).Text("commit.sha")
	merged := writer.GraphQL(`mutation($r: ID!) { mergeBranch(input: {repositoryId: $r, base: "main", head: "topic", commitMessage: "Join"}) { mergeCommit { message parents(first: 2) { totalCount } } } }`, "r", repo)
	assert.Equal(t, []any{"Join", 2}, []any{merged.Text("data.mergeBranch.mergeCommit.message"), merged.Int("data.mergeBranch.mergeCommit.parents.totalCount")}, merged.Body)
	assert.Contains(t, writer.GraphQL(`mutation($r: ID!) { mergeBranch(input: {repositoryId: $r, base: "main", head: "topic"}) { mergeCommit { oid } } }`, "r", repo).Text("errors.0.message"), "already merged")

	const move = `mutation($i: ID!, $o: GitObjectID!, $f: Boolean!) { updateRef(input: {refId: $i, oid: $o, force: $f}) { ref { target { oid } } } }`
	assert.Contains(t, writer.GraphQL(move, "i", ref, "o", head, "f", false).Text("errors.0.message"), "fast forward")
	assert.Equal(t, head, writer.GraphQL(move, "i", ref, "o", head, "f", true).Text("data.updateRef.ref.target.oid"))

	const several = `mutation($r: ID!, $u: [RefUpdate!]!) { updateRefs(input: {repositoryId: $r, refUpdates: $u}) { clientMutationId } }`
	update := func(name, before, after string) map[string]any {
		return map[string]any{"name": name, "beforeOid": before, "afterOid": after}
	}
	const zero = "0000000000000000000000000000000000000000"
	refused := writer.GraphQL(several, "r", repo, "u", []any{update("refs/heads/one", zero, head), update("refs/heads/topic", next, head)})
	assert.Equal(t, "STALE_DATA", refused.Text("errors.0.type"), refused.Body)
	assert.Equal(t, 404, writer.Get(sandboxtest.Path+"/git/ref/heads/one").Status, "all of them or none")
	assert.Nil(t, writer.GraphQL(several, "r", repo, "u", []any{update("refs/heads/one", zero, head), update("refs/heads/topic", head, zero)}).At("errors"))
	assert.Equal(t, 404, writer.Get(sandboxtest.Path+"/git/ref/heads/topic").Status)

	found := writer.GraphQL(`{ repository(owner: "owner", name: "hello") { refs(refPrefix: "refs/heads/", first: 5, orderBy: {field: ALPHABETICAL, direction: DESC}) { totalCount nodes { id name } } } }`)
	assert.Equal(t, []any{2, "one", "main"}, []any{found.Int("data.repository.refs.totalCount"), found.Text("data.repository.refs.nodes.0.name"), found.Text("data.repository.refs.nodes.1.name")}, found.Body)
	assert.Nil(t, writer.GraphQL(`mutation($i: ID!) { deleteRef(input: {refId: $i}) { clientMutationId } }`, "i", found.Text("data.repository.refs.nodes.0.id")).At("errors"))
	assert.Contains(t, writer.GraphQL(`mutation($i: ID!) { deleteRef(input: {refId: $i}) { clientMutationId } }`, "i", found.Text("data.repository.refs.nodes.1.id")).Text("errors.0.message"), "default branch")
}

func TestWhatACommitHolds(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	put := func(text, sha string) sandboxtest.Reply {
		return writer.Do("PUT", sandboxtest.Path+"/contents/poem.txt", map[string]string{"message": "write", "content": encoded(text), "sha": sha})
	}
	first := put("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "")
	second := put("new\na\nb\nc\nd\ne\nf\ng\nh\nI\nj\n", first.Text("content.sha"))
	w.Change(func(s *model.State, repo *model.Repo) {
		_, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "Pinned"})
		assert.NoError(t, err)
		s.Issue(repo, 1).Pinned = true
	})
	got := writer.GraphQL(`{ repository(owner: "owner", name: "hello") {
		object(expression: "main:poem.txt") { __typename ... on Blob { text byteSize } }
		root: object(expression: "main:") { __typename }
		pinnedIssues(first: 3) { nodes { issue { title } } }
		collaborators(first: 5, query: "writ") { totalCount edges { permission node { login } } nodes { login } }
		licenseInfo { key }
		defaultBranchRef { target { ... on Commit { history(first: 1, path: "poem.txt") { totalCount nodes { oid } }
			file(path: "poem.txt") { name extension lineCount mode size type }
			blame(path: "poem.txt") { ranges { startingLine endingLine age commit { oid } } } treeUrl tarballUrl
			associatedPullRequests(first: 1) { totalCount } } } } } }`)
	at := "data.repository."
	assert.Nil(t, got.At("errors"), got.Body)
	assert.Equal(t, []any{"Blob", "Tree", "Pinned", "WRITE", "writer"}, []any{got.Text(at + "object.__typename"), got.Text(at + "root.__typename"),
		got.Text(at + "pinnedIssues.nodes.0.issue.title"), got.Text(at + "collaborators.edges.0.permission"), got.Text(at + "collaborators.nodes.0.login")}, got.Body)
	commit := at + "defaultBranchRef.target."
	assert.Equal(t, []any{2, second.Text("commit.sha"), 11, ".txt", "blob"}, []any{got.Int(commit + "history.totalCount"), got.Text(commit + "history.nodes.0.oid"),
		got.Int(commit + "file.lineCount"), got.Text(commit + "file.extension"), got.Text(commit + "file.type")}, got.Body)
	var blamed []any
	for n := range 4 {
		r := commit + "blame.ranges." + string(rune('0'+n)) + "."
		blamed = append(blamed, got.Int(r+"startingLine"), got.Int(r+"endingLine"), got.Text(r+"commit.oid"))
	}
	old, now := first.Text("commit.sha"), second.Text("commit.sha")
	assert.Equal(t, []any{1, 1, now, 2, 9, old, 10, 10, now, 11, 11, old}, blamed, got.Body)
	assert.Nil(t, w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { collaborators(first: 5) { totalCount } } }`).At(at+"collaborators"), "who may not write does not see them")
}
