package model_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// full is a world with a row in every table and something in every list.
func full(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, workflow("p.yml", pipeline))
	w.Scripts = []model.Script{{Workflow: "p.yml", Job: "lint", Outcomes: []model.Conclusion{model.Failure}, Uploads: []model.Upload{{Name: "report"}}}}
	w.repo.Topics = []string{"go"}
	w.repo.Stargazers, w.repo.Watchers = []model.ID{w.reader}, []model.ID{w.reader}
	w.repo.Protection["main"] = model.Protection{RequiredChecks: []string{"build"}}
	m := w.AddMilestone(w.repo, model.NewMilestone{Title: "v1", Creator: w.owner})
	m.DueOn, m.ClosedAt = ptr(w.Now), ptr(w.Now)
	i := w.issue("x")
	require.NoError(t, w.EditIssue(w.owner, w.repo, i, model.IssueEdit{
		Labels: &[]string{"bug"}, Assignees: &[]string{"writer"}, Milestone: &m.Number, State: ptr("closed"),
	}))
	c, err := w.CreateComment(w.reader, w.repo, i, "hi")
	require.NoError(t, err)
	_, _, err = w.React(w.reader, w.repo, c.ID, "eyes")
	require.NoError(t, err)
	_, err = w.CreateCheckRun(w.AddApp(model.NewApp{Slug: "gate", Owner: w.owner, Repos: []model.ID{w.repo.ID}}), w.repo, w.head("main"),
		model.CheckChange{Name: ptr("gate"), Actions: []model.CheckAction{{Label: "Again", Description: "Run it again", Identifier: "again"}}})
	require.NoError(t, err)
	_, err = w.CreateStatus(w.owner, w.repo, w.head("main"), model.NewStatus{State: model.StatusSuccess})
	require.NoError(t, err)
	_, err = w.CreateHook(w.owner, w.repo, model.HookChange{Config: &model.HookConfig{URL: "https://example.com"}})
	require.NoError(t, err)
	pr := w.pull("f", "f", "x\n")
	require.NoError(t, w.RequestReviewers(w.owner, pr, []model.ID{w.reader}, true))
	_, err = w.CreateThread(w.owner, pr, model.NewThread{Path: "f", Line: 1, Body: "x"})
	require.NoError(t, err)
	w.dispatch("p.yml", map[string]string{"name": "x"})
	release, err := w.CreateRelease(w.owner, w.repo, model.ReleaseEdit{TagName: ptr("v1")})
	require.NoError(t, err)
	_, err = w.AddAsset(w.owner, release, model.NewAsset{Name: "a.txt", Content: []byte("a")})
	require.NoError(t, err)
	fillProject(t, w, i)
	fillSettings(t, w, i, pr)
	delete(w.repo.Protection, "main")
	require.NoError(t, w.MergePull(w.owner, pr, model.Merge{Method: model.MethodMerge}))
	w.repo.Protection["main"] = model.Protection{RequiredChecks: []string{"build"}}
	return w
}

// fillTalk begins a discussion with something in every list.
func fillTalk(t *testing.T, w *world) {
	t.Helper()
	w.OfferDiscussions(w.repo, true)
	d, err := w.CreateDiscussion(w.reader, w.repo, model.NewDiscussion{Title: "a", Body: "b", CategoryID: w.repo.DiscussionCategories[4].ID})
	require.NoError(t, err)
	c, err := w.CommentOnDiscussion(w.writer, d, nil, "c")
	require.NoError(t, err)
	require.NoError(t, w.AnswerDiscussion(w.reader, c, true))
	require.NoError(t, w.CloseDiscussion(w.reader, d, "resolved"))
	require.NoError(t, w.Upvote(w.owner, w.repo.ID, &d.Upvoters, true))
	require.NoError(t, w.Upvote(w.owner, w.repo.ID, &c.Upvoters, true))
	d.Labels, c.DeletedAt = []model.ID{w.Label(w.repo, "bug").ID}, ptr(w.Now)
}

