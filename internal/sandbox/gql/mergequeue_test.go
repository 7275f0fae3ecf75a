package gql_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const (
	entryParts = `id position state jump solo enqueuedAt enqueuer { login } pullRequest { number } baseCommit { oid } headCommit { oid } mergeQueue { id }`
	enqueue    = `mutation($id: ID!, $jump: Boolean) { enqueuePullRequest(input: {pullRequestId: $id, jump: $jump}) { mergeQueueEntry { ` + entryParts + ` } } }`
	dequeue    = `mutation($id: ID!) { dequeuePullRequest(input: {id: $id}) { mergeQueueEntry { id position } } }`
)

// queued is a world whose main is changed by a queue that asks for the status "gate",
// with the pull requests 2, 3 and 4, whose heads have it.
type queued struct {
	*world
	pulls map[int]string
}

func newQueued(t *testing.T) *queued {
	t.Helper()
	w := &queued{newWorld(t), map[int]string{}}
	w.Change(func(s *model.State, repo *model.Repo) {
		writer := s.User("writer").ID
		for _, name := range []string{"g", "h"} {
			main, _ := s.BranchHead(repo, "main")
			require.NoError(t, s.CreateRef(writer, repo, "refs/heads/"+name, main))
			_, err := s.WriteFile(writer, repo, model.FileWrite{Path: name + ".txt", Branch: name, Message: "add " + name, Content: []byte(name)})
			require.NoError(t, err)
			_, err = s.OpenPull(writer, repo, model.NewPull{Title: "Add " + name, Head: name, Base: "main"})
			require.NoError(t, err)
		}
		sandboxtest.Queue(repo, "gate")
	})
	for number := 2; number <= 4; number++ {
		pull := w.do("reader", fmt.Sprintf(`{ repository(owner: "owner", name: "hello") { pullRequest(number: %d) { id headRefOid } } }`, number))
		w.pulls[number] = pull.Text("data.repository.pullRequest.id")
		w.gate("success", pull.Text("data.repository.pullRequest.headRefOid"))
	}
	return w
}

// gate gives a commit the status that the queue asks for.
func (w *queued) gate(state, sha string) {
	w.t.Helper()
	reply := w.As("writer").Do("POST", sandboxtest.Path+"/statuses/"+sha, map[string]any{"state": state, "context": "gate"})
	require.Equal(w.t, http.StatusCreated, reply.Status, reply.Body)
}

// put puts a pull request into the queue, and returns its entry's head and base.
func (w *queued) put(number int, jump bool) (base, head string) {
	w.t.Helper()
	entry := w.do("writer", enqueue, "id", w.pulls[number], "jump", jump)
	const at = "data.enqueuePullRequest.mergeQueueEntry."
	return entry.Text(at + "baseCommit.oid"), entry.Text(at + "headCommit.oid")
}

// order are the numbers of the pull requests in the queue.
func (w *queued) order() string {
	w.t.Helper()
	queue := w.do("reader", `{ repository(owner: "owner", name: "hello") { mergeQueue { entries(first: 9) { nodes { pullRequest { number } } } } } }`)
	order := ""
	for n := 0; ; n++ {
		number := queue.Int(fmt.Sprintf("data.repository.mergeQueue.entries.nodes.%d.pullRequest.number", n))
		if number == 0 {
			return order
		}
		order += fmt.Sprint(number, " ")
	}
}

// head is the head of a pull request's merge group, empty if it has none.
func (w *queued) head(number int) string {
	w.t.Helper()
	return w.about(number).Text("data.node.mergeQueueEntry.headCommit.oid")
}

func (w *queued) about(number int) sandboxtest.Reply {
	w.t.Helper()
	return w.do("reader", `query($id: ID!) { node(id: $id) { ... on PullRequest { state merged mergeStateStatus isInMergeQueue isMergeQueueEnabled mergeCommit { oid } mergeQueueEntry { `+entryParts+` }
		timelineItems(last: 9, itemTypes: [ADDED_TO_MERGE_QUEUE_EVENT, REMOVED_FROM_MERGE_QUEUE_EVENT]) { nodes { __typename ... on RemovedFromMergeQueueEvent { reason enqueuer { login } } ... on AddedToMergeQueueEvent { mergeQueue { url } } } } } } }`, "id", w.pulls[number])
}

func (w *queued) main() string {
	return w.As("reader").Get(sandboxtest.Path + "/git/ref/heads/main").Text("object.sha")
}

