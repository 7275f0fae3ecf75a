package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const ruled = "/repos/acme/widgets"

// What GitHub says.
const (
	noPull      = "Changes must be made through a pull request."
	noApproval  = "At least 1 approving review is required by reviewers with write access."
	noCheck     = `Required status check "ci" is expected.`
	noChecks    = "2 of 2 required status checks are expected."
	noSignature = "Commits must have verified signatures."
	mergeCommit = "This branch must not contain merge commits."
	forced      = "Cannot force-push to this branch"
	deleted     = "Cannot delete this branch"
	locked      = "Cannot change this locked branch"
	fixed       = "Cannot update this protected ref."
	stranger    = "You're not authorized to push to this branch. Visit https://docs.github.com/repositories/configuring-branches-and-merges-in-your-repository/managing-protected-branches/about-protected-branches for more information."
	lastPush    = "New changes require approval from someone other than the last pusher."
	codeOwner   = "Waiting on code owner review from admin."
)

// way is a way to change the branch "kept".
type way struct {
	name string
	// kind is what rules say of it: direct, mergecommit, merge, force or delete.
	kind string
	// do asks for it, and returns the status and the message.
	do func(w *ruledWorld, as *sandboxtest.Client, login string) (int, string)
	// said makes an answer of what is said.
	said func(words string, ruleset bool) (int, string)
}

// inREST is an answer of the REST API.
func inREST(status int, prefix string) func(string, bool) (int, string) {
	return func(words string, ruleset bool) (int, string) {
		if ruleset {
			return status, "Repository rule violations found\n\n" + strings.ReplaceAll(words, "|", "\n\n") + "\n\n"
		}
		return status, prefix + strings.ReplaceAll(words, "|", " ")
	}
}

// byGit is an answer to a push.
func byGit(words string, ruleset bool) (int, string) {
	lines := "- " + strings.ReplaceAll(words, "|", "\n\n- ")
	if ruleset {
		return http.StatusOK, "error: GH013: Repository rule violations found for refs/heads/kept.\nReview all repository rules at https://github.com/acme/widgets/rules?ref=refs%2Fheads%2Fkept\n\n" +
			lines + "\n\nng refs/heads/kept push declined due to repository rule violations"
	}
	return http.StatusOK, "error: GH006: Protected branch update failed for refs/heads/kept.\n\n" + lines + "\nng refs/heads/kept protected branch hook declined"
}

func byGraphQL(words string, ruleset bool) (int, string) {
	_, message := inREST(0, "")(words, ruleset)
	return http.StatusOK, message
}

func rest(method, path, body string) func(w *ruledWorld, as *sandboxtest.Client, login string) (int, string) {
	return func(w *ruledWorld, as *sandboxtest.Client, _ string) (int, string) {
		body := strings.NewReplacer("{ahead}", w.ahead.String(), "{other}", w.other.String()).Replace(body)
		reply := as.Do(method, ruled+path, body)
		if reply.Status == http.StatusNoContent {
			return reply.Status, ""
		}
		return reply.Status, reply.Text("message")
	}
}

func pushTo(to func(w *ruledWorld) gitstore.Hash) func(w *ruledWorld, as *sandboxtest.Client, login string) (int, string) {
	return func(w *ruledWorld, _ *sandboxtest.Client, login string) (int, string) {
		command := fmt.Sprintf("%s %s refs/heads/kept\x00report-status side-band-64k", w.tip, to(w))
		request, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, w.URL+"/acme/widgets.git/git-receive-pack", strings.NewReader(line(command)+"0000"))
		require.NoError(w.t, err)
		request.Host = "github.com"
		request.SetBasicAuth("x", sandboxtest.Token(login))
		answer := httptestAnswer(w, request)
		// Lengths and bands are left out.
		text := ""
		for rest := answer; len(rest) > 4; {
			var n int
			_, err := fmt.Sscanf(rest[:4], "%04x", &n)
			require.NoError(w.t, err, answer)
			if n < 5 {
				break
			}
			part := rest[5:n]
			if rest[4] == 1 {
				part = ""
				for inner := rest[5:n]; len(inner) > 4 && inner[:4] != "0000"; {
					var m int
					_, _ = fmt.Sscanf(inner[:4], "%04x", &m)
					if report := strings.TrimSpace(inner[4:m]); strings.HasPrefix(report, "ng ") {
						part += report
					}
					inner = inner[m:]
				}
			}
			text, rest = text+part, rest[n:]
		}
		return http.StatusOK, text
	}
}

