package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

func search(w *sandboxtest.World, login, what, query string) sandboxtest.Reply {
	return w.As(login).Get("/search/" + what + "?q=" + url.QueryEscape(query))
}

// talk is a world with an issue, #1, that is closed, an issue, #2, and a pull
// request, #3.
func talk(t *testing.T) *sandboxtest.World {
	t.Helper()
	w := sandboxtest.New(t, gitstore.Change{Path: "src/main.go", Content: []byte("package main\n\nfunc Handle() {}\n")})
	w.Change(func(s *model.State, repo *model.Repo) {
		reader, writer := s.User("reader").ID, s.User("writer").ID
		first, err := s.OpenIssue(reader, repo, model.NewIssue{Title: "It is slow", Body: "Ask @writer."})
		require.NoError(t, err)
		closed, reason := "closed", "not_planned"
		require.NoError(t, s.EditIssue(writer, repo, first, model.IssueEdit{State: &closed, StateReason: &reason}))
		m := s.AddMilestone(repo, model.NewMilestone{Title: "Next week"})
		second, err := s.OpenIssue(writer, repo, model.NewIssue{
			Title: "Crash on start", Labels: []string{"good first issue", "bug"}, Assignees: []string{"triager"}, Milestone: m.Number,
		})
		require.NoError(t, err)
		_, err = s.CreateComment(reader, repo, second, "Same here, it is slow too")
		require.NoError(t, err)
	})
	openPull(t, w, "f", "f.txt", "x\n")
	w.Change(func(s *model.State, repo *model.Repo) {
		_, _, err := s.React(repo.OwnerID, repo, s.Issue(repo, 1).ID, "heart")
		require.NoError(t, err)
		body := "Fixes #2"
		require.NoError(t, s.EditIssue(repo.OwnerID, repo, s.Issue(repo, 3), model.IssueEdit{Body: &body}))
	})
	return w
}

func TestSearchIssues(t *testing.T) {
	w := talk(t)
	for query, want := range map[string][]int{
		"slow":                           {2, 1},
		"SLOW in:title":                  {1},
		"slow in:title,comments":         {2, 1},
		`"crash on"`:                     {2},
		`"on crash"`:                     {},
		"crash start":                    {2},
		"NOT slow":                       {3},
		"-crash":                         {3, 1},
		"is:issue":                       {2, 1},
		"is:pr":                          {3},
		"type:pr":                        {3},
		"is:open is:issue":               {2},
		"state:closed":                   {1},
		"reason:\"not planned\"":         {1},
		"is:unmerged":                    {3},
		"is:private":                     {},
		"is:nonsense":                    {},
		`label:"good first issue"`:       {2},
		"label:bug label:missing":        {},
		"label:missing,BUG":              {2},
		"-label:bug is:issue":            {1},
		"no:label is:issue":              {1},
		"no:milestone no:assignee is:pr": {3},
		`milestone:"next week"`:          {2},
		"author:READER":                  {1},
		"author:@me":                     {},
		"author:nobody":                  {},
		"-author:nobody is:pr":           {3},
		"assignee:triager":               {2},
		"assignee:*":                     {2},
		"mentions:writer":                {1},
		"commenter:reader":               {2},
		"involves:reader":                {2, 1},
		"head:f base:main":               {3},
		"head:g":                         {},
		"draft:false":                    {3},
		"review:none":                    {3},
		"comments:>0":                    {2},
		"comments:0..0":                  {3, 1},
		"comments:*..1":                  {3, 2, 1},
		"comments:x":                     {},
		"created:2026-01-05":             {3, 2, 1},
		"created:>2026-01-05":            {},
		"created:<=2026-01-05":           {3, 2, 1},
		"created:2026-01-01..*":          {3, 2, 1},
		"created:<2026-01-05T09:00:00Z":  {},
		"created:soon":                   {},
		"closed:>=2026-01-01":            {1},
		"merged:>=2026-01-01":            {},
		"repo:OWNER/hello slow":          {2, 1},
		"user:owner is:pr":               {3},
		"-repo:owner/hello":              {},
		"user:writer":                    {},
		"is:issue sort:created-asc":      {1, 2},
		"unknown:word":                   {},
		"label:bug OR is:pr":             {3, 2},
		"is:open (label:bug OR is:pr)":   {3, 2},
		"is:closed (label:bug OR is:pr)": {},
		"NOT (label:bug OR is:pr)":       {1},
		"-(is:open AND is:issue)":        {3, 1},
		"slow is:open OR slow is:closed": {2, 1},
		"repo:a/none x OR is:pr":         {3},
		"(slow":                          {2, 1},
		"slow ) is:open":                 {2},
		"slow NOT":                       {2, 1},
		"(slow NOT) is:open":             {2},
		"linked:pr":                      {2},
		"linked:issue":                   {3},
		"-linked:pr is:issue":            {1},
		"has:label":                      {2},
		"no:project is:pr":               {3},
		"reactions:>0":                   {1},
		"interactions:1":                 {2, 1},
		"is:queued":                      {},
		"parent-issue:none/x":            {},
		"language:go is:pr":              {3},
		"review-requested:triager":       {},
		"sort:reactions-heart-desc":      {1, 3, 2},
		"sort:reactions-+1-asc":          {1, 2, 3},
		"sort:interactions-asc is:issue": {1, 2},
	} {
		reply := search(w, "stranger", "issues", query)
		require.Equal(t, http.StatusOK, reply.Status, query)
		found := []int{}
		for n := range reply.Int("total_count") {
			found = append(found, reply.Int("items."+itoa(int64(n))+".number"))
		}
		assert.Equal(t, want, found, query)
	}
	sorted := w.As("reader").Get("/search/issues?q=is:issue&sort=comments&order=asc")
	assert.Equal(t, []int{1, 2}, []int{sorted.Int("items.0.number"), sorted.Int("items.1.number")})
	assert.Equal(t, "https://api.github.com/repos/owner/hello", sorted.Text("items.0.repository_url"))
	assert.Equal(t, 1, w.As("reader").Get("/search/issues?q=is:issue&sort=reactions-heart&order=desc").Int("items.0.number"))
	many := strings.TrimSuffix(strings.Repeat("(a OR b OR c) ", 9), " ")
	assert.Equal(t, http.StatusUnprocessableEntity, search(w, "reader", "issues", many).Status, "too many cases")
}

