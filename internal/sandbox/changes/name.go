package changes

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// Find names the object with a database id, of whatever kind. ok is false if
// there is none.
func Find(s *model.State, id model.ID) (o Object, ok bool) {
	if row := s.Row(id); row != nil {
		return named(s, row), true
	}
	if i := s.PullByID(id); i != nil {
		return issueObject(s, i), true
	}
	return Object{}, false
}

// Issue names an issue or pull request.
func Issue(s *model.State, i *model.Issue) Object { return issueObject(s, i) }

// named names a row, which is a pointer, of any table.
func named(s *model.State, row any) Object {
	o, known := discussionObject(s, row)
	if !known {
		o, known = codeObject(s, row)
	}
	if !known {
		o = otherObject(row)
	}
	o.ID = idOf(row)
	o.Title = firstLine(o.Title)
	return o
}

// discussionObject names what people talk in.
func discussionObject(s *model.State, row any) (Object, bool) {
	switch r := row.(type) {
	case *model.Issue:
		return issueObject(s, r), true
	case *model.Comment:
		return Object{Kind: "comment", Name: on(s, r.ID, r.IssueID), Title: r.Body}, true
	case *model.Review:
		return Object{Kind: "review", Name: on(s, r.ID, r.IssueID), Title: r.Body}, true
	case *model.Thread:
		return Object{Kind: "review thread", Name: on(s, r.ID, r.IssueID), Title: r.Path}, true
	case *model.ReviewComment:
		var issue model.ID
		if thread := s.Threads.Get(r.ThreadID); thread != nil {
			issue = thread.IssueID
		}
		return Object{Kind: "review comment", Name: on(s, r.ID, issue), Title: r.Body}, true
	case *model.Discussion:
		return Object{Kind: "discussion", Name: fmt.Sprintf("%s#%d", repoName(s, r.RepoID), r.Number), Title: r.Title}, true
	case *model.DiscussionComment:
		name := fmt.Sprint(r.ID)
		if d := s.Discussions.Get(r.DiscussionID); d != nil {
			name = fmt.Sprintf("%d on %s#%d", r.ID, repoName(s, d.RepoID), d.Number)
		}
		return Object{Kind: "discussion comment", Name: name, Title: r.Body}, true
	case *model.Reaction:
		return Object{Kind: "reaction", Name: fmt.Sprintf("%s of %s to %s", r.Content, s.Login(r.UserID), reference(s, r.SubjectID))}, true
	case *model.Label:
		return Object{Kind: "label", Name: in(s, r.RepoID, r.Name), Title: r.Description}, true
	case *model.Milestone:
		return Object{Kind: "milestone", Name: in(s, r.RepoID, r.Title), Title: r.Description}, true
	case *model.Project:
		return Object{Kind: "project", Name: projectName(s, r.ID), Title: r.Title}, true
	case *model.ProjectField:
		return Object{Kind: "project field", Name: projectName(s, r.ProjectID) + ": " + r.Name}, true
	case *model.ProjectItem:
		return itemObject(s, r), true
	default:
		return Object{}, false
	}
}