// Nothing changes a branch that has a merge queue but its queue.
func TestABranchWithAQueueIsChangedByItAlone(t *testing.T) {
	w := newQueued(t)
	owner := w.As("owner")
	const words = "Repository rule violations found\n\nChanges must be made through the merge queue\n\n"
	merge := owner.Do("PUT", sandboxtest.Path+"/pulls/2/merge", nil)
	assert.Equal(t, []any{http.StatusMethodNotAllowed, words}, []any{merge.Status, merge.At("message")})
	w.Change(func(s *model.State, repo *model.Repo) {
		_, err := s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: "x", Content: []byte("x"), Branch: "main", Message: "m"})
		assert.ErrorContains(t, err, "Changes must be made through the merge queue")
	})
	about := w.about(2)
	assert.Equal(t, []any{"CLEAN", true, false}, []any{about.At("data.node.mergeStateStatus"), about.At("data.node.isMergeQueueEnabled"), about.At("data.node.isInMergeQueue")})
	w.refused("FORBIDDEN", "reader does not have the correct permissions to execute `EnqueuePullRequest`", "reader", enqueue, "id", w.pulls[2])
	w.gate("failure", w.As("reader").Get(sandboxtest.Path+"/git/ref/heads/f").Text("object.sha"))
	refused := w.As("writer").GraphQL(enqueue, "id", w.pulls[2])
	assert.Contains(t, refused.Text("errors.0.message"), `Required status check "gate" is failing.`, "what is asked of merges is asked before")
	assert.Empty(t, w.order())
}

// The groups are on top of each other. The first that passes is merged; one that fails
// leaves the queue, and those behind it are built anew.
func TestAQueueMergesWhatPasses(t *testing.T) {
	w := newQueued(t)
	main := w.main()
	base, first := w.put(2, false)
	assert.Equal(t, main, base)
	branch := w.As("reader").Get(sandboxtest.Path + "/git/ref/heads/gh-readonly-queue/main/pr-2-" + main)
	assert.Equal(t, first, branch.Text("object.sha"))
	on, second := w.put(3, false)
	assert.Equal(t, first, on)
	entry := w.about(3)
	const at = "data.node.mergeQueueEntry."
	assert.Equal(t, []any{2.0, "AWAITING_CHECKS", false, "writer", 3.0}, []any{
		entry.At(at + "position"), entry.At(at + "state"), entry.At(at + "jump"), entry.At(at + "enqueuer.login"), entry.At(at + "pullRequest.number"),
	})
	w.gate("success", second)
	assert.Equal(t, "2 3 ", w.order(), "the first has not passed")
	w.gate("failure", first)
	assert.Equal(t, "3 ", w.order())
	assert.Equal(t, main, w.main(), "nothing was merged")
	gone := w.about(2)
	assert.Equal(t, "OPEN", gone.Text("data.node.state"))
	assert.Equal(t, "AddedToMergeQueueEvent", gone.Text("data.node.timelineItems.nodes.0.__typename"))
	assert.Equal(t, "https://github.com/owner/hello/queue/main", gone.Text("data.node.timelineItems.nodes.0.mergeQueue.url"))
	assert.Equal(t, "ci_failure", gone.Text("data.node.timelineItems.nodes.1.reason"))
	again := w.head(3)
	assert.NotEqual(t, second, again, "it is not on top of what failed any more")
	w.gate("success", again)
	merged := w.about(3)
	assert.Equal(t, []any{"MERGED", again, false}, []any{merged.At("data.node.state"), merged.At("data.node.mergeCommit.oid"), merged.At("data.node.isInMergeQueue")})
	assert.Equal(t, again, w.main())
	assert.Equal(t, "[]", w.As("reader").Get(sandboxtest.Path+"/git/matching-refs/heads/gh-readonly-queue").Body)
}

