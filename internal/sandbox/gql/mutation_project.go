package gql

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/graphql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func projectMutations() map[string]mutator {
	byID := typed[*model.Project]
	return map[string]mutator{
		"createProjectV2": createProject,
		"updateProjectV2": change("projectId", "projectV2", byID, func(q *query, p *model.Project, in graphql.Args) error {
			return q.s.EditProject(q.actor, p, model.ProjectEdit{
				Title: text(in, "title"), ShortDescription: text(in, "shortDescription"), Readme: text(in, "readme"), Public: flag(in, "public"), Closed: flag(in, "closed"),
			})
		}),
		"deleteProjectV2": change("projectId", "projectV2", byID, func(q *query, p *model.Project, _ graphql.Args) error {
			return q.s.DeleteProject(q.actor, p)
		}),
		"createProjectV2Field": createProjectField,
		"deleteProjectV2Field": change("fieldId", "projectV2Field", typed[*model.ProjectField], func(q *query, f *model.ProjectField, _ graphql.Args) error {
			return q.s.DeleteField(q.actor, f)
		}),
		"addProjectV2ItemById":          addProjectItem,
		"addProjectV2DraftIssue":        addProjectDraft,
		"updateProjectV2DraftIssue":     change("draftIssueId", "draftIssue", typed[draftIssue], editProjectDraft),
		"deleteProjectV2Item":           deleteProjectItem,
		"archiveProjectV2Item":          onItem("item", archiveItem(true)),
		"unarchiveProjectV2Item":        onItem("item", archiveItem(false)),
		"updateProjectV2ItemFieldValue": onItem("projectV2Item", setItemValue),
		"clearProjectV2ItemFieldValue": onItem("projectV2Item", func(q *query, p *model.Project, i *model.ProjectItem, in graphql.Args) error {
			f, err := typed[*model.ProjectField](q, in.String("fieldId"))
			if err != nil {
				return err
			}
			return q.s.ClearValue(q.actor, p, i, f)
		}),
		"updateProjectV2Collaborators":  updateCollaborators,
		"linkProjectV2ToRepository":     linkProject(true),
		"unlinkProjectV2FromRepository": linkProject(false),
		"linkProjectV2ToTeam":           linkProjectToTeam(true),
		"unlinkProjectV2FromTeam":       linkProjectToTeam(false),
	}
}

// flag returns an input's boolean, nil where it was not given.
func flag(in graphql.Args, name string) *bool {
	if !in.Has(name) {
		return nil
	}
	value := in.Bool(name)
	return &value
}

func createProject(q *query, in graphql.Args) (payload, error) {
	owner, err := typed[*model.User](q, in.String("ownerId"))
	if err != nil {
		return nil, err
	}
	var repo *model.Repo
	if in.Has("repositoryId") {
		if repo, err = typed[*model.Repo](q, in.String("repositoryId")); err != nil {
			return nil, err
		}
	}
	p, err := q.s.CreateProject(q.actor, owner, in.String("title"))
	if err == nil && repo != nil {
		err = q.s.LinkProject(q.actor, p, repo, true)
	}
	return payload{"projectV2": p}, err
}

func createProjectField(q *query, in graphql.Args) (payload, error) {
	p, err := typed[*model.Project](q, in.String("projectId"))
	if err != nil {
		return nil, err
	}
	made := model.NewProjectField{Name: in.String("name"), Type: model.FieldType(in.Enum("dataType"))}
	for _, o := range in.Objects("singleSelectOptions") {
		made.Options = append(made.Options, model.ProjectOption{Name: o.String("name"), Color: o.Enum("color"), Description: o.String("description")})
	}
	configuration := in.Object("iterationConfiguration")
	made.Duration = configuration.Int("duration")
	for _, i := range configuration.Objects("iterations") {
		made.Iterations = append(made.Iterations, model.ProjectIteration{Title: i.String("title"), Start: i.String("startDate"), Days: i.Int("duration")})
	}
	f, err := q.s.CreateField(q.actor, p, made)
	return payload{"projectV2Field": f}, err
}

func addProjectItem(q *query, in graphql.Args) (payload, error) {
	p, err := typed[*model.Project](q, in.String("projectId"))
	if err != nil {
		return nil, err
	}
	issue, err := typed[*model.Issue](q, in.String("contentId"))
	if err != nil {
		return nil, err
	}
	item, err := q.s.AddItem(q.actor, p, issue)
	return payload{"item": item}, err
}

func addProjectDraft(q *query, in graphql.Args) (payload, error) {
	p, err := typed[*model.Project](q, in.String("projectId"))
	if err != nil {
		return nil, err
	}
	assignees, err := q.userIDs(in.Strings("assigneeIds"))
	if err != nil {
		return nil, err
	}
	item, err := q.s.AddDraft(q.actor, p, in.String("title"), in.String("body"), assignees)
	return payload{"projectItem": item}, err
}

