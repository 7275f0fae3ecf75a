package service

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/ghevent"
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

// Subscriptions are all that start something. All others are answered and counted, and not
// stored.
type Subscriptions []Event

// named returns an event of the table, false if it is none.
func (all Subscriptions) named(name string) (Event, bool) {
	at := slices.IndexFunc(all, func(e Event) bool { return e.Name == name })
	if at < 0 {
		return Event{}, false
	}
	return all[at], true
}

// Event reports whether an event is in the table.
func (all Subscriptions) Event(name string) bool {
	_, is := all.named(name)
	return is
}

// Action reports whether an action of an event is in the table.
func (all Subscriptions) Action(name, action string) bool {
	e, is := all.named(name)
	return is && (e.Actions == nil || slices.Contains(e.Actions, action))
}

// Subscribed are those that an App subscribes to; the others are sent to every App.
func (all Subscriptions) Subscribed() []string {
	var names []string
	for _, e := range all {
		switch e.Name {
		case ghevent.Installation, ghevent.InstallationRepositories, ghevent.Ping:
		default:
			names = append(names, e.Name)
		}
	}
	return names
}
