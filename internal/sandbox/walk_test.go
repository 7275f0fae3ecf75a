package sandbox_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// walk is a world in which one thing after the other is done at random.
type walk struct {
	*model.State
	*rand.Rand
	repo         *model.Repo
	owner, other model.ID
}

// errNothing is told by what finds nothing to do.
var errNothing = assert.AnError

// any returns a row for which match is true, an error if there is none.
func pick[T any](w *walk, table *model.Table[T], match func(*T) bool) (*T, error) {
	rows := table.Where(match)
	if len(rows) == 0 {
		return nil, errNothing
	}
	return rows[w.IntN(len(rows))], nil
}

func (w *walk) issue() (*model.Issue, error) {
	return pick(w, &w.Issues, func(i *model.Issue) bool { return i.RepoID == w.repo.ID && i.Pull == nil })
}

// pull is more often an open one.
func (w *walk) pull() (*model.Issue, error) {
	whatever := w.IntN(4) == 0
	return pick(w, &w.Issues, func(i *model.Issue) bool { return i.RepoID == w.repo.ID && i.Pull != nil && (whatever || !i.Closed) })
}

// some is a text that is not often the same.
func (w *walk) some(of string) string { return fmt.Sprintf("%s %d", of, w.IntN(5)) }

// branch is a new or an old one.
func (w *walk) branch() string { return fmt.Sprintf("topic-%d", w.IntN(4)) }

func with[T any](row *T, err error, act func(*T) error) error {
	if err != nil {
		return err
	}
	return act(row)
}

// onIssue is an act on an issue or pull request.
func onIssue(act func(*walk, *model.Issue) error) func(*walk) error {
	return func(w *walk) error {
		i, err := w.issue()
		if w.IntN(3) == 0 {
			i, err = w.pull()
		}
		return with(i, err, func(i *model.Issue) error { return act(w, i) })
	}
}

func onPull(act func(*walk, *model.Issue) error) func(*walk) error {
	return func(w *walk) error {
		i, err := w.pull()
		return with(i, err, func(i *model.Issue) error { return act(w, i) })
	}
}

// on is an act on a row of a table.
func on[T any](table func(*model.State) *model.Table[T], act func(*walk, *T) error) func(*walk) error {
	return onSome(table, func(*T) bool { return true }, act)
}

// onSome is [on] for a row for which match is true.
func onSome[T any](table func(*model.State) *model.Table[T], match func(*T) bool, act func(*walk, *T) error) func(*walk) error {
	return func(w *walk) error {
		row, err := pick(w, table(w.State), match)
		return with(row, err, func(row *T) error { return act(w, row) })
	}
}

func issues(s *model.State) *model.Table[model.Issue]                 { return &s.Issues }
func comments(s *model.State) *model.Table[model.Comment]             { return &s.Comments }
func labels(s *model.State) *model.Table[model.Label]                 { return &s.Labels }
func milestones(s *model.State) *model.Table[model.Milestone]         { return &s.Milestones }
func reviews(s *model.State) *model.Table[model.Review]               { return &s.Reviews }
func threads(s *model.State) *model.Table[model.Thread]               { return &s.Threads }
func reviewComments(s *model.State) *model.Table[model.ReviewComment] { return &s.ReviewComments }
func reactions(s *model.State) *model.Table[model.Reaction]           { return &s.Reactions }
func runs(s *model.State) *model.Table[model.Run]                     { return &s.Runs }
func jobs(s *model.State) *model.Table[model.Job]                     { return &s.Jobs }
func artifacts(s *model.State) *model.Table[model.Artifact]           { return &s.Artifacts }
func releases(s *model.State) *model.Table[model.Release]             { return &s.Releases }
func projects(s *model.State) *model.Table[model.Project]             { return &s.Projects }
func items(s *model.State) *model.Table[model.ProjectItem]            { return &s.ProjectItems }
func fields(s *model.State) *model.Table[model.ProjectField]          { return &s.ProjectFields }
func hooks(s *model.State) *model.Table[model.Hook]                   { return &s.Hooks }
func gists(s *model.State) *model.Table[model.Gist]                   { return &s.Gists }
func checks(s *model.State) *model.Table[model.CheckRun]              { return &s.CheckRuns }

func pending(r *model.Review) bool { return r.State == model.ReviewPending }

func second[A any](_ A, err error) error { return err }

