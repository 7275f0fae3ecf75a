package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const base = sandboxtest.Path

// withIssues is a world with so many issues.
func withIssues(t *testing.T, n int) *sandboxtest.World {
	t.Helper()
	w := sandboxtest.New(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		for i := range n {
			_, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: fmt.Sprint("issue ", i+1)})
			require.NoError(t, err)
		}
	})
	return w
}

func TestLinks(t *testing.T) {
	w := withIssues(t, 5)
	reader := w.As("reader")
	id := reader.Get(base).Int("id")
	link := func(rel string, query string) string {
		return fmt.Sprintf(`<%s/repositories/%d/issues?%s>; rel="%s"`, w.URL, id, query, rel)
	}
	for query, want := range map[string][]string{
		"":           nil,
		"per_page=5": nil,
		"per_page=2": {link("next", "per_page=2&page=2"), link("last", "per_page=2&page=3")},
		"page=2&per_page=2&state=all": {
			link("prev", "per_page=2&state=all&page=1"), link("next", "per_page=2&state=all&page=3"),
			link("last", "per_page=2&state=all&page=3"), link("first", "per_page=2&state=all&page=1"),
		},
		"per_page=2&page=3":  {link("prev", "per_page=2&page=2"), link("first", "per_page=2&page=1")},
		"per_page=2&page=99": {link("prev", "per_page=2&page=3"), link("first", "per_page=2&page=1")},
		"labels=none":        nil,
	} {
		assert.Equal(t, strings.Join(want, ", "), reader.Get(base+"/issues?"+query).Header.Get("Link"), query)
	}
}

func TestPages(t *testing.T) {
	w := withIssues(t, 101)
	reader := w.As("reader")
	for query, want := range map[string]int{
		"": 30, "per_page=0": 30, "per_page=-1": 30, "per_page=x": 30, "per_page=1000": 100, "per_page=100&page=2": 1,
		"page=0": 30, "page=-3": 30, "page=4": 11, "page=5": 0, "page=9223372036854775807": 0, "per_page=99999999999999999999": 30,
	} {
		reply := reader.Get(base + "/issues?" + query)
		assert.Equal(t, want, strings.Count(reply.Body, `"repository_url"`), query)
	}
	var all []int
	opts := &github.IssueListByRepoOptions{Direction: "asc", ListOptions: github.ListOptions{PerPage: 40}}
	for {
		issues, response, err := reader.REST.Issues.ListByRepo(t.Context(), "owner", "hello", opts)
		require.NoError(t, err)
		for _, i := range issues {
			all = append(all, i.GetNumber())
		}
		if response.NextPage == 0 {
			break
		}
		opts.Page = response.NextPage
	}
	assert.Len(t, all, 101)
	assert.IsIncreasing(t, all)
}

func TestConditionalRequests(t *testing.T) {
	w := withIssues(t, 1)
	reader := w.As("reader")
	first := reader.Get(base + "/issues")
	tag := first.Header.Get("ETag")
	assert.Regexp(t, `^W/"[0-9a-f]{64}"$`, tag)
	for _, known := range []string{tag, strings.TrimPrefix(tag, "W/"), `"x", ` + tag, "*"} {
		reply := reader.Get(base+"/issues", "If-None-Match", known)
		assert.Equal(t, http.StatusNotModified, reply.Status, known)
		assert.Empty(t, reply.Body)
		assert.Equal(t, tag, reply.Header.Get("ETag"))
	}
	assert.Equal(t, http.StatusOK, reader.Get(base+"/issues", "If-None-Match", `"x"`).Status)
	w.As("writer").Do("PATCH", base+"/issues/1", `{"title":"new"}`)
	assert.Equal(t, http.StatusOK, reader.Get(base+"/issues", "If-None-Match", tag).Status, "the tag changes with the answer")
	assert.Empty(t, reader.Get(base+"/none").Header.Get("ETag"))
}