func httptestAnswer(w *ruledWorld, request *http.Request) string {
	recorder := httptest.NewRecorder()
	w.World.ServeHTTP(recorder, request)
	require.Equal(w.t, http.StatusOK, recorder.Code, recorder.Body.String())
	return recorder.Body.String()
}

// ways are all ways to change a branch.
func ways() []way {
	const merging = `mutation($id: ID!) { mergePullRequest(input: {pullRequestId: $id, mergeMethod: MERGE}) { clientMutationId } }`
	return []way{
		{"git push", "direct", pushTo(func(w *ruledWorld) gitstore.Hash { return w.ahead }), byGit},
		{"git push --force", "force", pushTo(func(w *ruledWorld) gitstore.Hash { return w.other }), byGit},
		{"git push --delete", "delete", pushTo(func(*ruledWorld) gitstore.Hash { return gitstore.Hash{} }), byGit},
		{"contents", "direct", rest("PUT", "/contents/new.txt", `{"message":"m","content":"eA==","branch":"kept"}`), inREST(http.StatusConflict, "Could not create file: ")},
		{"refs", "direct", rest("PATCH", "/git/refs/heads/kept", `{"sha":"{ahead}"}`), inREST(http.StatusUnprocessableEntity, "")},
		{"refs by force", "force", rest("PATCH", "/git/refs/heads/kept", `{"sha":"{other}","force":true}`), inREST(http.StatusUnprocessableEntity, "")},
		{"deletion", "delete", rest("DELETE", "/git/refs/heads/kept", ""), inREST(http.StatusUnprocessableEntity, "")},
		{"merge API", "mergecommit", rest("POST", "/merges", `{"base":"kept","head":"side"}`), inREST(http.StatusConflict, "")},
		{"merge", "merge", rest("PUT", "/pulls/1/merge", `{"merge_method":"merge"}`), inREST(http.StatusMethodNotAllowed, "")},
		{"merge by GraphQL", "merge", func(w *ruledWorld, as *sandboxtest.Client, _ string) (int, string) {
			reply := as.GraphQL(merging, "id", w.pull)
			return reply.Status, reply.Text("errors.0.message")
		}, byGraphQL},
	}
}

// ruledWorld has a branch "kept", commits for it that are ahead of it and beside
// it, a branch "side" to be merged and a pull request from it.
type ruledWorld struct {
	*sandboxtest.World
	t                 *testing.T
	tip, ahead, other gitstore.Hash
	pull              string
}

// newRuledWorld makes the world of which each cell of the table has a copy.
func newRuledWorld(t *testing.T) *ruledWorld {
	t.Helper()
	base, err := sandbox.New()
	require.NoError(t, err)
	w := &ruledWorld{t: t}
	require.NoError(t, base.Setup(func(s *model.State) error {
		org := s.AddUser(model.NewUser{Login: "acme", Type: model.TypeOrganization})
		admin := s.AddUser(model.NewUser{Login: "admin"}).ID
		s.SetMember(org, admin, model.OrgOwner)
		repo := s.AddRepo(model.NewRepo{Owner: org.ID, Name: "widgets"})
		for _, login := range []string{"writer", "chosen"} {
			repo.Collaborators[s.AddUser(model.NewUser{Login: login}).ID] = model.PermWrite
		}
		require.NoError(t, s.PushInitial(admin, repo, []gitstore.Change{
			{Path: "README.md", Content: []byte("x\n")}, {Path: "CODEOWNERS", Content: []byte("*.md @writer\n/src/ @admin\n")},
		}, "first"))
		root, _ := s.BranchHead(repo, "main")
		write := func(branch, path string) gitstore.Hash {
			commit, err := s.WriteFile(s.User("writer").ID, repo, model.FileWrite{Path: path, Content: []byte("x\n"), Branch: branch, Message: "m"})
			require.NoError(t, err)
			return commit.Hash
		}
		for _, branch := range []string{"kept", "side", "other", "ahead"} {
			require.NoError(t, s.CreateRef(admin, repo, "refs/heads/"+branch, root))
		}
		write("side", "src/a.go")
		w.other = write("other", "b.txt")
		w.tip = write("kept", "kept.txt")
		require.NoError(t, s.UpdateRef(admin, repo, "refs/heads/ahead", w.tip, false))
		w.ahead = write("ahead", "c.txt")
		i, err := s.OpenPull(s.User("writer").ID, repo, model.NewPull{Title: "x", Head: "side", Base: "kept"})
		require.NoError(t, err)
		w.pull = model.NodeID(model.NodePull, repo.ID, i.Pull.ID)
		return nil
	}))
	w.World = &sandboxtest.World{World: base}
	return w
}

