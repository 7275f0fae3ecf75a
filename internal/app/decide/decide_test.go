package decide_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/decide"
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

func by(who ghevent.Account, e ghevent.Event) ghevent.Event {
	e.Sender = who
	return e
}

func TestRouteSaysWhoseTurnItIs(t *testing.T) {
	retry := command.Command{Name: command.Retry}
	closed := pullEvent("reopened")
	closed.Pull.Closed = true
	for _, c := range []struct {
		name  string
		event ghevent.Event
		want  decide.Routing
	}{
		{"a pull request is opened", pullEvent("opened"), decide.Routing{Kind: decide.Considered}},
		{"a pull request gets a push", pullEvent("synchronize"), decide.Routing{Kind: decide.Considered}},
		{"the text of a pull request is edited", pullEvent("edited"), decide.Routing{Kind: decide.Ignored, Why: "text"}},
		{"a pull request gets another base", rebased(), decide.Routing{Kind: decide.Considered}},
		{"a closed pull request", closed, decide.Routing{Kind: decide.Ignored, Why: "closed"}},
		{"a command", commentEvent("/bench retry", nil), decide.Routing{Kind: decide.Commanded, Command: retry}},
		{"talk", commentEvent("What does /bench do?", nil), decide.Routing{Kind: decide.Ignored, Why: "talk"}},
		{"a command in a code block", commentEvent("```\n/bench run\n```", nil), decide.Routing{Kind: decide.Ignored, Why: "talk"}},
		{"a command on an issue", commentEvent("/bench", func(e *ghevent.Event) { e.Comment.OnPull = false }), decide.Routing{Kind: decide.Ignored, Why: "issue"}},
		{"a bot's command", commentEvent("/bench", func(e *ghevent.Event) { e.Comment.Author = bot }), decide.Routing{Kind: decide.Ignored, Why: "bot"}},
		{"a command sent by a bot", by(bot, commentEvent("/bench", nil)), decide.Routing{Kind: decide.Ignored, Why: "bot"}},
		{"a person whose name ends as a bot's", commentEvent("/bench retry", func(e *ghevent.Event) {
			e.Comment.Author.Login, e.Sender.Login = "x[bot]", "x[bot]"
		}), decide.Routing{Kind: decide.Commanded, Command: retry}},
		{"a command that was edited", commentEvent("/bench", func(e *ghevent.Event) { e.Comment.Edited = true }), decide.Routing{Kind: decide.Ignored, Why: "edited"}},
		{"a command under another's name", commentEvent("/bench", func(e *ghevent.Event) { e.Sender.Login = "mallory" }), decide.Routing{Kind: decide.Ignored, Why: "edited"}},
		{"an edit of a comment", func() ghevent.Event { e := commentEvent("/bench", nil); e.Action = "edited"; return e }(), decide.Routing{Kind: decide.Ignored, Why: "action"}},
		{"our check is asked for again", checkEvent("rerequested", "", ownApp), decide.Routing{Kind: decide.Pressed, Command: retry}},
		{"another App's check", checkEvent("rerequested", "", 8), decide.Routing{Kind: decide.Ignored, Why: "foreign"}},
		{"a bot asks for our check again", by(bot, checkEvent("rerequested", "", ownApp)), decide.Routing{Kind: decide.Ignored, Why: "bot"}},
		{"our check is created", checkEvent("created", "", ownApp), decide.Routing{Kind: decide.Ignored, Why: "action"}},
		{"the button for what failed", checkEvent("requested_action", decide.ButtonRetry, ownApp), decide.Routing{Kind: decide.Pressed, Command: retry}},
		{"the button for everything", checkEvent("requested_action", decide.ButtonFull, ownApp), decide.Routing{Kind: decide.Pressed, Command: command.Command{Name: command.Run}, Fresh: true}},
		{"the button for why", checkEvent("requested_action", decide.ButtonExplain, ownApp), decide.Routing{Kind: decide.Pressed, Command: command.Command{Name: command.Explain}}},
		{"a button that we do not have", checkEvent("requested_action", "rm", ownApp), decide.Routing{Kind: decide.Ignored, Why: "button"}},
		{"our suite is asked for again", suiteEvent("rerequested", 1), decide.Routing{Kind: decide.Pressed, Command: retry}},
		{"a push to a pull request makes a suite", suiteEvent("requested", 1), decide.Routing{Kind: decide.Considered}},
		{"a push elsewhere makes a suite", suiteEvent("requested"), decide.Routing{Kind: decide.Ignored, Why: "no_pull_request"}},
		{"a merge queue asks", ghevent.Event{Name: ghevent.MergeGroup, Action: "checks_requested"}, decide.Routing{Kind: decide.Queued}},
		{"a merge queue gives up", ghevent.Event{Name: ghevent.MergeGroup, Action: "destroyed"}, decide.Routing{Kind: decide.Ignored, Why: "action"}},
		{"a workflow ends", ghevent.Event{Name: ghevent.WorkflowRun, Action: "completed"}, decide.Routing{Kind: decide.Ended}},
		{"an installation goes", ghevent.Event{Name: ghevent.Installation, Action: "deleted"}, decide.Routing{Kind: decide.Lost}},
		{"an installation is suspended", ghevent.Event{Name: ghevent.Installation, Action: "suspend"}, decide.Routing{Kind: decide.Lost}},
		{"repositories go", ghevent.Event{Name: ghevent.InstallationRepositories, Action: "removed"}, decide.Routing{Kind: decide.Lost}},
		{"a ping", ghevent.Event{Name: ghevent.Ping}, decide.Routing{Kind: decide.Ignored, Why: "ping"}},
		{"an event that nobody asked for", ghevent.Event{Name: "star", Action: "created"}, decide.Routing{Kind: decide.Ignored, Why: "event"}},
	} {
		t.Run(c.name, func(t *testing.T) { assert.Equal(t, c.want, decide.Route(c.event, ownApp)) })
	}
}