func TestMediaTypes(t *testing.T) {
	w := sandboxtest.New(t)
	openPull(t, w, "f", "new.txt", "one\ntwo\n")
	reader := w.As("reader")
	head := reader.Get(base + "/pulls/1").Text("head.sha")
	const diff = "diff --git a/new.txt b/new.txt\nnew file mode 100644\nindex 0000000..814f4a4\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n"
	for _, c := range []struct{ path, accept, kind, begins string }{
		{"/pulls/1", "application/vnd.github.v3.diff", "diff", diff},
		{"/pulls/1", "application/vnd.github.diff", "diff", diff},
		{"/pulls/1", "text/html, application/vnd.github.v3.diff;q=1", "diff", diff},
		{"/pulls/1", "application/vnd.github.v3.patch", "patch", "From " + head + " Mon Sep 17 00:00:00 2001\nFrom: writer <"},
		{"/commits/f", "application/vnd.github.v3.diff", "diff", diff},
		{"/commits/f", "application/vnd.github.patch", "patch", "From " + head},
		{"/commits/f", "application/vnd.github.sha", "sha", head},
		{"/commits/main", "application/vnd.github.diff", "diff", "diff --git a/README.md b/README.md\nnew file"},
		{"/contents/README.md", "application/vnd.github.v3.raw", "raw", "# hello\n"},
		{"/contents/README.md", "application/vnd.github.raw+json", "raw", "# hello\n"},
	} {
		reply := reader.Get(base+c.path, "Accept", c.accept)
		assert.True(t, strings.HasPrefix(reply.Body, c.begins), "%s as %s: %s", c.path, c.accept, reply.Body)
		assert.Equal(t, "application/vnd.github.v3."+c.kind+"; charset=utf-8", reply.Header.Get("Content-Type"))
		assert.Equal(t, "github.v3; param="+c.kind, reply.Header.Get("X-GitHub-Media-Type"))
	}
	for _, accept := range []string{"", "*/*", "application/json", "application/vnd.github+json", "application/vnd.github.v3+json"} {
		assert.Equal(t, 1, reader.Get(base+"/pulls/1", "Accept", accept).Int("number"), accept)
	}
}

func TestBodiesAreInTheFormThatIsAskedFor(t *testing.T) {
	w := sandboxtest.New(t)
	writer := w.As("writer")
	writer.Do("POST", base+"/issues", map[string]any{"title": "a", "body": "**b** & <i>"})
	writer.Do("POST", base+"/issues/1/comments", map[string]any{"body": "_c_"})
	writer.Do("POST", base+"/issues", map[string]any{"title": "nothing is written"})
	const asHTML, asText = "<p><strong>b</strong> &amp; <!-- raw HTML omitted --></p>\n", "b &"
	for media, want := range map[string][]any{
		"full": {"**b** & <i>", asHTML, asText}, "html": {nil, asHTML, nil}, "text": {nil, nil, asText}, "raw": {"**b** & <i>", nil, nil},
	} {
		issue := writer.Get(base+"/issues/1", "Accept", "application/vnd.github."+media+"+json")
		assert.Equal(t, want, []any{issue.At("body"), issue.At("body_html"), issue.At("body_text")}, media)
		assert.Equal(t, 1, issue.Int("number"), media)
	}
	comments := writer.Get(base+"/issues/1/comments", "Accept", "application/vnd.github.v3.html+json")
	assert.Equal(t, "<p><em>c</em></p>\n", comments.Text("0.body_html"))
	assert.Equal(t, "github.v3; param=html; format=json", comments.Header.Get("X-GitHub-Media-Type"))
	assert.NotContains(t, writer.Get(base+"/issues/2", "Accept", "application/vnd.github.full+json").Body, "body_html")
}

