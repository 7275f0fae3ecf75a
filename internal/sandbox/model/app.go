package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"
)

// App is a GitHub App.
type App struct {
	ID          ID
	Slug        string
	Name        string
	Description string
	// HomeURL is the page that the App names; empty means its page on GitHub.
	HomeURL string
	OwnerID ID
	BotID   ID
	// ClientID and ClientSecret identify the App towards OAuth, which sends
	// users back to one of CallbackURLs; the first one unless asked otherwise.
	ClientID     string
	ClientSecret string
	CallbackURLs []string
	// SetupURL is where users go after they have installed the App; possibly
	// empty.
	SetupURL string
	// PublicKey is the key, PEM in form, that belongs to the one with which
	// the App signs its JSON web tokens; empty means that it cannot.
	PublicKey string
	// Permissions are what the App asks for by resource, and Events what it
	// subscribes to, when it is installed.
	Permissions map[string]string
	Events      []string
	// HookID is that of the App's webhook; 0 means that it has none.
	HookID    ID
	Hook      HookConfig
	CreatedAt time.Time
	UpdatedAt time.Time
}

func (a *App) clone() *App {
	c := *a
	c.CallbackURLs = slices.Clone(a.CallbackURLs)
	c.Permissions = maps.Clone(a.Permissions)
	c.Events = slices.Clone(a.Events)
	return &c
}

// NewApp describes an App to add.
type NewApp struct {
	// Slug is made of the name if it is empty.
	Slug, Name           string
	Description, HomeURL string
	// Owner is whose App it is.
	Owner ID
	// Repos are the repositories in which it is installed at once.
	Repos []ID

	// ClientID is made of the id if it is empty.
	ClientID, ClientSecret string
	CallbackURLs           []string
	SetupURL               string
	PublicKey              string
	Permissions            map[string]string
	Events                 []string
	// Hook is the App's webhook; without a URL it has none.
	Hook HookConfig
}

// AddApp adds an App with its bot, and its installations. The slug must be
// free.
func (s *State) AddApp(in NewApp) *App {
	in.Slug = cmp.Or(in.Slug, Slug(in.Name))
	bot := s.AddUser(NewUser{Login: in.Slug + "[bot]", Type: TypeBot})
	a := &App{
		ID: s.newID(), Slug: in.Slug, Name: in.Name, Description: in.Description, HomeURL: in.HomeURL, OwnerID: in.Owner, BotID: bot.ID,
		ClientID: in.ClientID, ClientSecret: in.ClientSecret, CallbackURLs: slices.Clone(in.CallbackURLs), SetupURL: in.SetupURL,
		PublicKey: in.PublicKey, Permissions: maps.Clone(in.Permissions), Events: slices.Clone(in.Events), CreatedAt: s.Now, UpdatedAt: s.Now,
	}
	s.Apps.Add(a.ID, a)
	if in.Hook.URL != "" {
		s.SetAppHook(in.Owner, a, in.Hook)
	}
	var accounts []ID
	for _, id := range in.Repos {
		if owner := s.Repos.Get(id).OwnerID; !slices.Contains(accounts, owner) {
			accounts = append(accounts, owner)
		}
	}
	for _, account := range accounts {
		s.Install(account, a, account, slices.DeleteFunc(slices.Clone(in.Repos), func(id ID) bool { return s.Repos.Get(id).OwnerID != account }))
	}
	return a
}

// SetAppHook gives an App its webhook, which is told so with a ping, or changes
// it.
func (s *State) SetAppHook(actor ID, a *App, hook HookConfig) {
	isNew := a.HookID == 0
	if isNew {
		a.HookID = s.newID()
	}
	a.Hook, a.UpdatedAt = hook.complete(), s.Now
	if isNew {
		s.emit(Happening{Event: "ping", ActorID: actor, AppID: a.ID})
	}
}

// Slug returns the slug of a name: small letters and digits, with hyphens
// between words.
func Slug(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	return strings.Join(words, "-")
}

// App returns the App of that slug, nil if there is none.
func (s *State) App(slug string) *App {
	return s.Apps.First(func(a *App) bool { return a.Slug == slug })
}

// AppByClientID returns the App of that client id, nil if there is none.
func (s *State) AppByClientID(id string) *App {
	return s.Apps.First(func(a *App) bool { return id != "" && a.ClientID == id })
}

// AppOfBot returns the App whose bot a user is, nil for other users.
func (s *State) AppOfBot(user ID) *App {
	if u := s.Users.Get(user); u == nil || u.Type != TypeBot {
		return nil
	}
	return s.Apps.First(func(a *App) bool { return a.BotID == user })
}

// installed reports whether a user is the bot of an App that acts in a
// repository. GitHub Actions does in all of them.
func (s *State) installed(user ID, repo *Repo) bool {
	a := s.AppOfBot(user)
	if a == nil {
		return false
	}
	if a.ID == actionsAppID {
		return true
	}
	i := s.InstallationIn(a, repo)
	return i != nil && i.SuspendedAt == nil
}
