package model

import "slices"

// DeleteRepo removes a repository with all that is in it. Its forks stay.
func (s *State) DeleteRepo(actor ID, repo *Repo) error {
	if err := s.mayAdminister(actor, repo, true); err != nil {
		return err
	}
	s.Advance()
	s.emit(Happening{Event: "repository", Action: "deleted", RepoID: repo.ID, Repo: repo, ActorID: actor})
	s.because(CauseDeletion, func() { s.emptyRepo(repo) })
	s.Repos.Delete(repo.ID)
	return nil
}

// emptyRepo removes what is in a repository, and forgets it elsewhere.
func (s *State) emptyRepo(repo *Repo) {
	for _, i := range s.Issues.Where(func(i *Issue) bool { return i.RepoID == repo.ID }) {
		s.dropItems(i.ID)
		s.dropRelations(i.ID)
	}
	deleteOf(&s.Labels, repo.ID, func(r *Label) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Milestones, repo.ID, func(r *Milestone) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Issues, repo.ID, func(r *Issue) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Comments, repo.ID, func(r *Comment) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Reviews, repo.ID, func(r *Review) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Threads, repo.ID, func(r *Thread) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.ReviewComments, repo.ID, func(r *ReviewComment) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Workflows, repo.ID, func(r *Workflow) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Runs, repo.ID, func(r *Run) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Jobs, repo.ID, func(r *Job) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Artifacts, repo.ID, func(r *Artifact) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.CheckSuites, repo.ID, func(r *CheckSuite) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.CheckRuns, repo.ID, func(r *CheckRun) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Statuses, repo.ID, func(r *CommitStatus) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Environments, repo.ID, func(r *Environment) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Deployments, repo.ID, func(r *Deployment) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.DeploymentStatuses, repo.ID, func(r *DeploymentStatus) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Notifications, repo.ID, func(r *Notification) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Hooks, repo.ID, func(r *Hook) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Events, repo.ID, func(r *Event) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Reactions, repo.ID, func(r *Reaction) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.CommitComments, repo.ID, func(r *CommitComment) (ID, ID) { return r.ID, r.RepoID })
	deleteOf(&s.Invitations, repo.ID, func(r *Invitation) (ID, ID) { return r.ID, r.RepoID })
	s.dropDiscussions(repo.ID)
	deleteOf(&s.Releases, repo.ID, func(r *Release) (ID, ID) { return r.ID, r.RepoID })
	for _, p := range s.Projects.Where(func(p *Project) bool { return slices.Contains(p.Repos, repo.ID) }) {
		p.Repos = without(p.Repos, repo.ID)
	}
	for _, t := range s.Teams.with(teamByRepo, key{of: repo.ID}) {
		delete(t.Repos, repo.ID)
	}
	s.unselect(repo)
	for _, i := range s.Installations.Where(func(i *Installation) bool { return slices.Contains(i.Repos, repo.ID) }) {
		i.Repos = without(i.Repos, repo.ID)
	}
	for _, fork := range s.Repos.Where(func(r *Repo) bool { return r.ParentID == repo.ID }) {
		fork.ParentID = repo.ParentID
	}
	if parent := s.Repos.Get(repo.ParentID); parent != nil {
		parent.ForkCount--
	}
}

// deleteOf removes the rows of a table that belong to a repository.
func deleteOf[T any](t *Table[T], repo ID, ids func(*T) (own, repo ID)) {
	for row := range t.All() {
		if own, in := ids(row); in == repo {
			t.Delete(own)
		}
	}
}
