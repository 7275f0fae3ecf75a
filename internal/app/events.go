package app

import (
	"slices"

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
	// promptly is for what somebody waits for.
	promptly = queue.First
	// usually is for what happens all the time.
	usually = queue.First + 1
	// eventually is for what nobody waits for.
	eventually = queue.Last
)

// Events is the table of the events that start something. All others are
// answered and counted, and not stored. An App that is set up in the browser
// subscribes to these.
func Events() []Event {
	return []Event{
		{"pull_request", []string{"opened", "reopened", "synchronize", "ready_for_review", "labeled"}, usually,
			"a run of the head commit, by the repository's settings; a newer push takes the place of an older one"},
		{"issue_comment", []string{"created"}, promptly, "the /bench command in the comment's first line"},
		{"check_run", []string{"rerequested", "requested_action"}, promptly, "a run again, or what the button says"},
		{"check_suite", []string{"requested", "rerequested"}, promptly, "a run again of every check of the suite that is ours"},
		{"merge_group", []string{"checks_requested"}, usually, "a run of the group's head commit"},
		{"workflow_run", []string{"completed"}, usually, "taking over the results of a run that a workflow made"},
		{"installation", []string{"deleted", "suspend"}, promptly, "the end of all runs of the installation"},
		{"installation_repositories", []string{"removed"}, promptly, "the end of all runs of those repositories"},
		{"ping", nil, eventually, "nothing: the App was set up"},
	}
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
