package scenario_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// passes reports whether a scenario's checkpoints hold, where every read
// answers what it does. They are bound to the fixtures of [seeded].
func passes(t *testing.T, id string, answer func(read bench.Checkpoint) any) bool {
	t.Helper()
	s, err := shipped(t).Scenario(id)
	require.NoError(t, err)
	bound, err := scenario.Resolve(s, seeded())
	require.NoError(t, err)
	checkpoints := bound.Scenario.Assertions.Checkpoints
	require.NotEmpty(t, checkpoints)
	return !slices.ContainsFunc(checkpoints, func(c bench.Checkpoint) bool {
		passed, _ := checkpoint.Evaluate(c, answer(c))
		return !passed
	})
}

func items(list ...any) object { return object{"items": list} }

func TestS6WorkOnPullRequestsIsToldFromWhatIsLikeIt(t *testing.T) {
	pull := func(fields object) object { return with(object{"state": "OPEN", "isDraft": false}, fields) }
	const title, body = "Add a retry helper on top of the changelog", "Brings both branches together, so that they can be reviewed as one."
	made := func(fields object) any {
		return items(with(object{"title": title, "body": body, "isDraft": false, "headRefName": "bench-fixture/s/4", "baseRefName": "bench-fixture/s/2"}, fields))
	}
	updated := func(fields object) any {
		return with(object{"state": "OPEN", "behindBy": 0, "aheadBy": 2, "changedFiles": 1, "first": "53a", "parents": []any{2}, "blob": "53b"}, fields)
	}
	const newTitle, newBody = "Start a changelog", "Adds a changelog with a section for what is not released yet."
	comment := object{"body": "The changelog is a good idea. Please name the first release in it before this is merged."}
	const approval = "A changelog is what this project needs. I have read it and have nothing to add."
	const complaint = "This does not do yet what its description says. Please mend it and add a test for each case."
	for _, c := range []struct {
		scenario, name string
		state          any
		want           bool
	}{
		{"pr-create-001", "it is opened", made(nil), true},
		{"pr-create-001", "nothing is", items(), false},
		{"pr-create-001", "it has another base", made(object{"baseRefName": "main"}), false},
		{"pr-create-001", "it has another head", made(object{"headRefName": "bench-fixture/s/5"}), false},
		{"pr-create-001", "it is a draft", made(object{"isDraft": true}), false},
		{"pr-create-001", "it has no text", made(object{"body": ""}), false},

		{"pr-update-001", "both are changed", pull(object{"title": newTitle, "body": newBody}), true},
		{"pr-update-001", "the title alone is", pull(object{"title": newTitle, "body": "Old"}), false},
		{"pr-update-001", "the body alone is", pull(object{"title": "Old", "body": newBody}), false},
		{"pr-update-001", "it is closed, too", pull(object{"title": newTitle, "body": newBody, "state": "CLOSED"}), false},

		{"pr-close-001", "it is closed", object{"state": "CLOSED", "merged": false, "headRefExists": true}, true},
		{"pr-close-001", "it is merged", object{"state": "MERGED", "merged": true, "headRefExists": true}, false},
		{"pr-close-001", "its branch is gone", object{"state": "CLOSED", "merged": false, "headRefExists": false}, false},

		{"pr-assignees-remove-001", "nobody is left", pull(object{"assignees": []any{}}), true},
		{"pr-assignees-remove-001", "someone else came in", pull(object{"assignees": []any{"octocat"}}), false},

		{"pr-reviews-request-001", "the reviewer is asked", pull(object{"requestedReviewers": []any{"linnea-berg"}}), true},
		{"pr-reviews-request-001", "someone else is", pull(object{"requestedReviewers": []any{"octocat"}}), false},

		{"pr-comments-create-001", "it is there", items(comment), true},
		{"pr-comments-create-001", "it is there twice", items(comment, comment), false},
		{"pr-comments-create-001", "it says something else", items(object{"body": "The changelog is a good idea."}), false},

		{"pr-branch-update-001", "the base is merged in", updated(nil), true},
		{"pr-branch-update-001", "the branch is rebased", updated(object{"aheadBy": 1, "first": "another", "parents": []any{}}), false},
		{"pr-branch-update-001", "it has a commit like a merge", updated(object{"parents": []any{1}}), false},
		{"pr-branch-update-001", "the branch is set to its base", updated(object{"aheadBy": 0, "changedFiles": 0}), false},
		{"pr-branch-update-001", "its own change is another one in the merge", updated(object{"blob": "53c"}), false},
		{"pr-branch-update-001", "it is merged instead", updated(object{"state": "MERGED", "aheadBy": 0}), false},
		{"pr-branch-update-001", "one commit is missing", updated(object{"behindBy": 1}), false},

		{"pr-reviews-submit-approve-001", "it is approved", items(object{"state": "APPROVED", "body": approval}), true},
		{"pr-reviews-submit-approve-001", "it is no verdict", items(object{"state": "COMMENTED", "body": approval}), false},
		{"pr-reviews-submit-approve-001", "the approval was dismissed", items(object{"state": "DISMISSED", "body": approval}), false},

		{"pr-reviews-submit-request-changes-001", "changes are asked for", items(object{"state": "CHANGES_REQUESTED", "body": complaint}), true},
		{"pr-reviews-submit-request-changes-001", "it is not submitted", items(object{"state": "PENDING", "body": complaint}), false},
		{"pr-reviews-submit-request-changes-001", "it has no reason", items(object{"state": "CHANGES_REQUESTED", "body": ""}), false},
	} {
		t.Run(c.scenario+": "+c.name, func(t *testing.T) {
			assert.Equal(t, c.want, passes(t, c.scenario, func(bench.Checkpoint) any { return c.state }))
		})
	}
}