// fillSettings puts something in every list of what few clients change.
func fillSettings(t *testing.T, w *world, i, pr *model.Issue) {
	t.Helper()
	gist, err := w.CreateGist(w.owner, true, model.GistEdit{Files: map[string]*model.GistFile{"a.txt": {Text: "a"}}})
	require.NoError(t, err)
	w.StarGist(w.reader, gist, true)
	_, err = w.CommentOnGist(w.reader, gist, "a")
	require.NoError(t, err)
	fillTalk(t, w)
	w.AddActivity(model.Activity{ID: w.NewActivityID(), Type: "WatchEvent", RepoID: w.repo.ID, Payload: "{}"})
	yesHire := true
	w.EditProfile(w.owner, model.ProfileEdit{Hireable: &yesHire})
	require.NoError(t, w.FollowUser(w.owner, w.Users.Get(w.reader), true))
	_, err = w.AddAutolink(w.owner, w.repo, model.Autolink{Prefix: "T-", Template: "https://example.com/<num>"})
	require.NoError(t, err)
	w.repo.FormerPlaces = []string{"other/hello"}
	org := w.AddUser(model.NewUser{Login: "org", Type: model.TypeOrganization})
	team := w.AddTeam(org, "Core", w.owner)
	team.Maintainers, team.Repos = []model.ID{w.owner}, map[model.ID]model.Permission{w.repo.ID: model.PermRead}
	pr.Pull.RequestedTeams = []model.ID{team.ID}
	tip, _ := w.BranchHead(w.repo, "main")
	line := 1
	_, err = w.CommentOnCommit(w.owner, w.repo, tip, model.NewCommitComment{Body: "a", Position: &line, Line: &line})
	require.NoError(t, err)
	_, err = w.AddCollaborator(w.owner, w.repo, w.AddUser(model.NewUser{Login: "invited"}), model.PermRead)
	require.NoError(t, err)
	pr.Pull.AutoMerge = &model.AutoMerge{ByID: w.owner}
	pr.Pull.LinkedIssues = []model.ID{i.ID}
	i.Branches = []model.LinkedBranch{{ID: w.LastID, RepoID: w.repo.ID, Name: "main"}}
	w.repo.FormerNames, w.repo.Transferred = []string{"old"}, map[int]model.ID{99: i.ID}
	yes := true
	w.repo.HasWiki, w.repo.HasProjects, w.repo.Actions.Patterns = &yes, &yes, []string{"a/*"}
	one := []model.Setting{{Name: "A", Repos: []model.ID{w.repo.ID}}}
	w.repo.Secrets, w.repo.Variables, w.repo.DependabotSecrets, w.repo.CodespacesSecrets = one, one, one, one
	org.Secrets, org.Variables, org.DependabotSecrets = one, one, one
	e, err := w.SetEnvironment(w.owner, w.repo, "test", false, true)
	require.NoError(t, err)
	_, err = w.SetPolicy(w.owner, e, 0, "main", model.TargetBranch)
	require.NoError(t, err)
	e.Secrets, e.Variables = one, one
	d, _, err := w.CreateDeployment(w.owner, w.repo, model.NewDeployment{Ref: "main", Environment: "test", Contexts: []string{}})
	require.NoError(t, err)
	_, err = w.CreateDeploymentStatus(w.owner, d, model.NewDeploymentStatus{State: "success"})
	require.NoError(t, err)
	thread := w.owner<<32 | i.ID
	w.Notifications.Add(thread, &model.Notification{ID: thread, UserID: w.owner, RepoID: w.repo.ID, SubjectID: i.ID, LatestID: i.ID, Reason: model.ToldAssigned, UpdatedAt: w.Now, LastReadAt: &w.Now})
	w.repo.Keys, w.Users.Get(w.owner).Keys = []model.Key{{Title: "a"}}, []model.Key{{Title: "b"}}
}

// A clone shares no memory with its origin that anybody may change: the walk
// finds every pointer, map and slice that both can reach.
func TestClonesShareNothing(t *testing.T) {
	w := full(t)
	for field, value := range reflect.ValueOf(*w.State).Fields() {
		if strings.HasPrefix(field.Type.Name(), "Table[") {
			assert.NotZero(t, value.FieldByName("order").Len(), "%s has no row, so the walk cannot see it", field.Name)
		}
	}
	origin := map[uintptr]string{}
	walk(reflect.ValueOf(w.State), "state", func(at uintptr, path string) { origin[at] = path })
	require.Greater(t, len(origin), 100)
	walk(reflect.ValueOf(w.Clone()), "clone", func(at uintptr, path string) {
		if shared, known := origin[at]; known {
			t.Errorf("%s is %s", path, shared)
		}
	})
}

