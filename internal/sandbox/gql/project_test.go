package gql_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// board makes a project of an organization that the owner owns and the writer
// belongs to, and returns its global id.
func (w *world) board() string {
	w.t.Helper()
	w.Change(func(s *model.State, repo *model.Repo) {
		org := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		s.SetMember(org, repo.OwnerID, model.OrgOwner)
		s.SetMember(org, s.User("writer").ID, model.OrgMember)
	})
	owner := w.do("owner", `{ organization(login: "acme") { id viewerIsAMember viewerCanAdminister viewerCanCreateProjects } }`)
	return w.do("owner", `mutation($o: ID!, $r: ID!) { createProjectV2(input: {ownerId: $o, repositoryId: $r, title: "Board"}) { projectV2 { id } } }`,
		"o", owner.Text("data.organization.id"), "r", w.repo).Text("data.createProjectV2.projectV2.id")
}

func TestProjectsOfOrganizations(t *testing.T) {
	w := newWorld(t)
	id := w.board()
	const view = `{ organization(login: "acme") { projectsV2(first: 5, query: "is:open", orderBy: {field: TITLE, direction: ASC}) { totalCount }
	  projectV2(number: 1) { id number title public closed template url resourcePath databaseId fullDatabaseId viewerCanUpdate creator { login } owner { ... on Organization { login } }
	  repositories(first: 3) { nodes { name } } field(name: "status") { ... on ProjectV2SingleSelectField { options(names: ["Done"]) { name color description } } }
	  fields(first: 20, orderBy: {field: NAME, direction: ASC}) { nodes { __typename ... on ProjectV2FieldCommon { name dataType databaseId project { number } } } } } } }`
	seen := w.do("writer", view)
	const at = "data.organization.projectV2."
	assert.Equal(t, []any{id, "Board", false, "https://github.com/orgs/acme/projects/1", true, "owner", "acme", "hello", "Done", "PURPLE", "Assignees"}, []any{
		seen.At(at + "id"), seen.At(at + "title"), seen.At(at + "public"), seen.At(at + "url"), seen.At(at + "viewerCanUpdate"), seen.At(at + "creator.login"),
		seen.At(at + "owner.login"), seen.At(at + "repositories.nodes.0.name"), seen.At(at + "field.options.0.name"), seen.At(at + "field.options.0.color"),
		seen.At(at + "fields.nodes.0.name"),
	})
	assert.Equal(t, "Board", w.do("writer", `{ repository(owner: "owner", name: "hello") { projectsV2(first: 3, minPermissionLevel: WRITE) { nodes { title } } } }`).
		Text("data.repository.projectsV2.nodes.0.title"))
	hidden := w.As("reader").GraphQL(view)
	assert.Equal(t, []string{"NOT_FOUND", "Could not resolve to a ProjectV2 with the number 1."}, []string{hidden.Text("errors.0.type"), hidden.Text("errors.0.message")})
	assert.Zero(t, hidden.Int("data.organization.projectsV2.totalCount"))
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'", "reader", `query($i: ID!) { node(id: $i) { id } }`, "i", id)
	assert.Equal(t, "acme", w.do("writer", `{ viewer { organizations(first: 5) { nodes { login viewerCanCreateProjects } } } }`).Text("data.viewer.organizations.nodes.0.login"))

	reader := w.do("owner", `{ user(login: "reader") { id } }`).Text("data.user.id")
	const invite = `mutation($i: ID!, $u: ID!, $r: ProjectV2Roles!) { updateProjectV2Collaborators(input: {projectId: $i, collaborators: [{userId: $u, role: $r}]}) { collaborators(first: 5) { totalCount nodes { ... on User { login } } } } }`
	invited := w.do("owner", invite, "i", id, "u", reader, "r", "READER")
	assert.Equal(t, "reader", invited.Text("data.updateProjectV2Collaborators.collaborators.nodes.0.login"))
	assert.Equal(t, id, w.do("reader", view).Text(at+"id"))
	w.refused("FORBIDDEN", "reader does not have the correct permissions to execute `DeleteProjectV2`", "reader", `mutation($i: ID!) { deleteProjectV2(input: {projectId: $i}) { projectV2 { id } } }`, "i", id)
	const link = `mutation($i: ID!, $r: ID!) { unlinkProjectV2FromRepository(input: {projectId: $i, repositoryId: $r}) { repository { projectsV2(first: 1) { totalCount } } } }`
	assert.Zero(t, w.do("writer", link, "i", id, "r", w.repo).Int("data.unlinkProjectV2FromRepository.repository.projectsV2.totalCount"))
	assert.Equal(t, "Board", w.do("owner", `mutation($i: ID!) { deleteProjectV2(input: {projectId: $i}) { projectV2 { title items { totalCount } } } }`, "i", id).Text("data.deleteProjectV2.projectV2.title"))
}

