package rest

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// issueTypeRoutes are those of the types that issues of organizations may have.
func issueTypeRoutes() []route {
	const types = "/orgs/{org}/issue-types"
	return []route{
		{"GET " + types, onLogin(listIssueTypes)},
		{"POST " + types, onLogin(createIssueType)},
		{"PUT " + types + "/{id}", onLogin(updateIssueType)},
		{"DELETE " + types + "/{id}", onLogin(deleteIssueType)},
	}
}

type issueTypeView struct {
	ID          int64     `json:"id"`
	NodeID      string    `json:"node_id"`
	Name        string    `json:"name"`
	Description *string   `json:"description"`
	Color       string    `json:"color"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	IsEnabled   bool      `json:"is_enabled"`
}

func issueType(t model.IssueType) issueTypeView {
	return issueTypeView{
		ID: t.ID, NodeID: model.NodeID(model.NodeIssueType, 0, t.ID), Name: t.Name, Description: optional(t.Description),
		Color: strings.ToLower(t.Color), CreatedAt: t.CreatedAt, UpdatedAt: t.CreatedAt, IsEnabled: t.Enabled,
	}
}

func listIssueTypes(c *call, org *model.User) (reply, error) {
	if org.Members[c.actor] == "" {
		return reply{}, errNotFound
	}
	return list(c, org.IssueTypes, issueType)
}

// issueTypeInput is a body that says what a type shall be.
type issueTypeInput struct {
	Name, Description, Color string
	Enabled                  bool `json:"is_enabled"`
}

func (in issueTypeInput) edit() model.IssueTypeEdit {
	return model.IssueTypeEdit{Name: in.Name, Description: in.Description, Color: in.Color, Enabled: in.Enabled}
}

func createIssueType(c *call, org *model.User) (reply, error) {
	var in issueTypeInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	t, err := c.s.CreateIssueType(c.actor, org, in.edit())
	if err != nil {
		return reply{}, err
	}
	return ok(issueType(t))
}

func updateIssueType(c *call, org *model.User) (reply, error) {
	var in issueTypeInput
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	id, err := c.idOf("id")
	if err != nil {
		return reply{}, err
	}
	t, err := c.s.EditIssueType(c.actor, org, id, in.edit())
	if err != nil {
		return reply{}, err
	}
	return ok(issueType(t))
}

func deleteIssueType(c *call, org *model.User) (reply, error) {
	id, err := c.idOf("id")
	if err != nil {
		return reply{}, err
	}
	if err := c.s.DeleteIssueType(c.actor, org, id); err != nil {
		return reply{}, err
	}
	return noContent()
}

// typeName is the type that an issue shall have, nil to leave it: its name, an object
// with that, or null for none.
type typeName struct{ value *string }

// UnmarshalJSON accepts "Bug", {"value": "Bug"} and null. What is suggested alone is
// not set, and nothing of the sandbox's.
func (n *typeName) UnmarshalJSON(data []byte) error {
	n.value = new(string)
	if err := json.Unmarshal(data, n.value); err == nil {
		return nil
	}
	var object struct {
		Value   string
		Suggest bool
	}
	if err := json.Unmarshal(data, &object); err != nil {
		return err
	}
	if object.Suggest {
		return &json.UnmarshalTypeError{Field: "type.suggest", Value: "true", Type: reflect.TypeFor[string]()}
	}
	*n.value = object.Value
	return nil
}

// issueTypePart names the type that an event is about, and the one before, if that
// is still there.
func issueTypePart(v *view, e *model.Event, shown map[string]any) {
	shown["issue_type"] = map[string]any{"id": e.SubjectID, "name": e.Title, "color": strings.ToLower(e.Color)}
	if e.Kind != model.EventRetyped {
		return
	}
	shown["prev_issue_type"] = nil
	for _, t := range v.s.Users.Get(v.s.Repos.Get(e.RepoID).OwnerID).IssueTypes {
		if t.Name == e.From {
			shown["prev_issue_type"] = map[string]any{"id": t.ID, "name": t.Name, "color": strings.ToLower(t.Color)}
		}
	}
}