// unchanging are the fields of what never changes once it is there: git objects,
// workflow files that were read, and the steps of jobs, of which a job gets
// another list.
var unchanging = []string{"objects", "definitions", "Steps"}

// walk visits the memory that can be reached from a value, but for what is
// unchanging, time zones, and what is empty.
func walk(v reflect.Value, path string, visit func(at uintptr, path string)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Type().String() == "*time.Location" {
			return
		}
		visit(v.Pointer(), path)
		walk(v.Elem(), path, visit)
	case reflect.Map:
		if v.IsNil() {
			return
		}
		visit(v.Pointer(), path)
		for _, key := range v.MapKeys() {
			walk(v.MapIndex(key), path+"."+key.String(), visit)
		}
	case reflect.Slice:
		if v.Cap() == 0 {
			return
		}
		visit(v.Pointer(), path)
		for i := range v.Len() {
			walk(v.Index(i), path+"[]", visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if name := v.Type().Field(i).Name; !slices.Contains(unchanging, name) {
				walk(v.Field(i), path+"."+name, visit)
			}
		}
	}
}

func TestChangesOfACloneStayThere(t *testing.T) {
	w := full(t)
	w.Scripts = []model.Script{{Workflow: "p.yml", Hanging: true}}
	w.dispatch("p.yml", map[string]string{"name": "y"})
	before, err := json.Marshal(w.State)
	require.NoError(t, err)
	c := &world{t: t, State: w.Clone(), owner: w.owner, writer: w.writer}
	c.repo = c.Repos.Get(w.repo.ID)
	for i := range c.Issues.All() {
		require.NoError(t, c.AddLabels(c.owner, c.repo, i, []string{"other"}))
	}
	c.pull("g", "g", "x\n")
	for r := range c.Runs.All() {
		if r.Current().Status != model.Completed {
			require.NoError(t, c.Cancel(c.owner, r))
		}
		require.NoError(t, c.DeleteLogs(c.owner, r))
		require.NoError(t, c.Rerun(c.owner, r, false))
	}
	after, err := json.Marshal(w.State)
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
	_, known := w.BranchHead(w.repo, "g")
	assert.False(t, known)
}

func TestEqualRequestsMakeEqualWorlds(t *testing.T) {
	one, err := json.Marshal(full(t).State)
	require.NoError(t, err)
	other, err := json.Marshal(full(t).State)
	require.NoError(t, err)
	assert.Equal(t, string(one), string(other))
}

