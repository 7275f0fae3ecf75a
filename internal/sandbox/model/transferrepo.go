package model

import (
	"slices"
	"strings"
)

// TransferRepo gives a repository to another account, under another name if that
// is not empty, and to teams if that is an organization. An account that is the
// actor's own, or an organization in which he may make repositories, has it at
// once; others are asked, and it stays where it is until they accept.
func (s *State) TransferRepo(actor ID, repo *Repo, to *User, name string, teams []ID) error {
	if err := s.require(actor, repo, PermAdmin); err != nil {
		return err
	}
	name = orElse(name, repo.Name)
	switch {
	case to.ID == repo.OwnerID:
		return custom(repoResource, "new_owner", "%s already owns this repository", to.Login)
	case to.Type == TypeBot:
		return custom(repoResource, "new_owner", "%s cannot own repositories", to.Login)
	case s.Repos.First(func(r *Repo) bool { return r.OwnerID == to.ID && s.Source(r) == s.Source(repo) }) != nil:
		return custom(repoResource, "new_owner", "%s already has a repository in the %s network", to.Login, s.FullName(s.Source(repo)))
	}
	if err := s.checkRepoName(to.ID, name); err != nil {
		return err
	}
	if to.Type == TypeOrganization && to.Members[actor] == "" {
		return &Problem{Kind: Forbidden, Message: "You don't have the permission to create repositories on " + to.Login, Lacking: true}
	}
	repo.UpdatedAt = s.Advance()
	if to.Type == TypeUser && to.ID != actor {
		repo.TransferTo = to.ID
		return nil
	}
	s.handOver(actor, repo, to, name)
	if to.Type == TypeOrganization {
		for _, id := range teams {
			if t := s.Teams.Get(id); t != nil && t.OrgID == to.ID {
				t.giveRepo(repo.ID, PermRead)
			}
		}
	}
	return nil
}

// handOver makes a repository another account's. Its older names lead to it as
// before; what was the former owner's goes, but for the former owner.
func (s *State) handOver(actor ID, repo *Repo, to *User, name string) {
	former := s.Users.Get(repo.OwnerID)
	for _, old := range append(slices.Clone(repo.FormerNames), repo.Name) {
		repo.FormerPlaces = append(repo.FormerPlaces, former.Login+"/"+old)
	}
	repo.OwnerID, repo.Name, repo.FormerNames, repo.TransferTo = to.ID, name, nil, 0
	delete(repo.Collaborators, to.ID)
	switch {
	case to.Type == TypeOrganization:
		repo.Collaborators[actor] = PermAdmin
	case former.Type == TypeUser:
		repo.Collaborators[former.ID] = PermWrite
	}
	s.because(CauseTransfer, func() {
		for _, t := range s.Teams.with(teamByRepo, key{of: repo.ID}) {
			delete(t.Repos, repo.ID)
		}
		for _, i := range s.Installations.Where(func(i *Installation) bool { return slices.Contains(i.Repos, repo.ID) }) {
			i.Repos = without(i.Repos, repo.ID)
		}
		for _, i := range s.InvitationsTo(repo) {
			if i.InviteeID == to.ID {
				s.Invitations.Delete(i.ID)
			}
		}
	})
}

// giveRepo lets a team do something in a repository.
func (t *Team) giveRepo(repo ID, p Permission) {
	if t.Repos == nil {
		t.Repos = map[ID]Permission{}
	}
	t.Repos[repo] = p
}

// wasAt reports whether a repository once had a full name.
func (r *Repo) wasAt(fullName string) bool {
	return slices.ContainsFunc(r.FormerPlaces, func(place string) bool { return strings.EqualFold(place, fullName) })
}