// acts are what can be done, each with what it is called.
var acts = map[string]func(*walk) error{
	"open an issue": func(w *walk) error {
		return second(w.OpenIssue(w.owner, w.repo, model.NewIssue{Title: w.some("issue"), Labels: []string{w.some("label")}, Assignees: []string{"owner"}}))
	},
	"edit": onIssue(func(w *walk, i *model.Issue) error {
		title := w.some("title")
		return w.EditIssue(w.owner, w.repo, i, model.IssueEdit{Title: &title, Labels: &[]string{w.some("label"), "bug"}, Milestone: new(w.IntN(2))})
	}),
	"close": onIssue(func(w *walk, i *model.Issue) error {
		return w.EditIssue(w.owner, w.repo, i, model.IssueEdit{State: new("closed")})
	}),
	"reopen": onIssue(func(w *walk, i *model.Issue) error {
		return w.EditIssue(w.owner, w.repo, i, model.IssueEdit{State: new("open")})
	}),
	"retarget": onPull(func(w *walk, i *model.Issue) error {
		return w.EditIssue(w.owner, w.repo, i, model.IssueEdit{Base: new([]string{"main", w.branch()}[w.IntN(2)])})
	}),
	"assign":   onIssue(func(w *walk, i *model.Issue) error { return w.AddAssignees(w.owner, w.repo, i, []model.ID{w.other}) }),
	"unassign": onIssue(func(w *walk, i *model.Issue) error { return w.RemoveAssignees(w.owner, w.repo, i, []model.ID{w.owner}) }),
	"label":    onIssue(func(w *walk, i *model.Issue) error { return w.AddLabels(w.owner, w.repo, i, []string{w.some("label")}) }),
	"lock":     onIssue(func(w *walk, i *model.Issue) error { return w.Lock(w.owner, i, "spam") }),
	"unlock":   onIssue(func(w *walk, i *model.Issue) error { return w.Unlock(w.owner, i) }),
	"pin":      onIssue(func(w *walk, i *model.Issue) error { return w.Pin(w.owner, i, w.IntN(2) == 0) }),
	"comment": onIssue(func(w *walk, i *model.Issue) error {
		return second(w.CreateComment(w.owner, w.repo, i, w.some("comment")))
	}),
	"react": onIssue(func(w *walk, i *model.Issue) error {
		_, _, err := w.React(w.owner, w.repo, i.ID, model.Reactions[w.IntN(3)])
		return err
	}),
	"react to a comment": on(comments, func(w *walk, c *model.Comment) error {
		_, _, err := w.React(w.other, w.repo, c.ID, "eyes")
		return err
	}),
	"take a reaction back": on(reactions, func(w *walk, r *model.Reaction) error { return w.DeleteReaction(w.owner, r) }),
	"edit a comment":       on(comments, func(w *walk, c *model.Comment) error { return w.EditComment(w.owner, c, w.some("edited")) }),
	"delete a comment":     on(comments, func(w *walk, c *model.Comment) error { return w.DeleteComment(w.owner, c) }),
	"delete an issue":      onIssue(func(w *walk, i *model.Issue) error { return w.DeleteIssue(w.owner, w.repo, i) }),
	"transfer an issue": onIssue(func(w *walk, i *model.Issue) error {
		to, err := pick(w, &w.Repos, func(r *model.Repo) bool { return r.ID != w.repo.ID && r.ParentID == 0 })
		return with(to, err, func(to *model.Repo) error { return w.Transfer(w.owner, i, to, w.IntN(2) == 0) })
	}),
	"nest an issue": onIssue(func(w *walk, i *model.Issue) error {
		sub, err := w.issue()
		return with(sub, err, func(sub *model.Issue) error { return w.AddSubIssue(w.owner, i, sub, true) })
	}),
	"take an issue out": onSome(issues, func(i *model.Issue) bool { return len(i.SubIssues) > 0 }, func(w *walk, parent *model.Issue) error {
		return w.RemoveSubIssue(w.owner, parent, w.Issues.Get(parent.SubIssues[0]))
	}),
	"block": onIssue(func(w *walk, i *model.Issue) error {
		by, err := w.issue()
		return with(by, err, func(by *model.Issue) error { return w.AddBlocker(w.owner, i, by) })
	}),
	"make a label": func(w *walk) error {
		return second(w.CreateLabel(w.owner, w.repo, model.NewLabel{Name: w.some("label")}))
	},
	"edit a label": on(labels, func(w *walk, l *model.Label) error {
		return w.EditLabel(w.owner, w.repo, l, model.LabelEdit{Description: new(w.some("d"))})
	}),
	"delete a label": on(labels, func(w *walk, l *model.Label) error { return w.DeleteLabel(w.owner, w.Repos.Get(l.RepoID), l) }),
	"make a milestone": func(w *walk) error {
		return second(w.CreateMilestone(w.owner, w.repo, model.NewMilestone{Title: w.some("milestone")}))
	},
	"edit a milestone": on(milestones, func(w *walk, m *model.Milestone) error {
		return w.EditMilestone(w.owner, m, model.MilestoneEdit{Title: new(w.some("milestone")), Closed: new(w.IntN(2) == 0)})
	}),
	"delete a milestone": on(milestones, func(w *walk, m *model.Milestone) error { return w.DeleteMilestone(w.owner, m) }),
	"branch": func(w *walk) error {
		main, _ := w.BranchHead(w.repo, "main")
		return w.CreateRef(w.owner, w.repo, "refs/heads/"+w.branch(), main)
	},
	"commit": func(w *walk) error {
		branch, file := w.branch(), fmt.Sprintf("file-%d.txt", w.IntN(1000))
		if w.IntN(4) == 0 {
			branch = "main"
		}
		return second(w.WriteFile(w.owner, w.repo, model.FileWrite{Path: file, Message: fmt.Sprintf("fixes #%d", w.IntN(9)+1), Content: []byte(file), Branch: branch}))
	},
	"delete a branch": func(w *walk) error { return w.DeleteRef(w.owner, w.repo, "refs/heads/"+w.branch()) },
	"open a pull request": func(w *walk) error {
		return second(w.OpenPull(w.owner, w.repo, model.NewPull{Title: w.some("pull"), Body: fmt.Sprintf("closes #%d", w.IntN(9)+1), Head: w.branch(), Base: "main", Draft: w.IntN(4) == 0}))
	},
	"merge": onPull(func(w *walk, i *model.Issue) error {
		methods := []model.MergeMethod{model.MethodMerge, model.MethodSquash, model.MethodRebase}
		return w.MergePull(w.other, i, model.Merge{Method: methods[w.IntN(3)]})
	}),
	"update a branch": onPull(func(w *walk, i *model.Issue) error {
		return w.UpdatePullBranch(w.owner, i, model.BranchUpdate{Rebase: w.IntN(2) == 0})
	}),
	"draft":            onPull(func(w *walk, i *model.Issue) error { return w.SetDraft(w.owner, i, w.IntN(2) == 0) }),
	"ask for a review": onPull(func(w *walk, i *model.Issue) error { return w.RequestReviewers(w.owner, i, []model.ID{w.other}, true) }),
	"review": onPull(func(w *walk, i *model.Issue) error {
		events := []model.ReviewEvent{model.EventApprove, model.EventRequestChanges, model.EventComment, model.EventNone}
		return second(w.CreateReview(w.other, i, model.NewReview{Event: events[w.IntN(4)], Body: w.some("review")}))
	}),
	"submit a review": onSome(reviews, pending, func(w *walk, r *model.Review) error { return w.SubmitReview(w.other, r, model.EventApprove, "") }),
	"drop a review":   onSome(reviews, pending, func(w *walk, r *model.Review) error { return w.DeleteReview(w.other, r) }),
	"start a thread": onPull(func(w *walk, i *model.Issue) error {
		files, err := w.PullDiff(i)
		if err != nil || len(files) == 0 {
			return errNothing
		}
		return second(w.CreateThread(w.other, i, model.NewThread{Path: files[0].Path, Line: 1, Body: w.some("thread")}))
	}),
	"add to a review": onPull(func(w *walk, i *model.Issue) error {
		files, err := w.PullDiff(i)
		if err != nil || len(files) == 0 {
			return errNothing
		}
		return second(w.AddThread(w.other, i, nil, model.NewThread{Path: files[0].Path, Line: 1, Body: w.some("thread")}))
	}),
	"reply":                   on(threads, func(w *walk, t *model.Thread) error { return second(w.ReplyToThread(w.owner, t, nil, "reply")) }),
	"resolve":                 on(threads, func(w *walk, t *model.Thread) error { return w.ResolveThread(w.owner, t, w.IntN(2) == 0) }),
	"edit a review comment":   on(reviewComments, func(w *walk, c *model.ReviewComment) error { return w.EditReviewComment(w.owner, c, w.some("edited")) }),
	"delete a review comment": on(reviewComments, func(w *walk, c *model.ReviewComment) error { return w.DeleteReviewComment(w.owner, c) }),
	"merge when ready": onPull(func(w *walk, i *model.Issue) error {
		return w.EnableAutoMerge(w.owner, i, model.Merge{Method: model.MethodSquash})
	}),
	"protect": func(w *walk) error {
		w.repo.Protection["main"] = model.Protection{RequiredApprovals: w.IntN(2)}
		return nil
	},
	"unprotect": func(w *walk) error { delete(w.repo.Protection, "main"); return nil },
	"dispatch": func(w *walk) error {
		workflow := w.WorkflowByRef(w.repo, "ci.yml")
		return second(w.Dispatch(w.owner, w.repo, workflow, []string{"main", "topic-3"}[w.IntN(2)], map[string]string{"level": w.some("level")}))
	},
	"rerun":       on(runs, func(w *walk, r *model.Run) error { return w.Rerun(w.owner, r, w.IntN(2) == 0) }),
	"rerun a job": on(jobs, func(w *walk, j *model.Job) error { return w.RerunJob(w.owner, j) }),
	"cancel": onSome(runs, func(r *model.Run) bool { return r.Current().Status != model.Completed }, func(w *walk, r *model.Run) error {
		return w.Cancel(w.owner, r)
	}),
	"delete a run":       on(runs, func(w *walk, r *model.Run) error { return w.DeleteRun(w.owner, r) }),
	"delete logs":        on(runs, func(w *walk, r *model.Run) error { return w.DeleteLogs(w.owner, r) }),
	"delete an artifact": on(artifacts, func(w *walk, a *model.Artifact) error { return w.DeleteArtifact(w.owner, a) }),
	"disable a workflow": func(w *walk) error {
		return w.EnableWorkflow(w.owner, w.WorkflowByRef(w.repo, "ci.yml"), w.IntN(3) > 0)
	},
	"check": func(w *walk) error {
		head, _ := w.BranchHead(w.repo, w.branch())
		conclusion := model.Success
		return second(w.CreateCheckRun(w.App("gate"), w.repo, head.String(), model.CheckChange{Name: new("gate"), Conclusion: &conclusion}))
	},
	"edit a check": onSome(checks, func(c *model.CheckRun) bool { return c.Name == "gate" }, func(w *walk, c *model.CheckRun) error {
		return w.EditCheckRun(w.App("gate"), c, model.CheckChange{Output: &model.CheckOutput{Title: "t", Summary: w.some("s")}})
	}),
	"release": func(w *walk) error {
		return second(w.CreateRelease(w.owner, w.repo, model.ReleaseEdit{TagName: new(w.some("v")[2:]), Draft: new(w.IntN(2) == 0)}))
	},
	"publish": on(releases, func(w *walk, r *model.Release) error {
		return w.EditRelease(w.owner, r, model.ReleaseEdit{Draft: new(false), Body: new(w.some("b"))})
	}),
	"add an asset": on(releases, func(w *walk, r *model.Release) error {
		return second(w.AddAsset(w.owner, r, model.NewAsset{Name: w.some("a"), Content: []byte("x")}))
	}),
	"delete a release": on(releases, func(w *walk, r *model.Release) error { return w.DeleteRelease(w.owner, r) }),
	"make a project": func(w *walk) error {
		return second(w.CreateProject(w.owner, w.Users.Get(w.owner), w.some("project")))
	},
	"edit a project": on(projects, func(w *walk, p *model.Project) error {
		return w.EditProject(w.owner, p, model.ProjectEdit{Title: new(w.some("p")), Closed: new(w.IntN(2) == 0)})
	}),
	"copy a project": on(projects, func(w *walk, p *model.Project) error {
		return second(w.CopyProject(w.owner, p, w.Users.Get(w.owner), "copy", true))
	}),
	"delete a project": on(projects, func(w *walk, p *model.Project) error { return w.DeleteProject(w.owner, p) }),
	"add an item": on(projects, func(w *walk, p *model.Project) error {
		i, err := w.issue()
		return with(i, err, func(i *model.Issue) error { return second(w.AddItem(w.owner, p, i)) })
	}),
	"add a draft": on(projects, func(w *walk, p *model.Project) error {
		return second(w.AddDraft(w.owner, p, "d", w.some("b"), []model.ID{w.owner}))
	}),
	"add a field": on(projects, func(w *walk, p *model.Project) error {
		return second(w.CreateField(w.owner, p, model.NewProjectField{Name: w.some("f"), Type: model.FieldNumber}))
	}),
	"delete a field": onSome(fields, func(f *model.ProjectField) bool { return f.Type == model.FieldNumber }, func(w *walk, f *model.ProjectField) error {
		return w.DeleteField(w.owner, f)
	}),
	"set a value": on(items, func(w *walk, i *model.ProjectItem) error {
		f, err := pick(w, &w.ProjectFields, func(f *model.ProjectField) bool {
			return f.ProjectID == i.ProjectID && (f.Type == model.FieldNumber || f.Name == "Status")
		})
		return with(f, err, func(f *model.ProjectField) error {
			value := model.NewValue{Number: new(float64(w.IntN(4)))}
			if len(f.Options) > 0 {
				value = model.NewValue{OptionID: &f.Options[w.IntN(len(f.Options))].ID}
			}
			return w.SetValue(w.owner, w.Projects.Get(i.ProjectID), i, f, value)
		})
	}),
	"archive an item": on(items, func(w *walk, i *model.ProjectItem) error {
		return w.ArchiveItem(w.owner, w.Projects.Get(i.ProjectID), i, w.IntN(2) == 0)
	}),
	"delete an item": on(items, func(w *walk, i *model.ProjectItem) error {
		return w.DeleteItem(w.owner, w.Projects.Get(i.ProjectID), i)
	}),
	"share a project": on(projects, func(w *walk, p *model.Project) error {
		return w.SetCollaborator(w.owner, p, w.other, model.ProjectRole(w.IntN(4)))
	}),
	"hook": func(w *walk) error {
		return second(w.CreateHook(w.owner, w.repo, model.HookChange{Config: &model.HookConfig{URL: "http://127.0.0.1/" + w.branch(), Secret: w.some("s")}}))
	},
	"edit a hook": on(hooks, func(w *walk, h *model.Hook) error {
		return w.EditHook(w.owner, h, model.HookChange{Add: []string{"issues"}, Active: new(w.IntN(2) == 0)})
	}),
	"delete a hook": on(hooks, func(w *walk, h *model.Hook) error { return w.DeleteHook(w.owner, h) }),
	"set a secret": func(w *walk) error {
		_, err := w.SetSetting(w.owner, w.repo, nil, model.SettingKind(w.IntN(4)), "NAME_"+w.branch()[6:], w.some("value"))
		return err
	},
	"delete a secret": func(w *walk) error { return w.DeleteSetting(w.owner, w.repo, nil, model.Secrets, "NAME_1") },
	"gist": func(w *walk) error {
		return second(w.CreateGist(w.owner, true, model.GistEdit{Files: map[string]*model.GistFile{"a": {Text: w.some("t")}}}))
	},
	"edit a gist": on(gists, func(w *walk, g *model.Gist) error {
		return w.EditGist(w.owner, g, model.GistEdit{Description: new(w.some("d"))})
	}),
	"delete a gist": on(gists, func(w *walk, g *model.Gist) error { return w.DeleteGist(w.owner, g) }),
	"star":          func(w *walk) error { w.Star(w.other, w.repo, w.IntN(2) == 0); return nil },
	"topics":        func(w *walk) error { return w.SetTopics(w.owner, w.repo, []string{"a", w.branch()}) },
	"settings": func(w *walk) error {
		return w.EditRepo(w.owner, w.repo, model.RepoEdit{DeleteBranchOnMerge: new(w.IntN(2) == 0), AllowAutoMerge: new(true), Description: new(w.some("d"))})
	},
	"make a repository": func(w *walk) error {
		var files []gitstore.Change
		if w.IntN(2) == 0 {
			files = append(files, gitstore.Change{Path: "README.md", Content: []byte("# new")})
		}
		return second(w.CreateRepo(w.owner, model.NewRepo{Owner: w.owner, Name: w.branch()}, files...))
	},
	"fork": func(w *walk) error { return second(w.Fork(w.other, w.repo, w.other, "", false)) },
	"commit to a fork": func(w *walk) error {
		fork, err := pick(w, &w.Repos, func(r *model.Repo) bool { return r.ParentID != 0 })
		return with(fork, err, func(fork *model.Repo) error {
			file := fmt.Sprintf("fork-%d.txt", w.IntN(1000))
			return second(w.WriteFile(w.other, fork, model.FileWrite{Path: file, Message: "m", Content: []byte(file)}))
		})
	},
	"propose from a fork": func(w *walk) error {
		return second(w.OpenPull(w.other, w.repo, model.NewPull{Title: "from a fork", Head: "other:main", Base: "main", MaintainerCanModify: true}))
	},
	"delete a repository": func(w *walk) error {
		repo, err := pick(w, &w.Repos, func(r *model.Repo) bool { return r.ID != w.repo.ID })
		return with(repo, err, func(r *model.Repo) error { return w.DeleteRepo(r.OwnerID, r) })
	},
	"link a branch": onIssue(func(w *walk, i *model.Issue) error {
		main, _ := w.BranchHead(w.repo, "main")
		return second(w.CreateLinkedBranch(w.owner, i, w.repo, "", main))
	}),
}