// Where the last of a group tells for the others, one that fails is merged with one behind
// it that passes, by one push, and leaves the queue if all behind it fail too.
func TestAQueueMergesWhatPassesTogether(t *testing.T) {
	w := newQueued(t)
	w.Change(func(_ *model.State, repo *model.Repo) {
		queue := repo.Rulesets[0].Rules[0].Queue
		queue.Grouping, queue.MaxMerged = model.HeadGreen, 2
	})
	main := w.main()
	_, first := w.put(2, false)
	_, second := w.put(3, false)
	w.put(4, false)
	w.gate("failure", first)
	assert.Equal(t, "2 3 4 ", w.order(), "the one behind it has not told")
	w.gate("success", w.head(4))
	assert.Equal(t, "2 3 4 ", w.order(), "two are merged at most")
	w.gate("failure", second)
	assert.Equal(t, "3 4 ", w.order(), "the first is out, and the others are built without it")
	assert.Equal(t, main, w.main())
	third, last := w.head(3), w.head(4)
	assert.NotEqual(t, second, third)
	w.gate("failure", third)
	w.gate("success", last)
	assert.Empty(t, w.order())
	assert.Equal(t, last, w.main())
	for number, commit := range map[int]string{3: third, 4: last} {
		assert.Equal(t, []any{"MERGED", commit}, []any{w.about(number).At("data.node.state"), w.about(number).At("data.node.mergeCommit.oid")})
	}
	var pushed []any
	for n := range 20 {
		if event := w.As("reader").Get(sandboxtest.Path + "/events"); event.At(fmt.Sprintf("%d.payload.ref", n)) == "refs/heads/main" {
			pushed = append(pushed, event.At(fmt.Sprintf("%d.payload.head", n)))
		}
	}
	assert.Equal(t, []any{last}, pushed, "by one push")
	assert.Equal(t, "[]", w.As("reader").Get(sandboxtest.Path+"/git/matching-refs/heads/gh-readonly-queue").Body)
}

// What jumps is built before the others, who leaves is out, and what changes leaves.
func TestWhoLeavesAQueue(t *testing.T) {
	w := newQueued(t)
	w.put(2, false)
	w.put(3, false)
	base, _ := w.put(4, true)
	assert.Equal(t, "4 2 3 ", w.order())
	assert.Equal(t, w.main(), base)
	w.refused("UNPROCESSABLE", "Pull request is already in the queue", "writer", enqueue, "id", w.pulls[4])
	left := w.do("writer", dequeue, "id", w.pulls[4])
	assert.NotEmpty(t, left.Text("data.dequeuePullRequest.mergeQueueEntry.id"))
	assert.Equal(t, "2 3 ", w.order())
	assert.Equal(t, "manual", w.about(4).Text("data.node.timelineItems.nodes.1.reason"))
	w.refused("UNPROCESSABLE", "Pull request is not in the queue", "writer", dequeue, "id", w.pulls[4])
	w.Change(func(s *model.State, repo *model.Repo) {
		_, err := s.WriteFile(s.User("writer").ID, repo, model.FileWrite{Path: "more", Content: []byte("x"), Branch: "f", Message: "m"})
		require.NoError(t, err)
	})
	assert.Equal(t, "3 ", w.order(), "its head has moved")
	require.Equal(t, http.StatusOK, w.As("writer").Do("PATCH", sandboxtest.Path+"/pulls/3", map[string]any{"state": "closed"}).Status)
	assert.Empty(t, w.order())
}

// "Merge when ready" puts a pull request into the queue, as soon as that is allowed; if
// nothing is asked of its group, it is merged by that.
func TestMergeWhenReadyGoesByTheQueue(t *testing.T) {
	w := newQueued(t)
	const ready = `mutation($id: ID!) { enablePullRequestAutoMerge(input: {pullRequestId: $id}) { pullRequest { isInMergeQueue autoMergeRequest { enabledAt } } } }`
	now := w.do("writer", ready, "id", w.pulls[2])
	assert.Equal(t, true, now.At("data.enablePullRequestAutoMerge.pullRequest.isInMergeQueue"))
	f := w.As("reader").Get(sandboxtest.Path + "/git/ref/heads/g").Text("object.sha")
	w.gate("pending", f)
	later := w.do("writer", ready, "id", w.pulls[3])
	assert.Equal(t, false, later.At("data.enablePullRequestAutoMerge.pullRequest.isInMergeQueue"))
	assert.NotNil(t, later.At("data.enablePullRequestAutoMerge.pullRequest.autoMergeRequest"))
	w.gate("success", f)
	assert.Equal(t, "2 3 ", w.order())

	w.Change(func(_ *model.State, repo *model.Repo) { repo.Rulesets[0].Rules = repo.Rulesets[0].Rules[:1] })
	entry := w.do("writer", enqueue, "id", w.pulls[4])
	assert.NotEmpty(t, entry.Text("data.enqueuePullRequest.mergeQueueEntry.id"))
	assert.Equal(t, "MERGED", w.about(4).Text("data.node.state"))
	assert.Empty(t, w.order(), "those before it are merged too")
}