func TestWorldsThatDoNotFitTogether(t *testing.T) {
	repos := func(s *model.State, change func(*model.Repo)) {
		for r := range s.Repos.All() {
			change(r)
		}
	}
	issue := func(s *model.State) *model.Issue {
		return s.Issues.First(func(i *model.Issue) bool { return i.Pull == nil })
	}
	pull := func(s *model.State) *model.Issue {
		return s.Issues.First(func(i *model.Issue) bool { return i.Pull != nil })
	}
	for _, c := range []struct {
		spoil func(s *model.State)
		want  string
	}{
		{func(s *model.State) { s.LastID = 5 }, "has an id that was never given"},
		{func(s *model.State) { s.Users.First(func(*model.User) bool { return true }).Type = "Robot" }, "is of no known type"},
		{func(s *model.State) { s.Users.First(func(*model.User) bool { return true }).ID = 9 }, "is stored under another id"},
		{func(s *model.State) { repos(s, func(r *model.Repo) { s.Users.Delete(r.OwnerID) }) }, "its owner is missing"},
		{func(s *model.State) { repos(s, func(r *model.Repo) { r.Git = nil }) }, "has no git objects"},
		{func(s *model.State) { repos(s, func(r *model.Repo) { r.LastRunNumber = nil }) }, "lacks collaborators, run numbers or protection"},
		{func(s *model.State) { repos(s, func(r *model.Repo) { s.Repos.Delete(r.ID) }) }, "its repository is missing"},
		{func(s *model.State) { issue(s).Number = 2 }, "has the number of another one"},
		{func(s *model.State) { issue(s).Number = -1 }, "has a number that was never given"},
		{func(s *model.State) { issue(s).BlockedBy = []model.ID{5} }, "waits for an issue, that is missing or itself"},
		{func(s *model.State) { issue(s).SubIssues = []model.ID{issue(s).ID} }, "has a sub-issue, or waits for an issue, that is missing or itself"},
		{func(s *model.State) { issue(s).SubIssues = []model.ID{pull(s).ID, pull(s).ID} }, "has a sub-issue that is another one's too"},
		{func(s *model.State) { pull(s).Pull.ID = 0 }, "has a pull request id that was never given"},
		{func(s *model.State) { pull(s).Pull.HeadSHA = "zz" }, "its commit is missing"},
		{func(s *model.State) { s.Issues.Delete(issue(s).ID) }, "its issue is missing"},
		{func(s *model.State) { pull(s).Pull = nil }, "its pull request is missing"},
		{func(s *model.State) { drop(&s.Reviews) }, "its review is missing"},
		{func(s *model.State) { drop(&s.Threads) }, "its thread is missing"},
		{func(s *model.State) { drop(&s.ReviewComments) }, "has no comment"},
		{func(s *model.State) { drop(&s.Workflows) }, "its workflow is missing"},
		{func(s *model.State) { drop(&s.CheckSuites) }, "its check suite is missing"},
		{func(s *model.State) { drop(&s.CheckRuns) }, "its check run is missing"},
		{func(s *model.State) { drop(&s.Jobs) }, "one of its jobs is missing"},
		{func(s *model.State) { drop(&s.Projects) }, "its project is missing"},
		{func(s *model.State) { drop(&s.ProjectFields) }, "has a value of a field that is missing"},
		{func(s *model.State) { s.User("acme").LastProject = 0 }, "has a number that was never given"},
		{func(s *model.State) {
			s.ProjectItems.First(func(i *model.ProjectItem) bool { return i.Draft != nil }).IssueID = issue(s).ID
		}, "is about no issue, or about one and a draft"},
		{func(s *model.State) { s.Releases.First(func(*model.Release) bool { return true }).Draft = true }, "is a draft that was published, or neither"},
		{func(s *model.State) { drop(&s.Runs) }, "its run is missing"},
		{func(s *model.State) { s.Runs.First(func(*model.Run) bool { return true }).Attempts = nil }, "has no attempt"},
		{func(s *model.State) { s.Reviews.First(func(*model.Review) bool { return true }).State = "GREAT" }, "is in no known state"},
	} {
		w := full(t)
		require.NoError(t, w.Validate())
		c.spoil(w.State)
		assert.ErrorContains(t, w.Validate(), c.want)
	}
}

// drop empties a table.
func drop[T any](table *model.Table[T]) { *table = model.Table[T]{} }

func TestAuthorsMayBeGone(t *testing.T) {
	w := full(t)
	w.Users.Delete(w.reader)
	drop(&w.Labels)
	drop(&w.Milestones)
	assert.NoError(t, w.Validate())
	assert.Equal(t, "ghost", w.Login(w.reader))
	assert.Equal(t, "ghost@users.noreply.github.com", w.Signature(w.reader).Email)
}

func TestTables(t *testing.T) {
	var table model.Table[string]
	table.Delete(1)
	for id, row := range []string{"a", "b", "c"} {
		table.Add(model.ID(id), &row)
	}
	table.Delete(1)
	saved, err := json.Marshal(table)
	require.NoError(t, err)
	assert.JSONEq(t, `[{"id":0,"row":"a"},{"id":2,"row":"c"}]`, string(saved))
	var loaded model.Table[string]
	require.NoError(t, json.Unmarshal(saved, &loaded))
	assert.Equal(t, 2, loaded.Len())
	for _, wrong := range []string{`[{"id":1,"row":null}]`, `[{"id":1}]`, `[{"id":1,"row":"a"},{"id":1,"row":"b"}]`, `{}`, `[5]`} {
		assert.Error(t, json.Unmarshal([]byte(wrong), &loaded), wrong)
	}
}