// As a comment, a text has a line for each of its own, and links to what it names.
func TestMarkdownOfComments(t *testing.T) {
	w := withIssues(t, 2)
	openPull(t, w, "topic", "a.txt", "a\n")
	reader := w.As("reader")
	sha := reader.Get(base + "/git/ref/heads/main").Text("object.sha")
	gfm := func(text, context string) string {
		body := map[string]any{"text": text, "mode": "gfm"}
		if context != "" {
			body["context"] = context
		}
		reply := reader.Do("POST", "/markdown", body)
		assert.Equal(t, "text/html;charset=utf-8", reply.Header.Get("Content-Type"))
		return strings.TrimSpace(reply.Body)
	}
	links := regexp.MustCompile(`<a class="[^"]*"[^>]* href="([^"]*)">`)
	at := func(text, context string) string {
		return strings.ReplaceAll(links.ReplaceAllString(gfm(text, context), "<$1>"), "https://github.com/", "")
	}
	const here = "owner/hello"
	for _, c := range []struct{ text, context, want string }{
		{"a\nb", "", "<p>a<br>\nb</p>"},
		{"#1, GH-2: #3 and #9", here, "<p><owner/hello/issues/1>#1</a>, <owner/hello/issues/2>GH-2</a>: <owner/hello/pull/3>#3</a> and #9</p>"},
		{"#1 and owner/hello#1", "", "<p>#1 and <owner/hello/issues/1>owner/hello#1</a></p>"},
		{"#1", "owner/none", "<p>#1</p>"},
		{"@writer @nobody a@writer (@reader)", "", "<p><writer>@writer</a> @nobody a@writer (<reader>@reader</a>)</p>"},
		{"`#1` [#1](x) it's", here, `<p><code>#1</code> <a href="x">#1</a> it's</p>`},
		{sha, here, "<p><owner/hello/commit/" + sha + "><tt>" + sha[:7] + "</tt></a></p>"},
		{"owner/hello@" + sha, "", "<p><owner/hello/commit/" + sha + ">owner/hello@<tt>" + sha[:7] + "</tt></a></p>"},
		{"deadbeef", here, "<p>deadbeef</p>"},
		{"**#1**", here, "<p><strong><owner/hello/issues/1>#1</a></strong></p>"},
	} {
		assert.Equal(t, c.want, at(c.text, c.context), c.text)
	}
	assert.Contains(t, gfm("#1", here), `class="issue-link js-issue-link" data-error-text="Failed to load title" data-id="`)
	assert.Equal(t, "<p>a\n#1</p>\n", reader.Do("POST", "/markdown", map[string]any{"text": "a\n#1", "mode": "markdown", "context": here}).Body, "a document has none")
	assert.Equal(t, http.StatusUnprocessableEntity, reader.Do("POST", "/markdown", map[string]any{"text": "a", "mode": "html"}).Status)
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	assert.NotContains(t, w.As("stranger").Do("POST", "/markdown", map[string]any{"text": "owner/hello#1", "mode": "gfm"}).Body, "href", "who sees nothing is told nothing")
	reader.Do("POST", base+"/issues/1/comments", map[string]any{"body": "see\n#2"})
	assert.Contains(t, reader.Get(base+"/issues/1/comments", "Accept", "application/vnd.github.html+json").Text("0.body_html"), `see<br>`+"\n"+`<a class="issue-link`)
}

