package gql_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/gql"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func TestSchemaAndResolversFit(t *testing.T) {
	_, err := gql.New()
	assert.NoError(t, err)
}

func TestWhatIsNotThere(t *testing.T) {
	w := newWorld(t)
	for query, c := range map[string]struct{ path, message string }{
		`{ repository(owner: "owner", name: "none") { id } }`:                                            {"repository", "Could not resolve to a Repository with the name 'owner/none'."},
		`{ repository(owner: "owner", name: "hello") { issue(number: 9) { id } } }`:                      {"repository.issue", "Could not resolve to an Issue with the number of 9."},
		`{ repository(owner: "owner", name: "hello") { issue(number: 2) { id } } }`:                      {"repository.issue", "Could not resolve to an Issue with the number of 2."},
		`{ repository(owner: "owner", name: "hello") { issue(number: -1) { id } } }`:                     {"repository.issue", "Could not resolve to an Issue with the number of -1."},
		`{ repository(owner: "owner", name: "hello") { pullRequest(number: 1) { id } } }`:                {"repository.pullRequest", "Could not resolve to a PullRequest with the number of 1."},
		`{ repository(owner: "owner", name: "hello") { issueOrPullRequest(number: 9) { __typename } } }`: {"repository.issueOrPullRequest", "Could not resolve to an issue or pull request with the number of 9."},
		`{ user(login: "nobody") { id } }`:                                                               {"user", "Could not resolve to a User with the login of 'nobody'."},
		`{ user(login: "github") { id } }`:                                                               {"user", "Could not resolve to a User with the login of 'github'."},
		`{ user(login: "github-actions[bot]") { id } }`:                                                  {"user", "Could not resolve to a User with the login of 'github-actions[bot]'."},
		`{ organization(login: "owner") { id } }`:                                                        {"organization", "Could not resolve to an Organization with the login of 'owner'."},
		`{ node(id: "I_none") { id } }`:                                                                  {"node", "Could not resolve to a node with the global id of 'I_none'"},
		`{ node(id: "") { id } }`:                                                                        {"node", "Could not resolve to a node with the global id of ''"},
	} {
		reply := w.As("reader").GraphQL(query)
		assert.Equal(t, "NOT_FOUND", reply.Text("errors.0.type"), query)
		assert.Equal(t, c.message, reply.Text("errors.0.message"), query)
		assert.Nil(t, reply.At("errors.1"), "gh reads exactly one")
		assert.NotNil(t, reply.At("errors.0.locations.0.line"), query)
		var path []string
		for n := range strings.Count(c.path, ".") + 1 {
			path = append(path, reply.Text(fmt.Sprint("errors.0.path.", n)))
		}
		assert.Equal(t, c.path, strings.Join(path, "."), query)
		assert.Contains(t, reply.Body, `null`, query)
		assert.Nil(t, reply.At("data."+c.path), query)
	}
	both := w.As("reader").GraphQL(`{ user(login: "github") { id } organization(login: "github") { login } }`)
	assert.Equal(t, "github", both.Text("data.organization.login"), "what is there is answered beside what is not")
	assert.Nil(t, w.As("reader").GraphQL(`{ repositoryOwner(login: "nobody") { login } }`).At("errors"))
}

func TestFieldsThatAreNotThere(t *testing.T) {
	w := newWorld(t)
	reply := w.As("reader").GraphQL(`query Q { viewer { login nothing } }`)
	assert.Equal(t, "Field 'nothing' doesn't exist on type 'User'", reply.Text("errors.0.message"))
	assert.Equal(t, "undefinedField", reply.Text("errors.0.extensions.code"))
	assert.NotContains(t, reply.Body, `"data"`)
}