const walkWorkflow = "name: CI\non: {push: {branches: [main]}, pull_request: {types: [opened, closed]}, workflow_dispatch: {inputs: {level: {}}}}\n" +
	"jobs:\n  build: {steps: [{run: make}]}\n  test: {needs: build, steps: [{run: make test}]}\n"

// newWalk is a world with a repository of one user, in which another one may
// write.
func newWalk(t *testing.T) *sandbox.World {
	t.Helper()
	w, err := sandbox.New()
	require.NoError(t, err)
	require.NoError(t, w.Setup(func(s *model.State) error {
		owner, other := s.AddUser(model.NewUser{Login: "owner"}), s.AddUser(model.NewUser{Login: "other"})
		repo := s.AddRepo(model.NewRepo{Owner: owner.ID, Name: "hello"})
		repo.Collaborators[other.ID] = model.PermWrite
		s.AddApp(model.NewApp{Slug: "gate", Name: "Gate", Owner: owner.ID, Repos: []model.ID{repo.ID}, Permissions: map[string]string{"checks": "write"}})
		s.Scripts = []model.Script{
			{Workflow: "ci.yml", Job: "test", Outcomes: []model.Conclusion{model.Failure, model.Success}, Uploads: []model.Upload{{Name: "log", File: "log.txt", Text: "x"}}},
			{Workflow: "ci.yml", Job: "build", Branch: "topic-3", Hanging: true},
		}
		return s.PushInitial(owner.ID, repo, []gitstore.Change{{Path: ".github/workflows/ci.yml", Content: []byte(walkWorkflow)}}, "first")
	}))
	return w
}

