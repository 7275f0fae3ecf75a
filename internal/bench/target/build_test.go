package target_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	gh "github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/scenarios"
)

func small(t *testing.T, v bench.Variation) *world.Plan {
	t.Helper()
	w, err := world.Load(os.DirFS("testdata"), "small")
	require.NoError(t, err)
	plan, err := w.Draw(v)
	require.NoError(t, err)
	return plan
}

// made is a world that was built in this process.
type made struct {
	*testing.T
	*sandbox.World
	manifest bench.Manifest
	client   *github.Client
}

func inProcess(t *testing.T, plan *world.Plan) *made {
	t.Helper()
	w, manifest, err := target.BuildWorld(t.Context(), plan)
	require.NoError(t, err)
	return &made{t, w, manifest, clientOf(t, w, "ana")}
}

// clientOf serves a world and returns a client of an account.
func clientOf(t *testing.T, w *sandbox.World, login string) *github.Client {
	t.Helper()
	server, err := w.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = server.Close() })
	token := target.NewToken()
	w.AddToken(token, sandbox.Token{User: login, Scopes: []string{"project", "read:org", "repo", "workflow"}})
	client, err := github.New(github.Options{RESTURL: server.URL, Token: token})
	require.NoError(t, err)
	return client
}

// number is a number of the manifest.
func (m *made) number(path string) int {
	m.Helper()
	value, err := m.manifest.Lookup("resources." + path)
	require.NoError(m, err)
	return value.(int)
}

func (m *made) id(path string) int64 {
	m.Helper()
	value, err := m.manifest.Lookup("resources." + path)
	require.NoError(m, err)
	return value.(int64)
}

func (m *made) text(path string) string {
	m.Helper()
	value, err := m.manifest.Lookup("resources." + path)
	require.NoError(m, err)
	return fmt.Sprint(value)
}

const owner, repo = "acme", "ledger"

