package sandbox_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-github/v60/github"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

const hookSecret = "it is a secret"

// gate adds an App with a webhook that wants to know of everything that an App
// of ours does, installed in the test's repository.
func gate(w *sandboxtest.World, to *sandboxtest.Receiver, public []byte) *model.App {
	var app *model.App
	w.Change(func(s *model.State, repo *model.Repo) {
		app = s.AddApp(model.NewApp{
			Slug: "gate", Name: "Gate", Owner: repo.OwnerID, Repos: []model.ID{repo.ID}, PublicKey: string(public), ClientID: "Iv1.gate",
			Permissions: map[string]string{"checks": "write", "issues": "write", "pull_requests": "write", "contents": "read", "actions": "read"},
			Events: []string{
				"check_run", "check_suite", "create", "delete", "issue_comment", "issues", "merge_group", "pull_request", "pull_request_review", "push",
				"workflow_job", "workflow_run",
			},
			Hook: model.HookConfig{URL: to.URL, Secret: hookSecret, ContentType: "json"},
		})
	})
	return app
}

// named returns the names of webhooks, such as "push" or "check_run.created".
func named(t *testing.T, all []sandboxtest.Received) []string {
	t.Helper()
	names := []string{}
	for _, r := range all {
		names = append(names, name(t, r))
	}
	return names
}

func name(t *testing.T, r sandboxtest.Received) string {
	t.Helper()
	var body struct{ Action string }
	require.NoError(t, json.Unmarshal(r.Body, &body))
	return strings.TrimSuffix(r.Header.Get("X-GitHub-Event")+"."+body.Action, ".")
}

const ciWorkflow = "on: [push, pull_request, workflow_dispatch, repository_dispatch]\njobs: {test: {runs-on: ubuntu-latest, steps: [{run: make}]}}\n"

