package page_test

import (
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// inhabit makes something of every kind: a repository with an issue, a pull
// request that closes it, a review with a thread, checks, runs, a release and a
// project.
func inhabit(s *model.State, text string) error {
	octocat, reviewer := s.AddUser(model.NewUser{Login: "octocat", Name: text}), s.AddUser(model.NewUser{Login: "reviewer"})
	repo := s.AddRepo(model.NewRepo{Owner: octocat.ID, Name: "hello", Description: text})
	repo.Collaborators[reviewer.ID] = model.PermWrite
	repo.Collaborators[s.AddUser(model.NewUser{Login: "agent"}).ID] = model.PermWrite
	s.Scripts = append(s.Scripts, model.Script{Workflow: "ci.yml", Outcomes: []model.Conclusion{model.Failure}, Log: "it broke " + text})
	workflow := "name: CI\non: pull_request\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - name: Test\n        run: make test\n"
	err := s.PushInitial(octocat.ID, repo, []gitstore.Change{
		{Path: "a.txt", Content: []byte("old line\n")}, {Path: ".github/workflows/ci.yml", Content: []byte(workflow)},
	}, "first commit\n\n"+text)
	if err != nil {
		return err
	}
	if _, err := s.CreateLabel(octocat.ID, repo, model.NewLabel{Name: "bug", Description: "broken"}); err != nil {
		return err
	}
	s.AddMilestone(repo, model.NewMilestone{Title: text, Creator: octocat.ID})
	issue, err := s.OpenIssue(octocat.ID, repo, model.NewIssue{Title: text, Body: text, Labels: []string{"bug"}, Assignees: []string{"reviewer"}})
	if err != nil {
		return err
	}
	if err := inhabitPull(s, repo, octocat.ID, reviewer.ID, text); err != nil {
		return err
	}
	if err := inhabitProject(s, octocat, issue, text); err != nil {
		return err
	}
	tag := "v1.0.0"
	release, err := s.CreateRelease(octocat.ID, repo, model.ReleaseEdit{TagName: &tag, Name: &text, Body: &text, Prerelease: new(true)})
	if err != nil {
		return err
	}
	_, err = s.AddAsset(octocat.ID, release, model.NewAsset{Name: "tool.tar.gz", ContentType: "application/gzip", Content: []byte("content")})
	return err
}

func inhabitPull(s *model.State, repo *model.Repo, author, reviewer model.ID, text string) error {
	head, _ := s.BranchHead(repo, "main")
	if err := s.CreateRef(author, repo, "refs/heads/feature", head); err != nil {
		return err
	}
	blob := ""
	if entry, err := repo.Git.Entry(head, "a.txt"); err == nil {
		blob = entry.Hash.String()
	}
	_, err := s.WriteFile(author, repo, model.FileWrite{Path: "a.txt", Message: "change " + text, Content: []byte("new line\n" + text + "\n"), Branch: "feature", BlobSHA: blob})
	if err != nil {
		return err
	}
	pull, err := s.OpenPull(author, repo, model.NewPull{Title: text, Body: "Fixes #1\n\n" + text, Head: "feature", Base: "main"})
	if err != nil {
		return err
	}
	_, err = s.CreateReview(reviewer, pull, model.NewReview{
		Event: model.EventRequestChanges, Body: text, Comments: []model.NewThread{{Path: "a.txt", Line: 1, Body: text}},
	})
	if err != nil {
		return err
	}
	for _, thread := range s.ThreadsOf(author, pull) {
		if err := s.ResolveThread(author, thread, true); err != nil {
			return err
		}
	}
	run := s.Runs.First(func(*model.Run) bool { return true })
	return s.Rerun(author, run, true)
}

func inhabitProject(s *model.State, owner *model.User, issue *model.Issue, text string) error {
	project, err := s.CreateProject(owner.ID, owner, text)
	if err != nil {
		return err
	}
	item, err := s.AddItem(owner.ID, project, issue)
	if err != nil {
		return err
	}
	if _, err := s.AddDraft(owner.ID, project, text, text, nil); err != nil {
		return err
	}
	for _, field := range s.FieldsOf(project) {
		for _, option := range field.Options {
			if option.Name == "In Progress" {
				return s.SetValue(owner.ID, project, item, field, model.NewValue{OptionID: &option.ID})
			}
		}
	}
	return nil
}
