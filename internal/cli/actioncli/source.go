package actioncli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// build takes the checkout's credentials out of the workspace and builds the
// ghx that is measured, and that of the base commit if it is compared with and
// no input names it.
func (a *action) build(ctx context.Context) (ghx ghxbuild.Built, err error) {
	if err := a.seclude(); err != nil {
		return ghx, err
	}
	workspace, err := os.Getwd()
	if err != nil {
		return ghx, fault.Infraf("find the workspace: %w", err)
	}
	if err := a.lookAtCheckout(workspace); err != nil {
		return ghx, err
	}
	if a.source != "" {
		workspace = a.source
	}
	in := a.inputs
	wanted := ghxbuild.Wanted{
		WithoutGHX: ghxbuild.WithoutGHX(in.Modes),
		Script:     in.BuildCommand, Command: in.GHXCommand, Skill: in.GHXSkill, Base: in.BaseGHXCommand,
	}
	err = a.log.Foreign(func(w io.Writer) error {
		ghx, err = a.builder(workspace, w).Build(ctx, wanted)
		return err
	})
	if err != nil {
		return ghx, err
	}
	if wanted.WithoutGHX {
		a.log.Line("Measured is mode " + string(in.Candidate))
	} else {
		a.log.Line("Measured is " + ghx.Describe())
	}
	// A scripted agent has no need of one.
	nothingBuilt := in.Provider == providerScripted && ghx.Command == ""
	if !nothingBuilt {
		err = ghxbuild.NoLongerGHX(ctx, a.teller.client, a.event.Repo.Owner, a.event.Repo.Name, a.baseCommit(), wanted, ghx)
		if err != nil {
			return ghx, err
		}
	}
	if !slices.Contains(in.Modes, bench.GHXBase) || in.BaseGHXCommand != "" || nothingBuilt {
		return ghx, nil
	}
	folder, err := a.baseFiles(ctx)
	if err != nil {
		return ghx, err
	}
	err = a.log.Foreign(func(w io.Writer) error {
		ghx, err = a.builder(folder, w).BuildBase(ctx, wanted, a.baseCommit(), ghx)
		return err
	})
	if err == nil {
		a.log.Line("It is compared with " + ghx.Base)
	}
	return ghx, err
}

// providerScripted is the agent without a model.
const providerScripted = "scripted"

func (a *action) builder(workspace string, output io.Writer) *ghxbuild.Builder {
	return &ghxbuild.Builder{
		Workspace: workspace, Account: a.account, Path: a.getenv("PATH"), Output: output, Hide: a.hidden, Hosts: a.inputs.BuildHosts,
		Bounds: ghxbuild.Bounds{Time: a.inputs.BuildTimeout, Setting: actions.BuildTimeout},
	}
}

// baseCommit is the commit that the head is a change to, empty if it is not
// known.
func (a *action) baseCommit() string { return cmp.Or(a.inputs.BaseCommit, a.event.BaseSHA) }

// lookAtCheckout notes what the workspace's repository says of the two commits,
// if there is one. Where it has the merge of the head into its base, that base is
// compared with: the event's may be an older one. What is checked out is what a check
// of the head is about: a branch may have been pushed to since the event.
func (a *action) lookAtCheckout(workspace string) error {
	checkout, err := ghxbuild.OpenCheckout(workspace)
	if err != nil {
		return nil //nolint:nilerr // there is none
	}
	if commit, tree, parents, err := checkout.Head(); err == nil && a.source == "" {
		merged := len(parents) == 2 && parents[1] == a.event.HeadSHA
		if commit != a.event.HeadSHA && !merged && a.ofCommit() {
			return fault.Invalidf("the workspace has commit %s, and commit %s is to be measured, or a merge of it into its base: leave out ref at actions/checkout, or set it to the full name of that commit", commit, a.event.HeadSHA)
		}
		a.tree = tree
		if merged {
			a.event.BaseSHA = parents[0]
		}
	}
	a.baseTree, _ = checkout.Tree(a.baseCommit())
	return nil
}

// ofCommit reports whether the event names the commit. Who starts a workflow by hand
// without one may have it check out what he likes, and another repository's.
func (a *action) ofCommit() bool {
	return a.event.Name != ghevent.WorkflowDispatch || a.event.Commit != ""
}

// baseFiles returns a folder with the files of the base commit, which its ghx is built
// from.
func (a *action) baseFiles(ctx context.Context) (folder string, err error) {
	folder, err = a.filesOfBase(ctx, fmt.Sprintf("that mode %s could be built from", bench.GHXBase))
	if sha := a.baseCommit(); err != nil && sha != "" && ctx.Err() == nil {
		err = ghxbuild.NoVerdict(sha, err)
	}
	return folder, err
}

// filesOfBase returns a folder with the files of the base commit: from the workspace's
// repository or, as a checkout has one commit alone unless it is told otherwise, from
// GitHub. What they are for is said where there is no base commit.
func (a *action) filesOfBase(ctx context.Context, purpose string) (folder string, err error) {
	sha := a.baseCommit()
	if sha == "" {
		return "", fault.Invalidf("event %s has no base commit, so there is nothing %s: name one with base-commit", a.event.Name, purpose)
	}
	checkout, err := ghxbuild.OpenCheckout(".")
	if err == nil {
		folder, err = checkout.Files(ctx, sha)
	}
	if errors.Is(err, ghxbuild.ErrNoCommit) {
		a.baseTree = ghxbuild.TreeOf(ctx, a.teller.client, a.event.Repo.Owner, a.event.Repo.Name, sha)
		folder, err = ghxbuild.Fetch(ctx, a.teller.client, a.event.Repo.Owner, a.event.Repo.Name, sha)
		if err != nil && ctx.Err() == nil {
			err = fault.Infraf("the checkout does not have it, and it cannot be fetched: %w; give actions/checkout fetch-depth: 0", err)
		}
	}
	if folder != "" {
		a.temporary = append(a.temporary, folder)
	}
	return folder, err
}

// output tells the runner what the step came to.
func (a *action) output(r actions.Result) { a.teller.files.SetOutputs(actions.Values(r)) }