// happenings does what each event is about, and returns the webhooks by name,
// the latest of each.
func happenings(t *testing.T, w *sandboxtest.World, to *sandboxtest.Receiver, app *model.App) map[string]sandboxtest.Received {
	t.Helper()
	var all []sandboxtest.Received
	var writer model.ID
	var issue, pull *model.Issue
	var comment *model.Comment
	var run *model.CheckRun
	step := func(change func(s *model.State, repo *model.Repo) error) {
		w.Change(func(s *model.State, repo *model.Repo) {
			for _, i := range []**model.Issue{&issue, &pull} {
				if *i != nil {
					*i = s.Issues.Get((*i).ID)
				}
			}
			if comment != nil {
				comment = s.Comments.Get(comment.ID)
			}
			if run != nil {
				run = s.CheckRuns.Get(run.ID)
			}
			app = s.Apps.Get(app.ID)
			require.NoError(t, change(s, repo))
		})
		all = append(all, w.Received(to)...)
	}
	step(func(s *model.State, repo *model.Repo) (err error) {
		writer = s.User("writer").ID
		_, err = s.WriteFile(repo.OwnerID, repo, model.FileWrite{Path: ".github/workflows/ci.yml", Content: []byte(ciWorkflow), Branch: "main", Message: "ci"})
		return err
	})
	text := func(s string) *string { return &s }
	step(func(s *model.State, repo *model.Repo) (err error) {
		issue, err = s.OpenIssue(writer, repo, model.NewIssue{Title: "broken", Body: "it is", Labels: []string{"bug"}, Assignees: []string{"writer"}})
		return err
	})
	step(func(s *model.State, repo *model.Repo) error {
		return s.EditIssue(repo.OwnerID, repo, issue, model.IssueEdit{Title: text("mended"), Labels: &[]string{}, Assignees: &[]string{}, State: text("closed")})
	})
	step(func(s *model.State, repo *model.Repo) error {
		return s.EditIssue(repo.OwnerID, repo, issue, model.IssueEdit{State: text("open")})
	})
	step(func(s *model.State, repo *model.Repo) (err error) {
		comment, err = s.CreateComment(writer, repo, issue, "/bench")
		return err
	})
	step(func(s *model.State, _ *model.Repo) error { return s.EditComment(writer, comment, "/bench retry") })
	step(func(s *model.State, _ *model.Repo) error { return s.DeleteComment(writer, comment) })
	step(func(s *model.State, repo *model.Repo) error {
		main, _ := s.BranchHead(repo, "main")
		return s.CreateRef(writer, repo, "refs/heads/f", main)
	})
	write := func(path string) func(s *model.State, repo *model.Repo) error {
		return func(s *model.State, repo *model.Repo) error {
			_, err := s.WriteFile(writer, repo, model.FileWrite{Path: path, Content: []byte(path), Branch: "f", Message: "add " + path})
			return err
		}
	}
	step(write("a.txt"))
	step(func(s *model.State, repo *model.Repo) (err error) {
		pull, err = s.OpenPull(writer, repo, model.NewPull{Title: "A", Body: "b", Head: "f", Base: "main", Draft: true})
		return err
	})
	step(write("b.txt"))
	step(func(s *model.State, _ *model.Repo) error { return s.SetDraft(writer, pull, false) })
	step(func(s *model.State, _ *model.Repo) error { return s.SetDraft(writer, pull, true) })
	step(func(s *model.State, _ *model.Repo) error { return s.SetDraft(writer, pull, false) })
	step(func(s *model.State, repo *model.Repo) error {
		return s.EditIssue(writer, repo, pull, model.IssueEdit{Title: text("B"), Labels: &[]string{"bench"}, Assignees: &[]string{"writer"}})
	})
	step(func(s *model.State, repo *model.Repo) error {
		return s.EditIssue(writer, repo, pull, model.IssueEdit{Labels: &[]string{}, Assignees: &[]string{}})
	})
	step(func(s *model.State, _ *model.Repo) error {
		return s.RequestReviewers(writer, pull, []model.ID{s.User("reader").ID}, true)
	})
	step(func(s *model.State, repo *model.Repo) error {
		_, err := s.CreateReview(repo.OwnerID, pull, model.NewReview{Event: model.EventApprove, Body: "good"})
		return err
	})
	step(func(s *model.State, repo *model.Repo) (err error) {
		queued, title := model.Queued, "bench"
		run, err = s.CreateCheckRun(app, repo, pull.Pull.HeadSHA, model.CheckChange{
			Name: &title, Status: &queued, Actions: []model.CheckAction{{Label: "Full run", Description: "all of it", Identifier: "full"}},
		})
		return err
	})
	step(func(s *model.State, _ *model.Repo) error {
		success := model.Success
		return s.EditCheckRun(app, run, model.CheckChange{Conclusion: &success, Output: &model.CheckOutput{Title: "t", Summary: "s"}})
	})
	step(func(s *model.State, _ *model.Repo) error { return s.Rerequest(writer, run) })
	step(func(s *model.State, _ *model.Repo) error {
		return s.RerequestSuite(writer, s.CheckSuites.Get(run.SuiteID))
	})
	step(func(s *model.State, _ *model.Repo) error { return s.PressButton(writer, run, "full") })
	step(func(s *model.State, repo *model.Repo) error {
		sandboxtest.Queue(repo, "gate")
		_, err1 := s.CreateStatus(writer, repo, pull.Pull.HeadSHA, model.NewStatus{State: model.StatusSuccess, Context: "gate"})
		_, err2 := s.Enqueue(writer, pull, false, "")
		return errors.Join(err1, err2)
	})
	step(func(s *model.State, _ *model.Repo) error { return s.Dequeue(writer, pull) })
	step(func(s *model.State, repo *model.Repo) error {
		return s.EditIssue(writer, repo, pull, model.IssueEdit{State: text("closed")})
	})
	step(func(s *model.State, repo *model.Repo) error {
		return s.EditIssue(writer, repo, pull, model.IssueEdit{State: text("open")})
	})
	step(func(s *model.State, repo *model.Repo) error { return s.DeleteRef(writer, repo, "refs/heads/f") })
	step(func(s *model.State, repo *model.Repo) error {
		i := s.InstallationOf(app, repo.OwnerID)
		second := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "second"})
		s.SetInstalledRepos(repo.OwnerID, i, []model.ID{repo.ID, second.ID})
		s.SetInstalledRepos(repo.OwnerID, i, []model.ID{repo.ID})
		s.Suspend(repo.OwnerID, i, true)
		s.Suspend(repo.OwnerID, i, false)
		s.Uninstall(repo.OwnerID, i)
		return nil
	})
	latest := map[string]sandboxtest.Received{}
	for _, r := range all {
		latest[name(t, r)] = r
	}
	return latest
}

// events are the webhooks that an App of ours is told of.
var events = []string{
	"ping", "push", "create", "delete", "issues.opened", "issues.edited", "issues.labeled", "issues.unlabeled", "issues.assigned", "issues.unassigned",
	"issues.closed", "issues.reopened", "issue_comment.created", "issue_comment.edited", "issue_comment.deleted", "pull_request.opened",
	"pull_request.synchronize", "pull_request.ready_for_review", "pull_request.converted_to_draft", "pull_request.edited", "pull_request.labeled",
	"pull_request.unlabeled", "pull_request.assigned", "pull_request.unassigned", "pull_request.review_requested", "pull_request.closed",
	"pull_request.reopened", "pull_request_review.submitted", "check_run.created", "check_run.completed", "check_run.rerequested",
	"check_run.requested_action", "check_suite.requested", "check_suite.rerequested", "check_suite.completed", "merge_group.checks_requested", "merge_group.destroyed",
	"pull_request.enqueued", "pull_request.dequeued",
	"workflow_run.requested", "workflow_run.in_progress", "workflow_run.completed", "workflow_job.queued", "workflow_job.in_progress",
	"workflow_job.completed", "installation.created", "installation.deleted", "installation.suspend", "installation.unsuspend",
	"installation_repositories.added", "installation_repositories.removed",
}

