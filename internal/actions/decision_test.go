package actions_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// outcome is a decision with a part of its reason.
type outcome struct {
	kind   actions.Kind
	skip   comment.Skip
	reason string
}

// circumstances are what is known besides the event.
type circumstances struct {
	rules   ghevent.Rules
	results bool
	// artifacts are those of another run.
	artifacts bool
	// secretless is true where secrets are needed that are not there.
	secretless bool
	// message and files are what GitHub was asked for, none if it was not.
	message string
	files   []string
}

type decisionCase struct {
	name   string
	file   string
	change func(object)
	with   circumstances
	want   outcome
}

func check(t *testing.T, name string, cases []decisionCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := event(t, name, c.file, c.change)
			with := actions.Circumstances{Rules: c.with.rules, HasResults: c.with.results, HasArtifacts: c.with.artifacts, NoSecrets: c.with.secretless}
			if e.Pull != nil && (c.with.message != "" || c.with.files != nil) {
				with.Head = &ghevent.Head{Pull: *e.Pull, CommitMessage: c.with.message, ChangedFiles: c.with.files}
			}
			got := actions.Decide(e, with)
			assert.Equal(t, c.want.kind, got.Kind, "%s: %s", got.Kind, got.Reason)
			assert.Equal(t, c.want.skip, got.Skip)
			assert.Contains(t, got.Reason, c.want.reason)
			assert.True(t, strings.HasSuffix(got.Reason, "."), "a reason is a sentence: %s", got.Reason)
		})
	}
}

// set changes one field of an object in a payload.
func set(value any, path ...string) func(object) {
	return func(p object) { in(p, path[:len(path)-1]...)[path[len(path)-1]] = value }
}

func TestWhatAPullRequestLeadsTo(t *testing.T) {
	const file = "pull-request-synchronize"
	title := func(text string) func(object) { return set(text, "pull_request", "title") }
	run := func(reason string) outcome { return outcome{actions.Run, "", reason} }
	draft := outcome{actions.Skip, comment.SkipDraft, "is a draft"}
	closed := outcome{actions.Ignore, "", "is closed"}
	marker := outcome{actions.Skip, comment.SkipMarker, "The message of the head commit"}
	fork := set("mona/Hello-World", "pull_request", "head", "repo", "full_name")
	untouched := outcome{actions.Skip, comment.SkipPaths, "touches no file that the input paths names"}
	says := func(message string) circumstances {
		return circumstances{rules: ghevent.Rules{SkipMarker: true}, message: message}
	}
	docs := ghevent.Rules{Paths: []string{"docs/**"}}
	check(t, "pull_request", []decisionCase{
		{"a new commit", file, nil, circumstances{}, run("pull request 2 is to be judged")},
		{"an edited title", file, set("edited", "action"), circumstances{}, outcome{actions.Ignore, "", "Nothing was edited that is measured"}},
		{"an edited base", file, func(p object) {
			set("edited", "action")(p)
			set(object{"base": object{"ref": object{"from": "v1"}}}, "changes")(p)
		}, circumstances{}, run("pull request 2 is to be judged")},
		{"a label that the workflow listens to", file, set("labeled", "action"), circumstances{}, run("")},
		{"a fork", file, fork, circumstances{}, run("comes from a fork")},
		{"a merged one", "pull-request-closed", nil, circumstances{}, closed},
		{"a label on a closed one", file, set("closed", "pull_request", "state"), circumstances{}, closed},
		{"a draft", "pull-request-converted-to-draft", nil, circumstances{}, draft},
		{"a draft where drafts run", "pull-request-converted-to-draft", nil, circumstances{rules: ghevent.Rules{Drafts: true}}, run("")},
		{"a marker in the title, whose author may be anybody", file, title("Fix a typo [skip bench]"), says(""), run("")},
		{"a marker in the commit's message", file, nil, says("Fix a typo\n\n[skip bench]"), marker},
		{"the marker the other way round, in capitals", file, nil, says("[Bench Skip] Fix a typo"), marker},
		{"a marker in a fork's commit", file, fork, says("[skip bench]"), run("comes from a fork")},
		{"a marker in a commit of Dependabot's, which has read it somewhere", file, set("Bot", "pull_request", "user", "type"), says("Bump x [skip bench]"), run("")},
		{"a fork without the key", file, fork, circumstances{secretless: true}, outcome{actions.Skip, comment.SkipApproval, "/bench approve"}},
		{"Dependabot without the key", file, nil, circumstances{secretless: true}, outcome{actions.Skip, comment.SkipSecrets, "Dependabot started the run"}},
		{"a draft without the key", "pull-request-converted-to-draft", nil, circumstances{secretless: true}, draft},
		{"shards of a fork, which need no key to be merged", file, fork, circumstances{results: true, secretless: true}, outcome{actions.Publish, "", "fork"}},
		{"a marker that is not heeded", file, nil, circumstances{message: "[skip bench]"}, run("")},
		{"a marker of another tool", file, title("Fix [skip ci]"), says("skip bench"), run("")},
		{"a marker in the body, which anybody's template may hold", file, set("[skip bench]", "pull_request", "body"), circumstances{}, run("")},
		{"paths that it touches", file, nil, circumstances{rules: docs, files: []string{"a.go", "docs/a.md"}}, run("")},
		{"paths that it does not touch", file, nil, circumstances{rules: docs, files: []string{"a.go"}}, untouched},
		{"no file at all is changed", file, nil, circumstances{rules: docs, files: []string{}}, untouched},
		{"the files are not known: better one run too many", file, nil, circumstances{rules: docs}, run("")},
		{"no paths, no filter", file, nil, circumstances{files: []string{"a.go"}}, run("")},
		{"shards to merge", file, nil, circumstances{results: true}, outcome{actions.Publish, "", "merges and publishes"}},
		{"shards of a fork to merge", file, set(nil, "pull_request", "head", "repo"), circumstances{results: true}, outcome{actions.Publish, "", "fork"}},
		{"a merge is skipped where its shards were", "pull-request-converted-to-draft", nil, circumstances{results: true}, draft},
	})
}

