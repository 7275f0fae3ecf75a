package rest

import (
	"fmt"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// The places that addresses in answers point at, whatever host was asked.
const (
	apiURL  = "https://api.github.com"
	htmlURL = "https://github.com"
)

// stamp formats a time as GitHub's REST API does; nil stays null.
type stamp struct{ t *time.Time }

func at(t time.Time) stamp     { return stamp{&t} }
func maybe(t *time.Time) stamp { return stamp{t} }

// MarshalJSON writes RFC 3339 with seconds, or null.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.t == nil {
		return []byte("null"), nil
	}
	return []byte(`"` + s.t.UTC().Format(time.RFC3339) + `"`), nil
}

// optional returns a pointer to text, nil for empty text.
func optional[T ~string](text T) *string {
	if text == "" {
		return nil
	}
	plain := string(text)
	return &plain
}

type userView struct {
	Login             string `json:"login"`
	ID                int64  `json:"id"`
	NodeID            string `json:"node_id"`
	AvatarURL         string `json:"avatar_url"`
	GravatarID        string `json:"gravatar_id"`
	URL               string `json:"url"`
	HTMLURL           string `json:"html_url"`
	FollowersURL      string `json:"followers_url"`
	FollowingURL      string `json:"following_url"`
	GistsURL          string `json:"gists_url"`
	StarredURL        string `json:"starred_url"`
	SubscriptionsURL  string `json:"subscriptions_url"`
	OrganizationsURL  string `json:"organizations_url"`
	ReposURL          string `json:"repos_url"`
	EventsURL         string `json:"events_url"`
	ReceivedEventsURL string `json:"received_events_url"`
	Type              string `json:"type"`
	SiteAdmin         bool   `json:"site_admin"`
}

// user returns the view of a user, nil for one that is not known.
func (v *view) user(id model.ID) *userView {
	u := v.s.Users.Get(id)
	if u == nil {
		return nil
	}
	return userViewOf(u)
}

func userViewOf(u *model.User) *userView {
	api := apiURL + "/users/" + u.Login
	return &userView{
		Login: u.Login, ID: u.ID, NodeID: model.NodeID(model.UserNode(u), 0, u.ID),
		AvatarURL: fmt.Sprintf("https://avatars.githubusercontent.com/u/%d?v=4", u.ID),
		URL:       api, HTMLURL: htmlURL + u.Page(),
		FollowersURL: api + "/followers", FollowingURL: api + "/following{/other_user}",
		GistsURL: api + "/gists{/gist_id}", StarredURL: api + "/starred{/owner}{/repo}",
		SubscriptionsURL: api + "/subscriptions", OrganizationsURL: api + "/orgs", ReposURL: api + "/repos",
		EventsURL: api + "/events{/privacy}", ReceivedEventsURL: api + "/received_events", Type: string(u.Type),
	}
}

// ghostID is the id of the account that stands for those who are gone.
const ghostID = 10137

// whoever returns the view of a user, that of GitHub's ghost for one that is gone.
func (v *view) whoever(id model.ID) *userView {
	if u := v.user(id); u != nil {
		return u
	}
	return userViewOf(&model.User{ID: ghostID, Login: v.s.Login(0), Type: model.TypeUser})
}

func (v *view) users(ids []model.ID) []*userView {
	views := make([]*userView, 0, len(ids))
	for _, id := range ids {
		if u := v.user(id); u != nil {
			views = append(views, u)
		}
	}
	return views
}

// accountView is a user as he sees himself, or as others see his account.
type accountView struct {
	userView
	Name        *string `json:"name"`
	Company     *string `json:"company"`
	Blog        string  `json:"blog"`
	Location    *string `json:"location"`
	Email       *string `json:"email"`
	Hireable    *bool   `json:"hireable"`
	Bio         *string `json:"bio"`
	Twitter     *string `json:"twitter_username"`
	PublicRepos int     `json:"public_repos"`
	PublicGists int     `json:"public_gists"`
	Followers   int     `json:"followers"`
	Following   int     `json:"following"`
	CreatedAt   stamp   `json:"created_at"`
	UpdatedAt   stamp   `json:"updated_at"`
	*ownAccountView
}