func TestEveryEventOfAnAppIsDelivered(t *testing.T) {
	w := sandboxtest.New(t)
	to := w.Receive()
	app := gate(w, to, nil)
	latest := happenings(t, w, to, app)
	for _, event := range events {
		r, came := latest[event]
		if !assert.True(t, came, event) {
			continue
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to.URL, bytes.NewReader(r.Body))
		require.NoError(t, err)
		request.Header = r.Header
		payload, err := github.ValidatePayload(request, []byte(hookSecret))
		require.NoError(t, err, event)
		parsed, err := github.ParseWebHook(github.WebHookType(request), payload)
		require.NoError(t, err, event)
		if from, ok := parsed.(interface{ GetInstallation() *github.Installation }); ok && event != "ping" {
			assert.NotZero(t, from.GetInstallation().GetID(), event)
		}
		if from, ok := parsed.(interface{ GetSender() *github.User }); ok {
			assert.NotEmpty(t, from.GetSender().GetLogin(), event)
		}
	}
}

// lacking is where the published description itself is wrong: its list of what
// an App can subscribe to has no merge_group there, and every dispatch is of an App.
var lacking = map[string]string{"check_suite.rerequested": "/check_suite/app/events/", "repository_dispatch.sample.collected": "': missing property 'installation'"}

func TestPayloadsAreOfThePublishedShape(t *testing.T) {
	published := publishedWebhooks(t)
	w := sandboxtest.New(t)
	to := w.Receive()
	app := gate(w, to, nil)
	for event, r := range happenings(t, w, to, app) {
		t.Run(event, func(t *testing.T) { published.check(t, event, r.Body) })
	}
}

