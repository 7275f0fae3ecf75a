package rest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func issueRoutes() []route {
	const issues = reposPath + "/issues"
	return []route{
		{"GET " + issues, onRepo(listIssues)},
		{"POST " + issues, onRepo(createIssue)},
		{"GET " + issues + "/{number}", onIssue(getIssue)},
		{"PATCH " + issues + "/{number}", onIssue(updateIssue)},
		{"GET " + issues + "/{number}/comments", onIssue(listComments)},
		{"POST " + issues + "/{number}/comments", onIssue(createComment)},
		{"GET " + issues + "/{number}/labels", onIssue(listIssueLabels)},
		{"POST " + issues + "/{number}/labels", onIssue(addLabels)},
		{"PUT " + issues + "/{number}/labels", onIssue(setLabels)},
		{"DELETE " + issues + "/{number}/labels", onIssue(removeLabels)},
		{"DELETE " + issues + "/{number}/labels/{name}", onIssue(removeLabel)},
		{"GET " + issues + "/{number}/{id}/{below}", onIssue(mayBeAssigned)},
		{"POST " + issues + "/{number}/assignees", onIssue(addAssignees)},
		{"DELETE " + issues + "/{number}/assignees", onIssue(removeAssignees)},
	}
}

func listIssues(c *call, repo *model.Repo) (reply, error) {
	if !repo.HasIssues {
		return reply{}, model.IssuesDisabled()
	}
	wanted, err := c.issueFilter()
	if err != nil {
		return reply{}, err
	}
	if err := wanted.checkMilestone(c.s, repo); err != nil {
		return reply{}, err
	}
	issues := c.s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && wanted.match(c.s, repo, i) })
	c.sortIssues(issues, issueOrdering.of(c.URL.Query()))
	return list(c, issues, c.issue)
}

// names reads a list of names that may be given as strings or as objects with
// a name, as GitHub takes labels.
type names []string

// UnmarshalJSON accepts ["a", {"name":"b"}].
func (n *names) UnmarshalJSON(data []byte) error {
	var items []json.RawMessage
	if err := json.Unmarshal(data, &items); err != nil {
		return err
	}
	*n = make(names, len(items))
	for i, item := range items {
		var object struct{ Name string }
		if err := json.Unmarshal(item, &(*n)[i]); err == nil {
			continue
		} else if json.Unmarshal(item, &object) != nil {
			return err
		}
		(*n)[i] = object.Name
	}
	return nil
}

// logins are users by their logins, or by objects that have one.
type logins []string

// UnmarshalJSON accepts "octocat" and {"login": "octocat"}. What is suggested
// alone is not assigned, and nothing of the sandbox's.
func (l *logins) UnmarshalJSON(data []byte) error {
	var elements []json.RawMessage
	if err := json.Unmarshal(data, &elements); err != nil {
		return err
	}
	*l = make(logins, len(elements))
	for n, element := range elements {
		if json.Unmarshal(element, &(*l)[n]) == nil {
			continue
		}
		var object struct {
			Login   string
			Suggest bool
		}
		if err := json.Unmarshal(element, &object); err != nil {
			return err
		}
		if object.Suggest {
			return &json.UnmarshalTypeError{Field: "assignees.suggest", Value: "true", Type: reflect.TypeFor[string]()}
		}
		(*l)[n] = object.Login
	}
	return nil
}

// words are a text, which may be given as a number.
type words string

