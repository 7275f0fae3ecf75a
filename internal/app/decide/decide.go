// Package decide says what an event leads to. It is pure: what has to be asked
// from GitHub is given.
//
// [Route] needs the event alone, and says whose turn it is. What is to be
// [Considered] is judged by [Consider] with the repository's settings.
package decide

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// Kind is what an event leads to.
type Kind string

// The kinds.
const (
	// Ignored leads to nothing.
	Ignored Kind = "ignored"
	// Considered may start a run of a pull request's head, if the settings
	// want it.
	Considered Kind = "considered"
	// Queued is a group of a merge queue, which waits for its check.
	Queued Kind = "queued"
	// Commanded is a comment with a command, or with a mistaken one.
	Commanded Kind = "commanded"
	// Pressed is a button or a re-run link of a check of ours: Command says
	// what it stands for. Whether the sender may is still to be asked.
	Pressed Kind = "pressed"
	// Ended is a workflow run that has ended, perhaps one that was dispatched.
	Ended Kind = "ended"
	// Lost is an installation, or repositories of it, that the App has no
	// access to any more.
	Lost Kind = "lost"
)

// Routing says whose turn it is.
type Routing struct {
	Kind Kind
	// Why is a word for the log and the metrics if the kind is Ignored.
	Why string
	// Command is what is to be done for Commanded and Pressed; Mistake is the
	// error of a command that cannot be read, to be answered.
	Command command.Command
	Mistake error
	// Fresh is true of a button that wants everything run anew.
	Fresh bool
}

// Buttons of a check run that has ended, by their identifiers.
const (
	ButtonRetry   = "retry"
	ButtonFull    = "full"
	ButtonExplain = "explain"
)

// Route says whose turn an event is. OwnApp is the id of this App.
func Route(e ghevent.Event, ownApp int64) Routing {
	on, known := table[e.Name]
	if !known {
		return ignored("event")
	}
	if len(on.actions) > 0 && !slices.Contains(on.actions, e.Action) {
		return ignored("action")
	}
	return on.route(e, ownApp)
}

// Actions returns the actions of an event that count, nil if all do, also none.
// It reports false for events that lead to nothing whatever their action is.
func Actions(name string) ([]string, bool) {
	on, known := table[name]
	return slices.Clone(on.actions), known
}

// row says which actions of an event count, all if none is listed, and what
// they lead to.
type row struct {
	actions []string
	route   func(e ghevent.Event, ownApp int64) Routing
}

// table is which event starts what.
var table = map[string]row{
	ghevent.PullRequest:              {[]string{"opened", "reopened", "synchronize", "ready_for_review", "labeled", "edited"}, routePull},
	ghevent.IssueComment:             {[]string{"created"}, routeComment},
	ghevent.CheckRun:                 {[]string{"rerequested", "requested_action"}, routeCheck},
	ghevent.CheckSuite:               {[]string{"requested", "rerequested"}, routeSuite},
	ghevent.MergeGroup:               {[]string{"checks_requested"}, to(Queued)},
	ghevent.WorkflowRun:              {[]string{"completed"}, to(Ended)},
	ghevent.Installation:             {[]string{"deleted", "suspend"}, to(Lost)},
	ghevent.InstallationRepositories: {[]string{"removed"}, to(Lost)},
	ghevent.Ping:                     {nil, func(ghevent.Event, int64) Routing { return ignored("ping") }},
}

func to(kind Kind) func(ghevent.Event, int64) Routing {
	return func(ghevent.Event, int64) Routing { return Routing{Kind: kind} }
}

func ignored(why string) Routing { return Routing{Kind: Ignored, Why: why} }

// routePull takes what may change whether, or how, a head is measured: another
// base has settings of its own.
func routePull(e ghevent.Event, _ int64) Routing {
	switch {
	case e.Pull.Closed:
		return ignored("closed")
	case e.Action == "edited" && !e.Rebased:
		return ignored("text")
	}
	return Routing{Kind: Considered}
}

// routeComment takes new comments of people on pull requests.
func routeComment(e ghevent.Event, _ int64) Routing {
	switch {
	case !e.Comment.OnPull:
		return ignored("issue")
	case e.Comment.Author.Bot || e.Sender.Bot:
		return ignored("bot")
	case e.Comment.Edited || !strings.EqualFold(e.Comment.Author.Login, e.Sender.Login):
		return ignored("edited")
	}
	c, is, err := command.Parse(e.Comment.Body)
	if !is {
		return ignored("talk")
	}
	return Routing{Kind: Commanded, Command: c, Mistake: err}
}

// routeCheck takes what people press on our own check runs.
func routeCheck(e ghevent.Event, ownApp int64) Routing {
	switch {
	case e.Check.AppID != ownApp:
		return ignored("foreign")
	case e.Sender.Bot:
		return ignored("bot")
	case e.Action == "rerequested" || e.Button == ButtonRetry:
		return Routing{Kind: Pressed, Command: command.Command{Name: command.Retry}}
	case e.Button == ButtonFull:
		return Routing{Kind: Pressed, Command: command.Command{Name: command.Run}, Fresh: true}
	case e.Button == ButtonExplain:
		return Routing{Kind: Pressed, Command: command.Command{Name: command.Explain}}
	default:
		return ignored("button")
	}
}

