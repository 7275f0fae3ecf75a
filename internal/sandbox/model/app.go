package model

import "slices"

// NewApp describes an App to add.
type NewApp struct {
	Slug, Name string
	// Owner is whose App it is.
	Owner ID
	// Repos are the repositories in which it is installed.
	Repos []ID
}

// AddApp adds an App with its bot. The slug must be free.
func (s *State) AddApp(in NewApp) *App {
	bot := s.AddUser(NewUser{Login: in.Slug + "[bot]", Type: TypeBot})
	a := &App{
		ID: s.newID(), Slug: in.Slug, Name: in.Name, OwnerID: in.Owner, BotID: bot.ID,
		Repos: slices.Clone(in.Repos), CreatedAt: s.Now,
	}
	return s.Apps.Add(a.ID, a)
}

// App returns the App of that slug, nil if there is none.
func (s *State) App(slug string) *App {
	return s.Apps.First(func(a *App) bool { return a.Slug == slug })
}

// AppOfBot returns the App whose bot a user is, nil for other users.
func (s *State) AppOfBot(user ID) *App {
	if u := s.Users.Get(user); u == nil || u.Type != TypeBot {
		return nil
	}
	return s.Apps.First(func(a *App) bool { return a.BotID == user })
}

// InstalledIn reports whether an App acts in a repository. GitHub Actions does
// in all of them.
func (a *App) InstalledIn(repo *Repo) bool {
	return a.ID == actionsAppID || slices.Contains(a.Repos, repo.ID)
}

// installed reports whether a user is the bot of an App that acts in a
// repository.
func (s *State) installed(user ID, repo *Repo) bool {
	a := s.AppOfBot(user)
	return a != nil && a.InstalledIn(repo)
}
