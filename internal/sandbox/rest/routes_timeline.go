package rest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// timelineRoutes are those of what became of issues and pull requests.
func timelineRoutes() []route {
	const issues = reposPath + "/issues"
	return []route{
		{"GET " + issues + "/{number}/timeline", onIssue(listTimeline)},
		{"GET " + issues + "/{number}/events", onIssue(func(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
			return list(c, c.events(i), c.event)
		})},
		{"GET " + issues + "/events", onRepo(listEvents)},
	}
}

// getEventOrComment serves single events and comments, whose paths net/http
// cannot tell apart.
func getEventOrComment(c *call) (reply, error) {
	if c.PathValue("number") == "events" {
		return onRow(func(s *model.State) *model.Table[model.Event] { return &s.Events }, func(e *model.Event) model.ID { return e.RepoID }, getEvent)(c)
	}
	return onComment(getComment)(c)
}

func getEvent(c *call, e *model.Event) (reply, error) {
	if !listed(e) {
		return reply{}, errNotFound
	}
	return ok(c.eventWithIssue(e))
}

// listed reports whether lists of events have an event: references and reviews
// are in timelines alone.
func listed(e *model.Event) bool { return e.Kind != model.EventCrossReferenced && e.Kind != "reviewed" }

// events returns the events of an issue that lists of events have.
func (c *call) events(i *model.Issue) []*model.Event {
	return slices.DeleteFunc(c.s.EventsOf(i), func(e *model.Event) bool { return !listed(e) })
}

// listEvents lists the events of a repository, newest first.
func listEvents(c *call, repo *model.Repo) (reply, error) {
	events := c.s.Events.Where(func(e *model.Event) bool { return e.RepoID == repo.ID && listed(e) })
	slices.Reverse(events)
	return list(c, events, c.eventWithIssue)
}

func (v *view) eventWithIssue(e *model.Event) map[string]any {
	shown := v.event(e)
	shown["issue"] = v.issue(v.s.Issues.Get(e.IssueID))
	return shown
}

// event is an event as GitHub shows it: what all have, and what those of its
// kind are about.
func (v *view) event(e *model.Event) map[string]any {
	shown := map[string]any{
		"id": e.ID, "node_id": model.NodeID("EV", e.RepoID, e.ID), "url": fmt.Sprintf("%s/issues/events/%d", v.repoURL(e.RepoID), e.ID),
		"actor": v.user(e.ActorID), "event": e.Kind, "commit_id": nil, "commit_url": nil, "created_at": at(e.CreatedAt), "performed_via_github_app": nil,
	}
	if app := v.s.AppOfBot(e.ActorID); app != nil {
		shown["performed_via_github_app"] = v.app(app.ID)
	}
	if e.CommitSHA != "" {
		shown["commit_id"], shown["commit_url"] = e.CommitSHA, v.repoURL(e.RepoID)+"/commits/"+e.CommitSHA
	}
	if about := eventParts[e.Kind]; about != nil {
		about(v, e, shown)
	}
	return shown
}

// eventParts add what the events of a kind are about; kinds that are not here
// say it all by their names.
var eventParts = map[string]func(v *view, e *model.Event, shown map[string]any){
	"labeled": labelPart, "unlabeled": labelPart, "milestoned": milestonePart, "demilestoned": milestonePart,
	"assigned": assigneePart, "unassigned": assigneePart, "review_requested": reviewerPart, "review_request_removed": reviewerPart,
	model.EventTyped: issueTypePart, model.EventUntyped: issueTypePart, model.EventRetyped: issueTypePart,
	"closed": reasonPart, "reopened": reasonPart,
	"renamed": func(_ *view, e *model.Event, shown map[string]any) {
		shown["rename"] = map[string]any{"from": e.From, "to": e.To}
	},
	"locked":           func(_ *view, e *model.Event, shown map[string]any) { shown["lock_reason"] = optional(e.To) },
	"unlocked":         func(_ *view, _ *model.Event, shown map[string]any) { shown["lock_reason"] = nil },
	"review_dismissed": dismissalPart,
	"sub_issue_added":  issuePart("sub_issue"), "sub_issue_removed": issuePart("sub_issue"),
	"parent_issue_added": issuePart("parent_issue"), "parent_issue_removed": issuePart("parent_issue"),
	"blocked_by_added": issuePart("blocked_by"), "blocked_by_removed": issuePart("blocked_by"),
	"blocking_added": issuePart("blocking"), "blocking_removed": issuePart("blocking"),
}

func labelPart(_ *view, e *model.Event, shown map[string]any) {
	shown["label"] = map[string]any{"name": cmp.Or(e.Title, "deleted"), "color": cmp.Or(e.Color, "ededed")}
}

func milestonePart(_ *view, e *model.Event, shown map[string]any) {
	shown["milestone"] = map[string]any{"title": e.Title}
}

