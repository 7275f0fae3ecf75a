package rest

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

func readmeRoutes() []route {
	return []route{{"GET " + reposPath + "/readme", onCommits(getReadme)}}
}

// getReadme serves the README, which may lie in one of three folders; the
// first of them that has one counts.
func getReadme(c *call, repo *model.Repo) (reply, error) {
	ref := orDefault(c.URL.Query().Get("ref"), repo.DefaultBranch)
	commit, err := repo.Git.Resolve(ref)
	if err != nil {
		return reply{}, &model.Problem{Kind: model.NotFound, Message: "No commit found for the ref " + ref}
	}
	for _, folder := range []string{".github", "", "docs"} {
		if readme, found := readmeIn(repo.Git, commit, folder); found {
			return fileContent(c, repo, ref, readme)
		}
	}
	return reply{}, errNotFound
}

func readmeIn(git *gitstore.Store, commit gitstore.Hash, folder string) (gitstore.TreeEntry, bool) {
	in, err := git.Entry(commit, folder)
	if err != nil || in.Type != "tree" {
		return gitstore.TreeEntry{}, false
	}
	files, err := git.Tree(in.Hash, false)
	if err != nil {
		return gitstore.TreeEntry{}, false
	}
	at := slices.IndexFunc(files, func(e gitstore.TreeEntry) bool {
		name, _, _ := strings.Cut(strings.ToLower(e.Name), ".")
		return e.Type == "blob" && name == "readme"
	})
	if at < 0 {
		return gitstore.TreeEntry{}, false
	}
	readme, err := git.Entry(commit, strings.TrimPrefix(folder+"/"+files[at].Name, "/"))
	return readme, err == nil
}