func TestIssuesOfARepositoryWithoutIssues(t *testing.T) {
	w := newWorld(t)
	w.Change(func(_ *model.State, repo *model.Repo) { repo.HasIssues = false })
	reply := w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { hasIssuesEnabled issue(number: 1) { id } } }`)
	assert.Equal(t, false, reply.At("data.repository.hasIssuesEnabled"))
	assert.Equal(t, "NOT_FOUND", reply.Text("errors.0.type"))
	reply = w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { issues { totalCount } issueOrPullRequest(number: 2) { __typename } } }`)
	assert.Equal(t, 0, reply.Int("data.repository.issues.totalCount"))
	assert.Equal(t, "PullRequest", reply.Text("data.repository.issueOrPullRequest.__typename"))
}

func TestAliasesAndFragments(t *testing.T) {
	w := newWorld(t)
	reply := w.As("reader").GraphQL(`
query Two($n: Int!) {
  repository(owner: "owner", name: "hello") {
    one: issueOrPullRequest(number: 1) { ...on Issue { ...said state } ... on PullRequest { merged } }
    two: issueOrPullRequest(number: $n) { __typename ... on Comment { ...said } ... on PullRequest { state headRefName } }
    owner { __typename ... on User { name } ... on Organization { description: name } }
    requested: pullRequest(number: $n) { reviewRequests(first: 9) { nodes { requestedReviewer { ... on User { login } ... on Bot { login } } } } }
  }
}
fragment said on Comment { author { login ... on User { isViewer } } body }`, "n", 2)
	require.Nil(t, reply.At("errors"), reply.Body)
	assert.Equal(t, map[string]any{"author": map[string]any{"login": "owner", "isViewer": false}, "body": "it is", "state": "OPEN"}, reply.At("data.repository.one"))
	assert.Equal(t, "PullRequest", reply.Text("data.repository.two.__typename"))
	assert.Equal(t, "Fixes #1", reply.Text("data.repository.two.body"))
	assert.Equal(t, map[string]any{"__typename": "User", "name": "The Owner"}, reply.At("data.repository.owner"))
	assert.Empty(t, reply.At("data.repository.requested.reviewRequests.nodes"))
}

func TestPagination(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		for range 4 {
			_, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "x"})
			require.NoError(t, err)
		}
	})
	const page = `query($first: Int, $last: Int, $after: String, $before: String) { repository(owner: "owner", name: "hello") {
		issues(first: $first, last: $last, after: $after, before: $before) { totalCount nodes { number } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }
	} }`
	numbers := func(reply interface{ At(string) any }) (all []string) {
		for n := 0; reply.At(fmt.Sprint("data.repository.issues.nodes.", n)) != nil; n++ {
			all = append(all, fmt.Sprint(reply.At(fmt.Sprint("data.repository.issues.nodes.", n, ".number"))))
		}
		return all
	}
	reader := w.As("reader")
	first := reader.GraphQL(page, "first", 2)
	assert.Equal(t, []string{"1", "3"}, numbers(first))
	assert.Equal(t, 5, first.Int("data.repository.issues.totalCount"))
	second := reader.GraphQL(page, "first", 2, "after", first.Text("data.repository.issues.pageInfo.endCursor"))
	assert.Equal(t, []string{"4", "5"}, numbers(second))
	assert.Equal(t, true, second.At("data.repository.issues.pageInfo.hasPreviousPage"))
	back := reader.GraphQL(page, "last", 1, "before", second.Text("data.repository.issues.pageInfo.startCursor"))
	assert.Equal(t, []string{"3"}, numbers(back))
	for kind, variables := range map[string][]any{
		"MISSING_PAGINATION_BOUNDARIES": {}, "EXCESSIVE_PAGINATION": {"first", 101}, "INVALID_PAGINATION": {"first", -1},
		"INVALID_CURSOR_ARGUMENTS": {"first", 1, "after", "x"},
	} {
		assert.Equal(t, kind, reader.GraphQL(page, variables...).Text("errors.0.type"))
	}
}