func TestProjectsOfTeams(t *testing.T) {
	w := newWorld(t)
	id := w.board()
	w.Change(func(s *model.State, repo *model.Repo) {
		s.SetMember(s.AddUser(model.NewUser{Login: "other", Type: model.TypeOrganization}), repo.OwnerID, model.OrgOwner)
	})
	team := func(org, name string) string {
		made := w.As("owner").Do("POST", "/orgs/"+org+"/teams", map[string]any{"name": name, "privacy": "closed"})
		require.Equal(t, 201, made.Status, made.Body)
		return made.Text("node_id")
	}
	makers, others := team("acme", "Makers"), team("other", "Others")
	const link = `mutation($i: ID!, $t: ID!) { linkProjectV2ToTeam(input: {projectId: $i, teamId: $t}) { team { slug projectsV2(first: 3) { nodes { id } } } } }`
	for range 2 {
		linked := w.do("writer", link, "i", id, "t", makers)
		assert.Equal(t, []string{"makers", id}, []string{linked.Text("data.linkProjectV2ToTeam.team.slug"), linked.Text("data.linkProjectV2ToTeam.team.projectsV2.nodes.0.id")})
	}
	const view = `query($i: ID!) { node(id: $i) { ... on ProjectV2 { teams(first: 3) { totalCount nodes { slug projectV2(number: 1) { title } } } } } }`
	assert.Equal(t, `{"data":{"node":{"teams":{"totalCount":1,"nodes":[{"slug":"makers","projectV2":{"title":"Board"}}]}}}}`, w.do("writer", view, "i", id).Body)
	for state, want := range map[string]int{"OPEN": 1, "CLOSED": 0} {
		assert.Equal(t, want, w.do("writer", `query($t: ID!) { node(id: $t) { ... on Team { projectsV2(first: 3, filterBy: {state: `+state+`}) { totalCount } } } }`, "t", makers).Int("data.node.projectsV2.totalCount"), state)
	}
	w.refused("UNPROCESSABLE", "The team must belong to the organization that owns the project", "owner", link, "i", id, "t", others)
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'", "reader", link, "i", id, "t", makers)
	const unlink = `mutation($i: ID!, $t: ID!) { unlinkProjectV2FromTeam(input: {projectId: $i, teamId: $t}) { team { projectsV2(first: 3) { totalCount } } } }`
	assert.Zero(t, w.do("writer", unlink, "i", id, "t", makers).Int("data.unlinkProjectV2FromTeam.team.projectsV2.totalCount"))
	assert.Zero(t, w.do("writer", view, "i", id).Int("data.node.teams.totalCount"))
	w.do("writer", link, "i", id, "t", makers)
	require.Equal(t, 204, w.As("owner").Do("DELETE", "/orgs/acme/teams/makers", nil).Status)
	assert.Zero(t, w.do("writer", view, "i", id).Int("data.node.teams.totalCount"))
}

