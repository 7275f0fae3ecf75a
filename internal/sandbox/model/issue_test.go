package model_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestLabels(t *testing.T) {
	w := newWorld(t)
	bug, err := w.CreateLabel(w.owner, w.repo, model.NewLabel{Name: "Bug", Color: "FF0000", Description: "broken"})
	require.NoError(t, err)
	assert.Equal(t, "ff0000", bug.Color)
	assert.Same(t, bug, w.Label(w.repo, "bUG"), "names are compared without case")

	_, err = w.CreateLabel(w.owner, w.repo, model.NewLabel{Name: "bug"})
	assert.Equal(t, []model.FieldError{{Resource: "Label", Field: "name", Code: "already_exists"}}, refusal(t, err).Errors,
		"gh tells a label that exists by exactly one error of this field and code")

	for name, in := range map[string]model.NewLabel{
		"an empty name":              {Name: " "},
		"a name of 51 characters":    {Name: strings.Repeat("ä", 51)},
		"a color with a hash":        {Name: "a", Color: "#ff0000"},
		"a color of three digits":    {Name: "a", Color: "fff"},
		"a description that is long": {Name: "a", Description: strings.Repeat("x", 101)},
	} {
		_, err := w.CreateLabel(w.owner, w.repo, in)
		assert.Equal(t, model.Invalid, refusal(t, err).Kind, name)
	}
	_, err = w.CreateLabel(w.owner, w.repo, model.NewLabel{Name: strings.Repeat("ä", 50)})
	assert.NoError(t, err, "fifty characters are counted, not bytes")
}

func TestLabelsOfIssues(t *testing.T) {
	w := newWorld(t)
	i := w.issue("x")
	require.NoError(t, w.AddLabels(w.triager, w.repo, i, []string{"bug", "Help wanted", "BUG"}))
	assert.Equal(t, []string{"bug", "Help wanted"}, w.labelsOf(i), "missing labels are made; one that is named twice counts once")

	require.NoError(t, w.RemoveLabel(w.triager, w.repo, i, "help WANTED"))
	assert.Equal(t, "Label does not exist", said(t, w.RemoveLabel(w.triager, w.repo, i, "help wanted")))
	assert.Equal(t, model.Invalid, refusal(t, w.AddLabels(w.triager, w.repo, i, []string{"ok", ""})).Kind)
	assert.Nil(t, w.Label(w.repo, "ok"), "a refused request makes no label")

	require.NoError(t, w.DeleteLabel(w.owner, w.repo, w.Label(w.repo, "bug")))
	assert.Empty(t, w.labelsOf(i), "a deleted label is on no issue")
	assert.Equal(t, []string{"labeled", "labeled", "unlabeled"}, w.eventsOf(i))
}

func (w *world) labelsOf(i *model.Issue) []string {
	var names []string
	for _, id := range i.Labels {
		names = append(names, w.Labels.Get(id).Name)
	}
	return names
}

func (w *world) eventsOf(i *model.Issue) []string {
	var kinds []string
	for e := range w.Events.All() {
		if e.IssueID == i.ID {
			kinds = append(kinds, e.Kind)
		}
	}
	return kinds
}

func TestAssignees(t *testing.T) {
	w := newWorld(t)
	i := w.issue("x")
	require.NoError(t, w.AddAssignees(w.owner, w.repo, i, []model.ID{w.writer, w.stranger, 0, w.writer, w.owner}))
	assert.Equal(t, []model.ID{w.writer, w.owner}, i.Assignees, "who cannot be assigned is left out")
	require.NoError(t, w.RemoveAssignees(w.owner, w.repo, i, []model.ID{w.writer, w.stranger}))
	assert.Equal(t, []model.ID{w.owner}, i.Assignees)
	assert.Equal(t, []string{"assigned", "assigned", "unassigned"}, w.eventsOf(i))

	err := w.EditIssue(w.owner, w.repo, i, model.IssueEdit{Assignees: &[]string{"stranger"}})
	assert.Equal(t, []model.FieldError{{Value: "stranger", Resource: "Issue", Field: "assignees", Code: "invalid"}}, refusal(t, err).Errors)
}

func TestEditsAreRefusedAsAWhole(t *testing.T) {
	for name, wrong := range map[string]model.IssueEdit{
		"an empty title":         {Title: ptr(" \n")},
		"a title that is long":   {Title: ptr(strings.Repeat("x", 257))},
		"a body that is long":    {Body: ptr(strings.Repeat("x", 65537))},
		"an unknown state":       {State: ptr("merged")},
		"an unknown reason":      {StateReason: ptr("because")},
		"an unknown assignee":    {Assignees: &[]string{"nobody"}},
		"an unknown milestone":   {Milestone: ptr(9)},
		"a milestone below zero": {Milestone: ptr(-1)},
		"a label without a name": {Labels: &[]string{""}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			m := w.AddMilestone(w.repo, model.NewMilestone{Title: "v1", Creator: w.owner})
			i := w.issue("before")
			before := *i
			edit := model.IssueEdit{
				Title: ptr("after"), Body: ptr("after"), State: ptr("closed"), Labels: &[]string{"new"},
				Assignees: &[]string{"writer"}, Milestone: &m.Number,
			}
			for _, field := range []struct{ from, to any }{
				{wrong.Title, &edit.Title}, {wrong.Body, &edit.Body}, {wrong.State, &edit.State},
				{wrong.StateReason, &edit.StateReason},
			} {
				if text := field.from.(*string); text != nil {
					*field.to.(**string) = text
				}
			}
			if wrong.Assignees != nil {
				edit.Assignees = wrong.Assignees
			}
			if wrong.Milestone != nil {
				edit.Milestone = wrong.Milestone
			}
			if wrong.Labels != nil {
				edit.Labels = wrong.Labels
			}
			assert.Equal(t, model.Invalid, refusal(t, w.EditIssue(w.owner, w.repo, i, edit)).Kind)
			assert.Equal(t, before, *i)
			assert.Nil(t, w.Label(w.repo, "new"))
		})
	}
}