// UnmarshalJSON accepts "5" and 5.
func (w *words) UnmarshalJSON(data []byte) error {
	if number := json.Number(""); data[0] != '"' && json.Unmarshal(data, &number) == nil {
		*w = words(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(w))
}

// whole is a whole number, which may be given as text.
type whole int

// UnmarshalJSON accepts 5 and "5".
func (n *whole) UnmarshalJSON(data []byte) error {
	return json.Unmarshal(bytes.Trim(data, `"`), (*int)(n))
}

func createIssue(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Title     words
		Body      string
		Labels    names
		Assignees []string
		Assignee  string
		Milestone whole
		Type      string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if in.Assignee != "" {
		in.Assignees = append(in.Assignees, in.Assignee)
	}
	i, err := c.s.OpenIssue(c.actor, repo, model.NewIssue{
		Title: string(in.Title), Body: in.Body, Labels: in.Labels, Assignees: in.Assignees, Milestone: int(in.Milestone),
		Type: in.Type,
	})
	if err != nil {
		return reply{}, err
	}
	return created(c.issue(i))
}

func getIssue(c *call, _ *model.Repo, i *model.Issue) (reply, error) { return ok(c.issue(i)) }

func updateIssue(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	var in struct {
		Title       *words
		Body, State *string
		StateReason *string `json:"state_reason"`
		Labels      *names
		Assignees   *logins
		Milestone   cleared[whole]
		Assignee    cleared[string]
		Type        typeName
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	if i.Pull != nil && in.Type.value != nil && *in.Type.value != "" {
		// Nothing that GitHub publishes of pull requests has a type, and it tells of none.
		return reply{}, c.lacks("type of a pull request")
	}
	edit := model.IssueEdit{
		Title: (*string)(in.Title), Body: in.Body, State: in.State, StateReason: in.StateReason, Assignees: (*[]string)(in.Assignees),
		Labels: (*[]string)(in.Labels), Milestone: (*int)(in.Milestone.value), Type: in.Type.value,
	}
	if login := in.Assignee.value; login != nil {
		edit.Assignees = &[]string{}
		if *login != "" {
			edit.Assignees = &[]string{*login}
		}
	}
	if err := c.s.EditIssue(c.actor, repo, i, edit); err != nil {
		return reply{}, err
	}
	return ok(c.issue(i))
}

// cleared is a field where null means to clear what is there, not to leave it.
type cleared[T any] struct{ value *T }

// UnmarshalJSON makes null the zero value.
func (f *cleared[T]) UnmarshalJSON(data []byte) error {
	f.value = new(T)
	return json.Unmarshal(data, f.value)
}

func listComments(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	since, err := timeOf(c.URL.Query().Get("since"))
	if err != nil {
		return reply{}, err
	}
	comments := slices.DeleteFunc(c.s.CommentsOf(i), func(comment *model.Comment) bool { return comment.UpdatedAt.Before(since) })
	return list(c, comments, c.comment)
}

func createComment(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	var in struct{ Body string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	comment, err := c.s.CreateComment(c.actor, repo, i, in.Body)
	if err != nil {
		return reply{}, err
	}
	return created(c.comment(comment))
}

func listIssueLabels(c *call, _ *model.Repo, i *model.Issue) (reply, error) {
	return list(c, c.labels(i.Labels), same)
}

// labelsInput reads {"labels": [...]}, or the list alone.
func (c *call) labelsInput() (names, error) {
	var in struct{ Labels names }
	if json.Unmarshal(c.body, &in.Labels) == nil {
		return in.Labels, nil
	}
	err := c.decode(&in)
	return in.Labels, err
}

func addLabels(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	labels, err := c.labelsInput()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.AddLabels(c.actor, repo, i, labels); err != nil {
		return reply{}, err
	}
	return ok(c.labels(i.Labels))
}

func setLabels(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	labels, err := c.labelsInput()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.EditIssue(c.actor, repo, i, model.IssueEdit{Labels: (*[]string)(&labels)}); err != nil {
		return reply{}, err
	}
	return ok(c.labels(i.Labels))
}

func removeLabels(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	if err := c.s.EditIssue(c.actor, repo, i, model.IssueEdit{Labels: &[]string{}}); err != nil {
		return reply{}, err
	}
	return noContent()
}

func removeLabel(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	if err := c.s.RemoveLabel(c.actor, repo, i, c.PathValue("name")); err != nil {
		return reply{}, err
	}
	return ok(c.labels(i.Labels))
}

// userIDs returns the ids of users by login, 0 for those who are unknown.
func (c *call) userIDs(logins []string) []model.ID {
	ids := make([]model.ID, len(logins))
	for n, login := range logins {
		if u := c.s.User(login); u != nil {
			ids[n] = u.ID
		}
	}
	return ids
}

// mayBeAssigned tells whether somebody can be assigned to an issue. It answers for
// all that lies two levels below one.
func mayBeAssigned(c *call, repo *model.Repo, _ *model.Issue) (reply, error) {
	if c.PathValue("id") != "assignees" {
		return reply{}, errNotFound
	}
	return c.assignable(repo, c.PathValue("below"))
}

func (c *call) assigneesInput() ([]model.ID, error) {
	var in struct{ Assignees logins }
	err := c.decode(&in)
	return c.userIDs(in.Assignees), err
}

func addAssignees(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	ids, err := c.assigneesInput()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.AddAssignees(c.actor, repo, i, ids); err != nil {
		return reply{}, err
	}
	return created(c.issue(i))
}

func removeAssignees(c *call, repo *model.Repo, i *model.Issue) (reply, error) {
	ids, err := c.assigneesInput()
	if err != nil {
		return reply{}, err
	}
	if err := c.s.RemoveAssignees(c.actor, repo, i, ids); err != nil {
		return reply{}, err
	}
	return ok(c.issue(i))
}

func labelRoutes() []route {
	return []route{
		{"GET " + reposPath + "/labels", onRepo(listLabels)},
		{"POST " + reposPath + "/labels", onRepo(createLabel)},
		{"GET " + reposPath + "/labels/{name...}", onLabel(getLabel)},
		{"PATCH " + reposPath + "/labels/{name...}", onLabel(updateLabel)},
		{"DELETE " + reposPath + "/labels/{name...}", onLabel(deleteLabel)},
	}
}

func onLabel(handle func(c *call, repo *model.Repo, l *model.Label) (reply, error)) func(*call) (reply, error) {
	return onRepo(func(c *call, repo *model.Repo) (reply, error) {
		l := c.s.Label(repo, c.PathValue("name"))
		if l == nil {
			return reply{}, errNotFound
		}
		return handle(c, repo, l)
	})
}

func listLabels(c *call, repo *model.Repo) (reply, error) {
	return list(c, c.s.LabelsOf(repo), c.label)
}

func createLabel(c *call, repo *model.Repo) (reply, error) {
	var in struct{ Name, Color, Description string }
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	l, err := c.s.CreateLabel(c.actor, repo, model.NewLabel(in))
	if err != nil {
		return reply{}, err
	}
	return created(c.label(l))
}

func getLabel(c *call, _ *model.Repo, l *model.Label) (reply, error) { return ok(c.label(l)) }

func updateLabel(c *call, repo *model.Repo, l *model.Label) (reply, error) {
	var in struct {
		NewName            *string `json:"new_name"`
		Name               *string
		Color, Description *string
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	edit := model.LabelEdit{Name: in.Name, Color: in.Color, Description: in.Description}
	if in.NewName != nil {
		edit.Name = in.NewName
	}
	if err := c.s.EditLabel(c.actor, repo, l, edit); err != nil {
		return reply{}, err
	}
	return ok(c.label(l))
}

func deleteLabel(c *call, repo *model.Repo, l *model.Label) (reply, error) {
	if err := c.s.DeleteLabel(c.actor, repo, l); err != nil {
		return reply{}, err
	}
	return noContent()
}
