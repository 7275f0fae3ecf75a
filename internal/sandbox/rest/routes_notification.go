package rest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// notificationRoutes are those of a user's inbox, and of who watches what.
func notificationRoutes() []route {
	const (
		thread       = "/notifications/threads/{thread}"
		subscription = thread + "/subscription"
	)
	return []route{
		{"GET /notifications", onInbox(func(c *call) (reply, error) { return c.listNotifications(nil) })},
		{"PUT /notifications", onInbox(func(c *call) (reply, error) { return c.markNotifications(nil) })},
		{"GET " + reposPath + "/notifications", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return onInbox(func(c *call) (reply, error) { return c.listNotifications(repo) })(c)
		})},
		{"PUT " + reposPath + "/notifications", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			return onInbox(func(c *call) (reply, error) { return c.markNotifications(repo) })(c)
		})},
		{"GET " + thread, onThread(func(c *call, n *model.Notification) (reply, error) { return ok(c.notification(n)) })},
		{"PATCH " + thread, onThread(func(c *call, n *model.Notification) (reply, error) {
			c.s.MarkNotification(n)
			return reply{status: http.StatusResetContent}, nil
		})},
		{"DELETE " + thread, onThread(func(c *call, n *model.Notification) (reply, error) {
			c.s.FinishNotification(n)
			return noContent()
		})},
		{"GET " + subscription, onThread(func(c *call, n *model.Notification) (reply, error) { return ok(c.threadSubscription(n)) })},
		{"PUT " + subscription, onThread(subscribeThread)},
		{"DELETE " + subscription, onThread(func(c *call, n *model.Notification) (reply, error) {
			c.s.SubscribeThread(n, false, true)
			return noContent()
		})},
		{"GET " + reposPath + "/subscribers", onRepo(func(c *call, repo *model.Repo) (reply, error) {
			watchers := slices.DeleteFunc(slices.Clone(repo.Watchers), func(id model.ID) bool { return c.s.Users.Get(id) == nil })
			return list(c, watchers, c.user)
		})},
		{"GET /user/subscriptions", func(c *call) (reply, error) { return c.watchedBy(c.actor) }},
		{"GET /users/{username}/subscriptions", onLogin(func(c *call, u *model.User) (reply, error) { return c.watchedBy(u.ID) })},
	}
}

// onInbox refuses those who have no inbox: nobody, and Apps.
func onInbox(handle func(c *call) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		switch {
		case c.actor == 0:
			return reply{}, errNoUser
		case c.integration != nil && !c.integration.User:
			return reply{}, errNotForApps
		default:
			return handle(c)
		}
	}
}

// onThread makes a handler of one that needs the user's thread that the path
// names.
func onThread(handle func(c *call, n *model.Notification) (reply, error)) func(*call) (reply, error) {
	return onInbox(func(c *call) (reply, error) {
		id, err := strconv.ParseInt(c.PathValue("thread"), 10, 64)
		n := c.s.Notification(c.actor, id)
		if err != nil || n == nil {
			return reply{}, errNotFound
		}
		return handle(c, n)
	})
}

func (c *call) watchedBy(user model.ID) (reply, error) {
	if user == 0 {
		return reply{}, errNoUser
	}
	return list(c, c.s.Repos.Where(func(r *model.Repo) bool {
		return slices.Contains(r.Watchers, user) && c.s.Permission(c.actor, r) >= model.PermRead
	}), c.minimalRepo)
}

// pollInterval is how many seconds a client is asked to wait before it asks for
// notifications again.
const pollInterval = "60"

// listNotifications answers with what the user has not read, the latest first,
// of one repository unless that is nil.
func (c *call) listNotifications(repo *model.Repo) (reply, error) {
	query := c.URL.Query()
	since, err := timeOf(query.Get("since"))
	if err != nil {
		return reply{}, err
	}
	before, err := timeOf(query.Get("before"))
	if err != nil {
		return reply{}, err
	}
	var latest time.Time
	all := slices.DeleteFunc(c.s.NotificationsOf(c.actor), func(n *model.Notification) bool {
		for _, at := range []*time.Time{&n.UpdatedAt, n.LastReadAt} {
			if at != nil && at.After(latest) {
				latest = *at
			}
		}
		return repo != nil && n.RepoID != repo.ID || query.Get("all") != "true" && !n.Unread ||
			query.Get("participating") == "true" && n.Reason == model.ToldSubscribed ||
			!since.IsZero() && n.UpdatedAt.Before(since) || !before.IsZero() && !n.UpdatedAt.Before(before)
	})
	answer, err := list(c, all, c.notification)
	answer.header.Set("X-Poll-Interval", pollInterval)
	if !latest.IsZero() {
		answer.modified(latest)
	}
	return answer, err
}