func TestCodeOfAPullRequestNeverRunsWithTheRightsOfTheBase(t *testing.T) {
	refused := outcome{actions.Refuse, "", "Use the pull_request event"}
	check(t, "pull_request_target", []decisionCase{
		{"a pull request", "pull-request-synchronize", nil, circumstances{}, refused},
		{"one of the repository itself", "pull-request-synchronize", nil, circumstances{rules: ghevent.Rules{Drafts: true}}, refused},
		{"one of a fork", "pull-request-synchronize", set("mona/x", "pull_request", "head", "repo", "full_name"), circumstances{}, refused},
		{"with results", "pull-request-synchronize", nil, circumstances{results: true}, refused},
		{"a closed one", "pull-request-closed", nil, circumstances{}, refused},
	})
}

func TestAForksCommitWaitsWhereItsOwnRunCannotSaySo(t *testing.T) {
	const file = "workflow-run-completed"
	fork := func(more ...func(object)) func(object) {
		return func(p object) {
			set("mona/octo-repo", "workflow_run", "head_repository", "full_name")(p)
			set("pull_request", "workflow_run", "event")(p)
			for _, change := range more {
				change(p)
			}
		}
	}
	ended := func(as string) func(object) { return set(as, "workflow_run", "conclusion") }
	waits, none := outcome{actions.Skip, comment.SkipApproval, "/bench approve"}, circumstances{}
	ignored := func(reason string) outcome { return outcome{actions.Ignore, "", reason} }
	check(t, "workflow_run", []decisionCase{
		{"it failed, as it has no key", file, fork(ended("failure")), none, waits},
		{"it says that all is well", file, fork(ended("success")), none, waits},
		{"it was skipped, or waits for GitHub's own approval", file, fork(ended("action_required")), none, waits},
		{"its results are not there, as it was cancelled", file, fork(ended("cancelled")), circumstances{artifacts: true}, waits},
		{"its repository was deleted", file, fork(set(nil, "workflow_run", "head_repository")), none, waits},
		{"it was of a push to the fork's pull request", file, fork(set("push", "workflow_run", "event")), none, ignored("of no fork's pull request")},
		{"it has only begun", file, fork(set("requested", "action")), none, ignored("has not ended")},
		{"one of the repository itself", file, set("pull_request", "workflow_run", "event"), none, ignored("has told itself")},
	})
	head := ghevent.Head{Pull: ghevent.Pull{Fork: true}, CommitMessage: "[skip bench]", ChangedFiles: []string{"a.go"}}
	for why, rules := range map[comment.Skip]ghevent.Rules{comment.SkipPaths: {Paths: []string{"docs/**"}}, comment.SkipApproval: {SkipMarker: true}} {
		got := actions.Decide(event(t, "workflow_run", file, fork()), actions.Circumstances{Rules: rules, Head: &head})
		assert.Equal(t, why, got.Skip)
	}
}

