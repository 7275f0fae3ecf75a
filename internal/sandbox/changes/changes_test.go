package changes_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/sandbox/sandboxtest"
)

// place is a state with a repository, an owner and an issue.
type place struct {
	*model.State
	owner *model.User
	repo  *model.Repo
	issue *model.Issue
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{State: model.New()}
	p.owner = p.AddUser(model.NewUser{Login: "octocat"})
	p.repo = p.AddRepo(model.NewRepo{Owner: p.owner.ID, Name: "hello"})
	require.NoError(t, p.PushInitial(p.owner.ID, p.repo, []gitstore.Change{{Path: "a.txt", Content: []byte("a\n")}}, "first"))
	for _, name := range []string{"bug", "docs"} {
		_, err := p.CreateLabel(p.owner.ID, p.repo, model.NewLabel{Name: name})
		require.NoError(t, err)
	}
	var err error
	p.issue, err = p.OpenIssue(p.owner.ID, p.repo, model.NewIssue{Title: "It is broken", Body: "Really", Labels: []string{"bug"}})
	require.NoError(t, err)
	return p
}

// lines are what a change of the state comes to, one line for each object and
// for each field.
func (p *place) lines(t *testing.T, change func() error) []string {
	t.Helper()
	before := p.State.Clone()
	require.NoError(t, change())
	var lines []string
	for _, c := range sandboxtest.Between(before, p.State) {
		line := string(c.Kind) + " " + c.String()
		if c.Title != "" {
			line += ": " + c.Title
		}
		lines = append(lines, line)
		for _, f := range c.Fields {
			before, after := f.Texts()
			if c.Kind != changes.Deleted {
				lines = append(lines, "  "+f.Name+": "+before+" → "+after)
			}
		}
	}
	return lines
}

func TestWhatChangedIsToldInWords(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *place) error
		want   []string
	}{
		"nothing": {func(*place) error { return nil }, nil},
		"an edited issue tells each field": {
			func(p *place) error {
				return p.EditIssue(p.owner.ID, p.repo, p.issue, model.IssueEdit{State: new("closed"), Labels: &[]string{"bug", "docs"}, Assignees: &[]string{"octocat"}})
			},
			[]string{
				"changed issue octocat/hello#1: It is broken",
				"  state: open → closed", "  state_reason:  → completed", "  labels: bug → bug, docs", "  assignees:  → octocat",
				"  closed_by:  → octocat", "  closed_at:  → 2026-01-05T09:00:07Z",
			},
		},
		"a comment": {
			func(p *place) error {
				_, err := p.CreateComment(p.owner.ID, p.repo, p.issue, "First line\nSecond line")
				return err
			},
			[]string{
				"created comment 1000009 on octocat/hello#1: First line",
				"  issue:  → octocat/hello#1", "  author:  → octocat", "  body:  → First line\nSecond line",
			},
		},
		"a deleted label, and where it was": {
			func(p *place) error { return p.DeleteLabel(p.owner.ID, p.repo, p.Label(p.repo, "bug")) },
			[]string{"deleted label octocat/hello: bug", "changed issue octocat/hello#1: It is broken", "  labels: bug → "},
		},
		"a new branch, with its commit's subject": {
			func(p *place) error {
				head, _ := p.BranchHead(p.repo, "main")
				return p.CreateRef(p.owner.ID, p.repo, "refs/heads/topic", head)
			},
			[]string{"created branch octocat/hello: topic: first", "  commit:  → COMMIT", "  message:  → first", "  author:  → octocat"},
		},
		"a private repository": {
			func(p *place) error {
				p.repo.Private = true
				return nil
			},
			[]string{"changed repository octocat/hello", "  private: false → true"},
		},
		"a webhook without its secret": {
			func(p *place) error {
				_, err := p.CreateHook(p.owner.ID, p.repo, model.HookChange{Config: &model.HookConfig{URL: "http://127.0.0.1:1/x", Secret: "hidden"}})
				return err
			},
			[]string{
				"created webhook octocat/hello: 1000009: http://127.0.0.1:1/x", "  active:  → true", "  events:  → push",
				"  config.url:  → http://127.0.0.1:1/x", "  config.content_type:  → form", "  config.secret:  → (secret)", "  config.insecure_ssl:  → 0",
			},
		},
		"an account without a word about its clock": {
			func(p *place) error {
				p.Advance()
				p.owner.UpdatedAt = p.Now
				return nil
			},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			commit, _ := p.BranchHead(p.repo, "main")
			var want []string
			for _, line := range c.want {
				want = append(want, strings.ReplaceAll(line, "COMMIT", commit.String()))
			}
			assert.Equal(t, want, p.lines(t, func() error { return c.change(p) }))
		})
	}
}

