package sandboxtest_test

import (
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// answer is what a method of go-github returned.
type answer[T any] struct {
	value    T
	response *github.Response
	err      error
}

func got[T any](value T, response *github.Response, err error) answer[T] {
	return answer[T]{value, response, err}
}

// in returns the value, of which there must be one.
func (a answer[T]) in(t *testing.T) T {
	t.Helper()
	require.NoError(t, a.err)
	return a.value
}

// refusedWith asserts that GitHub refused with a status.
func (a answer[T]) refusedWith(t *testing.T, status int) {
	t.Helper()
	require.Error(t, a.err)
	assert.Equal(t, status, a.response.StatusCode, "%v", a.err)
}

// done is for methods that return nothing.
func done(response *github.Response, err error) answer[int] { return answer[int]{0, response, err} }

// goGitHub is go-github's client on a world, at the address that programs are
// given which know GitHub Enterprise Server.
func goGitHub(t *testing.T) *github.Client {
	t.Helper()
	return goGitHubWith(t, token)
}

// goGitHubWith is [goGitHub] with a token; any but the usual one has all scopes.
func goGitHubWith(t *testing.T, token string) *github.Client {
	t.Helper()
	world := populated(t)
	world.AddToken("all scopes", sandbox.Token{User: me})
	behind(t, world, "", world)
	server := sandboxtest.Serve(t, world)
	client, err := github.NewClient(nil).WithAuthToken(token).WithEnterpriseURLs(server.URL, server.URL)
	require.NoError(t, err)
	return client
}

func TestGoGitHubWithRepositories(t *testing.T) {
	c, ctx := goGitHub(t), t.Context()
	repo := got(c.Repositories.Get(ctx, acme, widgets)).in(t)
	assert.Equal(t, []any{fullName, "main", "Things that turn", "NOASSERTION"}, []any{repo.GetFullName(), repo.GetDefaultBranch(), repo.GetDescription(), repo.GetLicense().GetSPDXID()})
	assert.Equal(t, repo.GetID(), got(c.Repositories.GetByID(ctx, repo.GetID())).in(t).GetID())
	got(c.Repositories.Get(ctx, acme, "none")).refusedWith(t, 404)
	assert.Equal(t, "other", got(c.Repositories.ListByOrg(ctx, acme, nil)).in(t)[0].GetName())
	made := got(c.Repositories.Create(ctx, "", &github.Repository{Name: github.String("new"), AutoInit: github.Bool(true), LicenseTemplate: github.String("mit"), GitignoreTemplate: github.String("Go")})).in(t)
	assert.Equal(t, "mit", made.GetLicense().GetKey())
	edited := got(c.Repositories.Edit(ctx, me, "new", &github.Repository{Description: github.String("d"), HasIssues: github.Bool(false)})).in(t)
	assert.Equal(t, []any{"d", false}, []any{edited.GetDescription(), edited.GetHasIssues()})
	assert.Equal(t, []string{"a"}, got(c.Repositories.ReplaceAllTopics(ctx, me, "new", []string{"a"})).in(t))
	assert.Equal(t, []string{"a"}, got(c.Repositories.ListAllTopics(ctx, me, "new")).in(t))
	_, listing, _, err := c.Repositories.GetContents(ctx, me, "new", "", nil)
	require.NoError(t, err)
	assert.Len(t, listing, 3)
	assert.Equal(t, "MIT", got(c.Repositories.License(ctx, me, "new")).in(t).GetLicense().GetSPDXID())
	done(c.Repositories.Delete(ctx, me, "new")).in(t)
	got(c.Repositories.Get(ctx, me, "new")).refusedWith(t, 404)
	assert.Contains(t, got(c.Repositories.ListLanguages(ctx, acme, widgets)).in(t), "Go")
	assert.Equal(t, 1, got(c.Repositories.ListContributors(ctx, acme, widgets, nil)).in(t)[0].GetContributions())
	assert.Len(t, got(c.Repositories.ListBranches(ctx, acme, widgets, nil)).in(t), 3)
	assert.Equal(t, "topic", got(c.Repositories.GetBranch(ctx, acme, widgets, "topic", 1)).in(t).GetName())
	assert.Equal(t, "v1.0.0", got(c.Repositories.GetLatestRelease(ctx, acme, widgets)).in(t).GetTagName())
	released := got(c.Repositories.CreateRelease(ctx, acme, widgets, &github.RepositoryRelease{TagName: github.String("v2"), Name: github.String("Two")})).in(t)
	assert.Len(t, got(c.Repositories.ListReleases(ctx, acme, widgets, nil)).in(t), 2)
	done(c.Repositories.DeleteRelease(ctx, acme, widgets, released.GetID())).in(t)
	assert.Equal(t, "v1.0.0", got(c.Repositories.GetReleaseByTag(ctx, acme, widgets, "v1.0.0")).in(t).GetTagName())
	invited := got(c.Repositories.AddCollaborator(ctx, acme, widgets, "reader", &github.RepositoryAddCollaboratorOptions{Permission: "triage"})).in(t)
	assert.Equal(t, "reader", invited.GetInvitee().GetLogin())
	assert.Len(t, got(c.Repositories.ListInvitations(ctx, acme, widgets, nil)).in(t), 1)
	done(c.Repositories.DeleteInvitation(ctx, acme, widgets, invited.GetID())).in(t)
	assert.True(t, got(c.Repositories.IsCollaborator(ctx, acme, widgets, "octocat")).in(t))
	assert.Equal(t, "write", got(c.Repositories.GetPermissionLevel(ctx, acme, widgets, "octocat")).in(t).GetPermission())
	assert.NotEmpty(t, got(c.Repositories.ListCollaborators(ctx, acme, widgets, nil)).in(t))
	assert.Equal(t, 1, got(c.Repositories.ListPunchCard(ctx, acme, widgets)).in(t)[33].GetCommits())
	fork, _, err := c.Repositories.CreateFork(ctx, acme, widgets, nil)
	var accepted *github.AcceptedError
	require.ErrorAs(t, err, &accepted, "it says that it is not done yet, as GitHub does")
	assert.Equal(t, "monalisa/widgets", fork.GetFullName())
	ahead := got(c.Repositories.CompareCommits(ctx, acme, widgets, "main", "topic", &github.ListOptions{PerPage: 1})).in(t)
	assert.Len(t, ahead.Commits, 1)
	link := got(c.Repositories.AddAutolink(ctx, acme, widgets, &github.AutolinkOptions{KeyPrefix: github.String("T-"), URLTemplate: github.String("https://example.com/<num>")})).in(t)
	assert.Equal(t, "T-", got(c.Repositories.GetAutolink(ctx, acme, widgets, link.GetID())).in(t).GetKeyPrefix())
	done(c.Repositories.DeleteAutolink(ctx, acme, widgets, link.GetID())).in(t)
	done(c.Repositories.EnableVulnerabilityAlerts(ctx, acme, widgets)).in(t)
	assert.True(t, got(c.Repositories.GetVulnerabilityAlerts(ctx, acme, widgets)).in(t))
	assert.Equal(t, "trunk", got(c.Repositories.RenameBranch(ctx, acme, widgets, "main", "trunk")).in(t).GetName())
	assert.Equal(t, "trunk", got(c.Repositories.Get(ctx, acme, widgets)).in(t).GetDefaultBranch())
	done(c.Activity.Star(ctx, acme, widgets)).in(t)
	stars := got(c.Activity.ListRepositoryEvents(ctx, acme, widgets, nil)).in(t)
	payload, err := stars[0].ParsePayload()
	require.NoError(t, err)
	assert.Equal(t, "started", payload.(*github.WatchEvent).GetAction())
	assert.Equal(t, stars[0].GetID(), got(c.Activity.ListEventsPerformedByUser(ctx, me, false, nil)).in(t)[0].GetID())
	assert.NotEmpty(t, got(c.Activity.ListEventsForOrganization(ctx, acme, nil)).in(t))
	assert.NotEmpty(t, got(c.Activity.ListEventsForRepoNetwork(ctx, acme, widgets, nil)).in(t))
	assert.Len(t, got(c.Activity.ListStargazers(ctx, acme, widgets, nil)).in(t), 1)
	done(c.Activity.Unstar(ctx, acme, widgets)).in(t)
}

func TestGoGitHubWithFilesAndGit(t *testing.T) {
	c, ctx := goGitHub(t), t.Context()
	write := &github.RepositoryContentFileOptions{Message: github.String("add"), Content: []byte("one\n"), Branch: github.String("main")}
	added := got(c.Repositories.CreateFile(ctx, acme, widgets, "a/b.txt", write)).in(t)
	file, _, _, err := c.Repositories.GetContents(ctx, acme, widgets, "a/b.txt", nil)
	require.NoError(t, err)
	text, err := file.GetContent()
	require.NoError(t, err)
	assert.Equal(t, "one\n", text)
	write.SHA, write.Content = file.SHA, []byte("two\n")
	got(c.Repositories.UpdateFile(ctx, acme, widgets, "a/b.txt", write)).in(t)
	got(c.Repositories.UpdateFile(ctx, acme, widgets, "a/b.txt", write)).refusedWith(t, 409)
	file, _, _, err = c.Repositories.GetContents(ctx, acme, widgets, "a/b.txt", nil)
	require.NoError(t, err)
	got(c.Repositories.DeleteFile(ctx, acme, widgets, "a/b.txt", &github.RepositoryContentFileOptions{Message: github.String("drop"), SHA: file.SHA})).in(t)
	assert.Len(t, got(c.Repositories.ListCommits(ctx, acme, widgets, &github.CommitsListOptions{Path: "a/b.txt"})).in(t), 3)
	assert.Equal(t, 1, got(c.Repositories.GetCommit(ctx, acme, widgets, added.GetSHA(), nil)).in(t).GetStats().GetAdditions())
	assert.Equal(t, "README.md", got(c.Repositories.GetReadme(ctx, acme, widgets, nil)).in(t).GetName())
	head := got(c.Git.GetRef(ctx, acme, widgets, "heads/main")).in(t)
	base := got(c.Git.GetCommit(ctx, acme, widgets, head.GetObject().GetSHA())).in(t)
	blob := got(c.Git.CreateBlob(ctx, acme, widgets, &github.Blob{Content: github.String("x"), Encoding: github.String("utf-8")})).in(t)
	tree := got(c.Git.CreateTree(ctx, acme, widgets, base.GetTree().GetSHA(), []*github.TreeEntry{{Path: github.String("x.txt"), Mode: github.String("100644"), Type: github.String("blob"), SHA: blob.SHA}})).in(t)
	commit := got(c.Git.CreateCommit(ctx, acme, widgets, &github.Commit{Message: github.String("x"), Tree: tree, Parents: []*github.Commit{base}}, nil)).in(t)
	got(c.Git.CreateRef(ctx, acme, widgets, &github.Reference{Ref: github.String("refs/heads/x"), Object: &github.GitObject{SHA: commit.SHA}})).in(t)
	compared := got(c.Repositories.CompareCommits(ctx, acme, widgets, "main", "x", nil)).in(t)
	assert.Equal(t, []any{"ahead", 1, "x.txt"}, []any{compared.GetStatus(), compared.GetAheadBy(), compared.Files[0].GetFilename()})
	got(c.Git.UpdateRef(ctx, acme, widgets, &github.Reference{Ref: github.String("refs/heads/x"), Object: &github.GitObject{SHA: base.SHA}}, false)).refusedWith(t, 422)
	assert.Len(t, got(c.Git.GetTree(ctx, acme, widgets, commit.GetSHA(), true)).in(t).Entries, 7)
	assert.Equal(t, "Merge x into main", got(c.Repositories.Merge(ctx, acme, widgets, &github.RepositoryMergeRequest{Base: github.String("main"), Head: github.String("x")})).in(t).GetCommit().GetMessage())
	got(c.Repositories.CreateStatus(ctx, acme, widgets, commit.GetSHA(), &github.RepoStatus{State: github.String("success"), Context: github.String("ci")})).in(t)
	assert.Len(t, got(c.Repositories.ListStatuses(ctx, acme, widgets, commit.GetSHA(), nil)).in(t), 1)
	assert.Equal(t, "success", got(c.Repositories.GetCombinedStatus(ctx, acme, widgets, "x", nil)).in(t).GetState())
	comment := got(c.Repositories.CreateComment(ctx, acme, widgets, commit.GetSHA(), &github.RepositoryComment{Body: github.String("Why?")})).in(t)
	assert.Equal(t, "How?", got(c.Repositories.UpdateComment(ctx, acme, widgets, comment.GetID(), &github.RepositoryComment{Body: github.String("How?")})).in(t).GetBody())
	assert.Len(t, got(c.Repositories.ListCommitComments(ctx, acme, widgets, commit.GetSHA(), nil)).in(t), 1)
	got(c.Reactions.CreateCommentReaction(ctx, acme, widgets, comment.GetID(), "heart")).in(t)
	done(c.Repositories.DeleteComment(ctx, acme, widgets, comment.GetID())).in(t)
	done(c.Git.DeleteRef(ctx, acme, widgets, "heads/x")).in(t)
}

func TestGoGitHubWithIssuesAndPullRequests(t *testing.T) {
	c, ctx := goGitHub(t), t.Context()
	label := got(c.Issues.CreateLabel(ctx, acme, widgets, &github.Label{Name: github.String("new"), Color: github.String("ff0000")})).in(t)
	got(c.Issues.CreateLabel(ctx, acme, widgets, label)).refusedWith(t, 422)
	milestone := got(c.Issues.CreateMilestone(ctx, acme, widgets, &github.Milestone{Title: github.String("M2")})).in(t)
	issue := got(c.Issues.Create(ctx, acme, widgets, &github.IssueRequest{Title: github.String("T"), Labels: &[]string{"new"}, Milestone: milestone.Number})).in(t)
	n := issue.GetNumber()
	assert.Equal(t, []any{8, "new", "M2"}, []any{n, issue.Labels[0].GetName(), issue.GetMilestone().GetTitle()})
	assert.Len(t, got(c.Issues.ListLabelsForMilestone(ctx, acme, widgets, milestone.GetNumber(), nil)).in(t), 1)
	assert.Equal(t, "U", got(c.Issues.Edit(ctx, acme, widgets, n, &github.IssueRequest{Title: github.String("U")})).in(t).GetTitle())
	comment := got(c.Issues.CreateComment(ctx, acme, widgets, n, &github.IssueComment{Body: github.String("hi")})).in(t)
	got(c.Issues.EditComment(ctx, acme, widgets, comment.GetID(), &github.IssueComment{Body: github.String("ho")})).in(t)
	assert.Equal(t, "ho", got(c.Issues.ListComments(ctx, acme, widgets, n, nil)).in(t)[0].GetBody())
	assert.Len(t, got(c.Issues.AddAssignees(ctx, acme, widgets, n, []string{"octocat"})).in(t).Assignees, 1)
	assert.True(t, got(c.Issues.IsAssignee(ctx, acme, widgets, "octocat")).in(t))
	assert.Len(t, got(c.Issues.AddLabelsToIssue(ctx, acme, widgets, n, []string{"bug"})).in(t), 2)
	done(c.Issues.RemoveLabelForIssue(ctx, acme, widgets, n, "bug")).in(t)
	done(c.Issues.Lock(ctx, acme, widgets, n, &github.LockIssueOptions{LockReason: "spam"})).in(t)
	done(c.Issues.Unlock(ctx, acme, widgets, n)).in(t)
	assert.Equal(t, "closed", got(c.Issues.Edit(ctx, acme, widgets, n, &github.IssueRequest{State: github.String("closed"), StateReason: github.String("not_planned")})).in(t).GetState())
	assert.NotEmpty(t, got(c.Issues.ListIssueEvents(ctx, acme, widgets, n, nil)).in(t))
	assert.NotEmpty(t, got(c.Issues.ListIssueTimeline(ctx, acme, widgets, n, nil)).in(t))
	var numbers []int
	for opts := (&github.IssueListByRepoOptions{State: "all", ListOptions: github.ListOptions{PerPage: 3}}); ; {
		page := got(c.Issues.ListByRepo(ctx, acme, widgets, opts))
		for _, i := range page.in(t) {
			numbers = append(numbers, i.GetNumber())
		}
		if opts.Page = page.response.NextPage; opts.Page == 0 {
			break
		}
	}
	assert.Equal(t, []int{8, 7, 6, 5, 4, 3, 2, 1}, numbers)
	assert.Equal(t, 6, got(c.Search.Issues(ctx, "repo:acme/widgets is:issue is:open", nil)).in(t).GetTotal())
	assert.Equal(t, 1, got(c.Search.Repositories(ctx, "widgets", nil)).in(t).GetTotal())
	assert.Equal(t, 1, got(c.Search.Code(ctx, "println repo:acme/widgets", nil)).in(t).GetTotal())
	assert.Equal(t, 1, got(c.Search.Users(ctx, "octocat", nil)).in(t).GetTotal())

	pull := got(c.PullRequests.Create(ctx, acme, widgets, &github.NewPullRequest{Title: github.String("P"), Head: github.String("feat"), Base: github.String("main"), Draft: github.Bool(false)})).in(t)
	n = pull.GetNumber()
	assert.Equal(t, "Q", got(c.PullRequests.Edit(ctx, acme, widgets, n, &github.PullRequest{Title: github.String("Q")})).in(t).GetTitle())
	assert.Equal(t, "feat.txt", got(c.PullRequests.ListFiles(ctx, acme, widgets, n, nil)).in(t)[0].GetFilename())
	assert.Len(t, got(c.PullRequests.ListCommits(ctx, acme, widgets, n, nil)).in(t), 1)
	got(c.PullRequests.RequestReviewers(ctx, acme, widgets, n, github.ReviewersRequest{Reviewers: []string{"octocat"}, TeamReviewers: []string{"str"}})).in(t)
	asked := got(c.PullRequests.ListReviewers(ctx, acme, widgets, n, nil)).in(t)
	assert.Equal(t, []any{"octocat", "str"}, []any{asked.Users[0].GetLogin(), asked.Teams[0].GetSlug()})
	done(c.PullRequests.RemoveReviewers(ctx, acme, widgets, n, github.ReviewersRequest{Reviewers: []string{"octocat"}})).in(t)
	review := got(c.PullRequests.CreateReview(ctx, acme, widgets, n, &github.PullRequestReviewRequest{Event: github.String("COMMENT"), Body: github.String("ok")})).in(t)
	assert.Equal(t, "COMMENTED", review.GetState())
	said := got(c.PullRequests.CreateComment(ctx, acme, widgets, n, &github.PullRequestComment{Body: github.String("here"), Path: github.String("feat.txt"), Line: github.Int(1), Side: github.String("RIGHT"), CommitID: pull.GetHead().SHA})).in(t)
	got(c.PullRequests.CreateCommentInReplyTo(ctx, acme, widgets, n, "there", said.GetID())).in(t)
	assert.Len(t, got(c.PullRequests.ListComments(ctx, acme, widgets, n, nil)).in(t), 2)
	assert.Len(t, got(c.PullRequests.ListComments(ctx, acme, widgets, 0, nil)).in(t), 2, "of all pull requests")
	assert.Len(t, got(c.PullRequests.ListPullRequestsWithCommit(ctx, acme, widgets, pull.GetHead().GetSHA(), nil)).in(t), 1)
	assert.False(t, got(c.PullRequests.IsMerged(ctx, acme, widgets, n)).in(t))
	assert.True(t, got(c.PullRequests.Merge(ctx, acme, widgets, n, "", &github.PullRequestOptions{MergeMethod: "squash"})).in(t).GetMerged())
	assert.True(t, got(c.PullRequests.IsMerged(ctx, acme, widgets, n)).in(t))
	got(c.PullRequests.Merge(ctx, acme, widgets, n, "", nil)).refusedWith(t, 405)
}

func TestGoGitHubWithPeopleAndGitHubItself(t *testing.T) {
	c, ctx := goGitHub(t), t.Context()
	assert.Equal(t, me, got(c.Users.Get(ctx, "")).in(t).GetLogin())
	octocat := got(c.Users.Get(ctx, "octocat")).in(t)
	assert.Equal(t, "octocat", got(c.Users.GetByID(ctx, octocat.GetID())).in(t).GetLogin())
	assert.Equal(t, "mona@example.com", got(c.Users.ListEmails(ctx, nil)).in(t)[0].GetEmail())
	assert.Equal(t, acme, got(c.Organizations.Get(ctx, acme)).in(t).GetLogin())
	assert.Len(t, got(c.Organizations.ListMembers(ctx, acme, nil)).in(t), 2)
	assert.Equal(t, "admin", got(c.Organizations.GetOrgMembership(ctx, "", acme)).in(t).GetRole())
	assert.True(t, got(c.Organizations.IsMember(ctx, acme, "octocat")).in(t))
	team := got(c.Teams.CreateTeam(ctx, acme, github.NewTeam{Name: "Makers", Maintainers: []string{"octocat"}, RepoNames: []string{fullName}})).in(t)
	assert.Equal(t, 2, team.GetMembersCount())
	assert.Equal(t, team.GetID(), got(c.Teams.GetTeamBySlug(ctx, acme, "makers")).in(t).GetID())
	assert.Len(t, got(c.Teams.ListTeamReposBySlug(ctx, acme, "makers", nil)).in(t), 1)
	done(c.Teams.AddTeamRepoBySlug(ctx, acme, "makers", acme, "other", &github.TeamAddTeamRepoOptions{Permission: "push"})).in(t)
	assert.Equal(t, "other", got(c.Teams.IsTeamRepoBySlug(ctx, acme, "makers", acme, "other")).in(t).GetName())
	assert.Equal(t, "active", got(c.Teams.AddTeamMembershipBySlug(ctx, acme, "makers", me, &github.TeamAddTeamMembershipOptions{Role: "member"})).in(t).GetState())
	assert.Len(t, got(c.Teams.ListTeamMembersBySlug(ctx, acme, "makers", nil)).in(t), 2)
	assert.Len(t, got(c.Repositories.ListTeams(ctx, acme, "other", nil)).in(t), 1)
	done(c.Teams.DeleteTeamBySlug(ctx, acme, "makers")).in(t)
	assert.Len(t, got(c.Teams.ListTeams(ctx, acme, nil)).in(t), 1)
	assert.Len(t, got(c.Licenses.List(ctx)).in(t), 13)
	assert.Contains(t, got(c.Licenses.Get(ctx, "mit")).in(t).GetBody(), "Permission is hereby granted")
	assert.Contains(t, got(c.Gitignores.List(ctx)).in(t), "Go")
	assert.Contains(t, got(c.Gitignores.Get(ctx, "Go")).in(t).GetSource(), "*.test")
	assert.Equal(t, "<p>hi</p>\n", got(c.Markdown.Render(ctx, "hi", nil)).in(t))
	assert.NotEmpty(t, got(c.Meta.Zen(ctx)).in(t))
	assert.Contains(t, got(c.Meta.Octocat(ctx, "hello")).in(t), "hello")
	assert.NotEmpty(t, got(c.Meta.Get(ctx)).in(t).Actions)
	assert.Contains(t, got(c.Emojis.List(ctx)).in(t), "rocket")
	assert.Equal(t, 5000, got(c.RateLimit.Get(ctx)).in(t).GetCore().Limit)
	gist := got(c.Gists.Create(ctx, &github.Gist{Files: map[github.GistFilename]github.GistFile{"a.txt": {Content: github.String("x")}}})).in(t)
	assert.Equal(t, github.String("x"), got(c.Gists.Get(ctx, gist.GetID())).in(t).Files["a.txt"].Content)
	done(c.Gists.Delete(ctx, gist.GetID())).in(t)
	workflows := got(c.Actions.ListWorkflows(ctx, acme, widgets, nil)).in(t)
	assert.Equal(t, "CI", workflows.Workflows[0].GetName())
	done(c.Actions.CreateWorkflowDispatchEventByFileName(ctx, acme, widgets, "ci.yml", github.CreateWorkflowDispatchEventRequest{Ref: "main"})).in(t)
	runs := got(c.Actions.ListWorkflowRunsByFileName(ctx, acme, widgets, "ci.yml", &github.ListWorkflowRunsOptions{Event: "workflow_dispatch"})).in(t)
	assert.Equal(t, 1, runs.GetTotalCount())
	assert.Len(t, got(c.Actions.ListWorkflowJobs(ctx, acme, widgets, runs.WorkflowRuns[0].GetID(), nil)).in(t).Jobs, 2)
}

// go-github moves a repository, and follows it from its older name.
func TestGoGitHubWithAccounts(t *testing.T) {
	c, ctx := goGitHubWith(t, "all scopes"), t.Context()
	assert.Equal(t, "B", got(c.Users.Edit(ctx, &github.User{Bio: github.String("B")})).in(t).GetBio())
	done(c.Users.Follow(ctx, "octocat")).in(t)
	assert.True(t, got(c.Users.IsFollowing(ctx, "", "octocat")).in(t))
	assert.Equal(t, me, got(c.Users.ListFollowers(ctx, "octocat", nil)).in(t)[0].GetLogin())
	done(c.Users.Unfollow(ctx, "octocat")).in(t)
	assert.Empty(t, got(c.Users.ListFollowing(ctx, me, nil)).in(t))
	gist := got(c.Gists.Create(ctx, &github.Gist{Public: github.Bool(true), Files: map[github.GistFilename]github.GistFile{"a": {Content: github.String("x")}}})).in(t)
	said := got(c.Gists.CreateComment(ctx, gist.GetID(), &github.GistComment{Body: github.String("hm")})).in(t)
	assert.Equal(t, "hm", got(c.Gists.GetComment(ctx, gist.GetID(), said.GetID())).in(t).GetBody())
	done(c.Gists.Star(ctx, gist.GetID())).in(t)
	assert.True(t, got(c.Gists.IsStarred(ctx, gist.GetID())).in(t))
	assert.Len(t, got(c.Gists.ListCommits(ctx, gist.GetID(), nil)).in(t), 1)
	got(c.Repositories.Create(ctx, "", &github.Repository{Name: github.String("moved"), AutoInit: github.Bool(true), SquashMergeCommitTitle: github.String("PR_TITLE"), SquashMergeCommitMessage: github.String("BLANK")})).in(t)
	_, _, err := c.Repositories.Transfer(ctx, me, "moved", github.TransferRequest{NewOwner: acme})
	var accepted *github.AcceptedError
	require.ErrorAs(t, err, &accepted, "it says that it is not done yet, as GitHub does")
	assert.Equal(t, []string{"acme/moved", "BLANK"}, []string{got(c.Repositories.Get(ctx, me, "moved")).in(t).GetFullName(), got(c.Repositories.Get(ctx, acme, "moved")).in(t).GetSquashMergeCommitMessage()})
}
