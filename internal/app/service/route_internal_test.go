package service

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

const ownApp = 7

var (
	person = ghevent.Account{Login: "octocat"}
	bot    = ghevent.Account{Login: "octocat[bot]", Bot: true}
)

func pullEvent(action string) ghevent.Event {
	return ghevent.Event{Name: ghevent.PullRequest, Action: action, Sender: person, Pull: &ghevent.Pull{Number: 1, HeadSHA: "abc"}}
}

func rebased() ghevent.Event {
	e := pullEvent("edited")
	e.Rebased = true
	return e
}

func commentEvent(body string, change func(*ghevent.Event)) ghevent.Event {
	e := ghevent.Event{
		Name: ghevent.IssueComment, Action: "created", Sender: person, Pull: &ghevent.Pull{Number: 1},
		Comment: &ghevent.Comment{ID: 2, Body: body, Author: person, OnPull: true},
	}
	if change != nil {
		change(&e)
	}
	return e
}

func checkEvent(action, button string, app int64) ghevent.Event {
	return ghevent.Event{Name: ghevent.CheckRun, Action: action, Button: button, Sender: person, Check: &ghevent.Check{ID: 3, AppID: app, HeadSHA: "abc"}}
}

func suiteEvent(action string, pulls ...int) ghevent.Event {
	return ghevent.Event{Name: ghevent.CheckSuite, Action: action, Sender: person, Suite: &ghevent.Suite{AppID: ownApp, HeadSHA: "abc", Pulls: pulls}}
}

func pushEvent(ref, head string) ghevent.Event {
	return ghevent.Event{Name: ghevent.Push, Sender: person, Repo: ghevent.Repo{Owner: "acme", Name: "tool", DefaultBranch: "main"}, Pushed: &ghevent.Pushed{Ref: ref, HeadSHA: head}}
}

func by(who ghevent.Account, e ghevent.Event) ghevent.Event {
	e.Sender = who
	return e
}