func TestSelections(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		m := s.AddMilestone(repo, model.NewMilestone{Title: "v1"})
		writer := s.User("writer").ID
		three, err := s.OpenIssue(writer, repo, model.NewIssue{Title: "three"})
		require.NoError(t, err)
		four, err := s.OpenIssue(repo.OwnerID, repo, model.NewIssue{Title: "four", Body: "ask @Reader", Labels: []string{"docs"}, Milestone: m.Number})
		require.NoError(t, err)
		require.NoError(t, s.EditIssue(writer, repo, three, model.IssueEdit{State: ptr("closed")}))
		_, err = s.CreateComment(writer, repo, four, "x")
		require.NoError(t, err)
	})
	for arguments, want := range map[string]string{
		`first: 9`:                                                "1 3 4",
		`first: 9, states: [OPEN]`:                                "1 4",
		`first: 9, filterBy: {states: [CLOSED]}`:                  "3",
		`first: 9, labels: ["BUG", "docs"]`:                       "1 4",
		`first: 9, filterBy: {labels: ["none"]}`:                  "",
		`first: 9, filterBy: {assignee: "writer"}`:                "1",
		`first: 9, filterBy: {assignee: "*"}`:                     "1",
		`first: 9, filterBy: {createdBy: "WRITER"}`:               "3",
		`first: 9, filterBy: {mentioned: "reader"}`:               "4",
		`first: 9, filterBy: {milestoneNumber: "1"}`:              "4",
		`first: 9, filterBy: {milestone: "*"}`:                    "4",
		`first: 9, filterBy: {since: "2999-01-01T00:00:00Z"}`:     "",
		`first: 9, orderBy: {field: CREATED_AT, direction: DESC}`: "4 3 1",
		`first: 9, orderBy: {field: UPDATED_AT, direction: DESC}`: "4 3 1",
		`first: 1, orderBy: {field: COMMENTS, direction: DESC}`:   "4",
	} {
		reply := w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { issues(` + arguments + `) { nodes { number } } } }`)
		var numbers []string
		for n := 0; reply.At(fmt.Sprint("data.repository.issues.nodes.", n)) != nil; n++ {
			numbers = append(numbers, fmt.Sprint(reply.Int(fmt.Sprint("data.repository.issues.nodes.", n, ".number"))))
		}
		assert.Equal(t, want, strings.Join(numbers, " "), arguments)
	}
	for arguments, want := range map[string]int{
		`states: [OPEN]`: 1, `states: [MERGED]`: 0, `headRefName: "f"`: 1, `headRefName: "main"`: 0, `baseRefName: "main"`: 1, `labels: ["bug"]`: 0,
	} {
		reply := w.As("reader").GraphQL(`{ repository(owner: "owner", name: "hello") { pullRequests(first: 9, ` + arguments + `) { totalCount } } }`)
		assert.Equal(t, want, reply.Int("data.repository.pullRequests.totalCount"), arguments)
	}
}

func ptr[T any](v T) *T { return &v }

// A global id is exactly one object's, and only those see the object who may.
func TestNodes(t *testing.T) {
	w := newWorld(t)
	kinds := map[string]string{}
	w.Change(func(s *model.State, repo *model.Repo) {
		pr := s.Pull(repo, 2)
		_, err := s.CreateThread(repo.OwnerID, pr, model.NewThread{Path: "ten.txt", Line: 1, Body: "x"})
		require.NoError(t, err)
		_, err = s.CreateComment(repo.OwnerID, repo, pr, "x")
		require.NoError(t, err)
		s.AddMilestone(repo, model.NewMilestone{Title: "v1"})
		node := func(kind model.NodeKind, in, id model.ID, name string) { kinds[model.NodeID(kind, in, id)] = name }
		node(model.NodeRepo, 0, repo.ID, "Repository")
		node(model.NodeUser, 0, repo.OwnerID, "User")
		node(model.NodeOrganization, 0, s.User("github").ID, "Organization")
		node(model.NodeBot, 0, s.User("github-actions[bot]").ID, "Bot")
		node(model.NodeIssue, repo.ID, s.Issue(repo, 1).ID, "Issue")
		node(model.NodePull, repo.ID, pr.Pull.ID, "PullRequest")
		for kind, ids := range map[model.NodeKind]func(func(model.ID, string)){
			model.NodeLabel:     func(f func(model.ID, string)) { all(&s.Labels, func(l *model.Label) { f(l.ID, "Label") }) },
			model.NodeMilestone: func(f func(model.ID, string)) { all(&s.Milestones, func(m *model.Milestone) { f(m.ID, "Milestone") }) },
			model.NodeComment:   func(f func(model.ID, string)) { all(&s.Comments, func(c *model.Comment) { f(c.ID, "IssueComment") }) },
			model.NodeReview: func(f func(model.ID, string)) {
				all(&s.Reviews, func(r *model.Review) { f(r.ID, "PullRequestReview") })
			},
			model.NodeThread: func(f func(model.ID, string)) {
				all(&s.Threads, func(x *model.Thread) { f(x.ID, "PullRequestReviewThread") })
			},
			model.NodeReviewComment: func(f func(model.ID, string)) {
				all(&s.ReviewComments, func(c *model.ReviewComment) { f(c.ID, "PullRequestReviewComment") })
			},
			model.NodeWorkflow: func(f func(model.ID, string)) { all(&s.Workflows, func(x *model.Workflow) { f(x.ID, "Workflow") }) },
			model.NodeRun:      func(f func(model.ID, string)) { all(&s.Runs, func(r *model.Run) { f(r.ID, "WorkflowRun") }) },
			model.NodeCheckSuite: func(f func(model.ID, string)) {
				all(&s.CheckSuites, func(c *model.CheckSuite) { f(c.ID, "CheckSuite") })
			},
			model.NodeCheckRun: func(f func(model.ID, string)) { all(&s.CheckRuns, func(c *model.CheckRun) { f(c.ID, "CheckRun") }) },
		} {
			ids(func(id model.ID, name string) { node(kind, repo.ID, id, name) })
		}
	})
	const query = `query($id: ID!) { node(id: $id) { __typename id ... on UniformResourceLocatable { url } } }`
	for id, want := range kinds {
		reply := w.As("reader").GraphQL(query, "id", id)
		assert.Equal(t, want, reply.Text("data.node.__typename"), reply.Body)
		assert.Equal(t, id, reply.Text("data.node.id"))
	}
	w.Change(func(_ *model.State, repo *model.Repo) { repo.Private = true })
	for id, kind := range kinds {
		reply := w.As("stranger").GraphQL(query, "id", id)
		public := kind == "User" || kind == "Organization" || kind == "Bot"
		assert.Equal(t, public, reply.At("data.node") != nil, kind)
	}
	id := w.issue
	_, number, _ := model.ParseNodeID(id)
	for _, wrong := range []string{
		model.NodeID(model.NodeIssue, 0, number), model.NodeID(model.NodeIssue, 7, number), strings.Replace(id, "I_", "PR_", 1), id + "A", " " + id,
		strings.Replace(kindOf(kinds, "User"), "U_", "O_", 1),
	} {
		assert.Equal(t, "NOT_FOUND", w.As("reader").GraphQL(query, "id", wrong).Text("errors.0.type"), wrong)
	}
	reply := w.As("reader").GraphQL(`query($ids: [ID!]!) { nodes(ids: $ids) { __typename } }`, "ids", []string{w.pull, w.issue})
	assert.Equal(t, "Issue", reply.Text("data.nodes.1.__typename"))
}

func all[T any](table *model.Table[T], f func(*T)) {
	for row := range table.All() {
		f(row)
	}
}

func kindOf(kinds map[string]string, want string) string {
	for id, kind := range kinds {
		if kind == want {
			return id
		}
	}
	return ""
}

// Everything that the schema has is asked for at least once somewhere; this
// asks for what gh asks for most.
func TestAPullRequestAsAWhole(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		require.NoError(t, s.RequestReviewers(repo.OwnerID, s.Pull(repo, 2), []model.ID{s.User("reader").ID}, true))
	})
	reply := w.do("reader", `{ repository(owner: "owner", name: "hello") { pullRequest(number: 2) {
		number title state isDraft merged mergeable mergeStateStatus reviewDecision headRefName headRefOid baseRefName baseRefOid url permalink
		isCrossRepository headRepositoryOwner { login } headRepository { nameWithOwner } author { login url avatarUrl } authorAssociation
		additions deletions changedFiles files(first: 9) { nodes { path additions changeType } }
		commits(last: 1) { totalCount nodes { url commit { oid messageHeadline messageBody authoredDate author { name email user { login } } parents(first: 2) { totalCount }
			statusCheckRollup { state contexts(first: 9) { checkRunCount checkRunCountsByState { state count } nodes { __typename ... on CheckRun {
				name status conclusion detailsUrl startedAt completedAt isRequired(pullRequestNumber: 2)
				checkSuite { status conclusion app { name slug } branch { name } workflowRun { event runNumber workflow { name state } } } } } } } } } }
		reviewRequests(first: 9) { nodes { asCodeOwner requestedReviewer { ... on User { login } } } }
		closingIssuesReferences(first: 9) { nodes { number } } maintainerCanModify viewerDidAuthor
		headRef { name prefix target { oid abbreviatedOid } compare(headRef: "main") { aheadBy behindBy status } }
		potentialMergeCommit { oid } mergeCommit { oid } milestone { title } isInMergeQueue
	} } }`)
	pr := func(path string) any { return reply.At("data.repository.pullRequest." + path) }
	assert.Equal(t, []any{"MERGEABLE", "CLEAN", nil, 10.0, 0.0, 1.0, "ten.txt", "ADDED"}, []any{
		pr("mergeable"), pr("mergeStateStatus"), pr("reviewDecision"), pr("additions"), pr("deletions"), pr("changedFiles"), pr("files.nodes.0.path"), pr("files.nodes.0.changeType"),
	})
	commit := "commits.nodes.0.commit."
	assert.Equal(t, []any{"add ten", "writer", 1.0, "SUCCESS", 2.0, "SUCCESS", "lint", "COMPLETED", "pull_request", "CI", "GitHub Actions", false}, []any{
		pr(commit + "messageHeadline"), pr(commit + "author.user.login"), pr(commit + "parents.totalCount"), pr(commit + "statusCheckRollup.state"),
		pr(commit + "statusCheckRollup.contexts.checkRunCount"), pr(commit + "statusCheckRollup.contexts.checkRunCountsByState.0.state"),
		pr(commit + "statusCheckRollup.contexts.nodes.0.name"), pr(commit + "statusCheckRollup.contexts.nodes.0.status"),
		pr(commit + "statusCheckRollup.contexts.nodes.0.checkSuite.workflowRun.event"), pr(commit + "statusCheckRollup.contexts.nodes.0.checkSuite.workflowRun.workflow.name"),
		pr(commit + "statusCheckRollup.contexts.nodes.0.checkSuite.app.name"), pr(commit + "statusCheckRollup.contexts.nodes.0.isRequired"),
	})
	assert.Equal(t, []any{"reader", 1.0, "f", 0.0, 1.0, "BEHIND"}, []any{
		pr("reviewRequests.nodes.0.requestedReviewer.login"), pr("closingIssuesReferences.nodes.0.number"), pr("headRef.name"),
		pr("headRef.compare.aheadBy"), pr("headRef.compare.behindBy"), pr("headRef.compare.status"),
	})
}

func TestARepositoryAsAWhole(t *testing.T) {
	w := newWorld(t)
	w.Change(func(s *model.State, repo *model.Repo) {
		m := s.AddMilestone(repo, model.NewMilestone{Title: "v1", Creator: repo.OwnerID})
		m.DueOn = &s.Now
		s.AddMilestone(repo, model.NewMilestone{Title: "v2"}).Closed = true
		repo.Protection["main"] = model.Protection{RequiredChecks: []string{"test"}, Strict: true, RequiredApprovals: 1}
		_, err := s.CreateLabel(repo.OwnerID, repo, model.NewLabel{Name: "a label", Description: "first by name"})
		require.NoError(t, err)
		main, _ := s.BranchHead(repo, "main")
		tag, err := repo.Git.WriteTag(gitstore.TagSpec{Target: main, Name: "v1", Tagger: s.Signature(repo.OwnerID), Message: "v1\n"})
		require.NoError(t, err)
		require.NoError(t, s.CreateRef(repo.OwnerID, repo, "refs/tags/v1", tag))
	})
	reply := w.do("writer", `{
		viewer { login isViewer repositories(first: 9) { totalCount } }
		rateLimit { cost limit remaining used nodeCount resetAt }
		repositoryOwner(login: "owner") { __typename login repository(name: "hello") { name } repositories(first: 9, orderBy: {field: NAME, direction: ASC}, privacy: PUBLIC, isFork: false) { nodes { name } } }
		repository(owner: "OWNER", name: "Hello") {
			nameWithOwner description homepageUrl url sshUrl isPrivate isFork isArchived isEmpty isInOrganization visibility viewerPermission viewerCanAdminister
			mergeCommitAllowed squashMergeAllowed rebaseMergeAllowed autoMergeAllowed deleteBranchOnMerge viewerDefaultMergeMethod stargazerCount viewerHasStarred forkCount
			diskUsage parent { name } pushedAt createdAt archivedAt
			defaultBranchRef { name prefix target { ... on Commit { oid message committedDate additions deletions } }
				branchProtectionRule { pattern requiresStrictStatusChecks requiredStatusCheckContexts requiredApprovingReviewCount requiresApprovingReviews } }
			tag: ref(qualifiedName: "refs/tags/v1") { name target { oid } branchProtectionRule { id } compare(headRef: "f") { status aheadBy } }
			none: ref(qualifiedName: "none") { name }
			head: object(expression: "HEAD") { ... on Commit { oid } } nothing: object(expression: "../../x") { oid }
			assignableUsers(first: 9, query: "wri") { nodes { login } }
			labels(first: 9, orderBy: {field: NAME, direction: ASC}) { nodes { name url isDefault } } label(name: "BUG") { color description }
			milestones(first: 9, states: [OPEN], orderBy: {field: DUE_DATE, direction: ASC}) { nodes { title state dueOn creator { login } } } milestone(number: 2) { closed state }
		}
	}`)
	at := func(path string) any { return reply.At("data.repository." + path) }
	assert.Equal(t, []any{"owner/hello", "PUBLIC", "WRITE", false, "main", "refs/heads/", true, "test", 1.0}, []any{
		at("nameWithOwner"), at("visibility"), at("viewerPermission"), at("viewerCanAdminister"), at("defaultBranchRef.name"), at("defaultBranchRef.prefix"),
		at("defaultBranchRef.branchProtectionRule.requiresStrictStatusChecks"), at("defaultBranchRef.branchProtectionRule.requiredStatusCheckContexts.0"),
		at("defaultBranchRef.branchProtectionRule.requiredApprovingReviewCount"),
	})
	assert.Equal(t, []any{"v1", nil, "AHEAD", nil, nil, "writer", "a label", "https://github.com/owner/hello/labels/a%20label", "ededed", "v1", "CLOSED"}, []any{
		at("tag.name"), at("tag.branchProtectionRule"), at("tag.compare.status"), at("none"), at("nothing"), at("assignableUsers.nodes.0.login"),
		at("labels.nodes.0.name"), at("labels.nodes.0.url"), at("label.color"), at("milestones.nodes.0.title"), at("milestone.state"),
	})
	assert.Equal(t, at("defaultBranchRef.target.oid"), at("head.oid"))
	assert.Equal(t, "hello", reply.Text("data.repositoryOwner.repositories.nodes.0.name"))
	assert.Equal(t, 5000, reply.Int("data.rateLimit.remaining"))
}
