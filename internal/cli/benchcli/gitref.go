package benchcli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
)

// gitOf returns the commit that is measured, and the hash of its content: as
// given, as the environment says, or the checkout's that this is run in. That
// one's content is what its files are now, changed or not. Git itself is asked
// for no other: whoever names a commit may not trust the checkout. An error is of
// kind invalid: that content cannot be hashed.
func (a *app) gitOf(ctx context.Context, f *suiteFlags) (ref bench.GitRef, err error) {
	repo := firstOf(f.gitRepo, a.getenv("BENCH_GIT_REPO"), a.getenv("GITHUB_REPOSITORY"))
	commit := firstOf(f.gitCommit, a.getenv("BENCH_GIT_COMMIT"), a.getenv("GITHUB_SHA"))
	tree := f.gitTree
	if commit == "" {
		commit = checkoutHead()
		if commit != "" && tree == "" {
			if tree, err = a.treeHere(ctx, f); err != nil {
				return ref, err
			}
		}
	}
	ref.Tree = orNil(firstOf(tree, treeOf(commit)))
	if repo != "" {
		ref.Repo = &repo
	}
	if commit != "" {
		ref.Commit = &commit
	}
	return ref, nil
}

// treeHere returns the hash of the checkout's content. It is empty where git
// cannot be asked, which the user is told, and the commit's is taken.
func (a *app) treeHere(ctx context.Context, f *suiteFlags) (string, error) {
	here, err := openWorktree(ctx, ".")
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return "", cause
		}
		fmt.Fprintf(a.stderr, "bench: changes of this checkout that are not committed are not seen: %v; or name the hash of its content with --git-tree\n", err)
		return "", nil
	}
	return here.contentHash(ctx, f.outputs()...)
}

// treeOf returns the hash of a commit's tree, empty where the checkout does not
// have it.
func treeOf(commit string) string {
	checkout, err := ghxbuild.OpenCheckout(".")
	if err != nil || commit == "" {
		return ""
	}
	tree, _ := checkout.Tree(commit)
	return tree
}

// orNil returns nil for an empty text.
func orNil(text string) *string {
	if text == "" {
		return nil
	}
	return &text
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
	checkout, err := ghxbuild.OpenCheckout(".")
	if err != nil {
		return ""
	}
	commit, _, _, _ := checkout.Head()
	return commit
}
