package model

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// Team is a team of an organization.
type Team struct {
	ID          ID
	OrgID       ID
	Name, Slug  string
	Description string
	Members     []ID
	// Maintainers are those of the members who may change it.
	Maintainers []ID
	// Secret is true for one that only its members see.
	Secret bool
	// Quiet is true for one whose members are not told where it is mentioned.
	Quiet bool
	// ParentID is the team that it belongs to, 0 for none.
	ParentID ID
	// Repos are what the team may do in repositories of its organization.
	Repos     map[ID]Permission
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (t *Team) clone() *Team {
	c := *t
	c.Members, c.Maintainers = slices.Clone(t.Members), slices.Clone(t.Maintainers)
	c.Repos = maps.Clone(t.Repos)
	return &c
}

// AddTeam makes a team of members of an organization.
func (s *State) AddTeam(org *User, name string, members ...ID) *Team {
	now := s.Advance()
	t := &Team{ID: s.newID(), OrgID: org.ID, Name: name, Slug: Slug(name), Members: slices.Clone(members), CreatedAt: now, UpdatedAt: now}
	return s.Teams.Add(t.ID, t)
}

// TeamsOf returns an organization's teams, for its members alone.
func (s *State) TeamsOf(viewer ID, org *User) []*Team {
	if org.Members[viewer] == "" {
		return nil
	}
	return s.Teams.Where(func(t *Team) bool { return t.OrgID == org.ID })
}

// Team returns a team that the viewer may see, nil if there is none.
func (s *State) Team(viewer ID, org *User, slug string) *Team {
	teams := s.TeamsOf(viewer, org)
	if at := slices.IndexFunc(teams, func(t *Team) bool { return strings.EqualFold(t.Slug, slug) }); at >= 0 {
		return teams[at]
	}
	return nil
}

// RequestTeams asks teams for a review, besides those already asked if keep is
// true, instead of them if not.
func (s *State) RequestTeams(actor ID, i *Issue, teams []ID, keep bool) error {
	repo := s.Repos.Get(i.RepoID)
	if err := s.requireOfOthers(actor, repo, i.AuthorID, PermTriage); err != nil {
		return err
	}
	for _, id := range teams {
		if t := s.Teams.Get(id); t == nil || t.OrgID != repo.OwnerID {
			return unprocessable("Reviews may only be requested from collaborators. One or more of the users or teams you "+
				"specified is not a collaborator of the %s repository.", s.FullName(repo))
		}
	}
	i.UpdatedAt = s.Advance()
	if keep {
		teams = append(slices.Clone(i.Pull.RequestedTeams), teams...)
	}
	before := i.Pull.RequestedTeams
	i.Pull.RequestedTeams = nil
	for _, id := range teams {
		if slices.Contains(i.Pull.RequestedTeams, id) {
			continue
		}
		i.Pull.RequestedTeams = append(i.Pull.RequestedTeams, id)
		if !slices.Contains(before, id) {
			s.tell(actor, i.RepoID, i.ID, ToldReviewRequested, s.Teams.Get(id).Members...)
		}
	}
	return nil
}
