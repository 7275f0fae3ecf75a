package service

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/queue"
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
	// kindPushed is a push to the default branch, which may be measured for the
	// history.
	kindPushed kind = "pushed"
	// kindCommanded is a comment with a command, or with a mistaken one.
	kindCommanded kind = "commanded"
	// kindPressed is a button or a re-run link of a check of ours: the request says
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
	// Request is what is asked for if the kind is kindCommanded or kindPressed.
	ghevent.Request
	// fresh is true of a button that wants everything run anew.
	fresh bool
}

// route says whose turn an event is. OwnApp is the id of this App.
func route(e ghevent.Event, ownApp int64) routing {
	switch at := slices.IndexFunc(eventTable, func(on eventRow) bool { return on.Name == e.Name }); {
	case at < 0:
		return ignore("event")
	case eventTable[at].Actions != nil && !slices.Contains(eventTable[at].Actions, e.Action):
		return ignore("action")
	default:
		return eventTable[at].route(e, ownApp)
	}
}

// Events returns the events that start something.
func Events() Subscriptions {
	var all Subscriptions
	for _, on := range eventTable {
		all = append(all, on.Event)
	}
	return all
}

// eventRow is an event, and what it leads to.
type eventRow struct {
	Event
	route func(e ghevent.Event, ownApp int64) routing
}

const (
	// promptly is for what somebody waits for. Pushes and comments are done in
	// the order in which they came: many of one kind do not keep the other
	// waiting.
	promptly = queue.First
	// usually is for what happens all the time, such as the end of any workflow.
	usually = queue.First + 1
	// eventually is for what nobody waits for.
	eventually = queue.Last
)

// eventTable is which event starts what.
var eventTable = []eventRow{
	{
		Event{
			Name: ghevent.PullRequest, Priority: promptly, Actions: []string{"opened", "reopened", "synchronize", "ready_for_review", "labeled", "edited"},
			Starts: "a run of the head commit, by the settings of the base; a newer push takes the place of an older one (edited: if the base was changed)",
		}, routePull,
	},
	{Event{Name: ghevent.IssueComment, Priority: promptly, Actions: []string{"created"}, Starts: "the /bench command in the comment's first line"}, routeComment},
	{
		Event{
			Name: ghevent.CheckRun, Priority: promptly, Actions: []string{"rerequested", "requested_action"},
			Starts: "a run again, or what the button says",
		}, routeCheck,
	},
	{
		Event{
			Name: ghevent.CheckSuite, Priority: promptly, Actions: []string{"requested", "rerequested"},
			Starts: "what a push does, in case its own event was lost; or the last run of the commit again",
		}, routeSuite,
	},
	{Event{Name: ghevent.MergeGroup, Priority: promptly, Actions: []string{"checks_requested"}, Starts: "a run of the group's head commit"}, to(kindQueued)},
	{Event{Name: ghevent.Push, Priority: eventually, Starts: "a run of the default branch, if `baseline.push` is set; it is read how often that branch is measured otherwise"}, routePush},
	{Event{Name: ghevent.WorkflowRun, Priority: usually, Actions: []string{"completed"}, Starts: "taking over the results of a run that a workflow made"}, to(kindEnded)},
	{Event{Name: ghevent.Installation, Priority: promptly, Actions: []string{"deleted", "suspend"}, Starts: "the end of all runs of the installation"}, to(kindLost)},
	{
		Event{
			Name: ghevent.InstallationRepositories, Priority: promptly, Actions: []string{"removed"},
			Starts: "the end of all runs of those repositories",
		}, to(kindLost),
	},
	{Event{Name: ghevent.Ping, Priority: eventually, Starts: "nothing: the App was set up"}, func(ghevent.Event, int64) routing { return ignore("ping") }},
}

func to(k kind) func(ghevent.Event, int64) routing {
	return func(ghevent.Event, int64) routing { return routing{kind: k} }
}

func ignore(why string) routing { return routing{kind: kindIgnored, why: why} }