func TestStates(t *testing.T) {
	w := newWorld(t)
	i := w.issue("x")
	set := func(edit model.IssueEdit) {
		t.Helper()
		require.NoError(t, w.EditIssue(w.owner, w.repo, i, edit))
	}
	set(model.IssueEdit{State: ptr("closed")})
	assert.Equal(t, "completed", i.StateReason)
	assert.Equal(t, w.owner, i.ClosedBy)
	set(model.IssueEdit{State: ptr("closed"), StateReason: ptr("not_planned")})
	assert.Equal(t, "not_planned", i.StateReason, "the reason of a closed issue can be changed")
	set(model.IssueEdit{State: ptr("open")})
	assert.Equal(t, "reopened", i.StateReason)
	assert.Nil(t, i.ClosedAt)
	assert.Zero(t, i.ClosedBy)
	set(model.IssueEdit{State: ptr("open")})
	assert.Equal(t, []string{"closed", "reopened"}, w.eventsOf(i), "a state that is there already is no event")
}

func TestMilestones(t *testing.T) {
	w := newWorld(t)
	m := w.AddMilestone(w.repo, model.NewMilestone{Title: "v1", Creator: w.owner})
	assert.Equal(t, 2, w.AddMilestone(w.repo, model.NewMilestone{Title: "v2"}).Number)
	i := w.issue("x")
	require.NoError(t, w.EditIssue(w.owner, w.repo, i, model.IssueEdit{Milestone: ptr(1)}))
	assert.Equal(t, m.ID, i.MilestoneID)
	require.NoError(t, w.EditIssue(w.owner, w.repo, i, model.IssueEdit{Milestone: ptr(0)}))
	assert.Zero(t, i.MilestoneID)
	assert.Equal(t, []string{"milestoned", "demilestoned"}, w.eventsOf(i))
}

func TestComments(t *testing.T) {
	w := newWorld(t)
	i := w.issue("x")
	_, err := w.CreateComment(w.stranger, w.repo, i, " ")
	assert.Equal(t, "missing_field", refusal(t, err).Errors[0].Code)
	_, err = w.CreateComment(w.stranger, w.repo, i, "hi")
	require.NoError(t, err)
	i.Locked = true
	_, err = w.CreateComment(w.stranger, w.repo, i, "hi")
	assert.Equal(t, "Unable to create comment because issue is locked.", said(t, err))
	_, err = w.CreateComment(w.writer, w.repo, i, "those who may write still talk")
	assert.NoError(t, err)
	assert.Len(t, w.CommentsOf(i), 2)
}

func TestIssuesCanBeDisabledAndDeleted(t *testing.T) {
	w := newWorld(t)
	i := w.issue("x")
	_, err := w.CreateComment(w.owner, w.repo, i, "hi")
	require.NoError(t, err)
	require.NoError(t, w.AddLabels(w.owner, w.repo, i, []string{"bug"}))
	require.NoError(t, w.DeleteIssue(w.owner, w.repo, i))
	assert.Nil(t, w.Issue(w.repo, i.Number))
	assert.Zero(t, w.Comments.Len())
	assert.Zero(t, w.Events.Len())
	assert.NoError(t, w.Validate(), "nothing is left that hangs on the issue")

	pr := w.pull("f", "f", "x\n")
	assert.Equal(t, 2, pr.Number, "a deleted issue's number is not given again")
	assert.Equal(t, "Pull requests cannot be deleted.", said(t, w.DeleteIssue(w.owner, w.repo, pr)))

	w.repo.HasIssues = false
	_, err = w.OpenIssue(w.owner, w.repo, model.NewIssue{Title: "x"})
	assert.Equal(t, model.Gone, refusal(t, err).Kind)
}

func TestClosingWords(t *testing.T) {
	w := newWorld(t)
	w.issue("one")
	w.issue("two")
	w.pull("f", "f", "x\n")
	for text, want := range map[string][]int{
		"fixes #1":                               {1},
		"Closes: #2, resolved #1":                {2, 1},
		"FIXED\n#1":                              {1},
		"close owner/hello#2":                    {2},
		"fix Owner/Hello#2 and fix other/repo#1": {2},
		"Resolves https://github.com/owner/hello/issues/1": {1},
		"fixes #1, fixes #1":             {1},
		"see #1":                         nil,
		"prefixes #1":                    nil,
		"fixes #3":                       nil,
		"fixes #99":                      nil,
		"fixes #1x":                      nil,
		"fixes #99999999999999999999999": nil,
	} {
		var got []int
		for _, i := range w.ClosingIssues(w.repo, text) {
			got = append(got, i.Number)
		}
		assert.Equal(t, want, got, text)
	}
}
