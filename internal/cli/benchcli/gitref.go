package benchcli

import (
	"cmp"
	"slices"
	"strings"

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

// DefaultBranchVariable tells the name of the default branch.
const DefaultBranchVariable = "BENCH_DEFAULT_BRANCH"

// branch returns the name of the branch that is measured, nil if it is not
// known, and whether that is another one than the default branch: what a pull
// request changes is none, and neither is what runs for one.
func (a *app) branch() (name *string, aside bool) {
	known, usual := checkoutBranch()
	known = cmp.Or(a.getenv("GITHUB_HEAD_REF"), a.getenv("GITHUB_REF_NAME"), known)
	usual = cmp.Or(a.getenv(DefaultBranchVariable), usual)
	switch a.getenv("GITHUB_EVENT_NAME") {
	case "", "push", "schedule", "workflow_dispatch":
		aside = a.aside || known != "" && usual != "" && known != usual
	default:
		aside = true
	}
	if known != "" {
		name = &known
	}
	return name, aside
}

// checkoutBranch returns the branch of the checkout that this is run in, and the
// default one of where it was cloned from; empty if they are not known.
func checkoutBranch() (name, usual string) {
	repo, err := openCheckout()
	if err != nil {
		return "", ""
	}
	if head, err := repo.Head(); err == nil && head.Name().IsBranch() {
		name = head.Name().Short()
	}
	if origin, err := repo.Reference("refs/remotes/origin/HEAD", false); err == nil {
		usual = strings.TrimPrefix(origin.Target().Short(), "origin/")
	}
	return name, usual
}

func openCheckout() (*git.Repository, error) {
	return git.PlainOpenWithOptions(".", &git.PlainOpenOptions{DetectDotGit: true, EnableDotGitCommonDir: true})
}

func checkoutHead() string {
	repo, err := openCheckout()
	if err != nil {
		return ""
	}
	head, err := repo.Head()
	if err != nil {
		return ""
	}
	return head.Hash().String()
}