// A random walk through what can be done: after each step, the tests' main
// function compares what the log tells with copies of the world. A fourth
// of the steps is taken back.
func TestTheLogIsTrueWhateverIsDone(t *testing.T) {
	testkit.NeedComplete(t)
	const seeds, steps, making = 5, 600, 2
	names := slices.Sorted(maps.Keys(acts))
	// Without these there would be little to do something with.
	makers := []string{"open an issue", "branch", "commit", "open a pull request", "comment", "react", "dispatch", "release", "make a project", "review", "set a secret",
		"make a repository", "nest an issue", "protect", "settings", "open a pull request"}
	done := map[string]int{}
	told := map[string]bool{}
	for seed := range uint64(seeds) {
		world := newWalk(t)
		random := rand.New(rand.NewPCG(seed, 14))
		for range steps {
			name := names[random.IntN(len(names))]
			if random.IntN(making) == 0 {
				name = makers[random.IntN(len(makers))]
			}
			keep := random.IntN(4) > 0
			// An error takes the step back.
			err := world.Setup(func(s *model.State) error {
				w := &walk{State: s, Rand: random, repo: s.Repo("owner", "hello"), owner: s.User("owner").ID, other: s.User("other").ID}
				if err := acts[name](w); err != nil || !keep {
					return fmt.Errorf("taken back: %w", err)
				}
				return nil
			})
			if err == nil {
				done[name]++
			}
		}
		for _, e := range world.Changes() {
			told[string(e.Kind)+" "+e.Object.Kind] = true
		}
		checkNet(t, world)
	}
	for _, name := range names {
		assert.Positive(t, done[name], "%q was never done", name)
	}
	for _, what := range []string{"deleted comment", "deleted review thread", "changed workflow run", "deleted branch", "deleted repository", "changed project item", "created artifact"} {
		assert.True(t, told[what], what)
	}
}

// checkNet requires that events follow from each other: none changes or deletes
// what was not there.
func checkNet(t *testing.T, world *sandbox.World) {
	t.Helper()
	there := map[string]bool{}
	for n, e := range world.Changes() {
		assert.Equal(t, n+1, e.Seq)
		if e.ID == 0 {
			continue
		}
		key := fmt.Sprint(e.Object.Kind, e.ID)
		assert.Equal(t, e.Kind == changes.Created, !there[key] && e.Kind != changes.Changed, "%s %s", e.Kind, e.Object)
		there[key] = e.Kind != changes.Deleted
	}
}
