package page

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

type repositoryView struct {
	top
	repoTop
	Facts      []fact
	Branches   []entry
	Tags       []entry
	Labels     []string
	Milestones []entry
	Workflows  []entry
}

// repoTop is what the pages of a repository have.
type repoTop struct {
	Repo string
	Tabs []tab
}

type tab struct {
	link
	Count int
	Here  bool
}

// fact is a name and what it is, each possibly a link.
type fact struct {
	Name   string
	Values []link
}

// fact returns one with plain texts; empty ones are left out.
func newFact(name string, texts ...string) fact {
	f := fact{Name: name}
	for _, text := range texts {
		if text != "" {
			f.Values = append(f.Values, link{Text: text})
		}
	}
	return f
}

// some are the facts that say something.
func some(facts ...fact) []fact {
	return slices.DeleteFunc(facts, func(f fact) bool { return len(f.Values) == 0 })
}

// repo returns the repository that the path names.
func (at *look) repo() (*model.Repo, bool) {
	repo := at.state.Repo(at.PathValue("owner"), at.PathValue("name"))
	return repo, repo != nil
}

// repoTops are those of a page of a repository.
func repoTops(s *model.State, repo *model.Repo, here string) repoTop {
	issues := len(s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && i.Pull == nil }))
	pulls := len(s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && i.Pull != nil }))
	t := repoTop{Repo: s.FullName(repo)}
	for _, each := range []struct {
		name, below string
		count       int
	}{
		{"Issues", "issues", issues}, {"Pull requests", "pulls", pulls}, {"Runs", "runs", len(runsOf(s, repo))},
		{"Releases", "releases", len(releasesOf(s, repo))},
	} {
		t.Tabs = append(t.Tabs, tab{link{each.name, repoPath(s, repo, each.below)}, each.count, here == each.below})
	}
	return t
}

func above(s *model.State, repo *model.Repo) []link {
	return append(home(), link{s.FullName(repo), repoPath(s, repo)})
}

// The beginnings of refs.
const (
	heads = "refs/heads/"
	tags  = "refs/tags/"
)

// repository is the first page of a repository.
func repository(at *look) (any, bool) {
	s := at.state
	repo, found := at.repo()
	if !found {
		return nil, false
	}
	visibility := "public"
	if repo.Private {
		visibility = "private"
	}
	view := repositoryView{
		top: top{Title: s.FullName(repo), Above: home()}, repoTop: repoTops(s, repo, ""),
		Facts: some(
			newFact("About", repo.Description), newFact("Visibility", visibility), newFact("Default branch", repo.DefaultBranch),
			newFact("Topics", repo.Topics...), newFact("Collaborators", collaborators(s, repo)...), newFact("Protected", slices.Sorted(maps.Keys(repo.Protection))...),
		),
		Branches: refs(repo, heads), Tags: refs(repo, tags),
	}
	for label := range s.Labels.All() {
		if label.RepoID == repo.ID && len(view.Labels) < maxList {
			view.Labels = append(view.Labels, label.Name)
		}
	}
	for m := range s.Milestones.All() {
		if m.RepoID == repo.ID {
			view.Milestones = append(view.Milestones, entry{Link: link{Text: m.Title}, Notes: []string{openOrClosed(m.Closed)}, When: when(m.CreatedAt)})
		}
	}
	for w := range s.Workflows.All() {
		if w.RepoID == repo.ID {
			view.Workflows = append(view.Workflows, entry{Link: link{Text: w.Name}, Notes: []string{w.Path}})
		}
	}
	return view, true
}

func openOrClosed(closed bool) string {
	if closed {
		return "closed"
	}
	return "open"
}

func collaborators(s *model.State, repo *model.Repo) []string {
	var names []string
	for id := range repo.Collaborators {
		names = append(names, s.Login(id))
	}
	slices.Sort(names)
	return names
}

