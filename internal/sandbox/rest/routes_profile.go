package rest

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// profileRoutes are those of what users tell of themselves, and of who follows
// whom.
func profileRoutes() []route {
	return []route{
		{"PATCH /user", editProfile},
		{"GET /user/followers", onSelf(func(c *call, u *model.User) (reply, error) { return list(c, c.s.Followers(u.ID), c.user) })},
		{"GET /user/following", onSelf(listFollowing)},
		{"GET /user/following/{username}", onSelf(func(c *call, u *model.User) (reply, error) { return c.follows(u, c.PathValue("username")) })},
		{"PUT /user/following/{username}", onLogin(func(c *call, u *model.User) (reply, error) { return noContentOr(c.s.FollowUser(c.actor, u, true)) })},
		{"DELETE /user/following/{username}", onLogin(func(c *call, u *model.User) (reply, error) { return noContentOr(c.s.FollowUser(c.actor, u, false)) })},
		{"GET /users/{username}/followers", onLogin(func(c *call, u *model.User) (reply, error) { return list(c, c.s.Followers(u.ID), c.user) })},
		{"GET /users/{username}/following", onLogin(listFollowing)},
		{"GET /users/{username}/following/{target}", onLogin(func(c *call, u *model.User) (reply, error) { return c.follows(u, c.PathValue("target")) })},
	}
}

// onSelf makes a handler of one that needs the user who asks.
func onSelf(handle func(c *call, u *model.User) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		u := c.s.Users.Get(c.actor)
		if u == nil {
			return reply{}, errNoUser
		}
		return handle(c, u)
	}
}

func listFollowing(c *call, u *model.User) (reply, error) {
	known := slices.DeleteFunc(slices.Clone(u.Following), func(id model.ID) bool { return c.s.Users.Get(id) == nil })
	return list(c, known, c.user)
}

func (c *call) follows(u *model.User, login string) (reply, error) {
	if other := c.s.User(login); other != nil && slices.Contains(u.Following, other.ID) {
		return noContent()
	}
	return reply{}, errNotFound
}

func editProfile(c *call) (reply, error) {
	var in struct {
		Name, Email, Blog, Company, Location, Bio *string

		Twitter  cleared[string] `json:"twitter_username"`
		Hireable *bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	c.s.EditProfile(c.actor, model.ProfileEdit{
		Name: in.Name, Email: in.Email, Blog: in.Blog, Twitter: in.Twitter.value, Company: in.Company, Location: in.Location, Bio: in.Bio, Hireable: in.Hireable,
	})
	return ok(c.account(c.s.Users.Get(c.actor), true))
}
