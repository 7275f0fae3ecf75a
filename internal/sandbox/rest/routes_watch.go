package rest

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// watchRoutes are those by which users watch repositories.
func watchRoutes() []route {
	const subscription = reposPath + "/subscription"
	return []route{
		{"GET " + subscription, onRepo(getSubscription)},
		{"PUT " + subscription, onRepo(setSubscription)},
		{"DELETE " + subscription, onRepo(func(c *call, repo *model.Repo) (reply, error) {
			c.s.Subscribe(c.actor, repo, model.Unsubscribed)
			return noContent()
		})},
	}
}

type subscriptionView struct {
	Subscribed    bool    `json:"subscribed"`
	Ignored       bool    `json:"ignored"`
	Reason        *string `json:"reason"`
	CreatedAt     stamp   `json:"created_at"`
	URL           string  `json:"url"`
	RepositoryURL string  `json:"repository_url"`
}

func getSubscription(c *call, repo *model.Repo) (reply, error) {
	if c.actor == 0 {
		return reply{}, errNoUser
	}
	since, told := repo.WatchedAt[c.actor]
	if !told {
		since = repo.CreatedAt
	}
	is := repo.SubscriptionOf(c.actor)
	if is == model.Unsubscribed {
		return reply{}, errNotFound
	}
	return ok(subscriptionView{
		Subscribed: is == model.Subscribed, Ignored: is == model.Ignored, CreatedAt: at(since),
		URL: c.repoURL(repo.ID) + "/subscription", RepositoryURL: c.repoURL(repo.ID),
	})
}

func setSubscription(c *call, repo *model.Repo) (reply, error) {
	var in struct{ Subscribed, Ignored bool }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	wanted := model.Subscribed
	if in.Ignored {
		wanted = model.Ignored
	}
	c.s.Subscribe(c.actor, repo, wanted)
	return getSubscription(c, repo)
}
