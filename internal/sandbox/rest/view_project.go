package rest

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type projectView struct {
	ID               int64     `json:"id"`
	NodeID           string    `json:"node_id"`
	Owner            *userView `json:"owner"`
	Creator          *userView `json:"creator"`
	Title            string    `json:"title"`
	Description      *string   `json:"description"`
	Public           bool      `json:"public"`
	ClosedAt         stamp     `json:"closed_at"`
	CreatedAt        stamp     `json:"created_at"`
	UpdatedAt        stamp     `json:"updated_at"`
	Number           int       `json:"number"`
	ShortDescription *string   `json:"short_description"`
	DeletedAt        stamp     `json:"deleted_at"`
	DeletedBy        *userView `json:"deleted_by"`
	State            string    `json:"state"`
	IsTemplate       bool      `json:"is_template"`
}

func (v *view) project(p *model.Project) projectView {
	return projectView{
		ID: p.ID, NodeID: model.NodeID(model.NodeProject, p.OwnerID, p.ID), Owner: v.user(p.OwnerID), Creator: v.user(p.CreatorID),
		Title: p.Title, Description: optional(p.Readme), Public: p.Public, ClosedAt: maybe(p.ClosedAt), CreatedAt: at(p.CreatedAt),
		UpdatedAt: at(p.UpdatedAt), Number: p.Number, ShortDescription: optional(p.ShortDescription), State: state(p.ClosedAt != nil),
	}
}

// projectURL is the address of a project in the API.
func (v *view) projectURL(p *model.Project) string {
	kind := "users"
	if owner := v.s.Users.Get(p.OwnerID); owner != nil && owner.Type == model.TypeOrganization {
		kind = "orgs"
	}
	return fmt.Sprintf("%s/%s/%s/projectsV2/%d", apiURL, kind, v.s.Login(p.OwnerID), p.Number)
}

// rendered is a text as it is and as a page shows it.
type rendered struct {
	Raw  string `json:"raw"`
	HTML string `json:"html"`
}

type projectFieldView struct {
	ID            int64               `json:"id"`
	NodeID        string              `json:"node_id"`
	Name          string              `json:"name"`
	DataType      string              `json:"data_type"`
	ProjectURL    string              `json:"project_url"`
	Options       []projectOptionView `json:"options,omitempty"`
	Configuration map[string]any      `json:"configuration,omitempty"`
	CreatedAt     stamp               `json:"created_at"`
	UpdatedAt     stamp               `json:"updated_at"`
}

type projectOptionView struct {
	ID          string   `json:"id"`
	Name        rendered `json:"name"`
	Color       string   `json:"color"`
	Description rendered `json:"description"`
}

type projectIterationView struct {
	ID        string   `json:"id"`
	Title     rendered `json:"title"`
	StartDate string   `json:"start_date"`
	Duration  int      `json:"duration"`
	Completed bool     `json:"completed"`
}

func (v *view) projectField(p *model.Project, f *model.ProjectField) projectFieldView {
	shown := projectFieldView{
		ID: f.ID, NodeID: model.FieldNodeID(f), Name: f.Name, DataType: strings.ToLower(string(f.Type)), ProjectURL: v.projectURL(p),
		CreatedAt: at(f.CreatedAt), UpdatedAt: at(f.UpdatedAt),
	}
	for i := range f.Options {
		shown.Options = append(shown.Options, showOption(&f.Options[i]))
	}
	if f.Type == model.FieldIteration {
		var iterations []projectIterationView
		for _, over := range []bool{true, false} {
			for _, i := range f.IterationsBy(v.s.Time(), over) {
				iterations = append(iterations, showIteration(&i, over))
			}
		}
		shown.Configuration = map[string]any{"duration": f.Duration, "start_day": 1, "iterations": iterations}
	}
	return shown
}

func showOption(o *model.ProjectOption) projectOptionView {
	return projectOptionView{o.ID, rendered{o.Name, o.Name}, o.Color, rendered{o.Description, o.Description}}
}

func showIteration(i *model.ProjectIteration, over bool) projectIterationView {
	return projectIterationView{i.ID, rendered{i.Title, i.Title}, i.Start, i.Days, over}
}

