package model_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// fillProject makes an organization with a project that has something in every
// list.
func fillProject(t *testing.T, w *world, issue *model.Issue) (*model.Project, *model.ProjectItem, *model.ProjectItem) {
	t.Helper()
	org := w.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
	w.SetMember(org, w.owner, model.OrgOwner)
	w.SetMember(org, w.writer, model.OrgMember)
	p, err := w.CreateProject(w.owner, org, "Board")
	require.NoError(t, err)
	require.NoError(t, w.SetCollaborator(w.owner, p, w.triager, model.ProjectWrite))
	require.NoError(t, w.LinkProject(w.owner, p, w.repo, true))
	require.NoError(t, w.EditProject(w.owner, p, model.ProjectEdit{Public: ptr(true), Closed: ptr(true)}))
	sprint, err := w.CreateField(w.owner, p, model.NewProjectField{
		Name: "Sprint", Type: model.FieldIteration, Iterations: []model.ProjectIteration{{Title: "One", Start: "2026-01-05", Days: 14}},
	})
	require.NoError(t, err)
	item, err := w.AddItem(w.writer, p, issue)
	require.NoError(t, err)
	require.NoError(t, w.SetValue(w.writer, p, item, sprint, model.NewValue{Iteration: &sprint.Iterations[0].ID}))
	draft, err := w.AddDraft(w.writer, p, "Idea", "Text", []model.ID{w.writer})
	require.NoError(t, err)
	return p, item, draft
}

func TestWhoMayDoWhatInAProject(t *testing.T) {
	w := newWorld(t)
	p, _, _ := fillProject(t, w, w.issue("x"))
	require.NoError(t, w.EditProject(w.owner, p, model.ProjectEdit{Public: ptr(false), Closed: ptr(false)}))
	for user, want := range map[model.ID]model.ProjectRole{
		w.owner: model.ProjectAdmin, w.writer: model.ProjectWrite, w.triager: model.ProjectWrite, w.reader: model.ProjectNone, 0: model.ProjectNone,
	} {
		assert.Equal(t, want, w.ProjectPermission(user, p), w.Login(user))
	}
	org := w.User("acme")
	assert.Len(t, w.ProjectsOf(w.triager, org), 1)
	assert.Nil(t, w.Project(w.reader, org, 1), "it is private")
	_, err := w.AddDraft(w.reader, p, "x", "", nil)
	assert.Equal(t, model.NotFound, refusal(t, err).Kind)
	require.NoError(t, w.EditProject(w.owner, p, model.ProjectEdit{Public: ptr(true)}))
	assert.Equal(t, model.ProjectRead, w.ProjectPermission(0, p))
	_, err = w.AddDraft(w.reader, p, "x", "", nil)
	assert.True(t, refusal(t, err).Lacking)
	assert.True(t, refusal(t, w.EditProject(w.writer, p, model.ProjectEdit{Public: ptr(false)})).Lacking, "only administrators change that")
	_, err = w.CreateProject(w.reader, org, "x")
	assert.True(t, refusal(t, err).Lacking)
	require.NoError(t, w.SetCollaborator(w.owner, p, w.triager, model.ProjectNone))
	assert.Equal(t, model.ProjectRead, w.ProjectPermission(w.triager, p))
	assert.Equal(t, []*model.User{org}, w.OrganizationsOf(w.writer))
	repo := w.AddRepo(model.NewRepo{Owner: org.ID, Name: "r", Private: true})
	assert.Equal(t, []model.Permission{model.PermAdmin, model.PermRead, model.PermNone}, []model.Permission{
		w.Permission(w.owner, repo), w.Permission(w.writer, repo), w.Permission(w.reader, repo),
	})
}