func TestAProjectsItemsAreToldByTheirFields(t *testing.T) {
	p := newPlace(t)
	project, err := p.CreateProject(p.owner.ID, p.owner, "Board")
	require.NoError(t, err)
	item, err := p.AddItem(p.owner.ID, project, p.issue)
	require.NoError(t, err)
	got := p.lines(t, func() error {
		for _, f := range p.FieldsOf(project) {
			if f.Name == "Status" {
				return p.SetValue(p.owner.ID, project, item, f, model.NewValue{OptionID: &f.Options[0].ID})
			}
		}
		return nil
	})
	assert.Equal(t, []string{"changed project item octocat/1: octocat/hello#1: It is broken", "  values.Status:  → Todo"}, got)
}

// A merge is told as a merge, not as what follows from it.
func TestAMergeIsTold(t *testing.T) {
	p := newPlace(t)
	head, _ := p.BranchHead(p.repo, "main")
	require.NoError(t, p.CreateRef(p.owner.ID, p.repo, "refs/heads/topic", head))
	_, err := p.WriteFile(p.owner.ID, p.repo, model.FileWrite{Path: "b.txt", Message: "add b", Content: []byte("b\n"), Branch: "topic"})
	require.NoError(t, err)
	pull, err := p.OpenPull(p.owner.ID, p.repo, model.NewPull{Title: "Add b", Body: "Fixes #1", Head: "topic", Base: "main"})
	require.NoError(t, err)
	got := strings.Join(p.lines(t, func() error { return p.MergePull(p.owner.ID, pull, model.Merge{Method: model.MethodSquash}) }), "\n")
	assert.Contains(t, got, "changed pull request octocat/hello#2: Add b\n")
	for _, line := range []string{"merged: false → true", "merge_method:  → squash", "merge_commit_message:  → add b (#2)", "merged_by:  → octocat", "parents: 0 → 1"} {
		assert.Contains(t, got, "  "+line)
	}
	assert.Contains(t, got, "changed issue octocat/hello#1: It is broken\n  state: open → closed\n")
	assert.Contains(t, got, "changed branch octocat/hello: main: add b (#2)\n")
	assert.NotContains(t, got, "event")
}

func TestADeletedRepositoryGoesWithAllThatWasInIt(t *testing.T) {
	p := newPlace(t)
	got := p.lines(t, func() error {
		p.Repos.Delete(p.repo.ID)
		p.Issues.Delete(p.issue.ID)
		return nil
	})
	assert.Subset(t, got, []string{"deleted repository octocat/hello", "deleted issue octocat/hello#1: It is broken", "deleted branch octocat/hello: main: first"})
}

func TestObjectsAreFoundByTheirIDs(t *testing.T) {
	p := newPlace(t)
	found, ok := changes.Find(p.State, p.issue.ID)
	require.True(t, ok)
	assert.Equal(t, "issue octocat/hello#1", found.String())
	found, ok = changes.Find(p.State, p.repo.ID)
	require.True(t, ok)
	assert.Equal(t, "repository octocat/hello", found.String())
	_, ok = changes.Find(p.State, 5)
	assert.False(t, ok)
}

func TestWhatCannotBeSeenIsMadeVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain text, “quoted”\n\twith tabs": "plain text, “quoted”\n\twith tabs",
		"\x1b[2J":                           "⟨U+001B⟩[2J",
		"a\u202Eb":                          "a⟨U+202E⟩b",
		"zero\u200Bwidth":                   "zero⟨U+200B⟩width",
		"\U000E0041":                        "⟨U+E0041⟩",
		"\u2028":                            "⟨U+2028⟩",
		"\u3164":                            "⟨U+3164⟩",
		"\r":                                "⟨U+000D⟩",
		"日本語 עברית 🙂":                       "日本語 עברית 🙂",
		"\xff":                              "\xff",
	} {
		assert.Equal(t, want, changes.Visible(in))
	}
}