func TestRouteSaysWhoseTurnItIs(t *testing.T) {
	retry := request(command.Retry)
	closed := pullEvent("reopened")
	closed.Pull.Closed = true
	for _, c := range []struct {
		name  string
		event ghevent.Event
		want  routing
	}{
		{"a pull request is opened", pullEvent("opened"), routing{kind: kindConsidered}},
		{"a pull request gets a push", pullEvent("synchronize"), routing{kind: kindConsidered}},
		{"the text of a pull request is edited", pullEvent("edited"), routing{kind: kindIgnored, why: "text"}},
		{"a pull request gets another base", rebased(), routing{kind: kindConsidered}},
		{"a closed pull request", closed, routing{kind: kindIgnored, why: "closed"}},
		{"a command", commentEvent("/bench retry", nil), routing{kind: kindCommanded, Request: retry}},
		{"talk", commentEvent("What does /bench do?", nil), routing{kind: kindIgnored, why: "talk"}},
		{"a command in a code block", commentEvent("```\n/bench run\n```", nil), routing{kind: kindIgnored, why: "talk"}},
		{"a command on an issue", commentEvent("/bench", func(e *ghevent.Event) { e.Comment.OnPull = false }), routing{kind: kindIgnored, why: "issue"}},
		{"a bot's command", commentEvent("/bench", func(e *ghevent.Event) { e.Comment.Author = bot }), routing{kind: kindIgnored, why: "bot"}},
		{"a command sent by a bot", by(bot, commentEvent("/bench", nil)), routing{kind: kindIgnored, why: "bot"}},
		{"a person whose name ends as a bot's", commentEvent("/bench retry", func(e *ghevent.Event) {
			e.Comment.Author.Login, e.Sender.Login = "x[bot]", "x[bot]"
		}), routing{kind: kindCommanded, Request: retry}},
		{"a command that was edited", commentEvent("/bench", func(e *ghevent.Event) { e.Comment.Edited = true }), routing{kind: kindIgnored, why: "edited"}},
		{"a command under another's name", commentEvent("/bench", func(e *ghevent.Event) { e.Sender.Login = "mallory" }), routing{kind: kindIgnored, why: "edited"}},
		{"an edit of a comment", func() ghevent.Event { e := commentEvent("/bench", nil); e.Action = "edited"; return e }(), routing{kind: kindIgnored, why: "action"}},
		{"our check is asked for again", checkEvent("rerequested", "", ownApp), routing{kind: kindPressed, Request: retry}},
		{"another App's check", checkEvent("rerequested", "", 8), routing{kind: kindIgnored, why: "foreign"}},
		{"a bot asks for our check again", by(bot, checkEvent("rerequested", "", ownApp)), routing{kind: kindIgnored, why: "bot"}},
		{"our check is created", checkEvent("created", "", ownApp), routing{kind: kindIgnored, why: "action"}},
		{"the button for what failed", checkEvent("requested_action", buttonRetry, ownApp), routing{kind: kindPressed, Request: retry}},
		{"the button for everything", checkEvent("requested_action", buttonFull, ownApp), routing{kind: kindPressed, Request: request(command.Run), fresh: true}},
		{"the button for why", checkEvent("requested_action", buttonExplain, ownApp), routing{kind: kindPressed, Request: request(command.Explain)}},
		{"a button that we do not have", checkEvent("requested_action", "rm", ownApp), routing{kind: kindIgnored, why: "button"}},
		{"our suite is asked for again", suiteEvent("rerequested", 1), routing{kind: kindPressed, Request: retry}},
		{"a push to a pull request makes a suite", suiteEvent("requested", 1), routing{kind: kindConsidered}},
		{"a push elsewhere makes a suite", suiteEvent("requested"), routing{kind: kindIgnored, why: "no_pull_request"}},
		{"another App's suite", func() ghevent.Event { e := suiteEvent("requested", 1); e.Suite.AppID = 8; return e }(), routing{kind: kindIgnored, why: "foreign"}},
		{"a bot asks for our suite again", by(bot, suiteEvent("rerequested", 1)), routing{kind: kindIgnored, why: "bot"}},
		{"a bot's push makes a suite", by(bot, suiteEvent("requested", 1)), routing{kind: kindConsidered}},
		{"a bot opens a pull request", by(bot, pullEvent("opened")), routing{kind: kindConsidered}},
		{"a push to the default branch", pushEvent("refs/heads/main", "abc"), routing{kind: kindPushed}},
		{"a push to another branch", pushEvent("refs/heads/other", "abc"), routing{kind: kindIgnored, why: "branch"}},
		{"the default branch is deleted", pushEvent("refs/heads/main", ""), routing{kind: kindIgnored, why: "branch"}},
		{"a merge queue asks", ghevent.Event{Name: ghevent.MergeGroup, Action: "checks_requested"}, routing{kind: kindQueued}},
		{"a merge queue gives up", ghevent.Event{Name: ghevent.MergeGroup, Action: "destroyed"}, routing{kind: kindIgnored, why: "action"}},
		{"a workflow ends", ghevent.Event{Name: ghevent.WorkflowRun, Action: "completed"}, routing{kind: kindEnded}},
		{"an installation goes", ghevent.Event{Name: ghevent.Installation, Action: "deleted"}, routing{kind: kindLost}},
		{"an installation is suspended", ghevent.Event{Name: ghevent.Installation, Action: "suspend"}, routing{kind: kindLost}},
		{"repositories go", ghevent.Event{Name: ghevent.InstallationRepositories, Action: "removed"}, routing{kind: kindLost}},
		{"a ping", ghevent.Event{Name: ghevent.Ping}, routing{kind: kindIgnored, why: "ping"}},
		{"an event that nobody asked for", ghevent.Event{Name: "star", Action: "created"}, routing{kind: kindIgnored, why: "event"}},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, route(c.event, ownApp)) })
	}
}

