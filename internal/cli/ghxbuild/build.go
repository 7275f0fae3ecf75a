// Package ghxbuild builds the ghx that a pull request proposes, and that of the
// commit that it is a change to, so that they can be measured: it fetches the
// files of the commits and builds them as a user without rights.
package ghxbuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
)

// The scripts that are none.
const (
	// Auto builds a ghx workspace, and nothing elsewhere.
	Auto = actions.BuildAuto
	// None builds nothing.
	None = actions.BuildNone
)

// Builder builds the ghx that is measured, as a user without rights, in a copy
// of the workspace: what a pull request brings neither sees the credentials of
// the checkout nor changes the workspace.
type Builder struct {
	Workspace string
	// Account returns who builds and a new folder of theirs: see [Account].
	Account func() (*platform.User, string, error)
	// Path is the value of PATH.
	Path   string
	Output io.Writer

	// InPlace builds in the workspace itself, which is our own user's.
	InPlace bool
	// Hide are files and folders that builds do not see, where the kernel can
	// see to that, besides the workspace: see [confine.View].
	Hide []string
	// Hosts are those that builds reach, and nothing else of the network: see
	// [egress.Options]. Nil has them use the network as we do.
	Hosts []string
	// Dial is how those are reached; nil for the usual way.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)
	// Bounds hold builds that are not in place. Ticks returns when it is looked
	// at them, and what ends that; nil looks at every second.
	Bounds Bounds
	Ticks  func() (ticks <-chan time.Time, stop func())
	// Caches is the value of HOME, where builds find their caches; empty for
	// Home.
	Caches string

	// User and Home are those of the account, once it was asked for: see
	// [Builder.Enter]. A nil user is our own.
	User *platform.User
	Home string
}

// Wanted is what is to be built.
type Wanted struct {
	// Script is [Auto], [None] or a script of sh.
	Script string
	// WithoutGHX is true where what is built need not have a ghx.
	WithoutGHX bool
	// Command and Skill are ghx's, Base is the command of the base commit's,
	// where the build does not tell them. They may name files in the workspace.
	Command, Skill, Base string
}

// WithoutGHX reports whether none of the modes has a ghx.
func WithoutGHX(modes []bench.Mode) bool {
	return !slices.Contains(modes, bench.GHX) && !slices.Contains(modes, bench.GHXBase)
}

// Built is what there is to measure.
type Built struct {
	// Command and Skill are ghx's, empty for the installed one's. Base and
	// BaseSkill are the base commit's.
	Command, Skill, Base, BaseSkill string
	// Folder is where it was built: a copy of the workspace, or the workspace
	// itself where nothing was built.
	Folder string
}

// Enter finds out who builds, and ends and removes what that user has left: a
// server that died may have left a build running.
func (b *Builder) Enter() (err error) {
	if b.User, b.Home, err = b.Account(); err != nil || b.User == nil {
		return err
	}
	if err := endUser(b.User); err != nil {
		return fault.Infraf("end what the user who builds has left running: %w", err)
	}
	removeLeft(b.User, b.Home)
	return nil
}

// Build builds what is wanted. Errors are of kind invalid where the settings
// would mend them, of kind tool where the script fails.
func (b *Builder) Build(ctx context.Context, in Wanted) (Built, error) {
	result := Built{Command: in.Command, Skill: in.Skill, Base: in.Base}
	script := in.Script
	if script == None {
		return result.at(b.Workspace)
	}
	_, isGHX, err := manifestOfGHX(b.Workspace)
	switch {
	case script != Auto:
	case err != nil:
		return Built{}, err
	case !isGHX:
		return result.at(b.Workspace)
	default:
		script = "pnpm install --frozen-lockfile && pnpm --filter " + Package + " run build"
	}
	if err := b.Enter(); err != nil {
		return Built{}, err
	}
	folder, err := b.place(ctx)
	if err != nil {
		return Built{}, err
	}
	fmt.Fprintf(b.Output, "$ %s\n", script)
	if err := b.Run(ctx, folder, script); err != nil {
		return Built{}, Failed(fmt.Sprintf("build ghx with %q", script), err, "; see the log of the build, or set build-command")
	}
	if !b.InPlace {
		if err := b.lock(folder); err != nil {
			return Built{}, err
		}
	}
	if result.Command == "" && !in.WithoutGHX {
		if result.Command, err = commandOf(folder); err != nil {
			return Built{}, err
		}
		if result.Command == "" && isGHX {
			return Built{}, fault.Invalidf("after the build there is no %s/package.json of ghx any more, which would name its program: set ghx-command", ghxFolder)
		}
	}
	return result.at(folder)
}