// A search by meaning is one by words where GitHub's is too, and refused where it is not.
func TestASearchByMeaning(t *testing.T) {
	w := talk(t)
	for query, why := range map[string][]any{
		"is:issue": {"no_text_terms"}, `"crash on" is:issue`: {"quoted_text"}, "slow OR crash": {"or_boolean_not_supported"}, "slow is:pr": {"non_issue_target"},
		`"a b" is:pr`: {"non_issue_target", "quoted_text"},
	} {
		for _, kind := range []string{"semantic", "hybrid"} {
			reply := w.As("reader").Get("/search/issues?search_type=" + kind + "&q=" + url.QueryEscape(query))
			assert.Equal(t, []any{"lexical", why}, []any{reply.At("search_type"), reply.At("lexical_fallback_reason")}, query)
		}
	}
	for _, query := range []string{"slow", "slow is:issue", "what takes so long"} {
		reply := w.As("reader").Get("/search/issues?search_type=semantic&q=" + url.QueryEscape(query))
		assert.Equal(t, http.StatusNotImplemented, reply.Status, query)
		assert.Equal(t, "This sandbox does not have search_type of GET /search/issues yet; GitHub does.", reply.Text("message"))
	}
	assert.Nil(t, w.As("reader").Get("/search/issues?q=is:issue").At("lexical_fallback_reason"))
}

func TestSearchRepositoriesByCounts(t *testing.T) {
	w := talk(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		repo.Topics = []string{"turning"}
		fork := s.AddRepo(model.NewRepo{Owner: s.User("writer").ID, Name: "hello"})
		fork.ParentID = repo.ID
		repo.ForkCount, repo.Stargazers = 1, []model.ID{repo.OwnerID}
	})
	for query, want := range map[string]int{
		"hello": 1, "hello fork:true": 2, "hello fork:only": 1, "stars:>0": 1, "stars:5..10": 0, "forks:1": 1, "topics:>0": 1, "turning": 1, "turning in:name": 0, "hello in:name": 1,
		"created:>2020-01-01 user:owner": 1, "pushed:<2020-01-01 user:owner": 0, "good-first-issues:>0": 1, "help-wanted-issues:>0": 0, "template:true": 0, "template:false": 1, "mirror:false": 1,
	} {
		assert.Equal(t, want, search(w, "reader", "repositories", query).Int("total_count"), query)
	}
}