func TestAMistakenCommandIsAnswered(t *testing.T) {
	r := route(commentEvent("/bench rnu", nil), ownApp)
	assert.Equal(t, kindCommanded, r.kind)
	require.ErrorContains(t, r.Mistake, "did you mean `run`?")
}

func TestOnlyTheListedActionsCount(t *testing.T) {
	events := Events()
	assert.True(t, events.Action("installation", "suspend"))
	assert.False(t, events.Action("installation", "created"))
	assert.True(t, events.Action("ping", ""))
	assert.False(t, events.Event("star"))
	assert.Equal(t, []string{"pull_request", "issue_comment", "check_run", "check_suite", "merge_group", "push", "workflow_run"}, events.Subscribed())
}

func TestConsiderFollowsTheSettings(t *testing.T) {
	head := ghevent.Pull{Number: 1, HeadSHA: "abc"}
	for _, c := range []struct {
		name  string
		set   func(*settings.Settings)
		facts func(*facts)
		want  decision
	}{
		{"an opened pull request is measured", nil, nil, decision{outcome: run}},
		{"a trigger that is not set", func(s *settings.Settings) { s.Triggers.PullRequest = []string{"synchronize"} }, nil, decision{outcome: leave}},
		{"no trigger, and a suite", func(s *settings.Settings) { s.Triggers.PullRequest = nil }, func(f *facts) { f.action = "" }, decision{outcome: leave}},
		{"a suite stands for a lost event", nil, func(f *facts) { f.action = "" }, decision{outcome: run}},
		{"the commit of a fork says no", nil, func(f *facts) { f.Pull.Fork, f.approved, f.CommitMessage = true, true, "[skip bench]" }, decision{outcome: run}},
		{"the commit says no, which is not heeded", func(s *settings.Settings) { s.Triggers.SkipMarker = false }, func(f *facts) { f.CommitMessage = "[skip bench]" }, decision{outcome: run}},
		{"the commit says no, the other way round", nil, func(f *facts) { f.CommitMessage = "[Bench Skip] fix" }, decision{skip, comment.SkipMarker}},
		{"the commit says no", nil, func(f *facts) { f.CommitMessage = "fix\n\n[skip bench]" }, decision{skip, comment.SkipMarker}},
		{"the label says no", nil, func(f *facts) { f.Pull.Labels = []string{"Skip-Bench"} }, decision{skip, comment.SkipLabel}},
		{"the label that is wanted is missing", func(s *settings.Settings) { s.Labels.Run = "bench" }, nil, decision{skip, comment.SkipLabel}},
		{"the label that is wanted is there", func(s *settings.Settings) { s.Labels.Run = "bench" }, func(f *facts) { f.Pull.Labels = []string{"BENCH"} }, decision{outcome: run}},
		{"another label is added", func(s *settings.Settings) {
			s.Triggers.PullRequest, s.Labels.Run = []string{"labeled"}, "bench"
		}, func(f *facts) { f.action, f.label, f.Pull.Labels = "labeled", "bug", []string{"bug", "bench"} }, decision{outcome: leave}},
		{"the label is added", func(s *settings.Settings) {
			s.Triggers.PullRequest, s.Labels.Run = []string{"labeled"}, "bench"
		}, func(f *facts) { f.action, f.label, f.Pull.Labels = "labeled", "bench", []string{"bench"} }, decision{outcome: run}},
		{"a draft", nil, func(f *facts) { f.Pull.Draft = true }, decision{skip, comment.SkipDraft}},
		{"a draft that is wanted", func(s *settings.Settings) { s.Triggers.Drafts = true }, func(f *facts) { f.Pull.Draft = true }, decision{outcome: run}},
		{"other paths", func(s *settings.Settings) { s.Paths = []string{"src/**"} }, func(f *facts) { f.ChangedFiles = []string{"README.md"} }, decision{skip, comment.SkipPaths}},
		{"the paths", func(s *settings.Settings) { s.Paths = []string{"src/**"} }, func(f *facts) { f.ChangedFiles = []string{"src/a.ts"} }, decision{outcome: run}},
		{"paths that are not known hold nothing back", func(s *settings.Settings) { s.Paths = []string{"src/**"} }, nil, decision{outcome: run}},
		{"a fork without approval", nil, func(f *facts) { f.Pull.Fork = true }, decision{skip, comment.SkipApproval}},
		{"a fork with approval", nil, func(f *facts) { f.Pull.Fork, f.approved = true, true }, decision{outcome: run}},
		{"a fork where none is wanted", func(s *settings.Settings) { s.Forks = settings.ForksNever }, func(f *facts) { f.Pull.Fork, f.approved = true, true }, decision{skip, comment.SkipForks}},
		{"another base has the effect of a push", func(s *settings.Settings) { s.Triggers.PullRequest = []string{"synchronize"} }, func(f *facts) { f.action = "edited" }, decision{outcome: run}},
		{"another base, where no push is wanted", func(s *settings.Settings) { s.Triggers.PullRequest = []string{"opened", "edited"} }, func(f *facts) { f.action = "edited" }, decision{outcome: leave}},
		{"the label is added in other letters", func(s *settings.Settings) {
			s.Triggers.PullRequest, s.Labels.Run = []string{"labeled"}, "bench"
		}, func(f *facts) { f.action, f.label, f.Pull.Labels = "labeled", "BENCH", []string{"BENCH"} }, decision{outcome: run}},
		{"the label is added, which is no trigger", func(s *settings.Settings) {
			s.Triggers.PullRequest, s.Labels.Run = []string{"opened"}, "bench"
		}, func(f *facts) { f.action, f.label, f.Pull.Labels = "labeled", "bench", []string{"bench"} }, decision{outcome: leave}},
		{"somebody who may not write did it", nil, func(f *facts) { f.stranger = true }, decision{skip, comment.SkipPermission}},
		{"somebody who may not write did it to a draft", nil, func(f *facts) { f.stranger, f.Pull.Draft = true, true }, decision{skip, comment.SkipDraft}},
		{"closed meanwhile", nil, func(f *facts) { f.Pull.Closed = true }, decision{outcome: leave}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := settings.Defaults(), facts{Head: ghevent.Head{Pull: head}, action: "opened"}
			if c.set != nil {
				c.set(&s)
			}
			if c.facts != nil {
				c.facts(&f)
			}
			assert.Equal(t, c.want, consider(s, f))
		})
	}
}

