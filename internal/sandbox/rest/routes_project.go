package rest

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// projectRoutes are those of the projects of organizations and users.
func projectRoutes() []route {
	var all []route
	for _, owner := range []struct {
		path string
		kind model.UserType
	}{{"/orgs/{org}", model.TypeOrganization}, {"/users/{username}", model.TypeUser}} {
		on := func(handle func(c *call, p *model.Project) (reply, error)) func(*call) (reply, error) {
			return onProject(owner.kind, handle)
		}
		projects := owner.path + "/projectsV2"
		one := projects + "/{number}"
		all = append(all,
			route{"GET " + projects, onAccount(owner.kind, listProjects)},
			route{"GET " + one, on(func(c *call, p *model.Project) (reply, error) { return ok(c.project(p)) })},
			route{"GET " + one + "/fields", on(listProjectFields)},
			route{"GET " + one + "/fields/{id}", on(getProjectField)},
			route{"GET " + one + "/items", on(listProjectItems)},
			route{"POST " + one + "/items", on(addProjectItem)},
			route{"GET " + one + "/items/{id}", on(getProjectItem)},
			route{"PATCH " + one + "/items/{id}", on(editProjectItem)},
			route{"DELETE " + one + "/items/{id}", on(deleteProjectItem)},
		)
	}
	return append(all, route{"GET /orgs/{org}", onAccount(model.TypeOrganization, func(c *call, org *model.User) (reply, error) {
		page := c.orgPage(org)
		if c.s.MayAdministerOrg(c.actor, org) && (c.scopes == nil || slices.Contains(c.scopes, "admin:org")) {
			free, filled, seats := freePlan(), len(org.Members), 0
			free.FilledSeats, free.Seats, page.Plan = &filled, &seats, &free
		}
		return ok(page)
	})})
}

// onAccount makes a handler of one that needs the account that the path names.
// The token of an App reaches no projects.
func onAccount(kind model.UserType, handle func(c *call, u *model.User) (reply, error)) func(*call) (reply, error) {
	return func(c *call) (reply, error) {
		if c.integration != nil {
			return reply{}, errNotForApps
		}
		u := c.s.User(c.PathValue("org") + c.PathValue("username"))
		if u == nil || u.Type != kind {
			return reply{}, errNotFound
		}
		return handle(c, u)
	}
}

// onProject is [onAccount] for the project that the path names.
func onProject(kind model.UserType, handle func(c *call, p *model.Project) (reply, error)) func(*call) (reply, error) {
	return onAccount(kind, func(c *call, u *model.User) (reply, error) {
		number, err := c.number("number")
		if err != nil {
			return reply{}, err
		}
		p := c.s.Project(c.actor, u, number)
		if p == nil {
			return reply{}, errNotFound
		}
		return handle(c, p)
	})
}

func listProjects(c *call, u *model.User) (reply, error) {
	found := slices.DeleteFunc(c.s.ProjectsOf(c.actor, u), func(p *model.Project) bool { return !p.Matches(c.URL.Query().Get("q")) })
	return listByCursor(c, found, func(p *model.Project) model.ID { return p.ID }, c.project)
}

func listProjectFields(c *call, p *model.Project) (reply, error) {
	return listByCursor(c, c.s.FieldsOf(p), func(f *model.ProjectField) model.ID { return f.ID },
		func(f *model.ProjectField) projectFieldView { return c.projectField(p, f) })
}

// projectFieldOf returns a project's field by its id.
func (c *call) projectFieldOf(p *model.Project, id model.ID) (*model.ProjectField, error) {
	if f := c.s.ProjectFields.Get(id); f != nil && f.ProjectID == p.ID {
		return f, nil
	}
	return nil, errNotFound
}

func getProjectField(c *call, p *model.Project) (reply, error) {
	f, err := c.projectFieldOf(p, idOf(c.PathValue("id")))
	if err != nil {
		return reply{}, err
	}
	return ok(c.projectField(p, f))
}

// shownFields returns the fields that a request asks to see: of none in
// particular the title alone.
func (c *call) shownFields(p *model.Project) []*model.ProjectField {
	query := c.URL.Query()
	asked := strings.Split(strings.Join(append(query.all("fields"), query.all("fields[]")...), ","), ",")
	return slices.DeleteFunc(c.s.FieldsOf(p), func(f *model.ProjectField) bool {
		return f.Type != model.FieldTitle && !slices.Contains(asked, strconv.FormatInt(f.ID, 10))
	})
}

