package model

import "slices"

// Permission is what a user may do in a repository.
type Permission int

// The permissions, each including those before it.
const (
	PermNone Permission = iota
	PermRead
	PermTriage
	PermWrite
	PermMaintain
	PermAdmin
)

// String returns the permission's name in GitHub's API.
func (p Permission) String() string {
	switch p {
	case PermAdmin:
		return "admin"
	case PermMaintain:
		return "maintain"
	case PermWrite:
		return "write"
	case PermTriage:
		return "triage"
	case PermRead:
		return "read"
	default:
		return "none"
	}
}

// Permission returns what a user may do in a repository. Anyone may read a
// public one; the members of an organization may read its repositories, its
// owners may do all; the bot of an App that is installed may write; 0 is nobody.
func (s *State) Permission(user ID, repo *Repo) Permission {
	if s.only.excludes(user, repo) {
		user = 0
	}
	if user != 0 && user == repo.OwnerID {
		return PermAdmin
	}
	member := max(s.memberPermission(user, repo.OwnerID), s.teamPermission(user, repo))
	if p, known := repo.Collaborators[user]; known {
		return max(p, member)
	}
	if member > PermNone {
		return member
	}
	if s.installed(user, repo) {
		return PermWrite
	}
	if repo.Private {
		return PermNone
	}
	return PermRead
}

// narrowing is what a credential leaves of what its user may do.
type narrowing struct {
	user  ID
	repos []ID
}

// excludes reports whether a credential leaves a user nothing more in a
// repository than anybody has.
func (n *narrowing) excludes(user ID, repo *Repo) bool {
	return n != nil && n.user == user && !slices.Contains(n.repos, repo.ID)
}

// Narrow returns the state for a request in which a user has no more than
// anybody in all but some repositories. What the request changes is taken over
// by [State.Widen].
func (s *State) Narrow(user ID, repos []ID) *State {
	narrow := *s
	narrow.only = &narrowing{user, repos}
	return &narrow
}

// Widen takes over what a request changed in a state of [State.Narrow].
func (s *State) Widen(narrow *State) {
	*s = *narrow
	s.only = nil
}

// VisibleRepo returns the repository if the user may read it. A repository
// that he may not see is not found, so that its name stays secret.
func (s *State) VisibleRepo(user ID, owner, name string) (*Repo, error) {
	r := s.Repo(owner, name)
	if r == nil || s.Permission(user, r) < PermRead {
		return nil, notFound()
	}
	return r, nil
}

// require refuses to change a repository for users with less than a
// permission: with "not found" where they may not even read, as GitHub does.
// Nobody may change an archived repository.
func (s *State) require(user ID, repo *Repo, least Permission) error {
	switch p := s.Permission(user, repo); {
	case p < PermRead:
		return notFound()
	case user == 0:
		return &Problem{Kind: Unauthorized, Message: "Requires authentication"}
	case repo.Archived:
		return forbidden("Repository was archived so is read-only.")
	case p < least, s.only.excludes(user, repo):
		return &Problem{Kind: Forbidden, Message: "Must have admin rights to Repository.", Lacking: true}
	default:
		return nil
	}
}

// requireOfOthers is [State.require], but the author of what is changed needs
// to read the repository alone.
func (s *State) requireOfOthers(user ID, repo *Repo, author ID, least Permission) error {
	if user == author {
		least = PermRead
	}
	return s.require(user, repo, least)
}

// Association returns how an author belongs to a repository: OWNER, MEMBER of
// the organization that owns it, COLLABORATOR, CONTRIBUTOR of a commit of the default
// branch or of a pull request that was merged, or NONE.
func (s *State) Association(author ID, repo *Repo) string {
	switch {
	case author == repo.OwnerID:
		return "OWNER"
	case s.Users.Get(repo.OwnerID).Members[author] != "":
		return "MEMBER"
	case s.collaborates(author, repo):
		return "COLLABORATOR"
	}
	for range s.Issues.find(mergedByAuthor, key{of: repo.ID, n: int(author)}) {
		return "CONTRIBUTOR"
	}
	if s.contributes(s.Users.Get(author), repo) {
		return "CONTRIBUTOR"
	}
	return "NONE"
}

// Collaborates reports whether a user is the repository's owner, one of those
// of the organization that owns it, in a team that may read it, or has been made
// a collaborator.
func (s *State) Collaborates(user ID, repo *Repo) bool {
	return s.collaborates(user, repo) || s.Users.Get(repo.OwnerID).Members[user] == OrgOwner || s.teamPermission(user, repo) >= PermRead
}

// collaborates reports whether a user is the repository's owner or has been
// made a collaborator.
func (s *State) collaborates(user ID, repo *Repo) bool {
	return user == repo.OwnerID || repo.Collaborators[user] >= PermRead
}

// Assignable returns the users that issues of the repository can be assigned
// to, in order of their accounts.
func (s *State) Assignable(repo *Repo) []*User {
	return s.Users.Where(func(u *User) bool { return s.assignable(u, repo) })
}

// assignable reports whether issues can be assigned to a user: one who may at
// least triage. A nil user is not assignable.
func (s *State) assignable(u *User, repo *Repo) bool {
	return u != nil && u.Type == TypeUser && s.Permission(u.ID, repo) >= PermTriage
}

// without returns ids but for some of them.
func without(ids []ID, gone ...ID) []ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id ID) bool { return slices.Contains(gone, id) })
}

// Affiliated reports whether an account has to do with a repository in one of
// GitHub's ways: OWNER, COLLABORATOR or ORGANIZATION_MEMBER.
func (s *State) Affiliated(u *User, repo *Repo, ways []string) bool {
	return slices.ContainsFunc(ways, func(way string) bool {
		switch way {
		case "OWNER":
			return repo.OwnerID == u.ID
		case "COLLABORATOR":
			return repo.OwnerID != u.ID && repo.Collaborators[u.ID] > PermNone
		case "ORGANIZATION_MEMBER":
			return s.Users.Get(repo.OwnerID).Members[u.ID] != ""
		default:
			return false
		}
	})
}