// ownAccountView is what only the user himself sees.
type ownAccountView struct {
	PrivateGists            int  `json:"private_gists"`
	TotalPrivateRepos       int  `json:"total_private_repos"`
	OwnedPrivateRepos       int  `json:"owned_private_repos"`
	DiskUsage               int  `json:"disk_usage"`
	Collaborators           int  `json:"collaborators"`
	TwoFactorAuthentication bool `json:"two_factor_authentication"`
	Plan                    plan `json:"plan"`
}

// plan is what an account pays for: nothing, with the figures of GitHub's free plan.
type plan struct {
	Name         string `json:"name"`
	Space        int    `json:"space"`
	PrivateRepos int    `json:"private_repos"`
	// Collaborators are shown to users, seats to owners of organizations.
	Collaborators *int `json:"collaborators,omitempty"`
	FilledSeats   *int `json:"filled_seats,omitempty"`
	Seats         *int `json:"seats,omitempty"`
}

func freePlan() plan { return plan{Name: "free", Space: 976562499, PrivateRepos: 10000} }

// publicRepos counts the public repositories of an account.
func (v *view) publicRepos(u *model.User) int {
	return len(v.s.Repos.Where(func(r *model.Repo) bool { return r.OwnerID == u.ID && !r.Private }))
}

func (v *view) account(u *model.User, own bool) accountView {
	a := accountView{
		userView: *v.user(u.ID), Name: optional(u.Name), Email: optional(u.Email), Company: optional(u.Company), Blog: u.Blog, Location: optional(u.Location),
		Hireable: u.Hireable, Bio: optional(u.Bio), Twitter: optional(u.Twitter), Followers: len(v.s.Followers(u.ID)), Following: len(u.Following),
		CreatedAt: at(u.CreatedAt), UpdatedAt: at(u.UpdatedAt),
	}
	a.PublicRepos = v.publicRepos(u)
	a.PublicGists = len(v.s.GistsOf(0, u.ID))
	if own {
		a.ownAccountView = &ownAccountView{Plan: freePlan()}
		a.Plan.Collaborators = new(int)
	}
	return a
}

type appView struct {
	ID          int64             `json:"id"`
	Slug        string            `json:"slug"`
	NodeID      string            `json:"node_id"`
	ClientID    string            `json:"client_id,omitempty"`
	Owner       *userView         `json:"owner"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	ExternalURL string            `json:"external_url"`
	HTMLURL     string            `json:"html_url"`
	CreatedAt   stamp             `json:"created_at"`
	UpdatedAt   stamp             `json:"updated_at"`
	Permissions map[string]string `json:"permissions"`
	Events      []string          `json:"events"`
}

func (v *view) app(id model.ID) *appView {
	a := v.s.Apps.Get(id)
	if a == nil {
		return nil
	}
	html := htmlURL + "/apps/" + a.Slug
	return &appView{
		ID: a.ID, Slug: a.Slug, NodeID: model.NodeID(model.NodeApp, 0, a.ID), ClientID: a.ClientID,
		Owner: v.user(a.OwnerID), Name: a.Name, Description: a.Description, ExternalURL: orDefault(a.HomeURL, html), HTMLURL: html,
		CreatedAt: at(a.CreatedAt), UpdatedAt: at(a.UpdatedAt), Permissions: granted(a.Permissions), Events: append([]string{}, a.Events...),
	}
}

// permission is what a user may do in a repository.
func (v *view) permission(repo *model.Repo, u *model.User) map[string]any {
	p := v.s.Permission(u.ID, repo)
	type collaborator struct {
		*userView
		Permissions map[string]bool `json:"permissions"`
		RoleName    string          `json:"role_name"`
	}
	return map[string]any{
		"permission": coarse(p).String(), "role_name": p.String(),
		"user": collaborator{v.user(u.ID), permissionFlags(p), p.String()},
	}
}

// coarse returns a permission as GitHub's older field shows it, which knows
// four levels only.
func coarse(p model.Permission) model.Permission {
	switch p {
	case model.PermTriage:
		return model.PermRead
	case model.PermMaintain:
		return model.PermWrite
	default:
		return p
	}
}

func permissionFlags(p model.Permission) map[string]bool {
	return map[string]bool{
		"admin": p >= model.PermAdmin, "maintain": p >= model.PermMaintain, "push": p >= model.PermWrite,
		"triage": p >= model.PermTriage, "pull": p >= model.PermRead,
	}
}