// copied is a copy of the world that is served.
func (w *ruledWorld) copied(t *testing.T) *ruledWorld {
	t.Helper()
	c := *w
	c.t, c.World = t, sandboxtest.Serve(t, w.World.World.Clone())
	return &c
}

const noChecksNoReviews = `"required_status_checks":null,"required_pull_request_reviews":null`

// ruleRows are the rules, in classic form and as a ruleset, and what GitHub says of
// each kind of change; "|" stands between two sentences.
var ruleRows = []struct {
	name, classic, ruleset                   string
	direct, mergecommit, merge, force, delet string
}{
	{
		"reviews", `"required_status_checks":null,"restrictions":null,"required_pull_request_reviews":{"required_approving_review_count":1}`,
		`{"type":"pull_request","parameters":{"required_approving_review_count":1,"dismiss_stale_reviews_on_push":false,"require_code_owner_review":false,"require_last_push_approval":false,"required_review_thread_resolution":false}}`,
		noPull, noPull, noApproval, noPull, "",
	},
	{
		"code owners", `"required_status_checks":null,"restrictions":null,"required_pull_request_reviews":{"required_approving_review_count":0,"require_code_owner_reviews":true}`,
		`{"type":"pull_request","parameters":{"required_approving_review_count":0,"dismiss_stale_reviews_on_push":false,"require_code_owner_review":true,"require_last_push_approval":false,"required_review_thread_resolution":false}}`,
		noPull, noPull, codeOwner, noPull, "",
	},
	{
		"approval of the last push", `"required_status_checks":null,"restrictions":null,"required_pull_request_reviews":{"required_approving_review_count":0,"require_last_push_approval":true}`,
		`{"type":"pull_request","parameters":{"required_approving_review_count":0,"dismiss_stale_reviews_on_push":false,"require_code_owner_review":false,"require_last_push_approval":true,"required_review_thread_resolution":false}}`,
		noPull, noPull, lastPush, noPull, "",
	},
	{
		"a check", `"required_pull_request_reviews":null,"restrictions":null,"required_status_checks":{"strict":false,"contexts":["ci"]}`,
		`{"type":"required_status_checks","parameters":{"strict_required_status_checks_policy":false,"required_status_checks":[{"context":"ci"}]}}`,
		noCheck, noCheck, noCheck, noCheck, "",
	},
	{
		"checks", `"required_pull_request_reviews":null,"restrictions":null,"required_status_checks":{"strict":true,"contexts":["ci","lint"]}`,
		`{"type":"required_status_checks","parameters":{"strict_required_status_checks_policy":true,"required_status_checks":[{"context":"ci"},{"context":"lint"}]}}`,
		noChecks, noChecks, noChecks, noChecks, "",
	},
	{
		"linear history", `"restrictions":null,"required_linear_history":true,` + noChecksNoReviews, `{"type":"required_linear_history"}`,
		"", mergeCommit, mergeCommit, "", "",
	},
	{
		"a locked branch", `"restrictions":null,"lock_branch":true,` + noChecksNoReviews, `{"type":"update"}`,
		locked, locked, locked, locked, locked,
	},
	{
		"who may push", `"restrictions":{"users":["chosen"],"teams":[],"apps":[]},` + noChecksNoReviews, "",
		stranger, stranger, stranger, stranger, stranger,
	},
	{
		"both checks and reviews", `"restrictions":null,"required_pull_request_reviews":{},"required_status_checks":{"strict":false,"contexts":["ci"]}`, "",
		noPull + "|" + noCheck, noPull + "|" + noCheck, noCheck + "|" + noApproval, noPull + "|" + noCheck, "",
	},
}

