package service

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/queue"
)

// Job does what a job of a kind does at its first attempt for a run; one that helps does
// its first part.
func (s *Service) Job(ctx context.Context, kind, run string) error {
	if kind == s.helping.Name {
		return s.helpWith(ctx, queue.Job[helpJob]{Payload: helpJob{run, "help-1"}, Attempt: 1})
	}
	do := map[string]func(context.Context, queue.Job[job]) error{
		s.measuring.Name: s.measureJob, s.publishing.Name: s.publishJob, s.abandoning.Name: s.abandonJob,
	}[kind]
	return do(ctx, queue.Job[job]{Payload: job{run}, Attempt: 1})
}
