package benchcli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

// baseFlags are those with which the ghx of a base commit is built and compared
// with.
type baseFlags struct {
	ref          string
	buildCommand string
}

func (f *baseFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.ref, "base", "", "compare ghx with that of this `REF`, a commit, branch or tag, which is built as ghx is: sets --modes ghx@base,ghx, --baseline-mode ghx@base, and --gate-profile regression where no other is given")
	cmd.Flags().StringVar(&f.buildCommand, "build-command", ghxbuild.Auto, "how ghx is built with --base, here and in a worktree of REF: auto builds a ghx workspace, none builds nothing, any other `COMMAND` is run by sh")
}

// buildBase builds the ghx of --base and that of the checkout, and sets the flags
// that say so. What it leaves behind is removed by the returned function, which
// is never nil. Without --base it does nothing.
func (a *app) buildBase(cmd *cobra.Command, f *verifyFlags) (remove func(), err error) {
	remove = func() {}
	flags := cmd.Flags()
	switch {
	case f.base.ref == "" && flags.Changed("build-command"):
		return remove, fault.Invalidf("--build-command is given without --base: name the commit to compare with, for example --base main")
	case f.base.ref == "":
		return remove, nil
	}
	for _, other := range []string{"modes", "baseline-mode", "base-commit", "base-tree", "base-ghx", "base-ghx-skill"} {
		if flags.Changed(other) {
			return remove, fault.Invalidf("--base and --%s are both given: --base sets it, so leave one out", other)
		}
	}
	repo, base, err := openBase(cmd.Context(), f.base.ref)
	if err != nil {
		return remove, err
	}
	set := [][2]string{
		{"modes", string(bench.GHXBase) + "," + string(bench.GHX)}, {"baseline-mode", string(bench.GHXBase)},
		{"base-commit", base.sha}, {"base-tree", base.tree},
	}
	if !flags.Changed("gate-profile") {
		set = append(set, [2]string{"gate-profile", string(bench.ProfileRegression)})
	}
	if f.suite.dryRun {
		// Nothing is built to tell what would run; the programs are the same kind.
		f.suite.agent.tools.GHXBase = firstOf(f.suite.agent.tools.GHX, "ghx")
		return remove, setFlags(cmd, set)
	}
	if !flags.Changed("git-tree") {
		// What the build makes is not of the tool's source.
		tree, err := repo.contentHash(cmd.Context(), f.suite.outputs()...)
		if err != nil {
			return remove, err
		}
		set = append(set, [2]string{"git-tree", tree})
	}
	if remove, err = a.buildTools(cmd.Context(), f, repo, base); err != nil {
		return remove, err
	}
	return remove, setFlags(cmd, set)
}

// openBase finds the repository that we are in, and the base commit.
func openBase(ctx context.Context, ref string) (repo *worktree, base commit, err error) {
	if repo, err = openWorktree(ctx, "."); err != nil {
		return nil, base, err
	}
	base, err = repo.commit(ctx, ref)
	return repo, base, err
}

// buildTools builds ghx and that of the base commit, and has the tools of f be
// those. What it leaves behind is removed by the returned function, which is never
// nil.
func (a *app) buildTools(ctx context.Context, f *verifyFlags, repo *worktree, base commit) (remove func(), err error) {
	remove = func() {}
	temp, err := os.MkdirTemp("", "bench-base-")
	if err != nil {
		return remove, fault.Infraf("make a folder for --base: %w", err)
	}
	worktree := filepath.Join(temp, "worktree")
	remove = func() {
		// The command's context may have ended.
		repo.removeWorktree(context.WithoutCancel(ctx), worktree)
		if err := os.RemoveAll(temp); err != nil {
			fmt.Fprintf(a.stderr, "bench: a temporary folder is left: %v\n", err)
		}
	}
	if err := repo.addWorktree(ctx, worktree, base.sha); err != nil {
		return remove, err
	}
	built, err := a.buildBoth(ctx, f, temp, filepath.Join(worktree, repo.prefix), base.sha)
	if err != nil {
		return remove, err
	}
	tools := &f.suite.agent.tools
	tools.GHX, tools.GHXSkill, tools.GHXBase, tools.GHXBaseSkill = built.Command, built.Skill, built.Base, built.BaseSkill
	return remove, nil
}

func setFlags(cmd *cobra.Command, values [][2]string) error {
	for _, v := range values {
		if err := cmd.Flags().Set(v[0], v[1]); err != nil {
			return fault.Internalf("set --%s: %w", v[0], err)
		}
	}
	return nil
}

// buildBoth builds ghx where we are and in the same folder of the base's
// worktree, both in place and without our environment.
func (a *app) buildBoth(ctx context.Context, f *verifyFlags, temp, base, sha string) (built ghxbuild.Built, err error) {
	here, err := os.Getwd()
	if err != nil {
		return built, fault.Infraf("find the current folder: %w", err)
	}
	tools := f.suite.agent.tools
	wanted := ghxbuild.Wanted{Script: f.base.buildCommand, Command: tools.GHX, Skill: tools.GHXSkill}
	builder := ghxbuild.Builder{
		Path: a.getenv("PATH"), Caches: a.getenv("HOME"), Output: a.stderr, InPlace: true,
		Account: func() (*platform.User, string, error) { return nil, temp, nil },
	}
	head := builder
	head.Workspace = here
	if built, err = head.Build(ctx, wanted); err != nil {
		return built, err
	}
	if info, err := os.Stat(base); err != nil || !info.IsDir() {
		return built, ghxbuild.NoVerdict(sha, fault.Invalidf("it has no folder %s: run bench in one that both commits have", strings.TrimPrefix(base, filepath.Join(temp, "worktree"))))
	}
	beside := builder
	beside.Workspace = base
	return beside.BuildBase(ctx, wanted, sha, built)
}

// outputs are the files and folders that a run writes, which are no part of what
// is measured.
func (f *suiteFlags) outputs() []string { return []string{f.outputDir, f.outputJSONL, f.transcripts} }