// refs are a repository's refs below a prefix.
func refs(repo *model.Repo, below string) []entry {
	var found []entry
	for _, ref := range repo.Git.Refs(below) {
		if len(found) == maxList {
			break
		}
		e := entry{Link: link{Text: ref.Name[len(below):]}, Notes: []string{shortSHA(ref.Hash.String())}}
		if commit, err := repo.Git.Commit(ref.Hash); err == nil {
			e.Notes = append(e.Notes, subject(commit.Message))
			e.When = when(commit.Committer.When)
		}
		found = append(found, e)
	}
	return found
}

// listView is a page of a list.
type listView struct {
	top
	repoTop
	Heading string
	Entries []entry
	Next    string
}

// list is a page of entries, the newest first.
func list[T any](at *look, repo *model.Repo, heading, here string, all []T, show func(T) entry) (any, bool) {
	s := at.state
	view := listView{top: top{Title: heading + " of " + s.FullName(repo), Above: above(s, repo)}, repoTop: repoTops(s, repo, here), Heading: heading}
	skipped, _ := strconv.Atoi(at.URL.Query().Get("skip"))
	skipped = min(max(skipped, 0), len(all))
	rest := slices.Clone(all)
	slices.Reverse(rest)
	rest = rest[skipped:]
	if len(rest) > onePage {
		rest = rest[:onePage]
		view.Next = fmt.Sprintf("?skip=%d", skipped+onePage)
	}
	for _, each := range rest {
		view.Entries = append(view.Entries, show(each))
	}
	return view, true
}

func issues(at *look) (any, bool) { return issueList(at, "Issues", "issues", false) }

func pulls(at *look) (any, bool) { return issueList(at, "Pull requests", "pulls", true) }

func issueList(at *look, heading, here string, pulls bool) (any, bool) {
	s := at.state
	repo, found := at.repo()
	if !found {
		return nil, false
	}
	all := s.Issues.Where(func(i *model.Issue) bool { return i.RepoID == repo.ID && (i.Pull != nil) == pulls })
	return list(at, repo, heading, here, all, func(i *model.Issue) entry {
		e := entry{
			Pill: new(issuePill(i)), Link: link{fmt.Sprintf("#%d %s", i.Number, i.Title), issuePath(s, i)},
			Notes: []string{"by " + s.Login(i.AuthorID)}, When: when(i.UpdatedAt),
		}
		if i.Pull != nil {
			e.Notes = append(e.Notes, i.Pull.HeadRef+" → "+i.Pull.BaseRef)
		}
		return e
	})
}

type releasesView struct {
	top
	repoTop
	Releases []releaseView
}

type releaseView struct {
	Name, Tag, Body string
	Pill            pill
	Notes           []string
	Assets          []entry
}

func releasesOf(s *model.State, repo *model.Repo) []*model.Release {
	return s.Releases.Where(func(r *model.Release) bool { return r.RepoID == repo.ID })
}

// releases are those of a repository, drafts among them.
func releases(at *look) (any, bool) {
	s := at.state
	repo, found := at.repo()
	if !found {
		return nil, false
	}
	view := releasesView{top: top{Title: "Releases of " + s.FullName(repo), Above: above(s, repo)}, repoTop: repoTops(s, repo, "releases")}
	for _, r := range slices.Backward(releasesOf(s, repo)) {
		if len(view.Releases) == onePage {
			break
		}
		view.Releases = append(view.Releases, releaseOf(s, r))
	}
	return view, true
}

func releaseOf(s *model.State, r *model.Release) releaseView {
	v := releaseView{Name: r.Name, Tag: r.TagName, Body: clipped(r.Body), Pill: pill{"release", good}, Notes: []string{"by " + s.Login(r.AuthorID), "at " + r.Target}}
	switch {
	case r.Draft:
		v.Pill = pill{"draft", neutral}
	case r.Prerelease:
		v.Pill = pill{"pre-release", busy}
	}
	if r.PublishedAt != nil {
		v.Notes = append(v.Notes, "published "+when(*r.PublishedAt))
	}
	for _, a := range r.Assets {
		v.Assets = append(v.Assets, entry{Link: link{Text: a.Name}, Notes: []string{count(len(a.Content), "byte", "bytes"), a.ContentType, "by " + s.Login(a.UploaderID)}})
	}
	return v
}
