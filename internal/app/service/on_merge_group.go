package service

import (
	"context"
	"errors"
	"strings"

	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// mergeGroup measures the head of a merge queue's group. A group that is not
// measured gets its check nevertheless: the queue may wait for it.
func (s *Service) mergeGroup(ctx context.Context, cause string, e ghevent.Event, _ routing) error {
	client, err := s.client(ctx, e)
	if err != nil {
		return err
	}
	base := strings.TrimPrefix(e.Group.BaseRef, "refs/heads/")
	known, err := s.settings(ctx, client, e, base)
	set := known.settings
	if errors.Is(err, errNoSettings) {
		return nil
	}
	if err != nil {
		return err
	}
	request := runRequest{
		cause: cause, event: e, settings: set, asked: "merge queue",
		pull: ghevent.Pull{HeadSHA: e.Group.HeadSHA, BaseSHA: e.Group.BaseSHA, BaseRef: base, HeadRepo: e.Repo.FullName()},
	}
	if len(known.problems) > 0 {
		return s.recordBroken(ctx, request, known.problems)
	}
	if !set.Triggers.MergeGroup {
		return s.recordSkipped(ctx, request, comment.SkipTrigger)
	}
	return s.startUsual(ctx, client, request)
}