// threadState is a review thread as the reader tells it.
func threadState(id string, resolved bool, comments ...string) object {
	said := []any{}
	for _, body := range comments {
		said = append(said, object{"body": body})
	}
	return object{"id": id, "isResolved": resolved, "comments": said}
}

func TestS6WorkOnThreadsIsToldFromWhatIsLikeIt(t *testing.T) {
	const reply = "Thank you, that is right. I take it up in the next commit on this branch."
	// Of the threads that are seeded, one is the right one, PRRT_1 or PRRT_2.
	closed, open := threadState("PRRT_8", true, "?"), threadState("PRRT_9", false, "?")
	unresolved := func(comments ...string) object { return threadState("PRRT_1", false, comments...) }
	for _, c := range []struct {
		scenario, name string
		threads        []object
		want           bool
	}{
		{"pr-threads-reply-001", "it is answered", []object{closed, unresolved("?", reply), open, open}, true},
		{"pr-threads-reply-001", "nothing is done", []object{closed, unresolved("?"), open, open}, false},
		{"pr-threads-reply-001", "another one is answered", []object{closed, unresolved("?"), threadState("PRRT_9", false, "?", reply), open}, false},
		{"pr-threads-reply-001", "it is answered twice", []object{closed, unresolved("?", reply, reply), open, open}, false},
		{"pr-threads-reply-001", "it is resolved, too", []object{closed, threadState("PRRT_1", true, "?", reply), open, open}, false},

		{"pr-threads-resolve-001", "it is resolved", []object{closed, threadState("PRRT_1", true, "?"), open, open}, true},
		{"pr-threads-resolve-001", "another one is", []object{closed, unresolved("?"), closed, open}, false},
		{"pr-threads-resolve-001", "all are", []object{closed, threadState("PRRT_1", true, "?"), closed, closed}, false},
		{"pr-threads-resolve-001", "it is answered, too", []object{closed, threadState("PRRT_1", true, "?", reply), open, open}, false},

		{"pr-threads-unresolve-001", "it is reopened", []object{threadState("PRRT_2", false, "?"), open, closed, open}, true},
		{"pr-threads-unresolve-001", "the other one is", []object{threadState("PRRT_2", true, "?"), open, open, open}, false},
		{"pr-threads-unresolve-001", "both are", []object{threadState("PRRT_2", false, "?"), open, open, open}, false},
	} {
		t.Run(c.scenario+": "+c.name, func(t *testing.T) {
			assert.Equal(t, c.want, passes(t, c.scenario, func(read bench.Checkpoint) any {
				shown := []any{}
				for _, thread := range c.threads {
					if thread["isResolved"] == false || read.VerificationInput["unresolvedOnly"] == false {
						shown = append(shown, thread)
					}
				}
				return items(shown...)
			}))
		})
	}
}