func TestSearchesThatAreRefused(t *testing.T) {
	w := talk(t)
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	for _, what := range []string{"issues", "code", "commits", "users", "repositories"} {
		assert.Equal(t, http.StatusUnprocessableEntity, search(w, "stranger", what, " ").Status, what)
	}
	for _, query := range []string{"x repo:owner/hello", "x repo:owner/none", "x user:nobody"} {
		for _, what := range []string{"issues", "code", "commits"} {
			reply := search(w, "stranger", what, query)
			assert.Equal(t, http.StatusUnprocessableEntity, reply.Status, what)
			assert.Equal(t, "The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.",
				reply.Text("errors.0.message"))
		}
	}
	assert.Zero(t, search(w, "stranger", "issues", "slow").Int("total_count"))
	assert.Zero(t, search(w, "stranger", "code", "Handle").Int("total_count"))
	assert.Equal(t, 2, search(w, "reader", "issues", "slow").Int("total_count"))
}

func TestSearchCode(t *testing.T) {
	w := talk(t)
	for query, want := range map[string]int{
		"Handle": 1, "handle package": 1, "Handle -package": 0, "main.go": 1, "Handle path:src": 1, "Handle path:/": 0, "hello path:/": 1, "Handle path:src/main.go": 1,
		"Handle extension:go": 1, "Handle extension:js": 0, "Handle filename:main": 1, "Handle language:go": 1, "Handle language:rust": 0,
		"x": 0, "Handle nothing:here": 0,
	} {
		assert.Equal(t, want, search(w, "reader", "code", query).Int("total_count"), query)
	}
	assert.Equal(t, http.StatusUnprocessableEntity, search(w, "reader", "code", "repo:owner/hello").Status, "a word is needed")
}

