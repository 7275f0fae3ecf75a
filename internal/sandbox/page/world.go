package page

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// top is what all pages have.
type top struct {
	Title string
	// Above are the pages that lead to this one.
	Above []link
}

// entry is a line of a list.
type entry struct {
	Pill  *pill
	Link  link
	Notes []string
	When  string
}

type worldView struct {
	top
	Repos, Projects []entry
	Accounts        []accountLine
	Writes          []requestLine
	Clock           string
	Requests        int
}

type accountLine struct {
	Login, Type      string
	Requests, Writes int
	Path             string
}

// world is the first page.
func world(at *look) (any, bool) {
	s := at.state
	view := worldView{top: top{Title: "Sandbox"}, Clock: when(s.Time()), Requests: len(at.requests)}
	for repo := range s.Repos.All() {
		view.Repos = append(view.Repos, repoEntry(s, repo))
	}
	for p := range s.Projects.All() {
		view.Projects = append(view.Projects, entry{
			Link:  link{fmt.Sprintf("%s/%d %s", s.Login(p.OwnerID), p.Number, p.Title), path("projects", strconv.FormatInt(p.ID, 10))},
			Notes: []string{count(len(s.ItemsOf(p)), "item", "items")},
		})
	}
	view.Accounts = at.accounts()
	const shown = 10
	for n, e := range slices.Backward(at.requests) {
		if e.Write && len(view.Writes) < shown {
			view.Writes = append(view.Writes, at.line(n, e))
		}
	}
	return view, true
}

func repoEntry(s *model.State, repo *model.Repo) entry {
	e := entry{Link: link{s.FullName(repo), repoPath(s, repo)}, Notes: []string{
		count(len(openIn(s, repo, false)), "open issue", "open issues"), count(len(openIn(s, repo, true)), "open pull request", "open pull requests"),
	}}
	if repo.Private {
		e.Notes = append(e.Notes, "private")
	}
	if repo.Description != "" {
		e.Notes = append(e.Notes, repo.Description)
	}
	return e
}

func openIn(s *model.State, repo *model.Repo, pulls bool) []*model.Issue {
	return s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && !i.Closed && (i.Pull != nil) == pulls })
}

// accounts are those that have a token or have asked for something.
func (at *look) accounts() []accountLine {
	var lines []accountLine
	for u := range at.state.Users.All() {
		line := accountLine{Login: u.Login, Type: string(u.Type), Path: requestsPath(filter{account: u.Login}, -1)}
		for _, e := range at.requests {
			if at.account(e) == u.Login {
				line.Requests++
				if e.Write {
					line.Writes++
				}
			}
		}
		if u.Type == model.TypeUser || line.Requests > 0 {
			lines = append(lines, line)
		}
	}
	return lines
}

// nobody is who shows no token, or one that is unknown.
const nobody = "(nobody)"

// account is who made a request.
func (at *look) account(e sandbox.Entry) string {
	if t, known := at.tokens[e.Token]; known && e.Token != "" {
		return t.User
	}
	return nobody
}

// requestLine is a request as lists show it.
type requestLine struct {
	Number        int
	When, Account string
	What          string
	Status        int
	Pill          pill
	Objects       []string
	Changes       []changeLine
}

// changeLine is what became of an object, as it is shown.
type changeLine struct {
	Kind   changes.Kind
	Object changes.Object
	Fields []fieldLine
}

type fieldLine struct{ Name, Before, After string }

// line shows a request, which is the nth.
func (at *look) line(n int, e sandbox.Entry) requestLine {
	line := requestLine{
		Number: n + 1, When: when(e.Time), Account: at.account(e), Status: e.Status, Changes: short(e.Changes),
		What: clipped(requestName(e)), Pill: pill{"read", neutral},
	}
	if len(e.Changes) == 0 {
		line.Objects = e.Objects[:min(len(e.Objects), maxList)]
	}
	switch {
	case e.Status == 0:
		line.Pill = pill{"cut off", bad}
	case e.Unsupported != nil:
		line.Pill, line.Objects = pill{"lacking here", bad}, e.Unsupported[:min(len(e.Unsupported), maxList)]
	case e.Status >= 400:
		line.Pill = pill{"refused", bad}
	case e.Write:
		line.Pill = pill{"write", busy}
	}
	return line
}

// short is changes without the ends of long texts, and without what objects
// were like that are gone.
func short(all []changes.Change) []changeLine {
	const longest = 2000
	var lines []changeLine
	for _, c := range all[:min(len(all), maxList)] {
		line := changeLine{Kind: c.Kind, Object: c.Object}
		for _, f := range c.Fields {
			before, after := f.Texts()
			if c.Kind != changes.Deleted {
				line.Fields = append(line.Fields, fieldLine{f.Name, clippedTo(before, longest), clippedTo(after, longest)})
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// requestName is the operation of GraphQL, or method and path.
func requestName(e sandbox.Entry) string {
	switch {
	case e.Operation != "":
		return "GraphQL " + e.Operation
	case e.Part == sandbox.PartGit:
		return e.Method + " github.com" + e.Path
	case e.Part == sandbox.PartRaw:
		return e.Method + " raw.githubusercontent.com" + e.Path
	default:
		return e.Method + " " + e.Path
	}
}

type requestsView struct {
	top
	Lines  []requestLine
	Older  string
	Choice []link
	// Chosen is the text of the choice that is shown.
	Chosen string
}

// filter says which requests are wanted.
type filter struct {
	account string
	writes  bool
}

// requestsPath is that of a page of the log; before is the number of a
// request, -1 for the newest.
func requestsPath(f filter, before int) string {
	query := url.Values{}
	if f.account != "" {
		query.Set("account", f.account)
	}
	if f.writes {
		query.Set("writes", "1")
	}
	if before >= 0 {
		query.Set("before", strconv.Itoa(before))
	}
	if len(query) == 0 {
		return prefix + "requests"
	}
	return prefix + "requests?" + query.Encode()
}

// requests is the log, newest first.
func requests(at *look) (any, bool) {
	query := at.URL.Query()
	f := filter{query.Get("account"), query.Get("writes") != ""}
	before, err := strconv.Atoi(query.Get("before"))
	if err != nil {
		before = len(at.requests) + 1
	}
	view := requestsView{top: top{Title: "Requests", Above: home()}, Chosen: "All"}
	view.Choice = []link{{"All", requestsPath(filter{account: f.account}, -1)}, {"Writes", requestsPath(filter{f.account, true}, -1)}}
	if f.writes {
		view.Chosen = "Writes"
	}
	if f.account != "" {
		view.Title = "Requests of " + f.account
		view.Choice = append(view.Choice, link{"Everybody's", requestsPath(filter{"", f.writes}, -1)})
	}
	for n, e := range slices.Backward(at.requests) {
		if n+1 >= before || f.writes && !e.Write || f.account != "" && at.account(e) != f.account {
			continue
		}
		if len(view.Lines) == onePage {
			view.Older = requestsPath(f, view.Lines[onePage-1].Number)
			break
		}
		view.Lines = append(view.Lines, at.line(n, e))
	}
	return view, true
}

func home() []link { return []link{{"Sandbox", prefix}} }
