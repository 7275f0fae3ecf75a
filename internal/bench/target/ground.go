package target

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/fixture"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// newWorld returns a world with the fixtures repository, not yet seeded.
func newWorld(ground fixture.Ground) (*sandbox.World, error) {
	world, err := sandbox.New()
	if err != nil {
		return nil, err
	}
	if err := world.Setup(func(s *model.State) error { return lay(s, ground) }); err != nil {
		return nil, fmt.Errorf("make the fixtures repository: %w", err)
	}
	return world, nil
}

// idsAway is how far the ids of a variation's world may begin from where they
// usually do.
const idsAway = 1_000_000_000

// firstID draws how far the ids of a variation's world begin from there.
func firstID(v bench.Variation) model.ID {
	return rand.New(rand.NewPCG(v.Seed, uint64(v.Number))).Int64N(idsAway)
}

// lay makes in an empty world what a scene begins with.
func lay(s *model.State, g fixture.Ground) error {
	s.LastID = max(s.LastID, g.FirstID)
	if !g.Begin.IsZero() {
		s.Now = g.Begin
	}
	owner := s.AddUser(model.NewUser{Login: Owner})
	repo := s.AddRepo(model.NewRepo{Owner: owner.ID, Name: FixturesName, Description: g.Description})
	repo.Topics, repo.ForkCount, repo.LastNumber = g.Topics, g.Forks, g.LastNumber
	addPeople(s, repo, g)
	org := s.AddUser(model.NewUser{Login: g.Organization, Type: model.TypeOrganization})
	s.SetMember(org, owner.ID, model.OrgOwner)
	for _, script := range g.Scripts {
		s.Scripts = append(s.Scripts, scriptOf(script))
	}
	if err := s.PushInitial(owner.ID, repo, filesOf(g.Files), g.Message); err != nil {
		return err
	}
	for w := range s.Workflows.All() {
		repo.LastRunNumber[w.ID] = g.LastRun
	}
	if err := addEarlier(s, owner.ID, repo, g); err != nil {
		return err
	}
	return addHome(s, owner.ID, org, g)
}

// addHome makes the organization's repository, and its types of issues.
func addHome(s *model.State, owner model.ID, org *model.User, g fixture.Ground) error {
	for _, t := range g.IssueTypes {
		s.AddIssueType(org, model.IssueType{Name: t.Name, Description: t.Description, Color: t.Color, Enabled: !t.Disabled})
	}
	home := s.AddRepo(model.NewRepo{Owner: org.ID, Name: g.Home})
	return s.PushInitial(owner, home, []gitstore.Change{{Path: "README.md", Content: []byte("# " + g.Home + "\n")}}, "Initial commit")
}

// addPeople makes the accounts that may do something in the repository.
func addPeople(s *model.State, repo *model.Repo, g fixture.Ground) {
	// GitHub shows drafts of releases only to those who may write, so the
	// verifier may, and does not.
	may := map[string]model.Permission{Agent: model.PermAdmin, Verifier: model.PermWrite, g.Reviewer: model.PermWrite}
	for _, login := range g.Others {
		may[login] = model.PermWrite
	}
	for _, login := range slices.Sorted(maps.Keys(may)) {
		user := s.AddUser(model.NewUser{Login: login})
		repo.Collaborators[user.ID] = may[login]
	}
	for _, login := range g.Stargazers {
		s.Star(s.User(login).ID, repo, true)
	}
}

func scriptOf(in fixture.Script) model.Script {
	script := model.Script{Workflow: in.Workflow, Job: in.Job, Branch: in.Branch, FailingStep: in.Step, Log: in.Log, Hanging: in.Hanging}
	for range in.Failures {
		script.Outcomes = append(script.Outcomes, model.Failure)
	}
	switch {
	case in.Failures == fixture.Always:
		script.Outcomes = []model.Conclusion{model.Failure}
	case in.Failures > 0:
		script.Outcomes = append(script.Outcomes, model.Success)
	}
	for _, u := range in.Uploads {
		script.Uploads = append(script.Uploads, model.Upload{Name: u.Name, File: u.File, Text: u.Text})
	}
	return script
}

func filesOf(files []fixture.File) (changes []gitstore.Change) {
	for _, f := range files {
		changes = append(changes, gitstore.Change{Path: f.Path, Content: []byte(f.File)})
	}
	return changes
}

// addEarlier makes labels, milestones and issues that nobody seeds.
func addEarlier(s *model.State, owner model.ID, repo *model.Repo, g fixture.Ground) error {
	for _, l := range g.Labels {
		if _, err := s.CreateLabel(owner, repo, model.NewLabel{Name: l.Name, Color: l.Color, Description: l.Description}); err != nil {
			return fmt.Errorf("label %s: %w", l.Name, err)
		}
	}
	for _, title := range g.Milestones {
		if _, err := s.CreateMilestone(owner, repo, model.NewMilestone{Title: title, Creator: owner}); err != nil {
			return fmt.Errorf("milestone %s: %w", title, err)
		}
	}
	for _, in := range g.Issues {
		if err := addIssue(s, owner, repo, in); err != nil {
			return fmt.Errorf("issue %q: %w", in.Title, err)
		}
	}
	return nil
}

func addIssue(s *model.State, owner model.ID, repo *model.Repo, in fixture.Issue) error {
	author := s.User(in.Author).ID
	issue, err := s.OpenIssue(author, repo, model.NewIssue{Title: in.Title, Body: in.Body, Labels: in.Labels})
	if err != nil {
		return err
	}
	for _, c := range in.Comments {
		by := owner
		if c.ByReviewer {
			by = author
		}
		if _, err := s.CreateComment(by, repo, issue, c.Body); err != nil {
			return err
		}
	}
	if !in.Closed {
		return nil
	}
	closed := "closed"
	return s.EditIssue(owner, repo, issue, model.IssueEdit{State: &closed})
}