func TestWhatTheEndOfAnotherWorkflowLeadsTo(t *testing.T) {
	results := circumstances{artifacts: true}
	var cases []decisionCase
	for _, conclusion := range []string{"success", "failure", "neutral", "timed_out"} {
		cases = append(cases, decisionCase{"it ended as " + conclusion, "workflow-run-completed", set(conclusion, "workflow_run", "conclusion"), results,
			outcome{actions.Publish, "", "results to publish"}})
	}
	for _, conclusion := range []string{"cancelled", "skipped", "action_required", "stale", "startup_failure"} {
		cases = append(cases, decisionCase{"it ended as " + conclusion, "workflow-run-completed", set(conclusion, "workflow_run", "conclusion"), results,
			outcome{actions.Ignore, "", "has no results"}})
	}
	cases = append(cases, decisionCase{"it has only begun", "workflow-run-completed", set("requested", "action"), results,
		outcome{actions.Ignore, "", "has not ended"}},
		decisionCase{"its results are in a folder, as somebody says", "workflow-run-completed", nil, circumstances{results: true},
			outcome{actions.Refuse, "", "Name the artifact of the other run in results-artifact"}})
	check(t, "workflow_run", cases)
	check(t, "pull_request", []decisionCase{{"artifacts of a run that no event names", "pull-request-synchronize", nil, results,
		outcome{actions.Refuse, "", "results-artifact is for the event workflow_run"}}})
}

func TestWhatACommentLeadsTo(t *testing.T) {
	const file = "issue-comment-created"
	onPull := func(change func(object)) func(object) {
		return func(p object) {
			in(p, "issue")["pull_request"] = object{"url": "https://api.github.com/repos/Codertocat/Hello-World/pulls/1"}
			in(p, "comment")["body"] = "/bench run"
			if change != nil {
				change(p)
			}
		}
	}
	says := func(body string) func(object) { return onPull(set(body, "comment", "body")) }
	var none circumstances
	given := outcome{actions.Command, "", "Codertocat gave a command on pull request 1"}
	ignored := func(reason string) outcome { return outcome{actions.Ignore, "", reason} }
	check(t, "issue_comment", []decisionCase{
		{"a command", file, onPull(nil), none, given},
		{"the word alone", file, says("/bench"), none, given},
		{"talk below the command", file, says("/bench status\r\n\r\nThanks!"), none, given},
		{"a command that is none is answered", file, says("/bench please"), none, given},
		{"a space that is none is answered", file, says("/bench\u00a0run"), none, given},
		{"a command on a closed pull request is answered", file, onPull(set("closed", "issue", "state")), none, given},
		{"talk", file, onPull(set("You are right!", "comment", "body")), none, ignored("does not begin with /bench")},
		{"a longer word", file, says("/benchmark"), none, ignored("does not begin with /bench")},
		{"a command on the second line", file, says("Hello\n/bench run"), none, ignored("does not begin with /bench")},
		{"a quoted command", file, says("> /bench run"), none, ignored("does not begin with /bench")},
		{"a command in a code block", file, says("    /bench run"), none, ignored("does not begin with /bench")},
		{"no text", file, says(""), none, ignored("does not begin with /bench")},
		{"a command on an issue", file, set("/bench run", "comment", "body"), none, ignored("this is an issue")},
		{"an edited comment", file, onPull(set("edited", "action")), none, ignored("when it is created")},
		{"a deleted comment", file, onPull(set("deleted", "action")), none, ignored("when it is created")},
		{"a comment of a bot", file, onPull(set("Bot", "comment", "user", "type")), none, ignored("Comments of bots")},
		{"a comment that an App wrote in a person's name", file, onPull(set(object{"id": 4}, "comment", "performed_via_github_app")), none, ignored("Comments of bots")},
		{"a comment that somebody else has edited", file, onPull(set("2019-05-15T15:20:22Z", "comment", "updated_at")), none, ignored("when it is created")},
		{"an event that a bot sent", file, onPull(set("Bot", "sender", "type")), none, ignored("Comments of bots")},
		{"a user whose login looks like a bot's", file, onPull(func(p object) {
			set("renovate[bot]", "comment", "user", "login")(p)
			set("renovate[bot]", "sender", "login")(p)
		}), none,
			outcome{actions.Command, "", "renovate[bot] gave a command"}},
	})
	check(t, "issue_comment", []decisionCase{{"a genuine edit", "issue-comment-edited", nil, none, ignored("when it is created")}})
}

