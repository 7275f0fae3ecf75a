package sandbox

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Changes returns the world's log: what its requests, and [World.Setup], have
// changed so far, oldest first. What requests changed that are still being
// answered is not in it. The events' fields must not be changed. A copy of the
// world, and one that was loaded, starts with an empty log.
func (w *World) Changes() []changes.Event {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	told := make([]changes.Event, 0, len(w.audit.events))
	for _, e := range w.audit.events {
		if e.Request != unanswered {
			told = append(told, e)
		}
	}
	return told
}

// unanswered is the number of a request that has none yet.
const unanswered = -1

// draft is what an act changes, on its way into the log. It watches the state
// meanwhile.
type draft struct {
	log *audit
	// request is the number of the events' request, or [unanswered].
	request int
	actor   string
	// by is the actor's id, 0 for nobody in particular.
	by model.ID
	// open are those events that may still be taken back; from and to are the
	// indexes in the log of those that are in it.
	open     []changes.Event
	from, to int
	// kept is true if anything was kept; what names the request.
	kept bool
	what string
}

// Changed notes what was changed for one reason.
func (d *draft) Changed(st model.Stretch) {
	for _, e := range changes.Of(st) {
		e.Request, e.Actor = d.request, d.actor
		d.open = append(d.open, e)
	}
}

// Ended writes what was changed into the log, or drops it.
func (d *draft) Ended(kept bool) {
	d.kept = d.kept || kept
	if kept && len(d.open) > 0 {
		from, to := d.log.write(d.open)
		if d.to == 0 {
			d.from = from
		}
		d.to = to
	}
	d.open = nil
}

// drafted runs what changes the state, and writes what it changes atomically
// into the log, and tells webhooks of each act. The caller holds the lock for
// writing.
func (w *World) drafted(d *draft, act func()) {
	tell := func(s *model.State) { w.tell(s, d.by) }
	w.state.Tell(tell)
	defer func() {
		w.state.Tell(nil)
		tell(w.state)
	}()
	if d.log = &w.audit; w.unlogged {
		act()
		return
	}
	w.state.Watch(d)
	defer w.state.Watch(nil)
	w.proven(d, act)
}

// write adds events to the log, and returns the indexes where they begin and
// end.
func (a *audit) write(events []changes.Event) (from, to int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	from = len(a.events)
	a.acts++
	for n := range events {
		events[n].Seq, events[n].Act = from+n+1, a.acts
	}
	a.events = append(a.events, events...)
	return from, len(a.events)
}
