package rest

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func searchRoutes() []route {
	return []route{
		{"GET /search/repositories", searchRepositories},
		{"GET /search/issues", searchIssues},
		{"GET /search/code", searchCode},
		{"GET /search/commits", searchCommits},
		{"GET /search/users", searchUsers},
	}
}

// searchRepositories finds what [model.State.SearchRepos] does.
func searchRepositories(c *call) (reply, error) {
	found, err := c.s.SearchRepos(c.actor, c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	sortFound(c, found, map[string]func(a, b *model.Repo) int{
		"stars":              func(a, b *model.Repo) int { return len(a.Stargazers) - len(b.Stargazers) },
		"forks":              func(a, b *model.Repo) int { return a.ForkCount - b.ForkCount },
		"updated":            func(a, b *model.Repo) int { return a.UpdatedAt.Compare(b.UpdatedAt) },
		"help-wanted-issues": func(a, b *model.Repo) int { return c.s.OpenWith(a, helpWanted) - c.s.OpenWith(b, helpWanted) },
	})
	type result struct {
		*repoView
		score
	}
	sought := model.SoughtBy(c.URL.Query().Get("q"))
	return results(c, found, func(r *model.Repo) result {
		return result{c.repo(r), c.fits(sought.Words, func() []searched {
			var looked []searched
			if sought.LooksIn("name") {
				looked = append(looked, searched{c.byID(r.ID, ""), "Repository", "name", r.Name})
			}
			if sought.LooksIn("description") {
				looked = append(looked, searched{c.byID(r.ID, ""), "Repository", "description", r.Description})
			}
			return looked
		})}
	})
}

// helpWanted is the label of issues with which a repository asks for help.
const helpWanted = "help wanted"

// sortFound sorts what a search found as the query asks for, the most or the last first;
// without "sort", "order" means nothing.
func sortFound[T any](c *call, found []T, sorts map[string]func(a, b T) int) {
	values := c.URL.URL.Query()
	c.indifferent("order")
	compare := sorts[values.Get("sort")]
	if compare == nil {
		return
	}
	c.indifferent("sort")
	slices.SortStableFunc(found, func(a, b T) int {
		if values.Get("order") == "asc" {
			return compare(a, b)
		}
		return compare(b, a)
	})
}

// results answers with a page of what a search found. A page that begins behind the
// last result that GitHub lets clients see is refused.
func results[T, V any](c *call, found []T, show func(T) V) (reply, error) {
	if size, number := c.pageAsked(); number > 1+(maxResults-1)/size {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Only the first 1000 search results are available"}
	}
	rows, header := page(c, found[:min(len(found), maxResults)])
	items := make([]V, 0, len(rows))
	for _, row := range rows {
		items = append(items, show(row))
	}
	answer, err := ok(map[string]any{"total_count": len(found), "incomplete_results": false, "items": items})
	answer.header = header
	return answer, err
}

// maxResults is how many results GitHub lets clients see of a search.
const maxResults = 1000

func searchIssues(c *call) (reply, error) {
	query := c.URL.Query()
	c.indifferent("advanced_search") // all searches are
	found, err := c.s.SearchIssues(c.actor, query.Get("q"), model.SearchOrder{By: query.Get("sort"), Ascending: query.Get("order") == "asc"})
	if err != nil {
		return reply{}, err
	}
	type result struct {
		issueView
		score
	}
	sought := model.SoughtBy(query.Get("q"))
	answer, err := results(c, found, func(i *model.Issue) result {
		return result{c.issue(i), c.fits(sought.Words, func() []searched { return c.issueTexts(sought, i) })}
	})
	if body, isObject := answer.body.(map[string]any); isObject {
		body["search_type"] = "lexical"
		if reasons := model.SearchedByWords(query.Get("q")); slices.Contains([]string{"semantic", "hybrid"}, c.URL.URL.Query().Get("search_type")) && reasons != nil {
			c.indifferent("search_type")
			body["lexical_fallback_reason"] = reasons
		}
	}
	return answer, err
}

// issueTexts are where a search for words looks in an issue or pull request.
func (c *call) issueTexts(sought model.Sought, i *model.Issue) []searched {
	var looked []searched
	at := c.byID(i.RepoID, "/issues/"+strconv.Itoa(i.Number))
	if sought.LooksIn("title") {
		looked = append(looked, searched{at, "Issue", "title", i.Title})
	}
	if sought.LooksIn("body") {
		looked = append(looked, searched{at, "Issue", "body", i.Body})
	}
	if sought.LooksIn("comments") {
		for _, comment := range c.s.CommentsOf(i) {
			looked = append(looked, searched{c.byID(i.RepoID, "/issues/comments/"+strconv.FormatInt(comment.ID, 10)), "IssueComment", "body", comment.Body})
		}
	}
	return looked
}

func searchUsers(c *call) (reply, error) {
	found, err := c.s.SearchUsers(c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	sortFound(c, found, map[string]func(a, b *model.User) int{
		"joined":       func(a, b *model.User) int { return a.CreatedAt.Compare(b.CreatedAt) },
		"followers":    func(a, b *model.User) int { return len(c.s.Followers(a.ID)) - len(c.s.Followers(b.ID)) },
		"repositories": func(a, b *model.User) int { return c.publicRepos(a) - c.publicRepos(b) },
	})
	type result struct {
		*userView
		score
	}
	sought := model.SoughtBy(c.URL.Query().Get("q"))
	return results(c, found, func(u *model.User) result {
		shown := c.user(u.ID)
		return result{shown, c.fits(sought.Words, func() []searched {
			return []searched{{shown.URL, "User", "login", u.Login}, {shown.URL, "User", "email", u.Email}, {shown.URL, "User", "name", u.Name}}
		})}
	})
}

func searchCommits(c *call) (reply, error) {
	found, err := c.s.SearchCommits(c.actor, c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	sortFound(c, found, map[string]func(a, b model.FoundCommit) int{
		"author-date":    func(a, b model.FoundCommit) int { return a.Commit.Author.When.Compare(b.Commit.Author.When) },
		"committer-date": func(a, b model.FoundCommit) int { return a.Commit.Committer.When.Compare(b.Commit.Committer.When) },
	})
	type result struct {
		commitView
		Repository *repoView `json:"repository"`
		score
	}
	sought := model.SoughtBy(c.URL.Query().Get("q"))
	return results(c, found, func(f model.FoundCommit) result {
		return result{c.commit(f.Repo, f.Commit), c.minimalRepo(f.Repo), c.fits(sought.Words, func() []searched {
			return []searched{{c.byID(f.Repo.ID, "/commits/"+f.Hash.String()), "Commit", "message", f.Message}}
		})}
	})
}

type codeView struct {
	Name       string    `json:"name"`
	Path       string    `json:"path"`
	SHA        string    `json:"sha"`
	URL        string    `json:"url"`
	GitURL     string    `json:"git_url"`
	HTMLURL    string    `json:"html_url"`
	Repository *repoView `json:"repository"`
	score
}

// searchCode finds files. GitHub has it done by another program than all else, which
// takes the parameters of its query once each, and numbers that are such, and refuses
// pages that end behind the last result. It was measured in September 2026, see
// https://github.com/brekkylab/backlot/pull/144.
func searchCode(c *call) (reply, error) {
	if wrong := wrongCodeQuery(c.URL.URL.Query()); wrong != "" {
		return reply{status: http.StatusBadRequest, raw: []byte("Failed to deserialize query string: " + wrong), contentType: "text/plain; charset=utf-8"}, nil
	}
	c.indifferent("sort", "order") // how soon a file was indexed
	if size, number := c.pageAsked(); number > maxResults/size && strings.TrimSpace(c.URL.Query().Get("q")) != "" {
		return reply{}, &model.Problem{Kind: model.Invalid, Message: "Cannot access beyond the first 1000 results"}
	}
	found, err := c.s.SearchCode(c.actor, c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	return results(c, found, func(f model.FoundFile) codeView {
		at := c.content(f.Repo, f.Commit.String(), f.Entry)
		return codeView{
			Name: at.Name, Path: at.Path, SHA: at.SHA, URL: at.URL, GitURL: at.GitURL, HTMLURL: at.HTMLURL, Repository: c.minimalRepo(f.Repo),
			score: c.fits(f.Words, func() []searched {
				return []searched{{at.URL, "FileContent", "content", string(f.Content)}, {at.URL, "FileContent", "path", at.Path}}
			}),
		}
	})
}

// wrongCodeQuery says what is wrong with the query of a search for code, empty for
// nothing.
func wrongCodeQuery(values url.Values) string {
	for _, name := range []string{"q", "page", "per_page"} {
		given := values[name]
		switch {
		case len(given) > 1:
			return "duplicate field `" + name + "`"
		case len(given) == 0 || name == "q":
			continue
		}
		_, err := strconv.ParseUint(given[0], 10, 32)
		switch {
		case given[0] == "":
			return name + ": cannot parse integer from empty string"
		case errors.Is(err, strconv.ErrRange):
			return name + ": number too large to fit in target type"
		case err != nil:
			return name + ": invalid digit found in string"
		}
	}
	return ""
}