// Each cell is what GitHub answers to somebody who changes a branch by some way in
// spite of a rule for it.
func TestRulesForBranches(t *testing.T) {
	base := newRuledWorld(t)
	for _, row := range ruleRows {
		for _, form := range []string{"classic", "ruleset"} {
			body := row.classic
			if form == "ruleset" {
				body = row.ruleset
			}
			if body == "" {
				continue
			}
			t.Run(row.name+", "+form, func(t *testing.T) {
				for _, actor := range []struct {
					login string
					// enforced binds administrators too; bypass lets them pass.
					enforced bool
				}{{"writer", false}, {"admin", false}, {"admin", true}} {
					for _, way := range ways() {
						words := cell(row.name, form, actor.login, actor.enforced, map[string]string{
							"direct": row.direct, "mergecommit": row.mergecommit, "merge": row.merge, "force": row.force, "delete": row.delet,
						}[way.kind], way.kind)
						t.Run(fmt.Sprintf("%s by %s, enforced %t", way.name, actor.login, actor.enforced), func(t *testing.T) {
							w := base.copied(t)
							w.rule(form, body, actor.enforced)
							status, message := way.do(w, w.As(actor.login), actor.login)
							if words == "" {
								assert.Less(t, status, 300, message)
								assert.NotContains(t, message, "rror")
								return
							}
							wantStatus, want := way.said(words, form == "ruleset")
							assert.Equal(t, want, message)
							assert.Equal(t, wantStatus, status)
							w.Look(func(s *model.State) {
								tip, _ := s.BranchHead(s.Repo("acme", "widgets"), "kept")
								assert.Equal(t, w.tip, tip, "it is where it was")
							})
						})
					}
				}
			})
		}
	}
}

// cell returns what is said to an actor: what the rule itself says, and what every
// protection does.
func cell(row, form, login string, enforced bool, words, kind string) string {
	admin := login == "admin"
	if form == "ruleset" {
		// A ruleset forbids what it says and no more; who may bypass it, may all.
		if admin && !enforced {
			return ""
		}
		return strings.ReplaceAll(strings.ReplaceAll(words, locked, map[string]string{"delete": ""}[kind]+fixedUnless(kind)), deleted, "")
	}
	if admin && (!enforced || row == "who may push") {
		words = ""
	}
	always := map[string]string{"force": forced, "delete": deleted}[kind]
	switch {
	case always == "":
		return words
	case words == "":
		return always
	case strings.HasPrefix(words, noPull):
		return noPull + "|" + always + strings.TrimPrefix(words, noPull)
	default:
		return always + "|" + words
	}
}

// fixedUnless is what the update rule says: it is not about deletion.
func fixedUnless(kind string) string {
	if kind == "delete" {
		return ""
	}
	return fixed
}

// rule makes a rule for the branch, as an administrator.
func (w *ruledWorld) rule(form, body string, enforced bool) {
	w.t.Helper()
	admin := w.As("admin")
	if form == "classic" {
		reply := admin.Do("PUT", ruled+"/branches/kept/protection", fmt.Sprintf(`{"enforce_admins":%t,%s}`, enforced, body))
		require.Equal(w.t, http.StatusOK, reply.Status, reply.Body)
		return
	}
	bypass := `[{"actor_id":5,"actor_type":"RepositoryRole","bypass_mode":"always"}]`
	if enforced {
		bypass = "[]"
	}
	set := fmt.Sprintf(`{"name":"r","enforcement":"active","bypass_actors":%s,"conditions":{"ref_name":{"include":["refs/heads/kept"],"exclude":[]}},"rules":[%s]}`, bypass, body)
	require.True(w.t, json.Valid([]byte(set)), set)
	reply := admin.Do("POST", ruled+"/rulesets", set)
	require.Equal(w.t, http.StatusCreated, reply.Status, reply.Body)
}