func TestWhatACommitLeadsTo(t *testing.T) {
	var none circumstances
	heeded := circumstances{rules: ghevent.Rules{SkipMarker: true}}
	filter := circumstances{rules: ghevent.Rules{Paths: []string{"docs/**"}}, files: []string{"a.go"}}
	check(t, "merge_group", []decisionCase{
		{"a merge queue", "merge-group-checks-requested", nil, none, outcome{actions.Run, "", "merge queue"}},
		{"a merge queue wants its check whatever is touched", "merge-group-checks-requested", nil, filter, outcome{actions.Run, "", "merge queue"}},
		{"a marker in a merge queue, whose message has titles in it", "merge-group-checks-requested", set("Fix [skip bench]", "merge_group", "head_commit", "message"), heeded, outcome{actions.Run, "", "merge queue"}},
		{"shards of a merge queue", "merge-group-checks-requested", nil, circumstances{results: true}, outcome{actions.Publish, "", "merge queue"}},
		{"a group that was dissolved", "merge-group-checks-requested", set("destroyed", "action"), none, outcome{actions.Ignore, "", "no checks"}},
	})
	check(t, "push", []decisionCase{
		{"a push", "push-branch", nil, none, outcome{actions.Run, "", "refs/heads/master"}},
		{"a push with a marker", "push-branch", set("Typo\n\n[bench skip]", "head_commit", "message"), heeded, outcome{actions.Skip, comment.SkipMarker, "The message of the head commit"}},
		{"a push with a marker that is not heeded", "push-branch", set("[bench skip]", "head_commit", "message"), none, outcome{actions.Run, "", ""}},
		{"a deleted tag", "push-deleted-tag", nil, none, outcome{actions.Ignore, "", "refs/tags/simple-tag was deleted"}},
	})
	check(t, "workflow_dispatch", []decisionCase{
		{"by hand", "workflow-dispatch", nil, none, outcome{actions.Run, "", "by hand"}},
		{"by hand, whatever the commit says", "workflow-dispatch", nil, circumstances{message: "[skip bench]"}, outcome{actions.Run, "", "by hand"}},
		{"shards that were started by hand", "workflow-dispatch", nil, circumstances{results: true}, outcome{actions.Publish, "", "by hand"}},
	})
}

func TestOtherEventsAreNotForThisAction(t *testing.T) {
	for _, name := range []string{"schedule", "pull_request_review", "pull_request_review_comment", "issues", "release", "check_run", "check_suite", "repository_dispatch", "deployment_status", "a_new_one"} {
		t.Run(name, func(t *testing.T) {
			got := actions.Decide(actions.Event{Event: ghevent.Event{Name: name, Action: "created"}}, actions.Circumstances{HasResults: true})
			assert.Equal(t, actions.Ignore, got.Kind)
			assert.Contains(t, got.Reason, name)
		})
	}
}

func TestKindsHaveNames(t *testing.T) {
	kinds := map[actions.Kind]string{
		actions.Ignore: "ignore", actions.Run: "run", actions.Skip: "skip",
		actions.Refuse: "refuse", actions.Publish: "publish", actions.Command: "command",
	}
	for kind, name := range kinds {
		assert.Equal(t, name, kind.String())
	}
}