func assigneePart(v *view, e *model.Event, shown map[string]any) {
	shown["assignee"], shown["assigner"] = v.user(e.SubjectID), v.user(e.ActorID)
}

func reviewerPart(v *view, e *model.Event, shown map[string]any) {
	shown["review_requester"], shown["requested_reviewer"] = v.user(e.ActorID), v.user(e.SubjectID)
}

func reasonPart(_ *view, e *model.Event, shown map[string]any) {
	shown["state_reason"] = optional(e.To)
}

func dismissalPart(_ *view, e *model.Event, shown map[string]any) {
	shown["dismissed_review"] = map[string]any{"state": e.From, "review_id": e.SubjectID, "dismissal_message": optional(e.To)}
}

// issuePart names the other issue that an event is about.
func issuePart(name string) func(v *view, e *model.Event, shown map[string]any) {
	return func(v *view, e *model.Event, shown map[string]any) {
		other := v.s.Issues.Get(e.SubjectID)
		if other == nil || v.s.Permission(v.actor, v.s.Repos.Get(other.RepoID)) < model.PermRead {
			shown[name] = nil
			return
		}
		shown[name] = v.issueReference(other)
	}
}

// issueReference is an issue as events name it.
func (v *view) issueReference(i *model.Issue) map[string]any {
	reference := map[string]any{
		"number": i.Number, "title": i.Title, "state": state(i.Closed), "state_reason": optional(i.StateReason),
		"repository": v.minimalRepo(v.s.Repos.Get(i.RepoID)), "issue_type": nil,
	}
	if t := v.s.TypeOf(i); t != nil {
		reference["issue_type"] = issueType(*t)
	}
	return reference
}

// moment is an entry of a timeline.
type moment struct {
	at time.Time
	// kind is the event's name.
	kind string
	show func() any
}

// listTimeline lists all that became of an issue or pull request and all that
// was said on it, oldest first.
func listTimeline(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	var all []moment
	add := func(at time.Time, kind string, show func() any) { all = append(all, moment{at, kind, show}) }
	if i.Pull != nil {
		commits, err := c.s.PullCommits(i)
		if err != nil {
			return reply{}, err
		}
		for _, commit := range commits {
			add(commit.Committer.When, "committed", func() any { return with(fieldsOf(c.gitCommit(repo, commit)), "event", "committed") })
		}
		for _, r := range c.s.ReviewsOf(c.actor, i) {
			if r.SubmittedAt != nil {
				add(*r.SubmittedAt, "reviewed", func() any { return c.reviewMoment(r) })
			}
		}
	}
	for _, comment := range c.s.CommentsOf(i) {
		add(comment.CreatedAt, "commented", func() any {
			return with(fieldsOf(c.comment(comment)), "event", "commented", "actor", c.user(comment.AuthorID))
		})
	}
	for _, e := range c.s.EventsOf(i) {
		switch {
		case e.Kind == "reviewed":
		case e.Kind != model.EventCrossReferenced:
			add(e.CreatedAt, e.Kind, func() any { return c.event(e) })
		case c.seesIssue(e.SubjectID):
			add(e.CreatedAt, e.Kind, func() any { return c.crossReference(e) })
		}
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	if names := c.URL.Query().Get("exclude"); names != "" {
		excluded := strings.Split(names, ",")
		all = slices.DeleteFunc(all, func(m moment) bool { return slices.Contains(excluded, m.kind) })
	}
	return list(c, all, func(m moment) any { return m.show() })
}

// seesIssue reports whether the user may see an issue, which may be gone.
func (v *view) seesIssue(id model.ID) bool {
	i := v.s.Issues.Get(id)
	return i != nil && v.s.Permission(v.actor, v.s.Repos.Get(i.RepoID)) >= model.PermRead
}

// with adds fields, names and values in turn, to those of a view.
func with(fields map[string]any, pairs ...any) map[string]any {
	for n := 0; n+1 < len(pairs); n += 2 {
		fields[fmt.Sprint(pairs[n])] = pairs[n+1]
	}
	return fields
}

func (v *view) reviewMoment(r *model.Review) map[string]any {
	return with(fieldsOf(v.review(r)), "event", "reviewed", "state", strings.ToLower(string(r.State)))
}

func (v *view) crossReference(e *model.Event) map[string]any {
	source := v.s.Issues.Get(e.SubjectID)
	return map[string]any{
		"event": e.Kind, "actor": v.user(e.ActorID), "created_at": at(e.CreatedAt), "updated_at": at(e.CreatedAt),
		"source": map[string]any{"type": "issue", "issue": with(fieldsOf(v.issue(source)), "repository", v.minimalRepo(v.s.Repos.Get(source.RepoID)))},
	}
}
