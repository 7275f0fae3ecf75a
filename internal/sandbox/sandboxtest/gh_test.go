package sandboxtest_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// ghCase is what gh is asked for in a world of its own.
type ghCase struct {
	name string
	// before changes the world; nil leaves it as it is.
	before func(s *model.State, repo *model.Repo) error
	// local has gh run in a clone in which feat is checked out.
	local bool
	steps []step
	// after looks at what has become of the world; nil looks at nothing.
	after func(t *testing.T, s *model.State, repo *model.Repo)
}

// step is one command.
type step struct {
	// run is the command without "gh". Single quotes keep spaces together, and
	// {names} stand for what [ghCase.names] has.
	run string
	// code is the exit status.
	code int
	// want is JSON that the output has at least, or else lines of which each is
	// part of what gh prints.
	want string
}

// refused is the exit status of a command that GitHub refuses.
const refused = 1

// ghProgram is gh 2.62.
func ghProgram(t testing.TB) string {
	t.Helper()
	return realtool.Find(t, realtool.GH())
}

// runCases runs each case with gh 2.62.
func runCases(t *testing.T, cases []ghCase) {
	t.Helper()
	program := ghProgram(t)
	base := newWorld(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			gh := at(t, base.Clone(), program)
			gh.Env = append(gh.Env, "GH_REPO="+fullName)
			if c.before != nil {
				require.NoError(t, gh.world.Setup(func(s *model.State) error { return c.before(s, s.Repo(acme, widgets)) }))
			}
			if c.local {
				gh.Must(t, program, "repo", "clone", fullName, ".")
				gh.Must(t, realtool.Find(t, realtool.Git()), "checkout", "-q", "feat")
			}
			require.NoError(t, os.WriteFile(gh.Work+"/asset.txt", []byte("asset"), 0o600))
			names := namesIn(gh)
			for _, s := range c.steps {
				gh.step(t, names, s)
			}
			if c.after != nil {
				gh.world.Look(func(s *model.State) { c.after(t, s, s.Repo(acme, widgets)) })
			}
		})
	}
}

var named = regexp.MustCompile(`\{[a-z ]+\}`)

func (c *client) step(t *testing.T, names map[string]string, s step) {
	t.Helper()
	quoted := false
	args := strings.FieldsFunc(named.ReplaceAllStringFunc(s.run, func(name string) string {
		value, known := names[strings.Trim(name, "{}")]
		if !known {
			return name
		}
		return value
	}), func(r rune) bool {
		quoted = quoted != (r == '\'')
		return unicode.IsSpace(r) && !quoted
	})
	for n := range args {
		args[n] = strings.ReplaceAll(args[n], "'", "")
	}
	r := c.Run(t, c.program, args...)
	said := fmt.Sprintf("gh %s\n%s%s", s.run, r.Stdout, r.Stderr)
	if !assert.Equal(t, s.code, r.Code, said) {
		return
	}
	if strings.HasPrefix(s.want, "{") || strings.HasPrefix(s.want, "[") {
		var want, got any
		require.NoError(t, json.Unmarshal([]byte(s.want), &want), s.want)
		if assert.NoError(t, json.Unmarshal([]byte(r.Stdout), &got), said) {
			partOf(t, got, want, s.run)
		}
		return
	}
	for line := range strings.Lines(s.want) {
		assert.Contains(t, r.Stdout+r.Stderr, strings.TrimSuffix(line, "\n"), said)
	}
}

// partOf asserts that everything that is in a JSON value is in another one too:
// an object's fields by name, a list's elements in their places.
func partOf(t testing.TB, whole, part any, at string) {
	t.Helper()
	switch part := part.(type) {
	case map[string]any:
		object, _ := whole.(map[string]any)
		for name, value := range part {
			if assert.Contains(t, object, name, at) {
				partOf(t, object[name], value, at+"."+name)
			}
		}
	case []any:
		list, _ := whole.([]any)
		if assert.Len(t, list, len(part), "%s: %v", at, whole) {
			for n, value := range part {
				partOf(t, list[n], value, fmt.Sprintf("%s.%d", at, n))
			}
		}
	default:
		assert.Equal(t, part, whole, at)
	}
}

// namesIn are the ids that commands need of a world.
func namesIn(c *client) map[string]string {
	names := map[string]string{}
	c.world.Look(func(s *model.State) {
		for r := range s.Runs.All() {
			if r.HeadBranch == "topic" {
				names["run"], names["job"] = fmt.Sprint(r.ID), fmt.Sprint(r.Current().Jobs[1])
			}
		}
		for w := range s.Workflows.All() {
			names["workflow"] = fmt.Sprint(w.ID)
		}
		for p := range s.Projects.All() {
			names["project"] = model.NodeID(model.NodeProject, p.OwnerID, p.ID)
		}
		for f := range s.ProjectFields.All() {
			names[strings.ToLower(f.Name)+" field"] = model.FieldNodeID(f)
			if f.Name == "Status" {
				names["done"] = f.Options[2].ID
			}
		}
		for i := range s.ProjectItems.All() {
			names["item"] = model.NodeID(model.NodeProjectItem, i.ProjectID, i.ID)
		}
		head, _ := s.BranchHead(s.Repo(acme, widgets), "topic")
		names["head"] = head.String()
		// The review that comes next gets it.
		names["next"] = fmt.Sprint(s.LastID + 1)
		for _, comment := range s.CommentsOf(s.Pull(s.Repo(acme, widgets), 7)) {
			names["comment"] = model.NodeID(model.NodeComment, comment.RepoID, comment.ID)
		}
	})
	return names
}

