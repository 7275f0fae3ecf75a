package rest

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// issueFilter is what a query asks of issues and pull requests; empty fields
// ask nothing.
type issueFilter struct {
	// state is open, closed or all.
	state                        string
	assignee, creator, mentioned string
	milestone, kind              string
	labels                       []string
	since                        time.Time
}

// Values of a filter that stand for no single thing.
const (
	anything = "*"
	nothing  = "none"
)

func (c *call) issueFilter() (issueFilter, error) {
	query := c.URL.Query()
	f := issueFilter{
		state: query.Get("state"), assignee: query.Get("assignee"), creator: query.Get("creator"),
		mentioned: query.Get("mentioned"), milestone: query.Get("milestone"), kind: query.Get("type"),
	}
	if labels := query.Get("labels"); labels != "" {
		f.labels = strings.Split(labels, ",")
	}
	var err error
	if f.since, err = timeOf(query.Get("since")); err != nil {
		return f, err
	}
	if !query.Has("state") {
		f.state = "open"
	}
	if !slices.Contains(states, f.state) {
		return f, invalidFilter("state", f.state)
	}
	return f, nil
}

// states are those by which lists of issues, pull requests and milestones go.
var states = []string{"open", "closed", "all"}

// orOpen returns a state, "open" for what is none: only lists of issues refuse that.
func orOpen(state string) string {
	if slices.Contains(states, state) {
		return state
	}
	return "open"
}

// invalidFilter is GitHub's refusal of a list of issues. It refuses states that there
// are not, the empty one too, as https://github.com/brekkylab/backlot/pull/166 has
// measured, and milestones, see https://github.com/sigmavirus24/github3.py/issues/406.
func invalidFilter(field, value string) error {
	return &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{
		{Resource: "Issue", Field: field, Code: "invalid", Value: value},
	}}
}

// checkMilestone refuses a filter that names no milestone of a repository.
func (f issueFilter) checkMilestone(s *model.State, repo *model.Repo) error {
	number, err := strconv.Atoi(f.milestone)
	if slices.Contains([]string{"", anything, nothing}, f.milestone) || err == nil && s.Milestone(repo, number) != nil {
		return nil
	}
	return invalidFilter("milestone", f.milestone)
}

func orDefault(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func (f issueFilter) match(s *model.State, repo *model.Repo, i *model.Issue) bool {
	switch {
	case f.state != "all" && state(i.Closed) != f.state:
		return false
	case !f.matchType(s, i):
		return false
	case i.UpdatedAt.Before(f.since):
		return false
	case f.creator != "" && !strings.EqualFold(s.Login(i.AuthorID), f.creator):
		return false
	case f.mentioned != "" && !strings.Contains(strings.ToLower(i.Body), "@"+strings.ToLower(f.mentioned)):
		return false
	}
	return f.matchAssignee(s, i) && f.matchMilestone(s, i) && !slices.ContainsFunc(f.labels, func(name string) bool {
		l := s.Label(repo, strings.TrimSpace(name))
		return l == nil || !slices.Contains(i.Labels, l.ID)
	})
}

func (f issueFilter) matchType(s *model.State, i *model.Issue) bool {
	t := s.TypeOf(i)
	switch f.kind {
	case "":
		return true
	case anything:
		return t != nil
	case nothing:
		return t == nil
	default:
		return t != nil && strings.EqualFold(t.Name, f.kind)
	}
}

func (f issueFilter) matchAssignee(s *model.State, i *model.Issue) bool {
	switch f.assignee {
	case "":
		return true
	case anything:
		return len(i.Assignees) > 0
	case nothing:
		return len(i.Assignees) == 0
	default:
		u := s.User(f.assignee)
		return u != nil && slices.Contains(i.Assignees, u.ID)
	}
}

func (f issueFilter) matchMilestone(s *model.State, i *model.Issue) bool {
	m := s.Milestones.Get(i.MilestoneID)
	switch f.milestone {
	case "":
		return true
	case anything:
		return m != nil
	case nothing:
		return m == nil
	default:
		return m != nil && strconv.Itoa(m.Number) == f.milestone
	}
}

// sortIssues sorts issues and pull requests. Of issues of which as much was said the
// newest is first, whatever the direction.
func (c *call) sortIssues(issues []*model.Issue, o order) {
	slices.SortStableFunc(issues, func(a, b *model.Issue) int {
		age := cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Number, b.Number))
		switch o.by {
		case "updated":
			return cmp.Or(a.UpdatedAt.Compare(b.UpdatedAt), age)
		case "popularity":
			return cmp.Or(cmp.Compare(c.said(a), c.said(b)), age)
		case "comments":
			if !o.descending {
				age = -age
			}
			return cmp.Or(cmp.Compare(c.said(a), c.said(b)), age)
		default:
			return age
		}
	})
	if o.descending {
		slices.Reverse(issues)
	}
}

// said counts the comments on an issue or pull request, with those on its code.
func (c *call) said(i *model.Issue) int {
	return c.s.CommentCount(i) + len(c.s.SubmittedComments(i))
}
