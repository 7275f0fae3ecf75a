package service

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

// continueSequence has a request by evidence go on with the latest run of the same
// question on the commit, as that was planned: there is one error budget for both
// (rule V7). The error is [errAnswered] where that run's verdict is final.
func (s *Service) continueSequence(ctx context.Context, req *runRequest) error {
	if !req.plan.Profile.ByEvidence() || req.continues != "" {
		return nil
	}
	suites := []string{s.suite(*req)}
	if usual, partial := strings.CutSuffix(suites[0], comment.PartialSuffix); partial {
		// Not the other way round: what was asked for otherwise decides nothing.
		suites = both(usual)
	}
	var earlier []runs.Run
	for _, suite := range suites {
		found, err := s.opts.Runs.OfHead(ctx, req.event.Repo.FullName(), req.pull.HeadSHA, suite)
		if err != nil {
			return err
		}
		earlier = append(earlier, found...)
	}
	for _, r := range earlier {
		if !sameQuestion(r, *req) {
			continue
		}
		outcome, err := s.opts.Runs.Outcome(ctx, r.ID)
		if err != nil {
			return err
		}
		if judged := outcome.Summary; judged != nil && judged.Evidence != nil {
			if judged.Evidence.Cause.Kind.ComparedNothing() {
				return nil
			}
			if judged.Evidence.Final {
				return errAnswered
			}
		}
		if req.plan.OfTasks() {
			continue // the benchmark begins anew
		}
		kept, err := s.reusable(ctx, r.ID, req.pull.BaseSHA)
		if err != nil {
			return err
		}
		if len(kept) > 0 {
			req.continues, req.plan, req.check = r.ID, r.Request.Plan, r.Suite
			return nil
		}
	}
	return nil
}

// sameQuestion reports whether a run asks what a request does. Both are of one
// commit.
func sameQuestion(r runs.Run, req runRequest) bool {
	then, now := r.Request.Plan, req.plan
	ofBase := now.Baseline == bench.GHXBase || now.OfTasks()
	return then.Profile == now.Profile && then.Baseline == now.Baseline && then.Alike(now) && then.SameScenarios(now) &&
		(!ofBase || r.Request.BaseSHA == req.pull.BaseSHA)
}