// Failed is why a build came to nothing, with the mend: of kind tool where the
// script itself failed, for it is a part of what is proposed.
func Failed(what string, err error, mend string) error {
	var ended *exec.ExitError
	switch kind := fault.KindOf(err); {
	case kind == fault.Tool: // with a mend of its own, as what follows
		return fault.Toolf("%s: %w", what, err)
	case kind == fault.Infrastructure:
		return fault.Infraf("%s: %w", what, err)
	case kind == fault.Invalid:
		return fault.Invalidf("%s: %w", what, err)
	case errors.As(err, &ended):
		return fault.Toolf("%s: %w%s", what, err, mend)
	default:
		return fault.Infraf("%s: %w%s", what, err, mend)
	}
}

// place returns the folder to build in, with the workspace's files.
func (b *Builder) place(ctx context.Context) (string, error) {
	if b.InPlace {
		return b.Workspace, nil
	}
	folder := filepath.Join(b.Home, "workspace")
	return folder, b.Copy(ctx, folder)
}

// lock keeps the user who builds out of the home, which everybody else may
// read: what a later build runs must not change what this one has made. Rights
// of the group go before those of others. What is in the folder is somebody's
// proposal only if that is still the one that was copied.
func (b *Builder) lock(folder string) error {
	const closedToGroup = 0o705
	if b.User != nil {
		if err := errors.Join(os.Chown(b.Home, os.Geteuid(), int(b.User.Gid)), os.Chmod(b.Home, closedToGroup)); err != nil {
			return fault.Infraf("keep what was built from changes: %w", err)
		}
	}
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return fault.Invalidf("the build has put something else in the place of its workspace: let it build in there")
	}
	if err := filepath.WalkDir(folder, removeSpecial); err != nil {
		return fault.Infraf("look at what was built: %w", err)
	}
	return nil
}

// removeSpecial removes what is neither file, folder nor link: who opens a
// pipe to read it as a file waits for ever.
func removeSpecial(path string, entry fs.DirEntry, err error) error {
	if err != nil || entry.Type().IsRegular() || entry.IsDir() || entry.Type() == fs.ModeSymlink {
		return err
	}
	return os.Remove(path)
}

// makeFolder makes a folder of the builder's user.
func (b *Builder) makeFolder(path string) error {
	if err := os.MkdirAll(path, folderPerm); err != nil || b.User == nil {
		return err
	}
	return os.Lchown(path, int(b.User.Uid), int(b.User.Gid))
}

// Run runs a script as the builder's user, with nothing of our environment, and
// ends what it has left running. What goes beyond the bounds is ended, and is an
// error of kind tool.
func (b *Builder) Run(ctx context.Context, folder, script string) error {
	temp := filepath.Join(b.Home, "tmp")
	if err := b.makeFolder(temp); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(temp) }() // what is left is as good as what the build makes
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	cmd := exec.CommandContext(ctx, "/bin/sh", "-ec", script)
	last, log := &Tail{Max: maxLastLines}, &buildLog{to: b.Output, left: maxOutput}
	output := io.MultiWriter(log, last)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, output, output
	cmd.Env = []string{"PATH=" + b.Path, "HOME=" + cmp.Or(b.Caches, b.Home), "TMPDIR=" + temp, "CI=true", "LANG=C.UTF-8", "NO_COLOR=1"}
	cmd.SysProcAttr = platform.GroupLeader(b.User)
	cmd.Cancel = func() error { return platform.SignalGroup(cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay
	held, err := b.hold(cmd, b.Hosts, log)
	if err != nil {
		return err
	}
	unwatch := b.watch(held, cmd.Process.Pid, "building", log, stop)
	err = cmd.Wait()
	unwatch()
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // what it has left running, such as a daemon, is ended now
	}
	if swept := errors.Join(b.Sweep(cmd), held.end()); err == nil {
		err = swept
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if said := strings.TrimSpace(last.String()); err != nil && said != "" {
		return fmt.Errorf("%w; its last lines: %s", err, said)
	}
	return err
}

const (
	// maxOutput is how much of a build's output is shown, maxLastLines how much
	// of it is told where it fails, in bytes.
	maxOutput    = 16 << 20
	maxLastLines = 500
	// outputDelay is how long output is read after the end of a build that has
	// left something running.
	outputDelay = time.Second
)

// Sweep ends what a command has left running, and removes what it has left where
// everyone may write: everything of the builder's user, or, where that is our own,
// the command's process group.
func (b *Builder) Sweep(cmd *exec.Cmd) (err error) {
	switch {
	case b.User != nil:
		if err = endUser(b.User); err == nil {
			removeLeft(b.User, b.Home)
		}
	case cmd.Process != nil:
		err = platform.SignalGroup(cmd.Process.Pid, syscall.SIGKILL)
	}
	if err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("end what the build has left running: %w", err)
	}
	return nil
}

// Describe says in a few words what is measured.
func (b Built) Describe() string {
	if b.Command == "" {
		return "the installed ghx"
	}
	return strings.TrimSpace(b.Command)
}
