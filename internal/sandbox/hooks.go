package sandbox

import (
	"cmp"
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

// tell puts what happened into feeds, and hands it on to those who listen. What nobody in particular did
// was done by the actor, or if that is 0 by whoever it is about belongs to. The
// caller holds the lock for writing.
func (w *World) tell(s *model.State, by model.ID) {
	for _, h := range s.TakeHappened() {
		if h.ActorID = cmp.Or(h.ActorID, by, h.OrgID); h.ActorID == 0 && h.Repo != nil {
			h.ActorID = h.Repo.OwnerID
		}
		if a, is := rest.Activity(s, h); is {
			s.AddActivity(a)
		}
		for _, to := range h.To {
			payload, err := rest.Payload(s, h, to)
			if err != nil || len(payload) > rest.MaxPayload {
				// What it is about can no longer be shown, or GitHub sends nothing of it.
				continue
			}
			w.hooks.Add(delivery(h, to, payload), w.faults.DecideHook(h.Event, h.Action))
		}
	}
}

func delivery(h model.Happening, to model.Listener, payload []byte) rest.HookDelivery {
	d := rest.HookDelivery{
		HookID: to.HookID, TargetID: to.Target, TargetType: to.TargetType, Event: h.Event, Action: h.Action, RepositoryID: h.RepoID,
		URL: to.Config.URL, Secret: to.Config.Secret, Form: to.Config.ContentType == "form", Payload: payload,
	}
	if to.Installation != nil {
		d.InstallationID = to.Installation.ID
	}
	return d
}