func editProjectDraft(q *query, d draftIssue, in graphql.Args) error {
	edit := model.DraftEdit{Title: text(in, "title"), Body: text(in, "body")}
	if in.Has("assigneeIds") {
		assignees, err := q.userIDs(in.Strings("assigneeIds"))
		if err != nil {
			return err
		}
		edit.Assignees = &assignees
	}
	return q.s.EditDraft(q.actor, d.item, edit)
}

// projectItem returns the project and the item that an input names.
func (q *query) projectItem(in graphql.Args) (*model.Project, *model.ProjectItem, error) {
	p, err := typed[*model.Project](q, in.String("projectId"))
	if err != nil {
		return nil, nil, err
	}
	i, err := typed[*model.ProjectItem](q, in.String("itemId"))
	return p, i, err
}

// onItem makes a mutation of one that changes an item of a project.
func onItem(shown string, apply func(q *query, p *model.Project, i *model.ProjectItem, in graphql.Args) error) mutator {
	return func(q *query, in graphql.Args) (payload, error) {
		p, i, err := q.projectItem(in)
		if err != nil {
			return nil, err
		}
		return payload{shown: i}, apply(q, p, i, in)
	}
}

func archiveItem(archived bool) func(*query, *model.Project, *model.ProjectItem, graphql.Args) error {
	return func(q *query, p *model.Project, i *model.ProjectItem, _ graphql.Args) error {
		return q.s.ArchiveItem(q.actor, p, i, archived)
	}
}

func deleteProjectItem(q *query, in graphql.Args) (payload, error) {
	p, i, err := q.projectItem(in)
	if err != nil {
		return nil, err
	}
	return payload{"deletedItemId": in.String("itemId")}, q.s.DeleteItem(q.actor, p, i)
}

func setItemValue(q *query, p *model.Project, i *model.ProjectItem, in graphql.Args) error {
	f, err := typed[*model.ProjectField](q, in.String("fieldId"))
	if err != nil {
		return err
	}
	given := in.Object("value")
	value := model.NewValue{
		Text: text(given, "text"), Date: text(given, "date"), OptionID: text(given, "singleSelectOptionId"), Iteration: text(given, "iterationId"),
	}
	if given.Has("number") {
		number := given.Float("number")
		value.Number = &number
	}
	return q.s.SetValue(q.actor, p, i, f, value)
}

// projectRoles are the roles by their names in GraphQL.
var projectRoles = map[string]model.ProjectRole{
	"NONE": model.ProjectNone, "READER": model.ProjectRead, "WRITER": model.ProjectWrite, "ADMIN": model.ProjectAdmin,
}

func updateCollaborators(q *query, in graphql.Args) (payload, error) {
	p, err := typed[*model.Project](q, in.String("projectId"))
	if err != nil {
		return nil, err
	}
	var users []*model.User
	for _, c := range in.Objects("collaborators") {
		u, err := typed[*model.User](q, c.String("userId"))
		if err != nil {
			return nil, err
		}
		if err := q.s.SetCollaborator(q.actor, p, u.ID, projectRoles[c.Enum("role")]); err != nil {
			return nil, err
		}
		users = append(users, u)
	}
	return payload{"collaborators": users}, nil
}

// collaboratorsFields resolves the list that [updateCollaborators] returns.
func collaboratorsFields() map[string]graphql.Resolver {
	return map[string]graphql.Resolver{
		"UpdateProjectV2CollaboratorsPayload.collaborators": connection(func(_ *query, p payload, _ graphql.Args) ([]*model.User, error) {
			users, _ := p["collaborators"].([]*model.User)
			return users, nil
		}),
	}
}

func linkProject(linked bool) mutator {
	return func(q *query, in graphql.Args) (payload, error) {
		p, err := typed[*model.Project](q, in.String("projectId"))
		if err != nil {
			return nil, err
		}
		repo, err := typed[*model.Repo](q, in.String("repositoryId"))
		if err != nil {
			return nil, err
		}
		return payload{"repository": repo}, q.s.LinkProject(q.actor, p, repo, linked)
	}
}

func linkProjectToTeam(linked bool) mutator {
	return func(q *query, in graphql.Args) (payload, error) {
		p, err := typed[*model.Project](q, in.String("projectId"))
		if err != nil {
			return nil, err
		}
		t, err := typed[*model.Team](q, in.String("teamId"))
		if err != nil {
			return nil, err
		}
		return payload{"team": t}, q.s.LinkProjectToTeam(q.actor, p, t, linked)
	}
}
