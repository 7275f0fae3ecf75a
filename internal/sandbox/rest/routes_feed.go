package rest

import (
	"encoding/json"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// feedRoutes are those of what happened lately: in repositories, their networks
// and organizations, and by whom.
func feedRoutes() []route {
	return []route{
		{"GET /events", func(c *call) (reply, error) { return c.feed(true, everything) }},
		{"GET " + reposPath + "/events", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return c.feed(false, func(a *model.Activity, _ *model.Repo) bool { return a.RepoID == repo.ID })
		})},
		{"GET /networks/{owner}/{repo}/events", feedOfNetwork},
		{"GET /orgs/{org}/events", onLogin(func(c *call, org *model.User) (reply, error) { return c.feed(true, inOrg(org)) })},
		{"GET /users/{username}/events", onLogin(func(c *call, u *model.User) (reply, error) { return c.feed(c.actor != u.ID, by(u)) })},
		{"GET /users/{username}/events/public", onLogin(func(c *call, u *model.User) (reply, error) { return c.feed(true, by(u)) })},
		{"GET /users/{username}/events/orgs/{of}", onLogin(feedOfOrgFor)},
		{"GET /users/{username}/received_events", onLogin(func(c *call, u *model.User) (reply, error) { return c.feed(c.actor != u.ID, c.received(u)) })},
		{"GET /users/{username}/received_events/public", onLogin(func(c *call, u *model.User) (reply, error) { return c.feed(true, c.received(u)) })},
	}
}

func everything(*model.Activity, *model.Repo) bool { return true }

func by(u *model.User) func(*model.Activity, *model.Repo) bool {
	return func(a *model.Activity, _ *model.Repo) bool { return a.ActorID == u.ID }
}

func inOrg(org *model.User) func(*model.Activity, *model.Repo) bool {
	return func(a *model.Activity, _ *model.Repo) bool { return a.OrgID == org.ID }
}

func (c *call) received(u *model.User) func(*model.Activity, *model.Repo) bool {
	return func(a *model.Activity, repo *model.Repo) bool { return c.s.Receives(u, a, repo) }
}

// feedOfOrgFor is what a member sees of an organization, which others do not.
func feedOfOrgFor(c *call, u *model.User) (reply, error) {
	org := c.s.User(c.PathValue("of"))
	if org == nil || org.Type != model.TypeOrganization || u.ID != c.actor || org.Members[u.ID] == "" {
		return reply{}, errNotFound
	}
	return c.feed(false, inOrg(org))
}

// feedOfNetwork is what happens in public in a repository, and in those that were
// forked from the same one.
func feedOfNetwork(c *call) (reply, error) {
	repo, err := c.s.VisibleRepo(c.actor, c.PathValue("owner"), c.PathValue("repo"))
	if err != nil {
		return reply{}, err
	}
	source := c.s.Source(repo)
	return c.feed(true, func(_ *model.Activity, in *model.Repo) bool { return c.s.Source(in) == source })
}

type actorView struct {
	ID           int64  `json:"id"`
	Login        string `json:"login"`
	DisplayLogin string `json:"display_login,omitempty"`
	GravatarID   string `json:"gravatar_id"`
	URL          string `json:"url"`
	AvatarURL    string `json:"avatar_url"`
}

type activityView struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	Actor     actorView       `json:"actor"`
	Repo      namedActivity   `json:"repo"`
	Payload   json.RawMessage `json:"payload"`
	Public    bool            `json:"public"`
	CreatedAt stamp           `json:"created_at"`
	Org       *actorView      `json:"org,omitempty"`
}

// namedActivity is the repository of an entry.
type namedActivity struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
	URL  string `json:"url"`
}

func (v *view) activity(a *model.Activity) activityView {
	repo := v.s.Repos.Get(a.RepoID)
	who := v.whoever(a.ActorID)
	view := activityView{
		ID: strconv.FormatInt(a.ID, 10), Type: a.Type, Repo: namedActivity{repo.ID, v.s.FullName(repo), v.repoURL(repo.ID)},
		Actor:   actorView{ID: who.ID, Login: who.Login, DisplayLogin: who.Login, URL: who.URL, AvatarURL: who.AvatarURL},
		Payload: json.RawMessage(a.Payload), Public: a.Public, CreatedAt: at(a.CreatedAt),
	}
	if org := v.user(a.OrgID); org != nil {
		view.Org = &actorView{ID: org.ID, Login: org.Login, URL: apiURL + "/orgs/" + org.Login, AvatarURL: org.AvatarURL}
	}
	return view
}

// feed answers with a page of a feed. One that is beyond its end is refused.
func (c *call) feed(public bool, has func(*model.Activity, *model.Repo) bool) (reply, error) {
	size, number := c.pageAsked()
	if number-1 > (model.MaxFeed-1)/size {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "In order to keep the API fast for everyone, pagination is limited for this resource. " +
			"Check the rel=last link relation in the Link response header to see how far back you can traverse."}
	}
	entries := c.s.Feed(c.actor, public, has)
	answer, err := list(c, entries, c.activity)
	if len(entries) > 0 {
		answer.modified(entries[0].CreatedAt)
	}
	answer.header.Set("X-Poll-Interval", pollInterval)
	return answer, err
}
