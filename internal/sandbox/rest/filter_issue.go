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
	milestone                    string
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
		state: orDefault(query.Get("state"), "open"), assignee: query.Get("assignee"), creator: query.Get("creator"),
		mentioned: query.Get("mentioned"), milestone: query.Get("milestone"),
	}
	if labels := query.Get("labels"); labels != "" {
		f.labels = strings.Split(labels, ",")
	}
	var err error
	if f.since, err = timeOf(query.Get("since")); err != nil {
		return f, err
	}
	return f, checkState(f.state)
}

func checkState(state string) error {
	if slices.Contains([]string{"open", "closed", "all"}, state) {
		return nil
	}
	return &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{
		{Resource: "Issue", Field: "state", Code: "invalid", Value: state},
	}}
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

// sortIssues sorts by creation, or by what is asked for; the newest or most
// first, unless direction is "asc".
func (c *call) sortIssues(issues []*model.Issue, by, direction string) {
	slices.SortStableFunc(issues, func(a, b *model.Issue) int {
		var order int
		switch by {
		case "updated":
			order = a.UpdatedAt.Compare(b.UpdatedAt)
		case "comments", "popularity":
			order = cmp.Compare(c.s.CommentCount(a), c.s.CommentCount(b))
		}
		return cmp.Or(order, a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Number, b.Number))
	})
	if direction != "asc" {
		slices.Reverse(issues)
	}
}