func TestACommandPassesWhatHoldsBackByItselfButNoFork(t *testing.T) {
	s := settings.Defaults()
	draft := facts{Head: ghevent.Head{Pull: ghevent.Pull{Draft: true, Labels: []string{"skip-bench"}}, CommitMessage: "[skip bench]"}}
	assert.Equal(t, decision{outcome: run}, forked(s, draft))
	fork := facts{Head: ghevent.Head{Pull: ghevent.Pull{Fork: true}}}
	assert.Equal(t, decision{skip, comment.SkipApproval}, forked(s, fork))
}

// Others than those who may write can reopen, label and rename what is on a branch of
// the repository; push to it they cannot, and what comes from a fork is approved.
func TestItIsAskedWhoDidWhatAnybodyCanDo(t *testing.T) {
	fork := pullEvent("reopened")
	fork.Pull.Fork = true
	for _, c := range []struct {
		name  string
		event ghevent.Event
		asked bool
	}{
		{"reopened", pullEvent("reopened"), true},
		{"labeled", pullEvent("labeled"), true},
		{"ready for review", pullEvent("ready_for_review"), true},
		{"edited", pullEvent("edited"), true},
		{"opened", pullEvent("opened"), false},
		{"pushed to", pullEvent("synchronize"), false},
		{"reopened, of a fork", fork, false},
		{"reopened by a bot", by(bot, pullEvent("reopened")), false},
	} {
		assert.Equal(t, c.asked, asksWho(c.event, *c.event.Pull), c.name)
	}
}
