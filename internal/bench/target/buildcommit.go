package target

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The messages of the first commits. An empty repository takes one file by the
// contents API alone.
const (
	firstMessage  = "Initial commit"
	secondMessage = "Set up the project"
)

// firstCommits makes the first file, and then the other ones.
func (r *repository) firstCommits(ctx context.Context) error {
	files := slices.Clone(r.plan.Files)
	// The most usual beginning of a repository is its README.
	slices.SortStableFunc(files, func(a, b world.Change) int {
		return cmp.Compare(rank(a.Path), rank(b.Path))
	})
	author := r.dated(r.maintainer(), r.builder.plan.Start)
	var made *gh.RepositoryContentResponse
	err := r.write(ctx, func() (err error) {
		made, _, err = r.rest(r.maintainer()).Repositories.CreateFile(ctx, r.owner, r.name, files[0].Path, &gh.RepositoryContentFileOptions{
			Message: gh.String(firstMessage), Content: []byte(*files[0].Text), Author: author, Committer: author,
		})
		return err
	})
	if err != nil {
		return err
	}
	main := &tip{commit: made.Commit.GetSHA(), tree: made.Commit.GetTree().GetSHA(), files: map[string]string{files[0].Path: *files[0].Text}}
	r.branches[r.plan.Branch()], r.pushed = main, main.commit
	if len(files) == 1 {
		return nil
	}
	second := &world.Commit{Message: secondMessage, Changes: files[1:]}
	second.When.Time = r.builder.plan.Start
	if err := r.commit(ctx, r.plan.Branch(), second, r.maintainer()); err != nil {
		return err
	}
	return r.push(ctx)
}

func rank(path string) int {
	if strings.EqualFold(path, "README.md") {
		return 0
	}
	return 1
}

// commit makes a commit on top of a branch, which is moved later. The author
// is otherwise if the commit names none.
func (r *repository) commit(ctx context.Context, branch string, c *world.Commit, otherwise string) error {
	at, err := r.tipOf(ctx, branch)
	if err != nil {
		return err
	}
	by := r.by(cmp.Or(c.By, otherwise))
	files := maps.Clone(at.files)
	tree, err := r.entries(ctx, at, c.Changes, files)
	if err != nil {
		return err
	}
	r.pusher = r.writer(by)
	client := r.rest(r.pusher)
	var made *gh.Tree
	err = r.write(ctx, func() (err error) {
		made, _, err = client.Git.CreateTree(ctx, r.owner, r.name, at.tree, tree)
		return err
	})
	if err != nil {
		return err
	}
	author := r.dated(by, c.When.Time)
	var commit *gh.Commit
	err = r.write(ctx, func() (err error) {
		commit, _, err = client.Git.CreateCommit(ctx, r.owner, r.name, &gh.Commit{
			Message: gh.String(c.Message), Tree: made, Parents: []*gh.Commit{{SHA: gh.String(at.commit)}}, Author: author, Committer: author,
		}, nil)
		return err
	})
	if err != nil {
		return err
	}
	r.branches[branch] = &tip{commit: commit.GetSHA(), tree: made.GetSHA(), files: files}
	const short = 7
	sha := commit.GetSHA()
	r.commits[c] = sha
	r.export(c.As, map[string]any{"sha": sha, "short_sha": sha[:short], "message": c.Message})
	return nil
}

// entries returns the tree entries of changes and notes the files' new texts.
func (r *repository) entries(ctx context.Context, at *tip, changes []world.Change, files map[string]string) ([]*gh.TreeEntry, error) {
	latest := map[string]*gh.TreeEntry{}
	var order []string
	for _, c := range changes {
		entry := &gh.TreeEntry{Path: gh.String(c.Path), Mode: gh.String("100644"), Type: gh.String("blob")}
		if c.Delete {
			if _, known := files[c.Path]; !known {
				if _, err := r.fileAt(ctx, at, c.Path); err != nil {
					return nil, placed{err, c.Place}
				}
			}
			delete(files, c.Path)
		} else {
			text, err := r.changed(ctx, at, c, files)
			if err != nil {
				return nil, placed{err, c.Place}
			}
			if strings.HasSuffix(c.Path, ".sh") {
				entry.Mode = gh.String("100755")
			}
			files[c.Path], entry.Content = text, gh.String(text)
		}
		if latest[c.Path] == nil {
			order = append(order, c.Path)
		}
		latest[c.Path] = entry
	}
	entries := make([]*gh.TreeEntry, 0, len(order))
	for _, path := range order {
		entries = append(entries, latest[path])
	}
	return entries, nil
}