func TestAMistakenCommandIsAnswered(t *testing.T) {
	r := decide.Route(commentEvent("/bench rnu", nil), ownApp)
	assert.Equal(t, decide.Commanded, r.Kind)
	require.ErrorContains(t, r.Mistake, "did you mean `run`?")
}

func TestOnlyTheListedActionsCount(t *testing.T) {
	actions, leads := decide.Actions("installation")
	assert.True(t, leads)
	assert.Equal(t, []string{"deleted", "suspend"}, actions)
	actions, leads = decide.Actions("ping")
	assert.True(t, leads)
	assert.Empty(t, actions)
	_, leads = decide.Actions("star")
	assert.False(t, leads)
}

func TestConsiderFollowsTheSettings(t *testing.T) {
	head := ghevent.Pull{Number: 1, HeadSHA: "abc"}
	for _, c := range []struct {
		name  string
		set   func(*settings.Settings)
		facts func(*decide.Facts)
		want  decide.Decision
	}{
		{"an opened pull request is measured", nil, nil, decide.Decision{Outcome: decide.Run}},
		{"a trigger that is not set", func(s *settings.Settings) { s.Triggers.PullRequest = []string{"synchronize"} }, nil, decide.Decision{Outcome: decide.Leave}},
		{"no trigger, and a suite", func(s *settings.Settings) { s.Triggers.PullRequest = nil }, func(f *decide.Facts) { f.Action = "" }, decide.Decision{Outcome: decide.Leave}},
		{"a suite stands for a lost event", nil, func(f *decide.Facts) { f.Action = "" }, decide.Decision{Outcome: decide.Run}},
		{"the commit of a fork says no", nil, func(f *decide.Facts) { f.Pull.Fork, f.Approved, f.CommitMessage = true, true, "[skip bench]" }, decide.Decision{Outcome: decide.Run}},
		{"the commit says no, which is not heeded", func(s *settings.Settings) { s.Triggers.SkipMarker = false }, func(f *decide.Facts) { f.CommitMessage = "[skip bench]" }, decide.Decision{Outcome: decide.Run}},
		{"the commit says no, the other way round", nil, func(f *decide.Facts) { f.CommitMessage = "[Bench Skip] fix" }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipMarker}},
		{"the commit says no", nil, func(f *decide.Facts) { f.CommitMessage = "fix\n\n[skip bench]" }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipMarker}},
		{"the label says no", nil, func(f *decide.Facts) { f.Pull.Labels = []string{"Skip-Bench"} }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipLabel}},
		{"the label that is wanted is missing", func(s *settings.Settings) { s.Labels.Run = "bench" }, nil, decide.Decision{Outcome: decide.Skip, Why: comment.SkipLabel}},
		{"the label that is wanted is there", func(s *settings.Settings) { s.Labels.Run = "bench" }, func(f *decide.Facts) { f.Pull.Labels = []string{"BENCH"} }, decide.Decision{Outcome: decide.Run}},
		{"another label is added", func(s *settings.Settings) {
			s.Triggers.PullRequest, s.Labels.Run = []string{"labeled"}, "bench"
		}, func(f *decide.Facts) { f.Action, f.Label, f.Pull.Labels = "labeled", "bug", []string{"bug", "bench"} }, decide.Decision{Outcome: decide.Leave}},
		{"the label is added", func(s *settings.Settings) {
			s.Triggers.PullRequest, s.Labels.Run = []string{"labeled"}, "bench"
		}, func(f *decide.Facts) { f.Action, f.Label, f.Pull.Labels = "labeled", "bench", []string{"bench"} }, decide.Decision{Outcome: decide.Run}},
		{"a draft", nil, func(f *decide.Facts) { f.Pull.Draft = true }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipDraft}},
		{"a draft that is wanted", func(s *settings.Settings) { s.Triggers.Drafts = true }, func(f *decide.Facts) { f.Pull.Draft = true }, decide.Decision{Outcome: decide.Run}},
		{"other paths", func(s *settings.Settings) { s.Paths = []string{"src/**"} }, func(f *decide.Facts) { f.ChangedFiles = []string{"README.md"} }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipPaths}},
		{"the paths", func(s *settings.Settings) { s.Paths = []string{"src/**"} }, func(f *decide.Facts) { f.ChangedFiles = []string{"src/a.ts"} }, decide.Decision{Outcome: decide.Run}},
		{"paths that are not known hold nothing back", func(s *settings.Settings) { s.Paths = []string{"src/**"} }, nil, decide.Decision{Outcome: decide.Run}},
		{"a fork without approval", nil, func(f *decide.Facts) { f.Pull.Fork = true }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipApproval}},
		{"a fork with approval", nil, func(f *decide.Facts) { f.Pull.Fork, f.Approved = true, true }, decide.Decision{Outcome: decide.Run}},
		{"a fork where none is wanted", func(s *settings.Settings) { s.Forks = settings.ForksNever }, func(f *decide.Facts) { f.Pull.Fork, f.Approved = true, true }, decide.Decision{Outcome: decide.Skip, Why: comment.SkipForks}},
		{"closed meanwhile", nil, func(f *decide.Facts) { f.Pull.Closed = true }, decide.Decision{Outcome: decide.Leave}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, f := settings.Defaults(), decide.Facts{Pull: head, Action: "opened"}
			if c.set != nil {
				c.set(&s)
			}
			if c.facts != nil {
				c.facts(&f)
			}
			assert.Equal(t, c.want, decide.Consider(s, f))
		})
	}
}

func TestACommandPassesWhatHoldsBackByItselfButNoFork(t *testing.T) {
	s := settings.Defaults()
	draft := decide.Facts{Pull: ghevent.Pull{Draft: true, Labels: []string{"skip-bench"}}, CommitMessage: "[skip bench]"}
	assert.Equal(t, decide.Decision{Outcome: decide.Run}, decide.Commandable(s, draft))
	fork := decide.Facts{Pull: ghevent.Pull{Fork: true}}
	assert.Equal(t, decide.Decision{Outcome: decide.Skip, Why: comment.SkipApproval}, decide.Commandable(s, fork))
}