type projectItemView struct {
	ID          int64              `json:"id"`
	NodeID      string             `json:"node_id"`
	ProjectURL  string             `json:"project_url"`
	ItemURL     string             `json:"item_url"`
	Content     any                `json:"content"`
	ContentType string             `json:"content_type"`
	Creator     *userView          `json:"creator"`
	CreatedAt   stamp              `json:"created_at"`
	UpdatedAt   stamp              `json:"updated_at"`
	ArchivedAt  stamp              `json:"archived_at"`
	Fields      []projectValueView `json:"fields,omitempty"`
}

type projectValueView struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	DataType string `json:"data_type"`
	Value    any    `json:"value"`
}

type draftIssueView struct {
	ID        int64     `json:"id"`
	NodeID    string    `json:"node_id"`
	Title     string    `json:"title"`
	Body      *string   `json:"body"`
	User      *userView `json:"user"`
	CreatedAt stamp     `json:"created_at"`
	UpdatedAt stamp     `json:"updated_at"`
}

// projectItem shows an item with some of the project's fields.
func (v *view) projectItem(p *model.Project, i *model.ProjectItem, fields []*model.ProjectField) projectItemView {
	address := v.projectURL(p)
	shown := projectItemView{
		ID: i.ID, NodeID: model.NodeID(model.NodeProjectItem, i.ProjectID, i.ID), ProjectURL: address, ItemURL: fmt.Sprintf("%s/items/%d", address, i.ID),
		Creator: v.user(i.CreatorID), CreatedAt: at(i.CreatedAt), UpdatedAt: at(i.UpdatedAt), ContentType: "Issue",
	}
	if i.Archived {
		shown.ArchivedAt = at(i.UpdatedAt)
	}
	issue := v.contentOf(i)
	switch {
	case i.Draft != nil:
		d := i.Draft
		shown.ContentType = "DraftIssue"
		shown.Content = draftIssueView{d.ID, model.NodeID(model.NodeDraftIssue, i.ProjectID, d.ID), d.Title, optional(d.Body), v.user(d.AuthorID), at(d.CreatedAt), at(d.UpdatedAt)}
	case issue != nil:
		if issue.Pull != nil {
			shown.ContentType = "PullRequest"
		}
		shown.Content = struct {
			issueView
			Repository *repoView `json:"repository"`
		}{v.issue(issue), v.minimalRepo(v.s.Repos.Get(issue.RepoID))}
	}
	for _, f := range fields {
		if value := v.projectValue(i, f); value != nil {
			shown.Fields = append(shown.Fields, projectValueView{f.ID, f.Name, strings.ToLower(string(f.Type)), value})
		}
	}
	return shown
}

// contentOf returns the issue that an item is about, if the user may see it;
// else nil.
func (v *view) contentOf(i *model.ProjectItem) *model.Issue {
	if issue := v.s.Issues.Get(i.IssueID); issue != nil && v.s.Permission(v.actor, v.s.Repos.Get(issue.RepoID)) >= model.PermRead {
		return issue
	}
	return nil
}

// titleOf is what an item is called, empty if the user may not see it.
func (v *view) titleOf(i *model.ProjectItem) string {
	if i.Draft != nil {
		return i.Draft.Title
	}
	if issue := v.contentOf(i); issue != nil {
		return issue.Title
	}
	return ""
}

// itemMatches reports whether an item's title has the words of a search.
func (v *view) itemMatches(i *model.ProjectItem, query string) bool {
	for word := range strings.FieldsSeq(strings.ToLower(query)) {
		if !strings.Contains(strings.ToLower(v.titleOf(i)), word) {
			return false
		}
	}
	return true
}

// projectValue is the value of a field for an item, nil if it has none.
func (v *view) projectValue(i *model.ProjectItem, f *model.ProjectField) any {
	if title := v.titleOf(i); f.Type == model.FieldTitle && title != "" {
		return rendered{title, title}
	}
	value, has := i.Values[f.ID]
	if !has {
		return nil
	}
	switch f.Type {
	case model.FieldNumber:
		return value.Number
	case model.FieldText:
		return rendered{value.Text, value.Text}
	case model.FieldSingleSelect:
		return showOption(f.Option(value.Choice))
	case model.FieldIteration:
		return showIteration(f.Iteration(value.Choice), false)
	default:
		return value.Text
	}
}
