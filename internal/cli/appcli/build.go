package appcli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"

	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// builds makes the programs that runs measure.
type builds struct {
	settings settings.LocalRuns
	path     string
	// turn holds an item while somebody builds. One does at a time: the account
	// that builds is the same for all, and what a build leaves running is ended
	// by ending everything of that account.
	turn chan struct{}
}

func newBuilds(settings settings.LocalRuns, path string) *builds {
	return &builds{settings: settings, path: path, turn: make(chan struct{}, 1)}
}

// checkBuilder refuses settings with which commits would be built by root, who reads
// the keys of the App.
func checkBuilder(c settings.LocalRuns) error {
	if c.Build == ghxbuild.None {
		return nil
	}
	if _, err := ghxbuild.BuildUser(); err != nil {
		return fmt.Errorf("%w, serve as another user, or set BENCH_APP_BUILD_COMMAND=none, which builds nothing here", err)
	}
	return nil
}

// measured are the programs and mode files of one run, and the hashes of the trees
// that they are of, empty where those are not known. Its folders are temporary.
type measured struct {
	ghxbuild.Built
	modeFiles      []string
	tree, baseTree string
	folders        []string
}

// remove removes what was made. What cannot be removed is in a folder that is
// temporary anyway.
func (m *measured) remove() {
	for _, folder := range m.folders {
		_ = os.RemoveAll(folder)
	}
}

// build makes what is measured of the run's commit, and the ghx of its base commit
// if that is measured too. The scripted agent has no need of a ghx.
func (b *builds) build(ctx context.Context, w service.Work, log io.Writer) (*measured, error) {
	made := &measured{}
	r := w.Run
	p := r.Request.Plan
	withModeFiles := len(p.ModeFiles) > 0
	if p.Agent == settings.Scripted && !withModeFiles {
		return made, nil
	}
	if b.settings.Build == ghxbuild.None && !withModeFiles {
		made.Command, made.Skill = b.settings.GHXCommand, b.settings.GHXSkill
		return made, nil
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done():
		return made, context.Cause(ctx)
	}
	wanted := ghxbuild.Wanted{WithoutGHX: ghxbuild.WithoutGHX(p.Modes), Script: b.settings.Build, Command: b.settings.GHXCommand, Skill: b.settings.GHXSkill}
	err := b.commit(ctx, w, r.Head, made, log, func(builder *ghxbuild.Builder) (ghxbuild.Built, error) {
		return builder.Build(ctx, wanted)
	})
	if err != nil {
		return made, err
	}
	err = ghxbuild.NoLongerGHX(ctx, w.Client, r.Owner(), r.Name(), r.Request.BaseSHA, wanted, made.Built)
	switch {
	case err == nil || p.Agent == settings.Scripted:
	case fault.KindOf(err) == fault.Infrastructure && ctx.Err() == nil:
		return made, fmt.Errorf("%w: %w", service.ErrNotNow, err)
	default:
		return made, queue.Permanent(err) // the commit stays as it is
	}
	if made.modeFiles, err = made.ModeFiles(p.ModeFiles); err != nil {
		return made, queue.Permanent(err) // the commit stays as it is
	}
	if b.settings.Build == ghxbuild.None {
		return made, nil
	}
	made.tree = ghxbuild.TreeOf(ctx, w.Client, r.Owner(), r.Name(), r.Head)
	if !slices.Contains(p.Modes, bench.GHXBase) {
		return made, nil
	}
	proposed, base := made.Built, r.Request.BaseSHA
	made.baseTree = ghxbuild.TreeOf(ctx, w.Client, r.Owner(), r.Name(), base)
	return made, b.commit(ctx, w, base, made, log, func(builder *ghxbuild.Builder) (ghxbuild.Built, error) {
		return builder.BuildBase(ctx, wanted, base, proposed)
	})
}

// commit has the ghx of a commit made.
func (b *builds) commit(ctx context.Context, w service.Work, sha string, made *measured, log io.Writer, build func(*ghxbuild.Builder) (ghxbuild.Built, error)) error {
	folder, err := fetch(ctx, w, sha, log)
	if err != nil {
		return err
	}
	made.folders = append(made.folders, folder)
	made.Built, err = build(&ghxbuild.Builder{
		Workspace: folder, Path: b.path, Output: log,
		Account: func() (*syscall.Credential, string, error) {
			user, home, err := ghxbuild.Account()
			if home != "" {
				made.folders = append(made.folders, home)
			}
			return user, home, err
		},
	})
	if err != nil && ctx.Err() == nil {
		return queue.Permanent(err) // it would fail again
	}
	return err
}

// fetch brings the files of a commit into a new folder, which is the caller's to remove.
func fetch(ctx context.Context, w service.Work, sha string, log io.Writer) (folder string, err error) {
	fmt.Fprintf(log, "fetch %s of %s\n", sha, w.Run.Repo)
	folder, err = ghxbuild.Fetch(ctx, w.Client, w.Run.Owner(), w.Run.Name(), sha)
	if err != nil && fault.KindOf(err) == fault.Infrastructure && ctx.Err() == nil {
		err = fmt.Errorf("%w: %w", service.ErrNotNow, err)
	}
	return folder, err
}