// changed returns what a change makes of a file.
func (r *repository) changed(ctx context.Context, at *tip, c world.Change, files map[string]string) (string, error) {
	if c.Text != nil {
		return *c.Text, nil
	}
	text, known := files[c.Path]
	if !known {
		var err error
		if text, err = r.fileAt(ctx, at, c.Path); err != nil {
			return "", err
		}
	}
	if times := strings.Count(text, c.Find); times != 1 {
		return "", fault.Invalidf("%s has the text to be replaced, %q, %d times: want it once", c.Path, clipped(c.Find), times)
	}
	return strings.Replace(text, c.Find, c.Replace, 1), nil
}

// fileAt returns a file of a commit.
func (r *repository) fileAt(ctx context.Context, at *tip, path string) (string, error) {
	if text, known := at.files[path]; known {
		return text, nil
	}
	content, _, response, err := r.Main.REST.Repositories.GetContents(ctx, r.owner, r.name, path, &gh.RepositoryContentGetOptions{Ref: at.commit})
	if response != nil && response.StatusCode == http.StatusNotFound || err == nil && content == nil {
		return "", fault.Invalidf("there is no file %s on the branch at that time", path)
	}
	if err != nil {
		return "", err
	}
	return content.GetContent()
}

const maxClipped = 60

func clipped(text string) string {
	if runes := []rune(text); len(runes) > maxClipped {
		return string(runes[:maxClipped]) + "…"
	}
	return text
}

// tipOf returns where a branch is, and asks GitHub where that is not known.
func (r *repository) tipOf(ctx context.Context, branch string) (*tip, error) {
	if at := r.branches[branch]; at != nil {
		return at, nil
	}
	there, response, err := r.Main.REST.Repositories.GetBranch(ctx, r.owner, r.name, branch, 1)
	if response != nil && response.StatusCode == http.StatusNotFound {
		return nil, fault.Invalidf("there is no branch %s yet", branch)
	}
	if err != nil {
		return nil, err
	}
	at := &tip{commit: there.GetCommit().GetSHA(), tree: there.GetCommit().GetCommit().GetTree().GetSHA(), files: map[string]string{}}
	r.branches[branch] = at
	if branch == r.plan.Branch() {
		r.pushed = at.commit
	}
	return at, nil
}

// branch makes a branch where another one is.
func (r *repository) branch(ctx context.Context, name, from, by string) error {
	at, err := r.tipOf(ctx, from)
	if err != nil {
		return err
	}
	r.branches[name] = at
	return r.createRef(ctx, name, at.commit, by)
}

func (r *repository) createRef(ctx context.Context, branch, commit, by string) error {
	return r.write(ctx, func() error {
		_, _, err := r.rest(by).Git.CreateRef(ctx, r.owner, r.name, &gh.Reference{
			Ref: gh.String("refs/heads/" + branch), Object: &gh.GitObject{SHA: gh.String(commit)},
		})
		return err
	})
}

// moveBranch has GitHub's branch follow the commits that were made.
func (r *repository) moveBranch(ctx context.Context, name, by string) error {
	return r.write(ctx, func() error {
		_, _, err := r.rest(by).Git.UpdateRef(ctx, r.owner, r.name, &gh.Reference{
			Ref: gh.String("refs/heads/" + name), Object: &gh.GitObject{SHA: gh.String(r.branches[name].commit)},
		}, false)
		return err
	})
}

// push has the default branch follow, if it has not.
func (r *repository) push(ctx context.Context) error {
	at := r.branches[r.plan.Branch()]
	if at == nil || at.commit == r.pushed {
		return nil
	}
	r.pushed = at.commit
	return r.moveBranch(ctx, r.plan.Branch(), r.pusher)
}
