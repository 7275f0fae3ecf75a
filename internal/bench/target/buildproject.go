package target

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// projects plans the boards. Their items are put on at the end, when all is
// there that they may be of.
func (b *builder) projects() {
	for i := range b.plan.Projects {
		p := &boarding{builder: b, plan: &b.plan.Projects[i]}
		b.then(p.plan.Place, p.plan.When.Time, quoted("make board", p.plan.Title), p.open)
		b.finally(p.plan.Place, quoted("fill board", p.plan.Title), p.fill)
	}
}

// boarding is a board that is being made.
type boarding struct {
	*builder
	plan *world.Project
	id   string
}

// field is a field of a board, as GitHub has it.
type field struct {
	ID, Name string
	DataType string
	Options  []struct{ ID, Name string }
}

// by is who makes the board: who is named, the person whose it is, or an owner
// of the organization.
func (p *boarding) by() string {
	owner := p.account(p.plan.Owner)
	if p.plan.By != "" || !owner.Organization() {
		return cmp.Or(p.plan.By, p.plan.Owner)
	}
	for _, login := range slices.Sorted(maps.Keys(owner.Members)) {
		if owner.Members[login] == "owner" {
			return login
		}
	}
	return p.plan.Owner
}

const (
	ownerQuery  = `query($login: String!) { repositoryOwner(login: $login) { id } }`
	createBoard = `mutation($owner: ID!, $title: String!) { createProjectV2(input: {ownerId: $owner, title: $title}) { projectV2 { id number url } } }`
	shareBoard  = `mutation($id: ID!, $users: [ProjectV2Collaborator!]!, $public: Boolean!, $about: String!) {
  updateProjectV2Collaborators(input: {projectId: $id, collaborators: $users}) { clientMutationId }
  updateProjectV2(input: {projectId: $id, public: $public, shortDescription: $about}) { clientMutationId }
}`
	createField = `mutation($id: ID!, $name: String!, $type: ProjectV2CustomFieldType!, $options: [ProjectV2SingleSelectFieldOptionInput!]) {
  createProjectV2Field(input: {projectId: $id, name: $name, dataType: $type, singleSelectOptions: $options}) { clientMutationId } }`
	fieldsQuery = `query($id: ID!) { node(id: $id) { ... on ProjectV2 { fields(first: 50) { nodes {
  ... on ProjectV2FieldCommon { id name dataType } ... on ProjectV2SingleSelectField { options { id name } } } } } } }`
	addItem  = `mutation($id: ID!, $content: ID!) { addProjectV2ItemById(input: {projectId: $id, contentId: $content}) { item { id } } }`
	addDraft = `mutation($id: ID!, $title: String!, $body: String!) { addProjectV2DraftIssue(input: {projectId: $id, title: $title, body: $body}) { projectItem { id } } }`
	setValue = `mutation($id: ID!, $item: ID!, $field: ID!, $value: ProjectV2FieldValue!) {
  updateProjectV2ItemFieldValue(input: {projectId: $id, itemId: $item, fieldId: $field, value: $value}) { clientMutationId } }`
)

// open makes the board with its fields.
func (p *boarding) open(ctx context.Context) error {
	by, login := p.by(), p.ownerLogin()
	var owner struct{ RepositoryOwner struct{ ID string } }
	if err := p.client(by).GraphQL(ctx, ownerQuery, map[string]any{"login": login}, &owner); err != nil {
		return err
	}
	var made struct {
		CreateProjectV2 struct {
			ProjectV2 struct {
				ID, URL string
				Number  int
			}
		}
	}
	if err := p.mutate(ctx, by, createBoard, map[string]any{"owner": owner.RepositoryOwner.ID, "title": p.plan.Title}, &made); err != nil {
		return err
	}
	board := made.CreateProjectV2.ProjectV2
	p.id = board.ID
	p.export(p.plan.As, map[string]any{"id": board.ID, "number": board.Number, "owner": login, "title": p.plan.Title, "url": board.URL})
	if err := p.mutate(ctx, by, shareBoard, map[string]any{"id": p.id, "users": p.writers(by), "public": p.plan.Public, "about": p.plan.Description}, nil); err != nil {
		return err
	}
	for _, f := range p.plan.Fields {
		variables := map[string]any{"id": p.id, "name": f.Name, "type": strings.ToUpper(f.Type), "options": nil}
		var options []map[string]any
		for _, name := range f.Options {
			options = append(options, map[string]any{"name": name, "color": "GRAY", "description": ""})
		}
		if options != nil {
			variables["options"] = options
		}
		if err := p.mutate(ctx, by, createField, variables, nil); err != nil {
			return err
		}
	}
	return nil
}

