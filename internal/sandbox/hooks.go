package sandbox

import (
	"context"
	"net/http"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// Deliver has the world's webhooks sent with a client, those first that wait
// already, until stop is called; stop waits for what is under way. Each webhook
// gets its deliveries one after the other in the order of what happened, has
// [rest.HookTimeout] to answer, and is not tried again: clients ask for a
// redelivery. Whoever can set a webhook chooses where the client connects to:
// give one that goes no further than it should. Without a call nothing is sent.
func (w *World) Deliver(client *http.Client) (stop func()) {
	return w.hooks.Start(client, w.now).Stop
}

// Delivered waits until all webhooks of what has happened so far were sent, or
// the context ends.
func (w *World) Delivered(ctx context.Context) error { return w.hooks.Sent(ctx) }

// Deliveries returns the latest webhooks, newest first, those included that
// wait to be sent. What they hold must not be changed.
func (w *World) Deliveries() []rest.HookDelivery { return w.hooks.Of(0) }

// tell hands on what happened to those who listen. The caller holds the lock
// for writing.
func (w *World) tell() {
	for _, h := range w.state.TakeHappened() {
		for _, to := range w.state.Listeners(h) {
			payload, err := rest.Payload(w.state, h, to)
			if err != nil {
				// What it is about can no longer be shown.
				continue
			}
			w.hooks.Add(delivery(h, to, payload), w.faults.DecideHook(h.Event, h.Action))
		}
	}
}

func delivery(h model.Happening, to model.Listener, payload []byte) rest.HookDelivery {
	d := rest.HookDelivery{
		HookID: to.HookID, TargetID: to.Target, App: to.App, Event: h.Event, Action: h.Action, RepositoryID: h.RepoID,
		URL: to.Config.URL, Secret: to.Config.Secret, Form: to.Config.ContentType == "form", Payload: payload,
	}
	if to.Installation != nil {
		d.InstallationID = to.Installation.ID
	}
	return d
}