// markNotifications marks what is no newer than a time, which is now unless one
// is given.
func (c *call) markNotifications(repo *model.Repo) (reply, error) {
	var in struct {
		LastReadAt string `json:"last_read_at"`
		Read       *bool
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	until, err := timeOf(in.LastReadAt)
	if err != nil {
		return reply{}, err
	}
	if until.IsZero() {
		until = c.s.Now
	}
	of := model.ID(0)
	if repo != nil {
		of = repo.ID
	}
	c.s.MarkNotifications(c.actor, of, until, in.Read == nil || *in.Read)
	return reply{status: http.StatusResetContent}, nil
}

func subscribeThread(c *call, n *model.Notification) (reply, error) {
	var in struct{ Ignored bool }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	c.s.SubscribeThread(n, !in.Ignored, in.Ignored)
	return ok(c.threadSubscription(n))
}

func (v *view) threadURL(n *model.Notification) string {
	return fmt.Sprintf("%s/notifications/threads/%d", apiURL, n.ID)
}

func (v *view) threadSubscription(n *model.Notification) map[string]any {
	return map[string]any{
		"subscribed": !n.Ignored, "ignored": n.Ignored, "reason": optional(n.Reason), "created_at": at(n.UpdatedAt),
		"url": v.threadURL(n) + "/subscription", "thread_url": v.threadURL(n),
	}
}

type notificationSubject struct {
	Title            string `json:"title"`
	URL              string `json:"url"`
	LatestCommentURL string `json:"latest_comment_url"`
	Type             string `json:"type"`
}

func (v *view) notification(n *model.Notification) map[string]any {
	return map[string]any{
		"id": strconv.FormatInt(n.ID, 10), "repository": v.minimalRepo(v.s.Repos.Get(n.RepoID)), "subject": v.subject(n), "reason": n.Reason,
		"unread": n.Unread, "updated_at": at(n.UpdatedAt), "last_read_at": maybe(n.LastReadAt), "url": v.threadURL(n),
		"subscription_url": v.threadURL(n) + "/subscription",
	}
}

// subject is what a thread is about, with the address of what was said last.
func (v *view) subject(n *model.Notification) any {
	api := v.repoURL(n.RepoID)
	shown := notificationSubject{Type: "Issue"}
	switch i, r, d := v.s.Issues.Get(n.SubjectID), v.s.Releases.Get(n.SubjectID), v.s.Discussions.Get(n.SubjectID); {
	case d != nil:
		// GitHub's REST API has no discussions, so that there is no address.
		return map[string]any{"title": d.Title, "type": "Discussion", "url": nil, "latest_comment_url": nil}
	case r != nil:
		shown = notificationSubject{Title: cmp.Or(r.Name, r.TagName), Type: "Release", URL: fmt.Sprintf("%s/releases/%d", api, r.ID)}
	case i != nil && i.Pull != nil:
		shown = notificationSubject{Title: i.Title, Type: "PullRequest", URL: fmt.Sprintf("%s/pulls/%d", api, i.Number)}
	case i != nil:
		shown = notificationSubject{Title: i.Title, Type: "Issue", URL: fmt.Sprintf("%s/issues/%d", api, i.Number)}
	}
	switch {
	case v.s.Comments.Get(n.LatestID) != nil:
		shown.LatestCommentURL = fmt.Sprintf("%s/issues/comments/%d", api, n.LatestID)
	case v.s.ReviewComments.Get(n.LatestID) != nil:
		shown.LatestCommentURL = fmt.Sprintf("%s/pulls/comments/%d", api, n.LatestID)
	default:
		shown.LatestCommentURL = shown.URL
	}
	return shown
}
