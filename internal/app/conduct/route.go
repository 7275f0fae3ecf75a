package conduct

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// kind is what an event leads to. It depends on the event alone; whether a pull
// request that is considered is measured, [consider] says with its settings.
type kind string

// The kinds.
const (
	// kindIgnored leads to nothing.
	kindIgnored kind = "ignored"
	// kindConsidered may start a run of a pull request's head, if the settings
	// want it.
	kindConsidered kind = "considered"
	// kindQueued is a group of a merge queue, which waits for its check.
	kindQueued kind = "queued"
	// kindCommanded is a comment with a command, or with a mistaken one.
	kindCommanded kind = "commanded"
	// kindPressed is a button or a re-run link of a check of ours: Command says
	// what it stands for. Whether the sender may is still to be asked.
	kindPressed kind = "pressed"
	// kindEnded is a workflow run that has ended, perhaps one that was dispatched.
	kindEnded kind = "ended"
	// kindLost is an installation, or repositories of it, that the App has no
	// access to any more.
	kindLost kind = "lost"
)

// routing says whose turn it is.
type routing struct {
	kind kind
	// why is a word for the log and the metrics if the kind is kindIgnored.
	why string
	// Request is what is to be done for commanded and pressed.
	ghevent.Request
	// fresh is true of a button that wants everything run anew.
	fresh bool
}

// Buttons of a check run that has ended, by their identifiers.
const (
	buttonRetry   = "retry"
	buttonFull    = "full"
	buttonExplain = "explain"
)

// route says whose turn an event is. OwnApp is the id of this App.
func route(e ghevent.Event, ownApp int64) routing {
	on, known := eventTable[e.Name]
	if !known {
		return ignore("event")
	}
	if len(on.actions) > 0 && !slices.Contains(on.actions, e.Action) {
		return ignore("action")
	}
	return on.route(e, ownApp)
}

// Actions returns the actions of an event that count, nil if all do, also none.
// It reports false for events that lead to nothing whatever their action is.
func Actions(name string) ([]string, bool) {
	on, known := eventTable[name]
	return slices.Clone(on.actions), known
}

// eventRow says which actions of an event count, all if none is listed, and what
// they lead to.
type eventRow struct {
	actions []string
	route   func(e ghevent.Event, ownApp int64) routing
}

// eventTable is which event starts what.
var eventTable = map[string]eventRow{
	ghevent.PullRequest:              {[]string{"opened", "reopened", "synchronize", "ready_for_review", "labeled", "edited"}, routePull},
	ghevent.IssueComment:             {[]string{"created"}, routeComment},
	ghevent.CheckRun:                 {[]string{"rerequested", "requested_action"}, routeCheck},
	ghevent.CheckSuite:               {[]string{"requested", "rerequested"}, routeSuite},
	ghevent.MergeGroup:               {[]string{"checks_requested"}, to(kindQueued)},
	ghevent.WorkflowRun:              {[]string{"completed"}, to(kindEnded)},
	ghevent.Installation:             {[]string{"deleted", "suspend"}, to(kindLost)},
	ghevent.InstallationRepositories: {[]string{"removed"}, to(kindLost)},
	ghevent.Ping:                     {nil, func(ghevent.Event, int64) routing { return ignore("ping") }},
}

func to(k kind) func(ghevent.Event, int64) routing {
	return func(ghevent.Event, int64) routing { return routing{kind: k} }
}

func ignore(why string) routing { return routing{kind: kindIgnored, why: why} }

// routePull takes what may change whether, or how, a head is measured: another
// base has settings of its own.
func routePull(e ghevent.Event, _ int64) routing {
	switch {
	case e.Pull.Closed:
		return ignore("closed")
	case e.Action == "edited" && !e.Rebased:
		return ignore("text")
	}
	return routing{kind: kindConsidered}
}

// routeComment takes new comments of people on pull requests.
func routeComment(e ghevent.Event, _ int64) routing {
	asked, no := e.Request()
	if no != "" {
		return ignore(string(no))
	}
	return routing{kind: kindCommanded, Request: asked}
}

// routeCheck takes what people press on our own check runs.
func routeCheck(e ghevent.Event, ownApp int64) routing {
	switch {
	case e.Check.AppID != ownApp:
		return ignore("foreign")
	case e.Sender.Bot:
		return ignore("bot")
	case e.Action == "rerequested" || e.Button == buttonRetry:
		return routing{kind: kindPressed, Request: request(command.Retry)}
	case e.Button == buttonFull:
		return routing{kind: kindPressed, Request: request(command.Run), fresh: true}
	case e.Button == buttonExplain:
		return routing{kind: kindPressed, Request: request(command.Explain)}
	default:
		return ignore("button")
	}
}

// routeSuite takes a suite that is asked for again as its check runs, and one
// that is asked for first as another word about its pull requests, in case
// that event was lost.
func routeSuite(e ghevent.Event, ownApp int64) routing {
	switch {
	case e.Suite.AppID != ownApp:
		return ignore("foreign")
	case e.Action == "requested" && len(e.Suite.Pulls) > 0:
		return routing{kind: kindConsidered}
	case e.Action == "requested":
		return ignore("no_pull_request")
	case e.Sender.Bot:
		return ignore("bot")
	default:
		return routing{kind: kindPressed, Request: request(command.Retry)}
	}
}

// request is one for a command without any words.
func request(name command.Name) ghevent.Request {
	return ghevent.Request{Command: command.Command{Name: name}}
}
