package rest

import (
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func compareRoutes() []route {
	return []route{
		{"GET " + reposPath + "/compare/{ends...}", onCommits(compare)},
		{"POST " + reposPath + "/merges", onRepo(mergeBranch)},
	}
}

func mergeBranch(c *call, repo *model.Repo) (reply, error) {
	var in struct {
		Base, Head string
		Message    string `json:"commit_message"`
	}
	if err := c.decode(&in); err != nil {
		return reply{}, err
	}
	for name, value := range map[string]string{"base": in.Base, "head": in.Head} {
		if value == "" {
			return reply{}, missing(name)
		}
	}
	commit, err := c.s.MergeBranch(c.actor, repo, model.BranchMerge{Base: in.Base, Head: in.Head, Message: in.Message})
	switch {
	case err != nil:
		return reply{}, err
	case commit == nil:
		return noContent()
	default:
		return created(c.commit(repo, *commit))
	}
}

// compare serves what a head has that a base has not, "base...head" in the
// path. Either may have the owner and a colon in front of it.
func compare(c *call, repo *model.Repo) (reply, error) {
	base, head, isPair := strings.Cut(c.PathValue("ends"), "...")
	if !isPair {
		return reply{}, errNotFound
	}
	from, err := c.end(repo, base)
	if err != nil {
		return reply{}, err
	}
	to, err := c.end(repo, head)
	if err != nil {
		return reply{}, err
	}
	fork, related, err := repo.Git.MergeBase(from, to)
	switch {
	case err != nil:
		return reply{}, err
	case !related:
		return reply{}, &model.Problem{Kind: model.NotFound, Message: "No common ancestor between " + base + " and " + head + "."}
	case c.accepts("diff") || c.accepts("patch"):
		return diffText(c, repo, fork, to)
	default:
		return okOr(c.comparison(repo, from, to, fork))
	}
}

func (c *call) end(repo *model.Repo, name string) (gitstore.Hash, error) {
	if owner, ref, qualified := strings.Cut(name, ":"); qualified && strings.EqualFold(owner, c.s.Login(repo.OwnerID)) {
		name = ref
	}
	hash, err := repo.Git.Resolve(name)
	if err != nil {
		return hash, errNotFound
	}
	return hash, nil
}

// comparison is a comparison of two commits that have forked at a third.
func (c *call) comparison(repo *model.Repo, from, to, fork gitstore.Hash) (map[string]any, error) {
	ahead, behind, err := repo.Git.AheadBehind(from, to)
	if err != nil {
		return nil, err
	}
	new, err := repo.Git.Between(from, to)
	if err != nil {
		return nil, err
	}
	changed, err := repo.Git.Diff(fork, to)
	if err != nil {
		return nil, err
	}
	commits, files := make([]commitView, 0, len(new)), make([]fileView, 0, len(changed))
	for _, commit := range new {
		commits = append(commits, c.commit(repo, commit))
	}
	for _, f := range changed {
		files = append(files, c.file(repo, to.String(), f))
	}
	view := map[string]any{
		"status": divergence(ahead, behind), "ahead_by": ahead, "behind_by": behind, "total_commits": ahead,
		"commits": commits, "files": files, "url": c.repoURL(repo.ID) + "/compare/" + c.PathValue("ends"),
	}
	html := c.repoHTML(repo.ID) + "/compare/" + c.PathValue("ends")
	view["html_url"], view["permalink_url"], view["diff_url"], view["patch_url"] = html, html, html+".diff", html+".patch"
	for name, hash := range map[string]gitstore.Hash{"base_commit": from, "merge_base_commit": fork} {
		commit, err := repo.Git.Commit(hash)
		if err != nil {
			return nil, err
		}
		view[name] = c.commit(repo, commit)
	}
	return view, nil
}

func divergence(ahead, behind int) string {
	switch {
	case ahead > 0 && behind > 0:
		return "diverged"
	case ahead > 0:
		return "ahead"
	case behind > 0:
		return "behind"
	default:
		return "identical"
	}
}