// onMain commits a file on main.
func onMain(file string) func(s *model.State, repo *model.Repo) error {
	return func(s *model.State, repo *model.Repo) error {
		_, err := s.WriteFile(s.User(me).ID, repo, model.FileWrite{Path: file, Message: "Add " + file, Content: []byte("x\n")})
		return err
	}
}

// tip is the commit of a branch, the zero hash if there is none.
func tip(s *model.State, repo *model.Repo, branch string) gitstore.Hash {
	at, _ := s.BranchHead(repo, branch)
	return at
}

func labelsOf(s *model.State, i *model.Issue) []string {
	var names []string
	for _, id := range i.Labels {
		names = append(names, s.Labels.Get(id).Name)
	}
	return names
}

func loginsOf(s *model.State, ids []model.ID) []string {
	var logins []string
	for _, id := range ids {
		logins = append(logins, s.Login(id))
	}
	return logins
}

func TestGHAsksTheAPI(t *testing.T) {
	runCases(t, []ghCase{
		{name: "auth", steps: []step{
			{"auth status", 0, "Logged in to github.com account monalisa (GH_TOKEN)\nToken scopes: 'admin:public_key', 'delete_repo', 'gist', 'project', 'read:org', 'repo', 'workflow'"},
			{"auth token", 0, token},
			{"api user", 0, `{"login":"monalisa","name":"Mona Lisa","type":"User"}`},
			{"ssh-key list", 0, ""},
			{"ssh-key add asset.txt", refused, "provided key is not in a valid format"},
			{"status", 0, "Assigned Issues\nNothing here ^_^\nReview Requests\nMentions"},
			{"org list", 0, acme},
			{`api graphql -f 'query={organization(login:"acme"){membersWithRole(first:1){totalCount nodes{login} edges{role hasTwoFactorEnabled node{login}} pageInfo{hasNextPage}}}}' -q .data.organization.membersWithRole`, 0,
				`{"totalCount":2,"nodes":[{"login":"monalisa"}],"edges":[{"role":"ADMIN","hasTwoFactorEnabled":true,"node":{"login":"monalisa"}}],"pageInfo":{"hasNextPage":true}}`},
			{"ruleset list --org acme", 0, ""},
		}},
		{name: "pages, methods and previews", steps: []step{
			{"api --paginate repos/acme/widgets/issues?per_page=2 -q .[].number", 0, "7\n6\n5\n4\n3\n2\n1\n"},
			{"api --paginate --slurp repos/acme/widgets/issues?per_page=4", 0, `[[{"number":7},{"number":6},{"number":5},{"number":4}],[{},{},{"number":1}]]`},
			{"api -X POST repos/acme/widgets/issues/4/labels -f labels[]=bug", 0, `[{"name":"bug","color":"d73a4a"}]`},
			{"api -p corsair repos/acme/widgets", 0, `{"full_name":"acme/widgets","default_branch":"main","permissions":{"admin":true}}`},
			{"api -i --cache 1h repos/acme/widgets", 0, "HTTP/2.0 200 OK\nEtag: W/\"\nX-Ratelimit-Limit: 5000\nX-Github-Request-Id: "},
			{"api graphql --paginate -f 'query=query($endCursor:String){organization(login:\"acme\"){repositories(first:1,after:$endCursor){nodes{name} pageInfo{hasNextPage endCursor}}}}' -q .data.organization.repositories.nodes[].name", 0, "other\nwidgets"},
			{"api repos/{owner}/{repo}/pulls -q .[].number", 0, "7\n"},
			{"api repos/acme/none", refused, "gh: Not Found (HTTP 404)"},
			{"api -X DELETE repos/acme/widgets/labels/none", refused, "gh: Not Found (HTTP 404)"},
			{"api repos/acme/widgets/issues -f body=x", refused, "HTTP 422"},
			{"browse -n", 0, "https://github.com/acme/widgets"},
		}, after: func(t *testing.T, s *model.State, repo *model.Repo) {
			assert.Equal(t, []string{"bug"}, labelsOf(s, s.Issue(repo, 4)))
		}},
	})
}

func TestGHSearches(t *testing.T) {
	runCases(t, []ghCase{{name: "search", steps: []step{
		{"search issues crash --repo acme/widgets --label bug --json number,title,state", 0, `[{"number":3,"title":"Issue 3","state":"open"}]`},
		{"search prs --repo acme/widgets --state open --review none --json number", 0, `[{"number":7}]`},
		{"search prs --repo acme/widgets --state open --review required", 0, ""},
		{"search prs --author octocat --json number,isDraft", 0, `[{"number":7,"isDraft":false}]`},
		{"search code foo --repo acme/widgets", 0, `acme/widgets:main.go: func main() { println("foo") }`},
		{"search code println --owner acme --json path,repository", 0, `[{"path":"main.go","repository":{"nameWithOwner":"acme/widgets"}}]`},
		{"search commits topic.txt --repo acme/widgets --json sha,commit", 0, `[]`},
		{"search commits first --repo acme/widgets --json commit", 0, `[{"commit":{"message":"first"}}]`},
		{"search repos widgets --owner acme --json fullName,visibility", 0, `[{"fullName":"acme/widgets","visibility":"public"}]`},
		{"search issues --repo acme/none x", refused, "cannot be searched"},
	}}})
}
