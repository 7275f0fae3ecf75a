package service

import (
	"context"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/ghevent"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// workflowEnded has a run that was dispatched looked at, now that its workflow
// has ended. What the workflow says of itself is a hint; the executor asks
// GitHub.
func (s *Service) workflowEnded(ctx context.Context, _ string, e ghevent.Event, _ routing) error {
	alive, err := s.opts.Runs.AliveOf(ctx, e.InstallationID, []string{e.Repo.FullName()})
	if err != nil {
		return err
	}
	for _, r := range alive {
		ours := r.WorkflowRun == e.Run.ID || r.WorkflowRun <= 0 && strings.Contains(e.Run.Title, r.ID)
		if r.Request.Plan.Executor != settings.Dispatch || e.Run.Event != "workflow_dispatch" || !ours {
			continue
		}
		// The job waits for its next look; one of another name looks now.
		return s.opts.DB.Write(ctx, func(tx *queue.Tx) error {
			_, err := s.opts.Queue.Enqueue(ctx, tx, s.measuring.New(job{r.ID}).Once(r.ID+" ended"))
			return err
		})
	}
	return nil
}
