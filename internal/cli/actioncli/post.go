package actioncli

import (
	"cmp"
	"context"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/publish"
)

// post finishes what the main step left open: its process may have been killed
// before it could say how it ended. The job is not failed for what cannot be said.
func (a *action) post(ctx context.Context) {
	a.log.Mask(actions.Secrets(a.environ)...)
	if actions.State(a.getenv, stateCheck) == "" {
		return
	}
	if err := a.closeCheck(ctx); err != nil {
		a.log.Warning(actions.Position{Title: "bench"}, fault.Public(err))
	}
}

func (a *action) closeCheck(ctx context.Context) error {
	var err error
	if a.inputs, err = actions.ReadInputs(a.environ); err != nil {
		return err
	}
	if a.event, err = actions.ReadEvent(a.getenv); err != nil {
		return err
	}
	a.inputs.CheckName = cmp.Or(actions.State(a.getenv, stateName), a.inputs.CheckName)
	if a.teller, err = newTeller(a); err != nil {
		return err
	}
	sha := actions.State(a.getenv, stateCommit)
	a.event.HeadSHA = sha
	a.teller.commit(sha)
	left := comment.Run{
		Suite: a.inputs.CheckName, Commit: sha, At: a.now(), Phase: comment.Stopped,
		Reason: "The job ended before the benchmark could say how it went.", Links: comment.Links{Job: a.event.Place.RunURL},
	}
	check, notices := a.teller.publisher.OpenCheck(ctx, a.teller.start())
	a.teller.warn(notices)
	if check == nil {
		return nil
	}
	a.log.Line("The check run was left open, and is closed now.")
	a.teller.warn(check.Complete(ctx, publish.End{CheckRun: comment.Check(left), At: left.At}))
	return nil
}
