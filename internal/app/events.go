package app

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/app/conduct"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Event is an event that starts something.
type Event struct {
	// Name is that of GitHub.
	Name string
	// Actions are those that count; nil means all, also none.
	Actions []string
	// Priority is that of its jobs: see [queue.Kind].
	Priority int
	// Starts says what it starts, for people.
	Starts string
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

// Events is the table of the events that start something, with the actions for
// which package conduct has something done. All others are answered and counted,
// and not stored. An App that is set up in the browser subscribes to these.
func Events() []Event {
	events := []Event{
		{Name: ghevent.PullRequest, Priority: promptly, Starts: "a run of the head commit, by the settings of the base; a newer push takes the place of an older one (edited: if the base was changed)"},
		{Name: ghevent.IssueComment, Priority: promptly, Starts: "the /bench command in the comment's first line"},
		{Name: ghevent.CheckRun, Priority: promptly, Starts: "a run again, or what the button says"},
		{Name: ghevent.CheckSuite, Priority: promptly, Starts: "what a push does, in case its own event was lost; or the last run of the commit again"},
		{Name: ghevent.MergeGroup, Priority: promptly, Starts: "a run of the group's head commit"},
		{Name: ghevent.WorkflowRun, Priority: usually, Starts: "taking over the results of a run that a workflow made"},
		{Name: ghevent.Installation, Priority: promptly, Starts: "the end of all runs of the installation"},
		{Name: ghevent.InstallationRepositories, Priority: promptly, Starts: "the end of all runs of those repositories"},
		{Name: ghevent.Ping, Priority: eventually, Starts: "nothing: the App was set up"},
	}
	for i := range events {
		events[i].Actions, _ = conduct.Actions(events[i].Name)
	}
	return events
}

// eventNamed returns an event of the table, false if it is none.
func eventNamed(name string) (Event, bool) {
	events := Events()
	at := slices.IndexFunc(events, func(e Event) bool { return e.Name == name })
	if at < 0 {
		return Event{}, false
	}
	return events[at], true
}

// routes tells the intake what the table says.
type routes struct{}

// Event reports whether an event is in the table.
func (routes) Event(name string) bool {
	_, is := eventNamed(name)
	return is
}

// Action reports whether an action of an event is in the table.
func (routes) Action(name, action string) bool {
	e, is := eventNamed(name)
	return is && (e.Actions == nil || slices.Contains(e.Actions, action))
}