func TestItemsOfProjects(t *testing.T) {
	w := newWorld(t)
	id := w.board()
	field := func(kind, more string) string {
		return w.do("writer", `mutation($i: ID!) { createProjectV2Field(input: {projectId: $i, name: "My `+kind+`", dataType: `+kind+more+`}) { projectV2Field { ... on ProjectV2FieldCommon { id } } } }`, "i", id).
			Text("data.createProjectV2Field.projectV2Field.id")
	}
	sprint := field("ITERATION", `, iterationConfiguration: {duration: 7, startDate: "2026-01-01", iterations: [{title: "One", startDate: "2026-01-01", duration: 7}, {title: "Old", startDate: "2025-01-01", duration: 7}]}`)
	number := field("NUMBER", "")
	configuration := w.do("writer", `query($i: ID!) { node(id: $i) { ... on ProjectV2IterationField { configuration { duration startDay iterations { id title startDate duration } completedIterations { title } } } } }`, "i", sprint)
	assert.Equal(t, []string{"2026-01-01", "Old"}, []string{configuration.Text("data.node.configuration.iterations.0.startDate"), configuration.Text("data.node.configuration.completedIterations.0.title")})

	const add = `mutation($i: ID!, $c: ID!) { addProjectV2ItemById(input: {projectId: $i, contentId: $c}) { item { id type isArchived creator { login } project { number } } } }`
	issue := w.do("writer", add, "i", id, "c", w.issue).Text("data.addProjectV2ItemById.item.id")
	assert.Equal(t, "PULL_REQUEST", w.do("writer", add, "i", id, "c", w.pull).Text("data.addProjectV2ItemById.item.type"))
	draft := w.do("writer", `mutation($i: ID!) { addProjectV2DraftIssue(input: {projectId: $i, title: "Idea", body: "Text"}) { projectItem { id content { ... on DraftIssue { id title bodyText creator { login } assignees(first: 1) { totalCount } } } } } }`, "i", id)
	idea := draft.Text("data.addProjectV2DraftIssue.projectItem.content.id")
	assert.Equal(t, "DI_", idea[:3])
	assert.Equal(t, "Other", w.do("writer", `mutation($d: ID!) { updateProjectV2DraftIssue(input: {draftIssueId: $d, title: "Other", assigneeIds: []}) { draftIssue { title body } } }`, "d", idea).Text("data.updateProjectV2DraftIssue.draftIssue.title"))

	const set = `mutation($i: ID!, $t: ID!, $f: ID!, $v: ProjectV2FieldValue!) { updateProjectV2ItemFieldValue(input: {projectId: $i, itemId: $t, fieldId: $f, value: $v}) { projectV2Item { fieldValues(first: 20) { nodes { __typename
	  ... on ProjectV2ItemFieldValueCommon { id createdAt creator { login } item { id } field { ... on ProjectV2FieldCommon { name } } }
	  ... on ProjectV2ItemFieldTextValue { text } ... on ProjectV2ItemFieldNumberValue { number } ... on ProjectV2ItemFieldIterationValue { iterationId title startDate duration }
	  ... on ProjectV2ItemFieldUserValue { users(first: 1) { nodes { login } } } ... on ProjectV2ItemFieldLabelValue { labels(first: 1) { nodes { name } } } ... on ProjectV2ItemFieldRepositoryValue { repository { name } }
	} } } } }`
	w.do("writer", set, "i", id, "t", issue, "f", number, "v", map[string]any{"number": 2.5})
	all := w.do("writer", set, "i", id, "t", issue, "f", sprint, "v", map[string]any{"iterationId": configuration.Text("data.node.configuration.iterations.0.id")})
	const nodes = "data.updateProjectV2ItemFieldValue.projectV2Item.fieldValues.nodes."
	assert.Equal(t, []any{"broken", "writer", "bug", "hello", "One", 2.5}, []any{
		all.At(nodes + "0.text"), all.At(nodes + "1.users.nodes.0.login"), all.At(nodes + "2.labels.nodes.0.name"), all.At(nodes + "3.repository.name"),
		all.At(nodes + "4.title"), all.At(nodes + "5.number"),
	})
	w.refused("UNPROCESSABLE", "Did not receive a number value to update a field of type number", "writer", set, "i", id, "t", issue, "f", number, "v", map[string]any{"text": "x"})
	w.refused("NOT_FOUND", "Could not resolve to a node with the global id of '"+id+"'", "reader", set, "i", id, "t", issue, "f", number, "v", map[string]any{"number": 1})
	const clear = `mutation($i: ID!, $t: ID!, $f: ID!) { clearProjectV2ItemFieldValue(input: {projectId: $i, itemId: $t, fieldId: $f}) { projectV2Item { fieldValueByName(name: "My NUMBER") { __typename } } } }`
	assert.Nil(t, w.do("writer", clear, "i", id, "t", issue, "f", number).At("data.clearProjectV2ItemFieldValue.projectV2Item.fieldValueByName"))

	const archive = `mutation($i: ID!, $t: ID!) { archiveProjectV2Item(input: {projectId: $i, itemId: $t}) { item { isArchived project { items { totalCount } } } } }`
	assert.Equal(t, 2, w.do("writer", archive, "i", id, "t", issue).Int("data.archiveProjectV2Item.item.project.items.totalCount"))
	about := w.do("writer", `query($i: ID!) { node(id: $i) { ... on Issue { all: projectItems(first: 5) { totalCount } shown: projectItems(first: 5, includeArchived: false) { totalCount } } } }`, "i", w.issue)
	assert.Equal(t, []int{1, 0}, []int{about.Int("data.node.all.totalCount"), about.Int("data.node.shown.totalCount")})
	w.do("writer", `mutation($i: ID!, $t: ID!) { unarchiveProjectV2Item(input: {projectId: $i, itemId: $t}) { item { id } } }`, "i", id, "t", issue)
	w.do("writer", `mutation($f: ID!) { deleteProjectV2Field(input: {fieldId: $f}) { projectV2Field { ... on ProjectV2Field { name } } } }`, "f", number)
	assert.Equal(t, issue, w.do("writer", `mutation($i: ID!, $t: ID!) { deleteProjectV2Item(input: {projectId: $i, itemId: $t}) { deletedItemId } }`, "i", id, "t", issue).Text("data.deleteProjectV2Item.deletedItemId"))
	w.Change(func(s *model.State, _ *model.Repo) { require.NoError(t, s.Validate()) })
}