func TestS18IssuesAreAsTheWorldSays(t *testing.T) {
	m := inProcess(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	ctx, rest := t.Context(), m.client.REST
	i, _, err := rest.Issues.Get(ctx, owner, repo, m.number("issue_overflow.number"))
	require.NoError(t, err)
	assert.Equal(t, "Amounts overflow", i.GetTitle())
	assert.Equal(t, "Above "+m.text("limit.amount")+".", i.GetBody())
	assert.Equal(t, "guest", i.GetUser().GetLogin(), "who may not sort issues opens them, and another one sorts them")
	assert.Equal(t, "bug", i.Labels[0].GetName())
	assert.Equal(t, "ben", i.Assignees[0].GetLogin())
	assert.Equal(t, "1.0", i.GetMilestone().GetTitle())
	assert.Equal(t, "2025-09-03T08:00:01Z", i.GetCreatedAt().UTC().Format(time.RFC3339))
	comments, _, err := rest.Issues.ListComments(ctx, owner, repo, i.GetNumber(), nil)
	require.NoError(t, err)
	require.Len(t, comments, 2)
	assert.Equal(t, m.id("comment_seen.id"), comments[0].GetID())
	assert.Equal(t, 1, comments[0].GetReactions().GetPlusOne())
	assert.Equal(t, "guest", comments[1].GetUser().GetLogin())

	closed, _, err := rest.Issues.ListByRepo(ctx, owner, repo, &gh.IssueListByRepoOptions{State: "closed"})
	require.NoError(t, err)
	old := closed[slices.IndexFunc(closed, func(i *gh.Issue) bool { return i.GetTitle() == "Old" })]
	assert.Equal(t, "not_planned", old.GetStateReason())
	assert.Equal(t, "2025-09-06T08:00:01Z", old.GetClosedAt().UTC().Format(time.RFC3339))

	var reply struct {
		Repository struct {
			Issue struct {
				Parent    struct{ Number int }
				BlockedBy struct{ Nodes []struct{ Number int } }
			}
		}
	}
	require.NoError(t, m.client.GraphQL(ctx, `query($n: Int!) { repository(owner: "acme", name: "ledger") { issue(number: $n) { parent { number } blockedBy(first: 5) { nodes { number } } } } }`,
		map[string]any{"n": m.number("issue_publish.number")}, &reply))
	assert.Equal(t, m.number("issue_epic.number"), reply.Repository.Issue.Parent.Number)
	assert.Equal(t, m.number("issue_publish.parent_number"), reply.Repository.Issue.Parent.Number)
	assert.Equal(t, m.number("issue_publish.blocker_number"), reply.Repository.Issue.BlockedBy.Nodes[0].Number)
}

// Texts refer to others by their numbers, which only making them tells.
func TestS18TextsReferToIssues(t *testing.T) {
	m := inProcess(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	named := strings.NewReplacer("OVERFLOW", fmt.Sprint("#", m.number("issue_overflow.number")), "EPIC", fmt.Sprint("#", m.number("issue_epic.number")), "CUT", fmt.Sprint("#", m.number("issue_cut.number")))
	m.Look(func(s *model.State) {
		var texts []string
		for i := range s.Issues.All() {
			texts = append(texts, i.Body)
		}
		for c := range s.Comments.All() {
			texts = append(texts, c.Body)
		}
		for r := range s.Reviews.All() {
			texts = append(texts, r.Body)
		}
		for c := range s.ReviewComments.All() {
			texts = append(texts, c.Body)
		}
		for _, want := range []string{"Not as in OVERFLOW.", "See OVERFLOW and EPIC.", "Please see below, and CUT.", "Because of OVERFLOW.", "Good, EPIC says so."} {
			assert.Contains(t, texts, named.Replace(want))
		}
		sources := 0
		for e := range s.Events.All() {
			if e.Kind == model.EventCrossReferenced && s.Issues.Get(e.IssueID).Number == m.number("issue_overflow.number") {
				sources++
			}
		}
		assert.Equal(t, 2, sources, "an issue and a pull request")
	})
}

func TestS18PullRequestsAreAsTheWorldSays(t *testing.T) {
	m := inProcess(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	ctx, rest := t.Context(), m.client.REST
	pr, _, err := rest.PullRequests.Get(ctx, owner, repo, m.number("pr_tabs.number"))
	require.NoError(t, err)
	assert.Equal(t, m.text("pr_tabs.head_sha"), pr.GetHead().GetSHA())
	assert.Equal(t, 2, pr.GetCommits())
	assert.Equal(t, 2, pr.GetChangedFiles())
	assert.Equal(t, "bug", pr.Labels[0].GetName())
	reviews, _, err := rest.PullRequests.ListReviews(ctx, owner, repo, pr.GetNumber(), nil)
	require.NoError(t, err)
	assert.Equal(t, "CHANGES_REQUESTED", reviews[0].GetState())
	assert.Equal(t, "ana", reviews[0].GetUser().GetLogin())
	assert.Equal(t, m.id("review.id"), reviews[0].GetID())
	comments, _, err := rest.PullRequests.ListComments(ctx, owner, repo, pr.GetNumber(), nil)
	require.NoError(t, err)
	require.Len(t, comments, 3)
	assert.Equal(t, "Why eight?", comments[0].GetBody())
	assert.Equal(t, 1, comments[0].GetLine(), "the line is found by its text")
	assert.Equal(t, m.id("thread_open.comment_id"), comments[0].GetID())
	assert.Equal(t, comments[0].GetID(), comments[2].GetInReplyTo())
	assert.Equal(t, "ben", comments[2].GetUser().GetLogin())
	resolved := func(thread string) bool {
		var reply struct{ Node struct{ IsResolved bool } }
		require.NoError(t, m.client.GraphQL(ctx, `query($id: ID!) { node(id: $id) { ... on PullRequestReviewThread { isResolved } } }`, map[string]any{"id": m.text(thread + ".id")}, &reply))
		return reply.Node.IsResolved
	}
	assert.False(t, resolved("thread_open"))
	assert.True(t, resolved("thread_resolved"))
	assert.Equal(t, 2, m.number("pr_tabs.thread_count"))
	assert.Equal(t, 1, m.number("pr_tabs.unresolved_count"))

	state := map[string]string{}
	all, _, err := rest.PullRequests.List(ctx, owner, repo, &gh.PullRequestListOptions{State: "all"})
	require.NoError(t, err)
	for _, pr := range all {
		state[pr.GetTitle()] = fmt.Sprintf("%s draft=%t merged=%t base=%s", pr.GetState(), pr.GetDraft(), pr.MergedAt != nil, pr.GetBase().GetRef())
	}
	assert.Equal(t, map[string]string{
		"Read tabs": "open draft=false merged=false base=main", "Count emoji": "open draft=true merged=false base=main",
		"On top": "open draft=false merged=false base=fix-tabs", "Merged already": "closed draft=false merged=true base=main", "Given up": "closed draft=false merged=false base=main",
	}, state)
	branches, _, err := rest.Repositories.ListBranches(ctx, owner, repo, nil)
	require.NoError(t, err)
	var names []string
	for _, b := range branches {
		names = append(names, b.GetName())
	}
	assert.ElementsMatch(t, []string{"main", "release/0.9", "fix-tabs", "add-emoji", "on-top", "given-up"}, names, "the merged one is gone")
	main, _, err := rest.Repositories.GetBranch(ctx, owner, repo, "main", 0)
	require.NoError(t, err)
	assert.Equal(t, m.text("pr_merged.merge_commit_sha"), main.GetCommit().GetSHA())
}

func TestS18HistoryIsAsTheWorldSays(t *testing.T) {
	m := inProcess(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	commits, _, err := m.client.REST.Repositories.ListCommits(t.Context(), owner, repo, nil)
	require.NoError(t, err)
	require.Len(t, commits, 8)
	messages := ""
	for _, c := range slices.Backward(commits) {
		messages += c.GetCommit().GetMessage() + "\n"
	}
	assert.Regexp(t, `^Initial commit\nSet up the project\nBegin (.*\n){4}Limit amounts to \d\d\nMerge me \(#12\)`, messages)
	limit := commits[1]
	assert.Equal(t, "ben", limit.GetAuthor().GetLogin(), "the address is the account's")
	assert.Equal(t, "Ben Adler", limit.GetCommit().GetAuthor().GetName())
	assert.Equal(t, "2025-09-22T08:00:00Z", limit.GetCommit().GetAuthor().GetDate().UTC().Format(time.RFC3339))
	assert.Equal(t, m.text("commit_limit.sha"), limit.GetSHA())
	file, _, _, err := m.client.REST.Repositories.GetContents(t.Context(), owner, repo, "amount.ts", nil)
	require.NoError(t, err)
	text, err := file.GetContent()
	require.NoError(t, err)
	assert.Contains(t, text, "max = "+m.text("limit.amount"))
}

func TestS18RunsEndAsTheWorldSays(t *testing.T) {
	for n := range 4 {
		m := inProcess(t, small(t, bench.Variation{Seed: 1, Number: n}))
		ctx, actions := t.Context(), m.client.REST.Actions
		failing := strings.TrimPrefix(m.text("pr_failing.head_branch"), "fix-")
		ends := map[string]string{}
		for _, name := range []string{"run_tabs", "run_emoji", "run_main", "run_nightly"} {
			run, _, err := actions.GetWorkflowRunByID(ctx, owner, repo, m.id(name+".id"))
			require.NoError(t, err)
			ends[name] = run.GetConclusion()
		}
		want := map[string]string{"run_tabs": "success", "run_emoji": "success", "run_main": "success", "run_nightly": "success"}
		job := "job_emoji"
		if failing == "tabs" {
			job = "job_tabs"
		}
		want["run_"+strings.TrimPrefix(job, "job_")] = "failure"
		assert.Equal(t, want, ends)
		m.Look(func(s *model.State) {
			j := s.Jobs.Get(m.id(job + ".id"))
			step := j.Steps[2]
			assert.Equal(t, 90*time.Second, step.EndedAt.Sub(step.StartedAt))
			lines := strings.Split(strings.TrimSpace(step.Log), "\n")
			require.Len(t, lines, 2+1+50+2+1+1)
			assert.Regexp(t, `ok 1 (parser|printer|lexer) \dms$`, lines[3])
			assert.True(t, strings.HasSuffix(lines[55], "not ok: "+m.text("pr_failing.test")))
			assert.Less(t, lines[3], lines[55], "the times go on")
			assert.Equal(t, model.Failure, step.Conclusion)
			run := s.Runs.Get(m.id("run_nightly.id"))
			assert.Equal(t, map[string]string{"depth": "3"}, run.Inputs)
		})
	}
}

func TestS18ReleasesAndBoardsAreAsTheWorldSays(t *testing.T) {
	m := inProcess(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	ctx := t.Context()
	releases, _, err := m.client.REST.Repositories.ListReleases(ctx, owner, repo, nil)
	require.NoError(t, err)
	require.Len(t, releases, 2)
	assert.Equal(t, "v1.0.0 true", fmt.Sprintf("%s %t", releases[0].GetTagName(), releases[0].GetDraft()))
	assert.Equal(t, "0.9", releases[1].GetName())
	assert.Equal(t, m.id("release.id"), releases[1].GetID())
	require.Len(t, releases[1].Assets, 1)
	assert.Equal(t, 15, releases[1].Assets[0].GetSize())
	assert.Equal(t, m.id("asset.id"), releases[1].Assets[0].GetID())

	var reply struct {
		Node struct {
			Title  string
			Public bool
			Items  struct {
				Nodes []struct {
					ID      string
					Content struct{ Title string }
					Status  struct{ Name string }
					Size    struct{ Name string }
					Points  struct{ Number float64 }
				}
			}
		}
	}
	require.NoError(t, m.client.GraphQL(ctx, `query($id: ID!) { node(id: $id) { ... on ProjectV2 { title public items(first: 10) { nodes { id
		content { ... on Issue { title } ... on PullRequest { title } ... on DraftIssue { title } }
		status: fieldValueByName(name: "Status") { ... on ProjectV2ItemFieldSingleSelectValue { name } }
		size: fieldValueByName(name: "Size") { ... on ProjectV2ItemFieldSingleSelectValue { name } }
		points: fieldValueByName(name: "Points") { ... on ProjectV2ItemFieldNumberValue { number } } } } } } }`, map[string]any{"id": m.text("board.id")}, &reply))
	assert.Equal(t, "Plan", reply.Node.Title)
	assert.True(t, reply.Node.Public)
	items := reply.Node.Items.Nodes
	require.Len(t, items, 3)
	assert.Equal(t, m.text("item_overflow.id"), items[0].ID)
	assert.Equal(t, "Amounts overflow In Progress L 5", fmt.Sprintf("%s %s %s %g", items[0].Content.Title, items[0].Status.Name, items[0].Size.Name, items[0].Points.Number))
	assert.Equal(t, "Read tabs Done", items[1].Content.Title+" "+items[1].Status.Name)
	assert.Equal(t, "A draft", items[2].Content.Title)
	assert.Contains(t, m.manifest.Resources["field_size"]["options"], "L")
}

func TestTheManifestHasWhatTheWorldPromises(t *testing.T) {
	w, err := world.Load(os.DirFS("testdata"), "small")
	require.NoError(t, err)
	promised, err := w.Made()
	require.NoError(t, err)
	for n := range 3 {
		plan, err := w.Draw(bench.Variation{Number: n})
		require.NoError(t, err)
		m := inProcess(t, plan)
		assert.ElementsMatch(t, slices.Collect(maps.Keys(promised)), slices.Collect(maps.Keys(m.manifest.Resources)))
		for name, fields := range promised {
			if name == "pr_failing" {
				// It stands for one of several objects.
				continue
			}
			assert.ElementsMatch(t, fields, slices.Collect(maps.Keys(m.manifest.Resources[name])), name)
			for field, value := range m.manifest.Resources[name] {
				assert.NotZero(t, cmp.Or(fmt.Sprint(value), ""), "%s.%s", name, field)
				assert.NotNil(t, value, "%s.%s", name, field)
			}
		}
		assert.Equal(t, bench.ManifestRepo{Owner: owner, Name: repo, FullName: "acme/ledger", DefaultBranch: "main"}, m.manifest.Repo)
	}
}

func TestS15EqualVariationsMakeEqualSnapshots(t *testing.T) {
	saved := func(v bench.Variation) []byte {
		m := inProcess(t, small(t, v))
		var snapshot bytes.Buffer
		require.NoError(t, m.Save(&snapshot))
		return snapshot.Bytes()
	}
	first := saved(bench.Variation{Seed: 9, Number: 4})
	assert.True(t, bytes.Equal(first, saved(bench.Variation{Seed: 9, Number: 4})), "byte for byte")
	assert.False(t, bytes.Equal(first, saved(bench.Variation{Seed: 9, Number: 5})))
}

// elsewhere is a second sandbox, which is reached by its URL alone.
type elsewhere struct {
	*sandbox.World
	clients target.Clients
	options target.Options
	skipped []string
}

// newElsewhere has accounts and an empty repository, "team/books".
func newElsewhere(t *testing.T, accounts ...string) *elsewhere {
	t.Helper()
	w, err := sandbox.New()
	require.NoError(t, err)
	require.NoError(t, w.Setup(func(s *model.State) error {
		team := s.AddUser(model.NewUser{Login: "team", Type: model.TypeOrganization})
		r := s.AddRepo(model.NewRepo{Owner: team.ID, Name: "books"})
		for _, login := range accounts {
			u := s.AddUser(model.NewUser{Login: login})
			s.SetMember(team, u.ID, model.OrgOwner)
			r.Collaborators[u.ID] = model.PermAdmin
		}
		return nil
	}))
	e := &elsewhere{World: w, clients: target.Clients{People: map[string]*github.Client{}}, options: target.Options{Repo: "team/books"}}
	for _, login := range accounts {
		e.clients.People[login] = clientOf(t, w, login)
	}
	e.clients.Main = e.clients.People[accounts[0]]
	e.options.Skipped = func(what string, reason error) { e.skipped = append(e.skipped, what+": "+reason.Error()) }
	return e
}

func (e *elsewhere) build(t *testing.T, plan *world.Plan) (bench.Manifest, error) {
	t.Helper()
	return target.Build(t.Context(), plan, e.clients, e.options)
}

// summary lists what a world has, without ids and times.
func summary(w *sandbox.World, names *strings.Replacer) []string {
	var all []string
	note := func(format string, args ...any) { all = append(all, names.Replace(fmt.Sprintf(format, args...))) }
	w.Look(func(s *model.State) {
		for i := range s.Issues.All() {
			note("#%d %s by %s closed=%t pull=%t", i.Number, i.Title, s.Login(i.AuthorID), i.Closed, i.Pull != nil)
		}
		for c := range s.Comments.All() {
			note("comment by %s: %s", s.Login(c.AuthorID), c.Body)
		}
		for r := range s.Reviews.All() {
			note("review by %s: %s %s", s.Login(r.AuthorID), r.State, r.Body)
		}
		for c := range s.ReviewComments.All() {
			note("in a thread %s: %s", s.Login(c.AuthorID), c.Body)
		}
		for r := range s.Releases.All() {
			note("release %s with %d assets", r.TagName, len(r.Assets))
		}
		for p := range s.Projects.All() {
			note("board %s with %d items", p.Title, s.ProjectItems.Len())
		}
		for r := range s.Repos.All() {
			for _, ref := range r.Git.Refs("refs/") {
				note("%s", ref.Name)
			}
		}
		note("%d labels, %d milestones, %d runs", s.Labels.Len(), s.Milestones.Len(), s.Runs.Len())
	})
	return all
}

func TestASecondSandboxByURLIsFilledBySeveralAccounts(t *testing.T) {
	plan := small(t, bench.Variation{Seed: 1, Number: 1})
	there := newElsewhere(t, "ana", "ben", "noor", "guest")
	m, err := there.build(t, plan)
	require.NoError(t, err)
	assert.Empty(t, there.skipped)
	assert.Equal(t, "team/books", m.Repo.FullName)
	here := inProcess(t, plan)
	assert.Equal(t, summary(here.World, strings.NewReplacer()), summary(there.World, strings.NewReplacer()), "only the run's ends are not the same: these are told to the sandbox")
	for name, fields := range here.manifest.Resources {
		assert.ElementsMatch(t, slices.Collect(maps.Keys(fields)), slices.Collect(maps.Keys(m.Resources[name])), name)
	}
	assert.Equal(t, "team", m.Resources["board"]["owner"], "an organization that is not there has its boards with the repository")
}

// So is the large world: all of its people are there, and everything that they
// write.
func TestS18TheShippedWorldIsMadeInASecondSandboxByURL(t *testing.T) {
	testkit.NeedComplete(t)
	file, err := world.Load(scenarios.Files, "parcelkit")
	require.NoError(t, err)
	plan, err := file.Draw(bench.Variation{Seed: 1, Number: 1})
	require.NoError(t, err)
	var people []string
	for _, a := range plan.Accounts {
		if !a.Organization() {
			people = append(people, a.Login)
		}
	}
	there := newElsewhere(t, people...)
	m, err := there.build(t, plan)
	require.NoError(t, err)
	assert.Empty(t, there.skipped)
	here, manifest, err := target.BuildWorld(t.Context(), plan)
	require.NoError(t, err)
	assert.Equal(t, summary(here, strings.NewReplacer()), summary(there.World, strings.NewReplacer()))
	assert.ElementsMatch(t, slices.Collect(maps.Keys(manifest.Resources)), slices.Collect(maps.Keys(m.Resources)))
	assert.Equal(t, manifest.Resources["issue_duplicate"]["number"], m.Resources["issue_duplicate"]["number"])
}

func TestASingleAccountDoesEverything(t *testing.T) {
	there := newElsewhere(t, "solo")
	m, err := there.build(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	require.NoError(t, err)
	here := inProcess(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	everybody := strings.NewReplacer("by ana", "by solo", "by ben", "by solo", "by noor", "by solo", "by guest", "by solo",
		"in a thread ana", "in a thread solo", "in a thread ben", "in a thread solo", "CHANGES_REQUESTED", "COMMENTED")
	assert.Equal(t, summary(here.World, everybody), summary(there.World, everybody))
	assert.Equal(t, []string{
		"a request of a review by ana: solo is who opened the pull request",
		"ana's review of Read tabs: solo is who opened the pull request: it becomes a comment",
	}, there.skipped)
	assert.Equal(t, "solo", m.Resources["issue_overflow"]["assignee"])

	strict := newElsewhere(t, "solo")
	strict.options.Skipped = nil
	_, err = strict.build(t, small(t, bench.Variation{Seed: 1, Number: 1}))
	require.Error(t, err)
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

func TestWhereAWorldCannotBeBuilt(t *testing.T) {
	plan := func() *world.Plan { return small(t, bench.Variation{}) }
	cases := []struct {
		name, want string
		kind       fault.Kind
		prepare    func(e *elsewhere)
	}{
		{"a repository that is not there", "look up repository team/none: ", fault.Invalid, func(e *elsewhere) { e.options.Repo = "team/none" }},
		{"a repository with commits", "repository team/books has commits: a world needs one that is empty", fault.Invalid, func(e *elsewhere) {
			_, _, err := e.clients.Main.REST.Repositories.CreateFile(t.Context(), "team", "books", "a", &gh.RepositoryContentFileOptions{Message: gh.String("m"), Content: []byte("a")})
			require.NoError(t, err)
		}},
		{"another default branch", "the default branch of team/books is trunk, and the world's is main", fault.Invalid, func(e *elsewhere) {
			require.NoError(t, e.Setup(func(s *model.State) error { s.Repo("team", "books").DefaultBranch = "trunk"; return nil }))
		}},
		{"a token that is no good", "look up the account that is ana: ", fault.Invalid, func(e *elsewhere) {
			client, err := github.New(github.Options{RESTURL: e.clients.Main.REST.BaseURL.String(), Token: "ghp_wrong"})
			require.NoError(t, err)
			e.clients = target.Clients{Main: client}
		}},
		{"a pace that is broken off", "begin the history of acme/ledger: ", fault.Infrastructure, func(e *elsewhere) {
			e.options.Pace = func(context.Context) error { return context.Canceled }
		}},
		{"a GitHub that fails", "make board \"Plan\": ", fault.Infrastructure, func(e *elsewhere) {
			e.clients.People["ana"] = broken(t, e, "createProjectV2(")
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			e := newElsewhere(t, "ana", "ben", "noor", "guest")
			c.prepare(e)
			_, err := e.build(t, plan())
			require.Error(t, err)
			assert.Contains(t, fault.Public(err), c.want)
			assert.Equal(t, c.kind, fault.KindOf(err))
		})
	}
}

// broken is ana's client to a GitHub that fails where a request has a text.
func broken(t *testing.T, e *elsewhere, text string) *github.Client {
	t.Helper()
	token := target.NewToken()
	e.AddToken(token, sandbox.Token{User: "ana", Scopes: []string{"project", "repo"}})
	client, err := github.New(github.Options{RESTURL: e.clients.Main.REST.BaseURL.String(), Token: token, Transport: failing{text}})
	require.NoError(t, err)
	return client
}

// failing passes requests on, but for those that have a text.
type failing struct{ text string }

func (f failing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		if strings.Contains(string(body), f.text) {
			return nil, errors.New("connection reset")
		}
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	return http.DefaultTransport.RoundTrip(r)
}