func listProjectItems(c *call, p *model.Project) (reply, error) {
	items := slices.DeleteFunc(c.s.ItemsOf(p), func(i *model.ProjectItem) bool { return i.Archived || !c.itemMatches(i, c.URL.Query().Get("q")) })
	fields := c.shownFields(p)
	return listByCursor(c, items, func(i *model.ProjectItem) model.ID { return i.ID },
		func(i *model.ProjectItem) projectItemView { return c.projectItem(p, i, fields) })
}

// projectItemOf returns the item that the path names.
func (c *call) projectItemOf(p *model.Project) (*model.ProjectItem, error) {
	if i := c.s.ProjectItems.Get(idOf(c.PathValue("id"))); i != nil && i.ProjectID == p.ID {
		return i, nil
	}
	return nil, errNotFound
}

func getProjectItem(c *call, p *model.Project) (reply, error) {
	i, err := c.projectItemOf(p)
	if err != nil {
		return reply{}, err
	}
	return ok(c.projectItem(p, i, c.shownFields(p)))
}

func addProjectItem(c *call, p *model.Project) (reply, error) {
	var in struct {
		Type   string   `json:"type"`
		ID     model.ID `json:"id"`
		Owner  string   `json:"owner"`
		Repo   string   `json:"repo"`
		Number int      `json:"number"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	issue := c.itemContent(in.Type, in.ID)
	if repo, err := c.s.VisibleRepo(c.actor, in.Owner, in.Repo); err == nil && in.ID == 0 {
		issue = c.s.Issue(repo, in.Number)
	}
	switch {
	case in.Type == "":
		return reply{}, missing("type")
	case issue == nil || (issue.Pull != nil) != (in.Type == "PullRequest"):
		return reply{}, errNotFound
	}
	i, err := c.s.AddItem(c.actor, p, issue)
	if err != nil {
		return reply{}, err
	}
	return created(c.projectItem(p, i, nil))
}

// itemContent returns an issue or pull request by its own id.
func (c *call) itemContent(kind string, id model.ID) *model.Issue {
	if kind == "PullRequest" {
		return c.s.PullByID(id)
	}
	return c.s.Issues.Get(id)
}

func editProjectItem(c *call, p *model.Project) (reply, error) {
	i, err := c.projectItemOf(p)
	if err != nil {
		return reply{}, err
	}
	var in struct {
		Fields []struct {
			ID    model.ID        `json:"id"`
			Value json.RawMessage `json:"value"`
		} `json:"fields"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Fields == nil {
		return reply{}, missing("fields")
	}
	before := maps.Clone(i.Values)
	for _, change := range in.Fields {
		if err := c.setItemField(p, i, change.ID, change.Value); err != nil {
			// All is changed, or nothing.
			i.Values = before
			return reply{}, err
		}
	}
	return ok(c.projectItem(p, i, c.s.FieldsOf(p)))
}

func (c *call) setItemField(p *model.Project, i *model.ProjectItem, id model.ID, value json.RawMessage) error {
	f, err := c.projectFieldOf(p, id)
	switch {
	case err != nil:
		return err
	case string(value) == "null":
		return c.s.ClearValue(c.actor, p, i, f)
	default:
		return c.s.SetValue(c.actor, p, i, f, newValue(f.Type, value))
	}
}

// newValue reads a field's value; one of another type is none.
func newValue(kind model.FieldType, raw json.RawMessage) model.NewValue {
	var text *string
	var number *float64
	if json.Unmarshal(raw, &text) != nil {
		text = nil
	}
	if json.Unmarshal(raw, &number) != nil {
		number = nil
	}
	switch kind {
	case model.FieldNumber:
		return model.NewValue{Number: number}
	case model.FieldDate:
		return model.NewValue{Date: text}
	case model.FieldSingleSelect:
		return model.NewValue{OptionID: text}
	case model.FieldIteration:
		return model.NewValue{Iteration: text}
	default:
		return model.NewValue{Text: text}
	}
}

func deleteProjectItem(c *call, p *model.Project) (reply, error) {
	i, err := c.projectItemOf(p)
	if err != nil {
		return reply{}, err
	}
	if err := c.s.DeleteItem(c.actor, p, i); err != nil {
		return reply{}, err
	}
	return noContent()
}