// routeSuite takes a suite that is asked for again as its check runs, and one
// that is asked for first as another word about its pull requests, in case
// that event was lost.
func routeSuite(e ghevent.Event, ownApp int64) Routing {
	switch {
	case e.Suite.AppID != ownApp:
		return ignored("foreign")
	case e.Action == "requested" && len(e.Suite.Pulls) > 0:
		return Routing{Kind: Considered}
	case e.Action == "requested":
		return ignored("no_pull_request")
	case e.Sender.Bot:
		return ignored("bot")
	default:
		return Routing{Kind: Pressed, Command: command.Command{Name: command.Retry}}
	}
}

// Facts are what a decision on a pull request depends on besides its settings.
type Facts struct {
	Pull ghevent.Pull
	// Action is the event's; empty where the event is no pull request's own.
	Action string
	// Label is the one that was just added, for the action labeled.
	Label string
	// CommitMessage is the head commit's, empty where it is not known.
	CommitMessage string
	// ChangedFiles are the paths that the pull request touches, old names of
	// renamed files included; nil where they are not known, and then they hold
	// nothing back.
	ChangedFiles []string
	// Approved is true if somebody approved this head commit of a fork.
	Approved bool
	// Stranger is true if the event is the doing of a person who may not write.
	Stranger bool
}

// AsksWho reports whether it matters who is behind an event: others than those
// who may write can do these things with a branch of the repository. Only they
// can push, and what comes from forks is approved.
func AsksWho(e ghevent.Event, p ghevent.Pull) bool {
	return !p.Fork && !e.Sender.Bot && slices.Contains([]string{"reopened", "labeled", "ready_for_review", "edited"}, e.Action)
}

// Outcome is what a decision comes to.
type Outcome string

// The outcomes.
const (
	// Run has the head commit measured.
	Run Outcome = "run"
	// Leave does nothing and says nothing on GitHub.
	Leave Outcome = "leave"
	// Skip concludes the check without a run, so that it does not hang where
	// it is required.
	Skip Outcome = "skip"
)

// Decision is what comes of a pull request that was considered.
type Decision struct {
	Outcome Outcome
	// Why is the reason of a Skip.
	Why comment.Skip
}

// Consider says whether a pull request is measured by itself.
func Consider(s settings.Settings, f Facts) Decision {
	switch {
	case f.Pull.Closed || !wanted(s, f):
		return Decision{Outcome: Leave}
	case s.Triggers.SkipMarker && !f.Pull.Fork && marked(f.CommitMessage):
		// A title is not asked: its author may be anybody. Who has pushed to a branch
		// of the repository may write.
		return skip(comment.SkipMarker)
	case has(f.Pull.Labels, s.Labels.Skip) || s.Labels.Run != "" && !has(f.Pull.Labels, s.Labels.Run):
		return skip(comment.SkipLabel)
	case f.Pull.Draft && !s.Triggers.Drafts:
		return skip(comment.SkipDraft)
	case untouched(s.Paths, f.ChangedFiles):
		return skip(comment.SkipPaths)
	case f.Stranger:
		return skip(comment.SkipPermission)
	default:
		return forked(s, f)
	}
}

// forked decides on forks, for commands too: nobody may have a commit of a
// fork run that was not approved.
func forked(s settings.Settings, f Facts) Decision {
	switch {
	case f.Pull.Fork && s.Forks == settings.ForksNever:
		return skip(comment.SkipForks)
	case f.Pull.Fork && !f.Approved:
		return skip(comment.SkipApproval)
	default:
		return Decision{Outcome: Run}
	}
}

// Commandable says whether a command may have the head commit measured.
// Labels, paths and drafts hold back only what starts by itself.
func Commandable(s settings.Settings, f Facts) Decision { return forked(s, f) }

// wanted reports whether the settings name the event as a trigger.
func wanted(s settings.Settings, f Facts) bool {
	switch f.Action {
	case "", "edited": // as a push: it is another way to hear of one, or has the same effect
		return slices.Contains(s.Triggers.PullRequest, "synchronize")
	case "labeled":
		return slices.Contains(s.Triggers.PullRequest, f.Action) && strings.EqualFold(f.Label, s.Labels.Run)
	default:
		return slices.Contains(s.Triggers.PullRequest, f.Action)
	}
}

func skip(why comment.Skip) Decision { return Decision{Outcome: Skip, Why: why} }

// marked reports whether a text asks for nothing to be run.
func marked(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "[skip bench]") || strings.Contains(text, "[bench skip]")
}

// has reports whether a label is there; names of labels are without case.
func has(labels []string, name string) bool {
	return name != "" && slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, name) })
}

// untouched reports whether the changed files are known and the patterns leave
// all of them out.
func untouched(patterns, changed []string) bool {
	if len(patterns) == 0 || changed == nil {
		return false
	}
	filter, err := ghevent.ParsePaths(patterns)
	return err == nil && !filter.Any(changed)
}