func TestHeadersOfAWebhook(t *testing.T) {
	w := sandboxtest.New(t)
	to := w.Receive()
	app := gate(w, to, nil)
	w.Received(to)
	_, err := openIssue(t, w.As("writer"), "one")
	require.NoError(t, err)
	all := w.Received(to)
	require.Equal(t, []string{"issues.opened"}, named(t, all))
	header := all[0].Header
	assert.Regexp(t, `^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, header.Get("X-GitHub-Delivery"))
	assert.True(t, strings.HasPrefix(header.Get("User-Agent"), "GitHub-Hookshot/"))
	for name, want := range map[string]string{
		"Content-Type": "application/json", "X-GitHub-Event": "issues", "X-GitHub-Hook-ID": fmt.Sprint(app.HookID),
		"X-GitHub-Hook-Installation-Target-ID": fmt.Sprint(app.ID), "X-GitHub-Hook-Installation-Target-Type": "integration",
	} {
		assert.Equal(t, want, header.Get(name), name)
	}
	assert.NoError(t, github.ValidateSignature(header.Get("X-Hub-Signature-256"), all[0].Body, []byte(hookSecret)))
	assert.NoError(t, github.ValidateSignature(header.Get("X-Hub-Signature"), all[0].Body, []byte(hookSecret)))
}

func TestAWebhookIsToldOnlyOfWhatItMayKnow(t *testing.T) {
	w := sandboxtest.New(t)
	to := w.Receive()
	app := gate(w, to, nil)
	w.Change(func(s *model.State, repo *model.Repo) {
		other := s.AddRepo(model.NewRepo{Owner: repo.OwnerID, Name: "other"})
		require.NoError(t, s.PushInitial(repo.OwnerID, other, []gitstore.Change{{Path: "a", Content: []byte("x")}}, "first"))
		_, err := s.OpenIssue(repo.OwnerID, other, model.NewIssue{Title: "elsewhere"})
		require.NoError(t, err)
	})
	assert.Equal(t, []string{"ping", "installation.created"}, named(t, w.Received(to)), "it is not installed in the other repository")
	suspend := func(suspended bool) {
		w.Change(func(s *model.State, repo *model.Repo) {
			s.Suspend(repo.OwnerID, s.InstallationOf(app, repo.OwnerID), suspended)
		})
	}
	suspend(true)
	_, err := openIssue(t, w.As("writer"), "one")
	require.NoError(t, err)
	suspend(false)
	assert.Equal(t, []string{"installation.suspend", "installation.unsuspend"}, named(t, w.Received(to)), "while it is suspended it hears nothing")
}

func TestWebhooksOfARepository(t *testing.T) {
	w := sandboxtest.New(t)
	to := w.Receive()
	owner := w.As("owner").REST
	hook, _, err := owner.Repositories.CreateHook(t.Context(), sandboxtest.Owner, sandboxtest.Name, &github.Hook{
		Events: []string{"issues"}, Config: &github.HookConfig{URL: &to.URL, Secret: github.String(hookSecret), ContentType: github.String("form")},
	})
	require.NoError(t, err)
	assert.Equal(t, "********", hook.GetConfig().GetSecret())
	_, err = openIssue(t, w.As("writer"), "one")
	require.NoError(t, err)
	all := w.Received(to)
	require.Len(t, all, 2)
	for _, r := range all {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to.URL, bytes.NewReader(r.Body))
		require.NoError(t, err)
		request.Header = r.Header
		assert.Equal(t, "repository", r.Header.Get("X-GitHub-Hook-Installation-Target-Type"))
		_, err = github.ValidatePayload(request, []byte(hookSecret))
		assert.NoError(t, err, "go-github reads forms")
	}
	assert.Equal(t, []string{"ping", "issues"}, []string{all[0].Header.Get("X-GitHub-Event"), all[1].Header.Get("X-GitHub-Event")})

	_, err = owner.Repositories.PingHook(t.Context(), sandboxtest.Owner, sandboxtest.Name, hook.GetID())
	require.NoError(t, err)
	_, _, err = owner.Repositories.EditHook(t.Context(), sandboxtest.Owner, sandboxtest.Name, hook.GetID(), &github.Hook{Active: github.Bool(false), Events: []string{"push"}})
	require.NoError(t, err)
	_, err = owner.Repositories.TestHook(t.Context(), sandboxtest.Owner, sandboxtest.Name, hook.GetID())
	require.NoError(t, err)
	all = w.Received(to)
	require.Len(t, all, 2)
	assert.Equal(t, "push", all[1].Header.Get("X-GitHub-Event"), "a test sends the latest push")
	_, err = owner.Repositories.DeleteHook(t.Context(), sandboxtest.Owner, sandboxtest.Name, hook.GetID())
	require.NoError(t, err)
	assert.Equal(t, http.StatusNotFound, w.As("writer").Get(sandboxtest.Path+"/hooks").Status, "only administrators see webhooks")
	for name, body := range map[string]map[string]any{
		"no address":       {"config": map[string]any{}},
		"no such event":    {"events": []string{"pusch"}, "config": map[string]any{"url": to.URL}},
		"another protocol": {"config": map[string]any{"url": "ftp://example.com"}},
	} {
		assert.Equal(t, http.StatusUnprocessableEntity, w.As("owner").Do("POST", sandboxtest.Path+"/hooks", body).Status, name)
	}
}

// What an App is told of a pull request from a fork is what it decides by: it
// is told in the base's repository, of whose head it is and of each push.
func TestWebhooksOfPullRequestsFromForks(t *testing.T) {
	w := sandboxtest.New(t)
	to := w.Receive()
	gate(w, to, nil)
	var fork *model.Repo
	push := func(s *model.State, path string) {
		_, err := s.WriteFile(fork.OwnerID, fork, model.FileWrite{Path: path, Content: []byte(path), Branch: "main", Message: "add " + path})
		require.NoError(t, err)
	}
	var first string
	w.Change(func(s *model.State, repo *model.Repo) {
		var err error
		stranger := s.User("stranger").ID
		fork, err = s.Fork(stranger, repo, stranger, "", false)
		require.NoError(t, err)
		push(s, "a.txt")
		pull, err := s.OpenPull(stranger, repo, model.NewPull{Title: "A", Head: "stranger:main", Base: "main", MaintainerCanModify: true})
		require.NoError(t, err)
		first = pull.Pull.HeadSHA
	})
	w.Change(func(s *model.State, _ *model.Repo) {
		fork = s.Repos.Get(fork.ID)
		push(s, "b.txt")
	})
	var told []*github.PullRequestEvent
	for _, r := range w.Received(to) {
		if r.Header.Get("X-GitHub-Event") == "pull_request" {
			event := &github.PullRequestEvent{}
			require.NoError(t, json.Unmarshal(r.Body, event))
			told = append(told, event)
		}
	}
	require.Len(t, told, 2)
	opened, moved := told[0], told[1]
	assert.Equal(t, []any{"opened", "owner/hello", "stranger/hello", true, "NONE", "stranger"}, []any{
		opened.GetAction(), opened.GetRepo().GetFullName(), opened.GetPullRequest().GetHead().GetRepo().GetFullName(),
		opened.GetPullRequest().GetHead().GetRepo().GetFork(), opened.GetPullRequest().GetAuthorAssociation(), opened.GetSender().GetLogin(),
	})
	assert.Equal(t, []string{"synchronize", first, moved.GetPullRequest().GetHead().GetSHA()}, []string{moved.GetAction(), moved.GetBefore(), moved.GetAfter()})
	assert.NotEqual(t, moved.GetBefore(), moved.GetAfter())
}
