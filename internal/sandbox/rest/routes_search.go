package rest

import (
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

// searchRepositories finds the repositories that the caller may read and that
// have every term of the query: the qualifiers repo, user and org, and words
// in the name or the description. Other qualifiers find nothing.
func searchRepositories(c *call) (reply, error) {
	found, err := c.s.SearchRepos(c.actor, c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	type result struct {
		*repoView
		score
	}
	return results(c, found, func(r *model.Repo) result { return result{c.repo(r), fits} })
}

// results answers with a page of what a search found.
func results[T, V any](c *call, found []T, show func(T) V) (reply, error) {
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

// score is how well a result fits; here all fit alike.
type score struct {
	Score float64 `json:"score"`
}

var fits = score{1}

func searchIssues(c *call) (reply, error) {
	query := c.URL.Query()
	found, err := c.s.SearchIssues(c.actor, query.Get("q"), model.SearchOrder{By: query.Get("sort"), Ascending: query.Get("order") == "asc"})
	if err != nil {
		return reply{}, err
	}
	type result struct {
		issueView
		score
	}
	answer, err := results(c, found, func(i *model.Issue) result { return result{c.issue(i), fits} })
	if body, isObject := answer.body.(map[string]any); isObject {
		body["search_type"] = "lexical"
	}
	return answer, err
}

func searchUsers(c *call) (reply, error) {
	found, err := c.s.SearchUsers(c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	type result struct {
		*userView
		score
	}
	return results(c, found, func(u *model.User) result { return result{c.user(u.ID), fits} })
}

func searchCommits(c *call) (reply, error) {
	found, err := c.s.SearchCommits(c.actor, c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	type result struct {
		commitView
		Repository *repoView `json:"repository"`
		score
	}
	return results(c, found, func(f model.FoundCommit) result {
		return result{c.commit(f.Repo, f.Commit), c.minimalRepo(f.Repo), fits}
	})
}

type codeView struct {
	Name        string      `json:"name"`
	Path        string      `json:"path"`
	SHA         string      `json:"sha"`
	URL         string      `json:"url"`
	GitURL      string      `json:"git_url"`
	HTMLURL     string      `json:"html_url"`
	Repository  *repoView   `json:"repository"`
	TextMatches []textMatch `json:"text_matches,omitempty"`
	score
}

// textMatch shows where a word was found, to clients that accept it.
type textMatch struct {
	ObjectURL  string      `json:"object_url"`
	ObjectType string      `json:"object_type"`
	Property   string      `json:"property"`
	Fragment   string      `json:"fragment"`
	Matches    []wordMatch `json:"matches"`
}

type wordMatch struct {
	Text    string `json:"text"`
	Indices [2]int `json:"indices"`
}

func searchCode(c *call) (reply, error) {
	found, err := c.s.SearchCode(c.actor, c.URL.Query().Get("q"))
	if err != nil {
		return reply{}, err
	}
	return results(c, found, func(f model.FoundFile) codeView {
		at := c.content(f.Repo, f.Commit.String(), f.Entry)
		view := codeView{
			Name: at.Name, Path: at.Path, SHA: at.SHA, URL: at.URL, GitURL: at.GitURL, HTMLURL: at.HTMLURL,
			Repository: c.minimalRepo(f.Repo), score: fits,
		}
		if c.accepts("text-match") {
			view.TextMatches = textMatches(at.URL, f)
		}
		return view
	})
}

// textMatches shows the first line that has each of the words.
func textMatches(address string, f model.FoundFile) []textMatch {
	var matches []textMatch
	for _, word := range f.Words {
		for line := range strings.SplitSeq(string(f.Content), "\n") {
			at := strings.Index(strings.ToLower(line), word)
			if at < 0 || at+len(word) > len(line) {
				continue
			}
			matches = append(matches, textMatch{
				ObjectURL: address, ObjectType: "FileContent", Property: "content", Fragment: line,
				Matches: []wordMatch{{line[at : at+len(word)], [2]int{at, at + len(word)}}},
			})
			break
		}
	}
	return matches
}