func TestBodiesThatAreWrong(t *testing.T) {
	w := withIssues(t, 1)
	owner := w.As("owner")
	for _, c := range []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"POST", "/issues", `{`, 400, "Problems parsing JSON"},
		{"POST", "/issues", `{"title":"x"} trailing`, 400, "Problems parsing JSON"},
		{"POST", "/issues", "\xff", 400, "Problems parsing JSON"},
		{"POST", "/issues", `[]`, 400, "Body should be a JSON object"},
		{"POST", "/issues", `null`, 400, "Body should be a JSON object"},
		{"POST", "/issues", `"title"`, 400, "Body should be a JSON object"},
		{"POST", "/issues", ``, 422, "Invalid request.\n\n\"title\" wasn't supplied."},
		{"POST", "/issues", `{"title":""}`, 422, "Validation Failed"},
		{"POST", "/issues", `{"title":[]}`, 422, "Invalid request.\n\nFor 'properties/title', [] is not a string or integer."},
		{"POST", "/issues", `{"title":"x","assignees":"me"}`, 422, "Invalid request.\n\nFor 'properties/assignees', \"me\" is not an array."},
		{"POST", "/issues", `{"title":"x","labels":5}`, 422, "Invalid request.\n\nFor 'properties/labels', 5 is not an array."},
		{"POST", "/issues", `{"title":"x","labels":[5]}`, 422, "Invalid request.\n\nFor 'items', 5 is not a string or object."},
		{"POST", "/issues", `{"title":"x","milestone":1.5}`, 422, "Invalid request.\n\nFor 'properties/milestone', 1.5 is not a string or integer or null."},
		{"POST", "/issues", `{"title":"x","milestone":99999999999999999999}`, 422, "Invalid request.\n\nFor 'properties/milestone', 99999999999999999999 is not a string or integer or null."},
		{"PATCH", "/issues/1", `{"milestone":{}}`, 422, "Invalid request.\n\nFor 'properties/milestone', {} is not a string or integer or null."},
		{"PATCH", "/issues/1", `{"labels":[{"name":[]}]}`, 422, "Invalid request.\n\nFor 'properties/name', [] is not a string."},
		{"POST", "/git/refs", `{"ref":"refs/heads/x"}`, 422, "Invalid request.\n\n\"sha\" wasn't supplied."},
		{"POST", "/git/refs", `{"sha":"x"}`, 422, "Invalid request.\n\n\"ref\" wasn't supplied."},
		{"POST", "/git/refs", `{"ref":"refs/heads/x","sha":"x"}`, 422, "The sha parameter must be exactly 40 characters and contain only [0-9a-f]."},
		{"PUT", "/contents/x", `{"content":""}`, 422, "Invalid request.\n\n\"message\" wasn't supplied."},
		{"PUT", "/contents/x", `{"message":"m"}`, 422, "Invalid request.\n\n\"content\" wasn't supplied."},
		{"PUT", "/contents/x", `{"message":"m","content":"!"}`, 422, "content is not valid Base64"},
		{"PUT", "/contents/x", `{"message":"m","content":"","author":{"name":"x","email":"y","date":"yesterday"}}`, 422, "Invalid request.\n\nyesterday is not a valid date-time."},
		{"PUT", "/contents/x", `{"message":"m","content":"","author":{"name":"x"}}`, 422, "Invalid request.\n\n\"email\" wasn't supplied."},
	} {
		reply := owner.Do(c.method, base+c.path, c.body)
		assert.Equal(t, c.status, reply.Status, "%s %s", c.path, c.body)
		assert.Equal(t, c.message, reply.Text("message"), "%s %s", c.path, c.body)
		assert.Equal(t, fmt.Sprint(c.status), reply.Text("status"))
	}
	reply := owner.Do("PATCH", base+"/issues/1", `{"labels":["a",{"name":"b"}],"milestone":null,"assignee":"writer","title":null}`)
	assert.Equal(t, http.StatusOK, reply.Status)
	assert.Equal(t, "issue 1", reply.Text("title"), "null leaves a text as it is")
	assert.Equal(t, "b", reply.Text("labels.1.name"), "labels are names or objects, mixed")
	assert.Equal(t, "writer", reply.Text("assignee.login"))
	assert.Nil(t, owner.Do("PATCH", base+"/issues/1", `{"assignee":null}`).At("assignee"))
}

