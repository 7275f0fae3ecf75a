package service

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// accessLost ends the runs of an installation, or of repositories, that the App has
// no access to any more. There is nobody to tell.
func (s *Service) accessLost(ctx context.Context, _ string, e ghevent.Event, _ routing) error {
	var repos []string
	if e.Name == ghevent.InstallationRepositories {
		repos = append([]string{}, e.RemovedRepos...)
	}
	if err := s.opts.Runs.EndSchedules(ctx, e.InstallationID, repos); err != nil {
		return err
	}
	alive, err := s.opts.Runs.AliveOf(ctx, e.InstallationID, repos)
	if err != nil {
		return err
	}
	for _, r := range alive {
		if err := s.end(ctx, r.ID, runs.Stopped, runs.Outcome{Reason: comment.ShutOut}); err != nil {
			return err
		}
	}
	return nil
}