// GitHub documents what they are: an address at which there is a property, a part of
// that, and where in the part the words are.
func TestTextMatches(t *testing.T) {
	w := talk(t)
	var id, comment string
	w.Change(func(s *model.State, repo *model.Repo) {
		id = itoa(repo.ID)
		repo.Description, repo.Topics = "Says hello, and HELLO again", []string{"hello-world"}
		s.Label(repo, "bug").Description = "Not a feature"
		c, err := s.CreateComment(repo.OwnerID, repo, s.Issue(repo, 2), strings.Repeat("🙂", 101)+"Größe: STUCK, and stucker"+strings.Repeat("é", 101))
		require.NoError(t, err)
		comment = itoa(c.ID)
	})
	reader := w.As("reader")
	sha := reader.Get(base + "/git/ref/heads/main").Text("object.sha")
	type texts struct {
		Matches []struct {
			Object   string `json:"object_url"`
			Type     string `json:"object_type"`
			Property string
			Fragment string
			Matches  []struct {
				Text    string
				Indices [2]int
			}
		} `json:"text_matches"`
	}
	for _, c := range []struct {
		search string
		want   []string
	}{
		{"issues?q=start+CRASH", []string{`Issue ID/issues/2 title: Crash on start Crash[0:5] start[9:14]`}},
		{`issues?q="on+start"+OR+(start+nothing)`, []string{`Issue ID/issues/2 title: Crash on start on start[6:14]`}},
		{"issues?q=slow+is:closed", []string{`Issue ID/issues/1 title: It is slow slow[6:10]`}},
		{"issues?q=ask+OR+(-slow+is:queued)", []string{`Issue ID/issues/1 body: Ask @writer. Ask[0:3]`}},
		{"issues?q=fixes", []string{`Issue ID/issues/3 body: Fixes #2 Fixes[0:5]`}},
		{"issues?q=größe+stuck+stucker+-ask", []string{
			"IssueComment ID/issues/comments/COMMENT body: " + strings.Repeat("🙂", 100) + "Größe: STUCK, and stucker" + strings.Repeat("é", 80) + " Größe[100:105] STUCK[107:112] stucker[118:125]",
		}},
		{"issues?q=-crash+is:closed", nil},
		{"repositories?q=hello", []string{`Repository ID name: hello hello[0:5]`, `Repository ID description: Says hello, and HELLO again hello[5:10] HELLO[16:21]`}},
		{"repositories?q=hello+in:name", []string{`Repository ID name: hello hello[0:5]`}},
		{"repositories?q=says+in:description", []string{`Repository ID description: Says hello, and HELLO again Says[0:4]`}},
		{"users?q=OWNER", []string{`User API/users/owner login: owner owner[0:5]`, `User API/users/owner email: owner@example.com owner[0:5]`, `User API/users/owner name: The Owner Owner[4:9]`}},
		{"commits?q=FIRST", []string{`Commit ID/commits/` + sha + ` message: first first[0:5]`}},
		{"labels?q=feature+not&repository_id=" + id, []string{`Label ID/labels/bug description: Not a feature Not[0:3] feature[6:13]`}},
		{"labels?q=bug&repository_id=" + id, []string{`Label ID/labels/bug name: bug bug[0:3]`}},
		{"topics?q=world", []string{`Topic API/search/topics?q=hello-world name: hello-world world[6:11]`}},
		{"code?q=HANDLE+main", []string{
			"FileContent API" + base + "/contents/src/main.go?ref=" + sha + " content: package main\n\nfunc Handle() {}\n main[8:12] Handle[19:25]",
			"FileContent API" + base + "/contents/src/main.go?ref=" + sha + " path: src/main.go main[4:8]",
		}},
	} {
		for _, media := range []string{"application/vnd.github.text-match+json", "application/vnd.github.v3.text-match+json"} {
			reply := reader.Get("/search/"+c.search, "Accept", media)
			var found struct{ Items []texts }
			require.NoError(t, json.Unmarshal([]byte(reply.Body), &found), c.search)
			require.Len(t, found.Items, 1, c.search)
			require.NotNil(t, found.Items[0].Matches, "the field is there")
			var got []string
			for _, m := range found.Items[0].Matches {
				path := strings.TrimPrefix(m.Object, "https://api.github.com")
				assert.Equal(t, http.StatusOK, reader.Get(path).Status, m.Object)
				said := m.Type + " " + strings.Replace("API"+path, "API/repositories/"+id, "ID", 1) + " " + m.Property + ": " + m.Fragment
				for _, word := range m.Matches {
					assert.Equal(t, word.Text, string([]rune(m.Fragment)[word.Indices[0]:word.Indices[1]]), c.search)
					said += fmt.Sprintf(" %s[%d:%d]", word.Text, word.Indices[0], word.Indices[1])
				}
				got = append(got, strings.Replace(said, "comments/"+comment, "comments/COMMENT", 1))
			}
			assert.Equal(t, c.want, got, c.search)
		}
		assert.NotContains(t, reader.Get("/search/"+c.search).Body, "text_matches", "to who does not ask")
	}
}

func TestSearchCommitsAndUsers(t *testing.T) {
	w := talk(t)
	sha := w.As("reader").Get(base + "/git/ref/heads/main").Text("object.sha")
	for query, want := range map[string]int{
		"first": 1, "author:owner": 1, "author:reader": 0, "hash:" + sha: 1, "hash:" + sha[:6]: 0, "merge:true": 0, "first merge:false": 1,
		"author-email:owner@example.com": 1, `author-name:"the owner"`: 1, "author-date:>2020-01-01": 1, "committer-date:<2020-01-01": 0,
	} {
		assert.Equal(t, want, search(w, "reader", "commits", query).Int("total_count"), query)
	}
	assert.Equal(t, "owner/hello", search(w, "reader", "commits", "first").Text("items.0.repository.full_name"))
	for query, want := range map[string]int{
		"reader": 1, "THE": 1, "owner type:org": 0, "e type:user": 5, "user:reader": 1, "-reader e type:user": 4, "followers:>1": 0, "followers:0 type:org": 1, "repos:>0": 1, "fullname:owner": 1, "location:berlin": 0, "created:<2020-01-01": 0,
	} {
		assert.Equal(t, want, search(w, "reader", "users", query).Int("total_count"), query)
	}
}
