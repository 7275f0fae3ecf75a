package rest

import (
	"net/http"
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
	if strings.Contains(base+head, ":") {
		// What other repositories have is brought into a copy.
		own := *repo
		own.Git = repo.Git.Clone()
		repo = &own
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
		return c.comparison(repo, from, to, fork)
	}
}

// end is the commit that one end of a comparison names. That of another
// repository is brought into this one.
func (c *call) end(repo *model.Repo, name string) (gitstore.Hash, error) {
	in := repo
	if owner, ref, qualified := strings.Cut(name, ":"); qualified {
		name = ref
		if !strings.EqualFold(owner, c.s.Login(repo.OwnerID)) {
			in = c.s.InNetwork(repo, owner)
		}
	}
	if in == nil || c.s.Permission(c.actor, in) < model.PermRead {
		return gitstore.Hash{}, errNotFound
	}
	hash, err := in.Git.Resolve(name)
	if err != nil {
		return hash, errNotFound
	}
	if in != repo {
		err = repo.Git.Take(in.Git, hash)
	}
	return hash, err
}

// The most commits of a comparison that is not asked for by pages, and the most
// files.
const (
	maxCompared      = 250
	maxComparedFiles = 300
)

// comparison is a comparison of two commits that have forked at a third: with a
// page of the commits, if one is asked for, and with files on the first page.
func (c *call) comparison(repo *model.Repo, from, to, fork gitstore.Hash) (reply, error) {
	ahead, behind, err := repo.Git.AheadBehind(from, to)
	if err != nil {
		return reply{}, err
	}
	new, err := repo.Git.Between(from, to)
	if err != nil {
		return reply{}, err
	}
	changed, err := repo.Git.Diff(fork, to)
	if err != nil {
		return reply{}, err
	}
	header := http.Header{}
	if query := c.URL.Query(); query.Has("page") || query.Has("per_page") {
		if _, number := c.pageAsked(); number > 1 {
			changed = nil
		}
		new, header = page(c, new)
	} else {
		new = new[max(0, len(new)-maxCompared):]
	}
	changed = changed[:min(len(changed), maxComparedFiles)]
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
			return reply{}, err
		}
		view[name] = c.commit(repo, commit)
	}
	return reply{status: http.StatusOK, body: view, header: header}, nil
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