// ownerLogin is whose the board is. An organization that GitHub does not have
// has its boards with the first repository.
func (p *boarding) ownerLogin() string {
	if account := p.account(p.plan.Owner); !account.Organization() {
		return p.login(p.plan.Owner)
	}
	if len(p.builder.plan.Repositories) > 0 {
		first := p.builder.plan.Repositories[0].Name
		if owner, _, _ := strings.Cut(first, "/"); owner == p.plan.Owner {
			return p.repos[first].owner
		}
	}
	return p.plan.Owner
}

// writers are who may write to a repository, and so to the board.
func (p *boarding) writers(by string) []map[string]any {
	invited := []map[string]any{}
	seen := map[string]bool{p.ids[by]: true}
	for _, r := range p.builder.plan.Repositories {
		for _, login := range slices.Sorted(maps.Keys(r.Collaborators)) {
			id := p.ids[login]
			if may := slices.Contains([]string{"write", "maintain", "admin"}, r.Collaborators[login]); may && !seen[id] {
				seen[id] = true
				invited = append(invited, map[string]any{"userId": id, "role": "WRITER"})
			}
		}
	}
	return invited
}

// fill puts the items onto the board.
func (p *boarding) fill(ctx context.Context) error {
	var reply struct {
		Node struct{ Fields struct{ Nodes []field } }
	}
	if err := p.client(p.by()).GraphQL(ctx, fieldsQuery, map[string]any{"id": p.id}, &reply); err != nil {
		return err
	}
	fields := map[string]field{}
	for _, f := range reply.Node.Fields.Nodes {
		fields[f.Name] = f
	}
	for _, f := range p.plan.Fields {
		options := map[string]any{}
		for _, o := range fields[f.Name].Options {
			options[o.Name] = o.ID
		}
		p.export(f.As, map[string]any{"id": fields[f.Name].ID, "name": f.Name, "options": options})
	}
	for _, item := range p.plan.Items {
		if err := p.item(ctx, item, fields); err != nil {
			return err
		}
	}
	return nil
}

func (p *boarding) item(ctx context.Context, item world.Item, fields map[string]field) error {
	var made struct {
		AddProjectV2ItemByID   struct{ Item struct{ ID string } }
		AddProjectV2DraftIssue struct{ ProjectItem struct{ ID string } }
	}
	mutation, variables := addDraft, map[string]any{"id": p.id, "title": item.Title, "body": item.Body}
	if item.Of != "" {
		mutation, variables = addItem, map[string]any{"id": p.id, "content": p.contents[item.Of]}
	}
	if err := p.mutate(ctx, p.by(), mutation, variables, &made); err != nil {
		return err
	}
	id := cmp.Or(made.AddProjectV2ItemByID.Item.ID, made.AddProjectV2DraftIssue.ProjectItem.ID)
	p.export(item.As, map[string]any{"id": id})
	for _, name := range slices.Sorted(maps.Keys(item.Values)) {
		value, err := valueOf(fields[name], item.Values[name])
		if err != nil {
			return err
		}
		err = p.mutate(ctx, p.by(), setValue, map[string]any{"id": p.id, "item": id, "field": fields[name].ID, "value": value}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// valueOf is a value of a field as the API takes it.
func valueOf(f field, value any) (map[string]any, error) {
	switch f.DataType {
	case "SINGLE_SELECT":
		at := slices.IndexFunc(f.Options, func(o struct{ ID, Name string }) bool { return o.Name == value })
		if at < 0 {
			return nil, fault.Invalidf("the field %s has no option %q", f.Name, value)
		}
		return map[string]any{"singleSelectOptionId": f.Options[at].ID}, nil
	case "NUMBER":
		return map[string]any{"number": value}, nil
	case "DATE":
		return map[string]any{"date": value}, nil
	default:
		return map[string]any{"text": value}, nil
	}
}