func TestValuesOfFields(t *testing.T) {
	w := newWorld(t)
	p, item, draft := fillProject(t, w, w.issue("x"))
	add := func(kind model.FieldType) *model.ProjectField {
		f, err := w.CreateField(w.writer, p, model.NewProjectField{Name: "My " + string(kind), Type: kind, Options: []model.ProjectOption{{Name: "High"}}})
		require.NoError(t, err)
		return f
	}
	text, number, date, choice := add(model.FieldText), add(model.FieldNumber), add(model.FieldDate), add(model.FieldSingleSelect)
	sprint := w.ProjectFields.First(func(f *model.ProjectField) bool { return f.Type == model.FieldIteration })
	title := w.FieldsOf(p)[0]
	for _, c := range []struct {
		field   *model.ProjectField
		value   model.NewValue
		refusal string
	}{
		{text, model.NewValue{Text: ptr("t")}, ""},
		{number, model.NewValue{Number: ptr(1.5)}, ""},
		{date, model.NewValue{Date: ptr("2026-02-03")}, ""},
		{choice, model.NewValue{OptionID: &choice.Options[0].ID}, ""},
		{text, model.NewValue{Number: ptr(1.5)}, "Did not receive a text value to update a field of type text"},
		{number, model.NewValue{Text: ptr("1")}, "Did not receive a number value to update a field of type number"},
		{date, model.NewValue{}, "Did not receive a date value to update a field of type date"},
		{date, model.NewValue{Date: ptr("soon")}, "Date is not a valid date"},
		{choice, model.NewValue{Text: ptr("High")}, "Did not receive a single select option Id to update a field of type single_select"},
		{choice, model.NewValue{OptionID: ptr("0")}, "The single select option Id does not belong to the field"},
		{sprint, model.NewValue{Iteration: ptr("0")}, "The iteration Id does not belong to the field"},
		{sprint, model.NewValue{}, "Did not receive a iteration Id to update a field of type iteration"},
		{title, model.NewValue{Text: ptr("t")}, "The field of type title is currently not supported."},
	} {
		err := w.SetValue(w.writer, p, item, c.field, c.value)
		if c.refusal == "" {
			require.NoError(t, err)
		} else {
			assert.Equal(t, c.refusal, said(t, err))
		}
	}
	assert.Len(t, item.Values, 5)
	require.NoError(t, w.Validate())
	require.NoError(t, w.ClearValue(w.writer, p, item, text))
	require.NoError(t, w.DeleteField(w.writer, number))
	assert.Len(t, item.Values, 3)
	assert.Error(t, w.DeleteField(w.writer, title))
	assert.Error(t, w.ClearValue(w.writer, p, item, title))

	other, err := w.CreateProject(w.owner, w.User("acme"), "Other")
	require.NoError(t, err)
	assert.Equal(t, 2, other.Number)
	assert.Equal(t, "The item does not exist in the project", said(t, w.DeleteItem(w.owner, other, draft)))
	assert.Equal(t, "The field does not exist in the project", said(t, w.SetValue(w.owner, p, item, w.FieldsOf(other)[2], model.NewValue{})))
}

func TestItemsComeAndGo(t *testing.T) {
	w := newWorld(t)
	issue := w.issue("x")
	p, item, draft := fillProject(t, w, issue)
	again, err := w.AddItem(w.owner, p, issue)
	require.NoError(t, err)
	assert.Same(t, item, again, "an issue is in a project once")
	require.NoError(t, w.EditDraft(w.writer, draft, model.DraftEdit{Title: ptr("Other"), Assignees: &[]model.ID{}}))
	assert.Equal(t, []any{"Other", "Text", 0}, []any{draft.Draft.Title, draft.Draft.Body, len(draft.Draft.Assignees)})
	require.NoError(t, w.ArchiveItem(w.writer, p, draft, true))
	assert.True(t, draft.Archived)
	require.NoError(t, w.DeleteItem(w.writer, p, draft))
	assert.Equal(t, []*model.ProjectItem{item}, w.ItemsOf(p))
	assert.Equal(t, []*model.ProjectItem{item}, w.ItemsAbout(w.reader, issue))
	require.NoError(t, w.DeleteIssue(w.owner, w.repo, issue))
	assert.Empty(t, w.ItemsOf(p), "an issue that is gone is on no board")
	require.NoError(t, w.Validate())
	require.NoError(t, w.DeleteProject(w.owner, p))
	assert.Zero(t, w.ProjectFields.Len()+w.Projects.Len())
	next, err := w.CreateProject(w.owner, w.User("acme"), "Next")
	require.NoError(t, err)
	assert.Equal(t, 2, next.Number, "a number is never given twice")
}
