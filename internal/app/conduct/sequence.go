package conduct

import (
	"context"
	"errors"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
)

// errAnswered is about a run that would ask again what evidence has answered.
var errAnswered = errors.New("the question is answered")

// continueSequence has an ask by evidence go on with the latest run of the same
// question on the commit, as that was planned: there is one error budget for both
// (rule V7). The error is [errAnswered] where that run's verdict is final.
func (c *Conductor) continueSequence(ctx context.Context, a *ask) error {
	if !a.plan.Profile.ByEvidence() || a.continues != "" {
		return nil
	}
	suites := []string{c.suite(*a)}
	if usual, partial := strings.CutSuffix(suites[0], comment.PartialSuffix); partial {
		// Not the other way round: what was asked for otherwise decides nothing.
		suites = both(usual)
	}
	var earlier []runs.Run
	for _, suite := range suites {
		found, err := c.opts.Runs.OfHead(ctx, a.event.Repo.FullName(), a.pull.HeadSHA, suite)
		if err != nil {
			return err
		}
		earlier = append(earlier, found...)
	}
	for _, r := range earlier {
		if !sameQuestion(r, *a) {
			continue
		}
		outcome, err := c.opts.Runs.Outcome(ctx, r.ID)
		if err != nil {
			return err
		}
		if s := outcome.Summary; s != nil && s.Evidence != nil {
			if s.Evidence.Cause.Kind.ComparedNothing() {
				return nil
			}
			if s.Evidence.Final {
				return errAnswered
			}
		}
		kept, err := c.reusable(ctx, r.ID, a.pull.BaseSHA)
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			a.continues, a.plan, a.check = r.ID, r.Request.Plan, r.Suite
			return nil
		}
	}
	return nil
}

// sameQuestion reports whether a run asks what an ask does. Both are of one
// commit.
func sameQuestion(r runs.Run, a ask) bool {
	then, now := r.Request.Plan, a.plan
	return then.Profile == now.Profile && then.Baseline == now.Baseline && then.Model == now.Model && then.SameScenarios(now) &&
		(now.Baseline != bench.GHXBase || r.Request.BaseSHA == a.pull.BaseSHA)
}
