package model

import (
	"maps"
	"slices"
	"time"
)

// Installation is an App in an account.
type Installation struct {
	ID        ID
	AppID     ID
	AccountID ID
	// All is true for an App that acts in all repositories of the account;
	// otherwise it acts in Repos.
	All         bool
	Repos       []ID
	Permissions map[string]string
	Events      []string
	// SuspendedAt is nil while the installation is not suspended.
	SuspendedAt *time.Time
	SuspendedBy ID
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

func (i *Installation) clone() *Installation {
	c := *i
	c.Repos = slices.Clone(i.Repos)
	c.Permissions = maps.Clone(i.Permissions)
	c.Events = slices.Clone(i.Events)
	c.SuspendedAt = copyOf(i.SuspendedAt)
	return &c
}

// Covers reports whether an installation is for a repository.
func (i *Installation) Covers(repo *Repo) bool {
	return repo.OwnerID == i.AccountID && (i.All || slices.Contains(i.Repos, repo.ID))
}

// Install installs an App in an account: in some of its repositories, or in all
// for nil. An App that is there already is given these repositories.
func (s *State) Install(actor ID, a *App, account ID, repos []ID) *Installation {
	if known := s.InstallationOf(a, account); known != nil {
		s.SetInstalledRepos(actor, known, repos)
		return known
	}
	now := s.Advance()
	i := &Installation{
		ID: s.newID(), AppID: a.ID, AccountID: account, All: repos == nil, Repos: slices.Clone(repos),
		Permissions: maps.Clone(a.Permissions), Events: slices.Clone(a.Events), CreatedAt: now, UpdatedAt: now,
	}
	s.Installations.Add(i.ID, i)
	s.emit(Happening{Event: "installation", Action: "created", ActorID: actor, Installation: i, AppID: a.ID})
	return i
}

// SetInstalledRepos changes in which repositories of its account an App acts;
// nil means all.
func (s *State) SetInstalledRepos(actor ID, i *Installation, repos []ID) {
	before := ids(s.InstalledRepos(i))
	i.All, i.Repos, i.UpdatedAt = repos == nil, slices.Clone(repos), s.Advance()
	after := ids(s.InstalledRepos(i))
	h := Happening{Event: "installation_repositories", ActorID: actor, Installation: i, AppID: i.AppID}
	if h.Repos = difference(after, before); len(h.Repos) > 0 {
		h.Action = "added"
		s.emit(h)
	}
	if h.Repos = difference(before, after); len(h.Repos) > 0 {
		h.Action = "removed"
		s.emit(h)
	}
}

// Uninstall removes an App from an account.
func (s *State) Uninstall(actor ID, i *Installation) {
	s.Advance()
	h := Happening{Event: "installation", Action: "deleted", ActorID: actor, Installation: i, AppID: i.AppID}
	s.emit(h)
	s.Installations.Delete(i.ID)
}

// Suspend suspends an installation, or ends that. While it is suspended, the
// App's tokens are refused and it is told of nothing.
func (s *State) Suspend(actor ID, i *Installation, suspended bool) {
	now := s.Advance()
	action := "suspend"
	i.SuspendedAt, i.SuspendedBy, i.UpdatedAt = &now, actor, now
	if !suspended {
		action, i.SuspendedAt, i.SuspendedBy = "unsuspend", nil, 0
	}
	s.emit(Happening{Event: "installation", Action: action, ActorID: actor, Installation: i, AppID: i.AppID})
}

// InstallationOf returns an App's installation in an account, nil if there is
// none.
func (s *State) InstallationOf(a *App, account ID) *Installation {
	return s.Installations.First(func(i *Installation) bool { return i.AppID == a.ID && i.AccountID == account })
}

// InstallationIn returns an App's installation that is for a repository, nil if
// there is none.
func (s *State) InstallationIn(a *App, repo *Repo) *Installation {
	return s.Installations.First(func(i *Installation) bool { return i.AppID == a.ID && i.Covers(repo) })
}

// InstalledRepos returns the repositories that an installation is for.
func (s *State) InstalledRepos(i *Installation) []*Repo { return s.Repos.Where(i.Covers) }

func ids(repos []*Repo) []ID {
	all := make([]ID, 0, len(repos))
	for _, r := range repos {
		all = append(all, r.ID)
	}
	return all
}

// difference returns the ids that are not among others.
func difference(all, others []ID) []ID {
	return slices.DeleteFunc(slices.Clone(all), func(id ID) bool { return slices.Contains(others, id) })
}
