package model

import "slices"

const teamResource = "Team"

// TeamEdit changes a team; nil fields stay. A Parent of 0 is none.
type TeamEdit struct {
	Name, Description *string
	Secret, Quiet     *bool
	Parent            *ID
}

// CreateTeam makes a team of an organization, of which any member may; he is
// the first of its maintainers.
func (s *State) CreateTeam(actor ID, org *User, edit TeamEdit) (*Team, error) {
	if org.Members[actor] == "" {
		return nil, notFound()
	}
	if edit.Name == nil || Slug(*edit.Name) == "" {
		return nil, invalid(teamResource, "name", "missing_field")
	}
	if err := s.checkTeamName(org, nil, *edit.Name); err != nil {
		return nil, err
	}
	t := s.AddTeam(org, *edit.Name, actor)
	t.Maintainers = []ID{actor}
	s.editTeam(t, edit)
	return t, nil
}

func (s *State) checkTeamName(org *User, own *Team, name string) error {
	taken := s.Teams.First(func(t *Team) bool { return t.OrgID == org.ID && t != own && t.Slug == Slug(name) })
	if taken != nil {
		return custom(teamResource, "name", "Name must be unique for this org")
	}
	return nil
}

func (s *State) editTeam(t *Team, edit TeamEdit) {
	if edit.Name != nil {
		t.Name, t.Slug = *edit.Name, Slug(*edit.Name)
	}
	assign(&t.Description, edit.Description)
	assign(&t.Secret, edit.Secret)
	assign(&t.Quiet, edit.Quiet)
	assign(&t.ParentID, edit.Parent)
	t.UpdatedAt = s.Now
}

// mayManage refuses those who are neither owners of a team's organization nor
// maintain the team.
func (s *State) mayManage(actor ID, t *Team) error {
	switch s.Users.Get(t.OrgID).Members[actor] {
	case OrgOwner:
		return nil
	case OrgMember:
		if slices.Contains(t.Maintainers, actor) {
			return nil
		}
		return forbidden("Must be an organization owner or a maintainer of the team.")
	default:
		return notFound()
	}
}

// EditTeam changes a team.
func (s *State) EditTeam(actor ID, t *Team, edit TeamEdit) error {
	if err := s.mayManage(actor, t); err != nil {
		return err
	}
	if edit.Name != nil {
		if err := s.checkTeamName(s.Users.Get(t.OrgID), t, *edit.Name); err != nil {
			return err
		}
	}
	s.Advance()
	s.editTeam(t, edit)
	return nil
}

// DeleteTeam removes a team; those under it go to the one above.
func (s *State) DeleteTeam(actor ID, t *Team) error {
	if err := s.mayManage(actor, t); err != nil {
		return err
	}
	s.Advance()
	s.because(CauseDeletion, func() {
		for _, child := range s.TeamsUnder(t) {
			child.ParentID = t.ParentID
		}
		for _, p := range s.Projects.Where(func(p *Project) bool { return slices.Contains(p.Teams, t.ID) }) {
			p.Teams = without(p.Teams, t.ID)
		}
	})
	s.Teams.Delete(t.ID)
	return nil
}

// TeamsUnder returns the teams whose parent one is.
func (s *State) TeamsUnder(t *Team) []*Team {
	return s.Teams.Where(func(child *Team) bool { return child.ParentID == t.ID })
}

// SetTeamMember makes a member of a team's organization a member of the team,
// or one of its maintainers.
func (s *State) SetTeamMember(actor ID, t *Team, user *User, maintains bool) error {
	if err := s.mayManage(actor, t); err != nil {
		return err
	}
	if s.Users.Get(t.OrgID).Members[user.ID] == "" {
		return unprocessable("User isn't a member of this organization. Please invite them first.")
	}
	t.UpdatedAt = s.Advance()
	if !slices.Contains(t.Members, user.ID) {
		t.Members = append(t.Members, user.ID)
	}
	t.Maintainers = without(t.Maintainers, user.ID)
	if maintains {
		t.Maintainers = append(t.Maintainers, user.ID)
	}
	return nil
}

// RemoveTeamMember takes a user out of a team. One may leave oneself.
func (s *State) RemoveTeamMember(actor ID, t *Team, user ID) error {
	if user != actor {
		if err := s.mayManage(actor, t); err != nil {
			return err
		}
	}
	if !slices.Contains(t.Members, user) {
		return notFound()
	}
	t.UpdatedAt = s.Advance()
	t.Members, t.Maintainers = without(t.Members, user), without(t.Maintainers, user)
	return nil
}

// GiveTeam lets a team do something in a repository of its organization.
// [PermNone] takes it away.
func (s *State) GiveTeam(actor ID, t *Team, repo *Repo, p Permission) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	if repo.OwnerID != t.OrgID {
		return unprocessable("The repository is not owned by the organization of the team.")
	}
	t.UpdatedAt = s.Advance()
	delete(t.Repos, repo.ID)
	if p == PermNone {
		return nil
	}
	if t.Repos == nil {
		t.Repos = map[ID]Permission{}
	}
	t.Repos[repo.ID] = p
	return nil
}

// TeamsIn returns the teams that were given a repository.
func (s *State) TeamsIn(repo *Repo) []*Team { return s.Teams.with(teamByRepo, key{of: repo.ID}) }