// codeObject names repositories and what is done with them.
func codeObject(s *model.State, row any) (Object, bool) {
	switch r := row.(type) {
	case *model.User:
		return Object{Kind: "account", Name: r.Login, Title: r.Name}, true
	case *model.Repo:
		return Object{Kind: "repository", Name: s.FullName(r), Title: r.Description}, true
	case *model.Workflow:
		return Object{Kind: "workflow", Name: in(s, r.RepoID, r.Path), Title: r.Name}, true
	case *model.Run:
		return Object{Kind: "workflow run", Name: in(s, r.RepoID, fmt.Sprint(r.ID)), Title: r.DisplayTitle}, true
	case *model.Artifact:
		return Object{Kind: "artifact", Name: in(s, r.RepoID, r.Name)}, true
	case *model.CheckRun:
		return Object{Kind: "check run", Name: in(s, r.RepoID, fmt.Sprint(r.ID)), Title: r.Name}, true
	case *model.CommitStatus:
		return Object{Kind: "commit status", Name: in(s, r.RepoID, r.Context+" on "+r.CommitSHA), Title: r.Description}, true
	case *model.Environment:
		return Object{Kind: "environment", Name: in(s, r.RepoID, r.Name)}, true
	case *model.Deployment:
		return Object{Kind: "deployment", Name: in(s, r.RepoID, fmt.Sprint(r.ID)), Title: r.Environment}, true
	case *model.DeploymentStatus:
		return Object{Kind: "deployment status", Name: in(s, r.RepoID, fmt.Sprint(r.ID)), Title: r.Description}, true
	case *model.Release:
		return Object{Kind: "release", Name: in(s, r.RepoID, r.TagName), Title: r.Name}, true
	case *model.Hook:
		name := in(s, r.RepoID, fmt.Sprint(r.ID))
		if r.OrgID != 0 {
			name = fmt.Sprintf("%s: %d", s.Login(r.OrgID), r.ID)
		}
		return Object{Kind: "webhook", Name: name, Title: r.Config.URL}, true
	case *model.GistComment:
		return Object{Kind: "gist comment", Name: fmt.Sprintf("%d on %s", r.ID, s.GistName(r.GistID)), Title: r.Body}, true
	case *model.CommitComment:
		return Object{Kind: "commit comment", Name: in(s, r.RepoID, fmt.Sprintf("%d on %s", r.ID, r.CommitSHA)), Title: r.Body}, true
	case *model.Invitation:
		return Object{Kind: "invitation", Name: in(s, r.RepoID, s.Login(r.InviteeID))}, true
	case *model.Notification:
		return Object{Kind: "notification", Name: s.Login(r.UserID) + " of " + reference(s, r.SubjectID)}, true
	case *model.App:
		return Object{Kind: "App", Name: r.Slug, Title: r.Name}, true
	case *model.Installation:
		name := fmt.Sprint(r.ID)
		if app := s.Apps.Get(r.AppID); app != nil {
			name = app.Slug + " in " + s.Login(r.AccountID)
		}
		return Object{Kind: "installation", Name: name}, true
	default:
		return Object{}, false
	}
}

// otherObject names a row of a kind that is not known here: by its type, and
// what tells it apart if it has that.
func otherObject(row any) Object {
	of := reflect.ValueOf(row).Elem()
	o := Object{Kind: strings.ReplaceAll(snake(of.Type().Name()), "_", " "), Name: fmt.Sprint(idOf(row))}
	for _, field := range []string{"Slug", "Name", "Title"} {
		if text := of.FieldByName(field); text.IsValid() && text.Kind() == reflect.String && text.String() != "" {
			o.Name = text.String()
			break
		}
	}
	return o
}

func idOf(row any) model.ID { return reflect.ValueOf(row).Elem().FieldByName("ID").Int() }

func issueObject(s *model.State, i *model.Issue) Object {
	kind := "issue"
	if i.Pull != nil {
		kind = "pull request"
	}
	return Object{Kind: kind, Name: fmt.Sprintf("%s#%d", repoName(s, i.RepoID), i.Number), Title: i.Title, ID: i.ID}
}

func itemObject(s *model.State, i *model.ProjectItem) Object {
	o := Object{Kind: "project item", Name: projectName(s, i.ProjectID) + ": " + fmt.Sprint(i.ID)}
	if i.Draft != nil {
		o.Title = i.Draft.Title
	} else if issue := s.Issues.Get(i.IssueID); issue != nil {
		o.Name = projectName(s, i.ProjectID) + ": " + issueObject(s, issue).Name
		o.Title = issue.Title
	}
	return o
}

// on names an object that is on an issue or pull request.
func on(s *model.State, id, issue model.ID) string {
	if i := s.Issues.Get(issue); i != nil {
		return fmt.Sprintf("%d on %s", id, issueObject(s, i).Name)
	}
	return fmt.Sprint(id)
}

// in names an object of a repository.
func in(s *model.State, repo model.ID, name string) string { return repoName(s, repo) + ": " + name }

// gone stands for what is there no more.
const gone = "(gone)"

func repoName(s *model.State, id model.ID) string {
	if repo := s.Repos.Get(id); repo != nil {
		return s.FullName(repo)
	}
	return gone
}

func projectName(s *model.State, id model.ID) string {
	if p := s.Projects.Get(id); p != nil {
		return fmt.Sprintf("%s/%d", s.Login(p.OwnerID), p.Number)
	}
	return gone
}

// reference names the object with an id, in a field of another one.
func reference(s *model.State, id model.ID) string {
	if o, ok := Find(s, id); ok {
		return cmp.Or(o.Name, fmt.Sprint(id))
	}
	return fmt.Sprint(id)
}

// maxTitle is how much of a text is a title, in characters.
const maxTitle = 100

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return shortened(strings.TrimSpace(line), maxTitle)
}

func shortened(text string, characters int) string {
	runes := []rune(text)
	if len(runes) <= characters {
		return text
	}
	return string(runes[:characters]) + "…"
}