func TestVersionsOfTheAPI(t *testing.T) {
	reader := sandboxtest.New(t).As("reader")
	for _, version := range []string{"", "2022-11-28", "2026-03-10"} {
		assert.Equal(t, http.StatusOK, reader.Get(base, "X-GitHub-Api-Version", version).Status, version)
	}
	for _, path := range []string{base, "/none"} {
		refused := reader.Get(path, "X-GitHub-Api-Version", "v3")
		assert.Equal(t, http.StatusBadRequest, refused.Status)
		assert.Equal(t, `The version you specified in the "X-GitHub-API-Version" request header, "v3", is not a supported version. `+
			`The following versions are currently supported: "2026-03-10" (most recent), "2022-11-28".`, refused.Text("message"))
	}
	written := reader.Do("POST", base+"/issues", `{"title": "x"}`, "X-GitHub-Api-Version", "2021-01-01")
	assert.Equal(t, http.StatusBadRequest, written.Status)
	assert.Equal(t, "[]", reader.Get(base+"/issues").Body)
}

// What the newer version has taken away: https://docs.github.com/rest/about-the-rest-api/breaking-changes.
func TestWhatTheNewerVersionHasTakenAway(t *testing.T) {
	w := withCI(t)
	writer, newer := withAll(w, "writer"), []string{"X-GitHub-Api-Version", "2026-03-10"}
	openPull(t, w, "g", "g.txt", "g")
	issue := writer.Do("POST", base+"/issues", `{"title": "x", "assignees": ["writer"]}`).Int("number")
	gist := writer.Do("POST", "/gists", `{"files": {"a": {"content": "b"}}}`).Text("id")
	has := func(r sandboxtest.Reply, field string) bool {
		in, name := r.Body, field
		if at := strings.LastIndex(field, "."); at >= 0 {
			inner, err := json.Marshal(r.At(field[:at]))
			require.NoError(t, err)
			in, name = string(inner), field[at+1:]
		}
		var object map[string]any
		require.NoError(t, json.Unmarshal([]byte(in), &object), field)
		_, there := object[name]
		return there
	}
	for path, fields := range map[string][2]string{
		"/rate_limit":               {"rate", "resources"},
		"/":                         {"hub_url authorizations_url", "user_url"},
		"/gists/" + gist:            {"forks history user", "forks_url"},
		"/gists":                    {"0.user", "0.owner"},
		base:                        {"has_downloads use_squash_pr_title_as_default", "has_issues forks forks_count"},
		base + "/issues":            {"0.assignee", "0.assignees 0.user"},
		base + "/pulls":             {"0.assignee 0.merge_commit_sha", "0.assignees"},
		base + "/pulls/1":           {"assignee merge_commit_sha base.repo.has_downloads", "assignees base.repo.has_issues user"},
		"/search/issues?q=is:issue": {"items.0.assignee", "items.0.assignees"},
		base + "/issues/" + itoa(int64(issue)) + "/events": {"", "0.assignee"},
	} {
		older, newer := writer.Get(path), writer.Get(path, newer...)
		require.Equal(t, http.StatusOK, newer.Status, path)
		assert.Equal(t, "2022-11-28", older.Header.Get("X-GitHub-Api-Version-Selected"))
		assert.Equal(t, "2026-03-10", newer.Header.Get("X-GitHub-Api-Version-Selected"))
		for field := range strings.FieldsSeq(fields[0]) {
			assert.True(t, has(older, field), "%s has %s", path, field)
			assert.False(t, has(newer, field), "%s has %s", path, field)
		}
		for field := range strings.FieldsSeq(fields[1]) {
			assert.True(t, has(newer, field), "%s keeps %s", path, field)
		}
	}
	dispatches := base + "/actions/workflows/ci.yml/dispatches"
	assert.Equal(t, http.StatusNoContent, writer.Do("POST", dispatches, `{"ref":"main"}`).Status)
	for _, run := range []sandboxtest.Reply{
		writer.Do("POST", dispatches, `{"ref":"main","return_run_details":true}`), writer.Do("POST", dispatches, `{"ref":"main"}`, newer...),
	} {
		require.Equal(t, http.StatusOK, run.Status)
		assert.Equal(t, "workflow_dispatch", writer.Get(base+"/actions/runs/"+itoa(int64(run.Int("workflow_run_id")))).Text("event"))
		assert.Contains(t, run.Text("html_url"), "https://github.com/owner/hello/actions/runs/")
	}
}
