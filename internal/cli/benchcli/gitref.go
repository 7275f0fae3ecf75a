package benchcli

import (
	"slices"

	"github.com/go-git/go-git/v5"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// gitOf returns the commit that is measured: as given, as the environment
// says, or the checkout's that this is run in.
func (a *app) gitOf(f *suiteFlags) bench.GitRef {
	repo := firstOf(f.gitRepo, a.getenv("BENCH_GIT_REPO"), a.getenv("GITHUB_REPOSITORY"))
	commit := firstOf(f.gitCommit, a.getenv("BENCH_GIT_COMMIT"), a.getenv("GITHUB_SHA"))
	if commit == "" {
		commit = checkoutHead()
	}
	ref := bench.GitRef{}
	if repo != "" {
		ref.Repo = &repo
	}
	if commit != "" {
		ref.Commit = &commit
	}
	return ref
}

func firstOf(texts ...string) string {
	if i := slices.IndexFunc(texts, func(t string) bool { return t != "" }); i >= 0 {
		return texts[i]
	}
	return ""
}

func checkoutHead() string {
	repo, err := git.PlainOpenWithOptions(".", &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
	if err != nil {
		return ""
	}
	head, err := repo.Head()
	if err != nil {
		return ""
	}
	return head.Hash().String()
}
