// Package ghxbuild builds the ghx that a pull request proposes, so that it can be
// measured: it fetches the files of the commit and builds them as a user
// without rights.
package ghxbuild

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// ghxPackage is the name of ghx's package, ghxFolder where a ghx workspace has
// it.
const (
	ghxPackage = "@ghx-dev/core"
	ghxFolder  = "packages/core"
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
	Account func() (*syscall.Credential, string, error)
	// Path is the value of PATH.
	Path   string
	Output io.Writer

	// User and Home are those of the account, once it was asked for: see
	// [Builder.Enter]. A nil user is our own.
	User *syscall.Credential
	Home string
}

// Wanted is what is to be built.
type Wanted struct {
	// Script is [Auto], [None] or a script of sh.
	Script string
	// Command and Skill are ghx's, Base is the command of the base commit's,
	// where the build does not tell them. They may name files in the workspace.
	Command, Skill, Base string
}

// Built is what there is to measure.
type Built struct {
	// Command and Skill are ghx's, empty for the installed one's. Base is the
	// command of the base commit's.
	Command, Skill, Base string
}

// Enter finds out who builds.
func (b *Builder) Enter() (err error) {
	b.User, b.Home, err = b.Account()
	return err
}

// isGHX reports whether a folder is a ghx workspace.
func isGHX(folder string) bool {
	var manifest struct{ Name string }
	data, err := os.ReadFile(filepath.Join(folder, ghxFolder, "package.json"))
	return err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Name == ghxPackage
}

// Build builds what is wanted. Errors are of kind invalid where the settings
// would mend them.
func (b *Builder) Build(ctx context.Context, in Wanted) (Built, error) {
	script := in.Script
	switch {
	case script == None, script == Auto && !isGHX(b.Workspace):
		return Built{in.Command, in.Skill, in.Base}.at(b.Workspace)
	case script == Auto:
		script = "pnpm install --frozen-lockfile && pnpm --filter " + ghxPackage + " run build"
	}
	if err := b.Enter(); err != nil {
		return Built{}, err
	}
	folder := filepath.Join(b.Home, "workspace")
	if err := b.Copy(folder); err != nil {
		return Built{}, fault.Infraf("copy the workspace to build in: %w", err)
	}
	fmt.Fprintf(b.Output, "$ %s\n", script)
	if err := b.Run(ctx, folder, script); err != nil {
		return Built{}, fault.Infraf("build ghx with %q: %w; see the log of the build, or set build-command", script, err)
	}
	result := Built{in.Command, in.Skill, in.Base}
	if result.Command == "" && isGHX(folder) {
		command, err := commandOf(filepath.Join(folder, ghxFolder))
		if err != nil {
			return Built{}, err
		}
		result.Command = command
	}
	return result.at(folder)
}

// commandOf returns the command of a built ghx package.
func commandOf(folder string) (string, error) {
	var manifest struct{ Bin map[string]string }
	data, err := os.ReadFile(filepath.Join(folder, "package.json"))
	if err == nil {
		err = json.Unmarshal(data, &manifest)
	}
	if err != nil || manifest.Bin["ghx"] == "" {
		return "", fault.Invalidf("the package in %s names no program ghx: set ghx-command", ghxFolder)
	}
	return shellquote.Join("node", filepath.Join(folder, manifest.Bin["ghx"])), nil
}

// at makes the paths of files in a folder absolute. One that leads out of it
// by a link is refused: the folder is what somebody proposes, and its files are
// told to an agent.
func (b Built) at(folder string) (Built, error) {
	var problems []error
	in := func(command string) string {
		// A command that cannot be split is refused by whoever runs it.
		words, err := shellquote.Split(command)
		if err != nil || len(words) == 0 {
			return command
		}
		for i, word := range words {
			file, found, err := FileIn(folder, word)
			problems = append(problems, err)
			if found {
				words[i] = file
			}
		}
		return shellquote.Join(words...)
	}
	b.Command, b.Base = in(b.Command), in(b.Base)
	if file, found, err := FileIn(folder, b.Skill); found {
		b.Skill = file
	} else {
		problems = append(problems, err)
	}
	return b, errors.Join(problems...)
}

// FileIn returns the absolute path of a file that a word names in a folder.
func FileIn(folder, word string) (string, bool, error) {
	if word == "" {
		return "", false, nil
	}
	file := word
	if !filepath.IsAbs(word) {
		file = filepath.Join(folder, word)
	}
	root, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", false, fault.Infraf("find %s: %w", folder, err)
	}
	within := strings.HasPrefix(file, folder+string(filepath.Separator))
	if !within || !IsFile(file) {
		// It is no file of the folder's, but a word or a program of the system.
		return "", false, nil
	}
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return "", false, fault.Infraf("find %s: %w", word, err)
	}
	if !strings.HasPrefix(real, root+string(filepath.Separator)) {
		return "", false, fault.Invalidf("%s leads out of the workspace, to %s", word, real)
	}
	return file, true, nil
}

// IsFile reports whether a path leads to a file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Copy copies the workspace into a new folder of the account's, without what git keeps beside the files:
// the checkout's credentials are there.
func (b *Builder) Copy(to string) error {
	if err := b.makeFolder(to); err != nil {
		return err
	}
	return filepath.WalkDir(b.Workspace, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(b.Workspace, path)
		if err != nil || inside == "." {
			return err
		}
		target := filepath.Join(to, inside)
		switch {
		case entry.Name() == ".git":
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case entry.IsDir():
			return b.makeFolder(target)
		case entry.Type() == fs.ModeSymlink:
			return b.copyLink(path, target)
		case entry.Type().IsRegular():
			return b.copyFile(path, target)
		default:
			return nil
		}
	})
}

func (b *Builder) makeFolder(path string) error {
	const perm = 0o755
	if err := os.MkdirAll(path, perm); err != nil {
		return err
	}
	return b.give(path)
}

func (b *Builder) copyLink(from, to string) error {
	link, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return errors.Join(os.Symlink(link, to), b.give(to))
}

func (b *Builder) copyFile(from, to string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	const ownerWrites = 0o200
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|ownerWrites)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close(), b.give(to))
}

// give makes the builder's user the owner.
func (b *Builder) give(path string) error {
	if b.User == nil {
		return nil
	}
	return os.Lchown(path, int(b.User.Uid), int(b.User.Gid))
}

// Run runs a script as the builder's user, with nothing of our environment, and
// ends what it has left running.
func (b *Builder) Run(ctx context.Context, folder, script string) error {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-ec", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, b.Output, b.Output
	cmd.Env = []string{"PATH=" + b.Path, "HOME=" + b.Home, "CI=true", "LANG=C.UTF-8", "NO_COLOR=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: b.User}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay
	err := cmd.Run()
	if swept := b.Sweep(cmd); err == nil {
		err = swept
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// outputDelay is how long output is read after the end of a build that has left
// something running.
const outputDelay = time.Second

// Sweep ends what a command has left running: everything of the builder's user,
// or, where that is our own, of the command's process group.
func (b *Builder) Sweep(cmd *exec.Cmd) error {
	if b.User == nil {
		if cmd.Process == nil {
			return nil
		}
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			return fmt.Errorf("end what the build has left running: %w", err)
		}
		return nil
	}
	// -1 is every process that this user may signal, the shell included.
	killer := exec.CommandContext(context.Background(), "/bin/sh", "-c", "kill -KILL -1")
	killer.Env, killer.SysProcAttr = []string{}, &syscall.SysProcAttr{Credential: b.User}
	var exit *exec.ExitError
	if err := killer.Run(); err != nil && !errors.As(err, &exit) {
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
