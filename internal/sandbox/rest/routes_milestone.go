package rest

import (
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func milestoneRoutes() []route {
	const milestones = " " + reposPath + "/milestones"
	return []route{
		{"GET" + milestones, onRepo(listMilestones)},
		{"POST" + milestones, onRepo(createMilestone)},
		{"GET" + milestones + "/{number}", onMilestone(getMilestone)},
		{"PATCH" + milestones + "/{number}", onMilestone(updateMilestone)},
		{"DELETE" + milestones + "/{number}", onMilestone(deleteMilestone)},
	}
}

// listMilestones lists the open milestones, or those that the query asks for.
func listMilestones(c *call, repo *model.Repo) (reply, error) {
	wanted := orOpen(strings.ToLower(c.URL.Query().Get("state")))
	all := c.s.Milestones.Where(func(m *model.Milestone) bool {
		return m.RepoID == repo.ID && (wanted == "all" || wanted == state(m.Closed))
	})
	c.sortMilestones(all)
	return list(c, all, func(m *model.Milestone) *milestoneView { return c.milestone(m.ID) })
}

// sortMilestones sorts milestones by the day on which they are due, or by how much of
// them is done, if the query asks for an order. What is never due comes after all else.
func (c *call) sortMilestones(all []*model.Milestone) {
	query := c.URL.Query()
	by, way := query.Get("sort"), query.Get("direction")
	if by == "" && way == "" {
		return
	}
	done := func(m *model.Milestone) int {
		open, closed := c.s.InMilestone(m)
		return 100 * closed / max(1, open+closed)
	}
	slices.SortStableFunc(all, func(a, b *model.Milestone) int {
		order := 0
		switch {
		case by == "completeness":
			order = done(a) - done(b)
		case a.DueOn != nil && b.DueOn != nil:
			order = a.DueOn.Compare(*b.DueOn)
		case a.DueOn != nil:
			return -1
		case b.DueOn != nil:
			return 1
		}
		if way == descends {
			return -order
		}
		return order
	})
}

func onMilestone(handle func(c *call, m *model.Milestone) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		number, err := c.number("number")
		if err != nil {
			return reply{}, err
		}
		m := c.s.Milestone(repo, number)
		if m == nil {
			return reply{}, errNotFound
		}
		return handle(c, m)
	})
}

func getMilestone(c *call, m *model.Milestone) (reply, error) { return ok(c.milestone(m.ID)) }

// milestoneInput is what a body says of a milestone; nil fields are not in it.
type milestoneInput struct {
	Title, Description, State *string
	DueOn                     cleared[time.Time] `json:"due_on"`
}

// edit is the change that a body asks for.
func (in milestoneInput) edit() (model.MilestoneEdit, error) {
	edit := model.MilestoneEdit{Title: in.Title, Description: in.Description, DueOn: in.DueOn.value}
	if in.State != nil {
		closed := *in.State == "closed"
		if !closed && *in.State != "open" {
			return edit, &model.Problem{Kind: model.Invalid, Message: "Validation Failed", Errors: []model.FieldError{
				{Resource: "Milestone", Field: "state", Code: "invalid"},
			}}
		}
		edit.Closed = &closed
	}
	return edit, nil
}

func createMilestone(c *call, repo *model.Repo) (reply, error) {
	var in milestoneInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	edit, err := in.edit()
	if err != nil {
		return reply{}, err
	}
	var title string
	if in.Title != nil {
		title = *in.Title
	}
	m, err := c.s.CreateMilestone(c.actor, repo, model.NewMilestone{Title: title})
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditMilestone(c.actor, m, edit); err != nil {
		return reply{}, err
	}
	return created(c.milestone(m.ID))
}

func updateMilestone(c *call, m *model.Milestone) (reply, error) {
	var in milestoneInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	edit, err := in.edit()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditMilestone(c.actor, m, edit); err != nil {
		return reply{}, err
	}
	return ok(c.milestone(m.ID))
}

func deleteMilestone(c *call, m *model.Milestone) (reply, error) {
	if err := c.s.DeleteMilestone(c.actor, m); err != nil {
		return reply{}, err
	}
	return noContent()
}
