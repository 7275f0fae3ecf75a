package actioncli

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

// builder builds the ghx that is measured, as a user without rights, in a copy
// of the workspace: what a pull request brings neither sees the credentials of
// the checkout nor changes the workspace.
type builder struct {
	workspace string
	// account returns who builds and a new folder of theirs; nil is our own
	// user, where we are not root.
	account func() (*syscall.Credential, string, error)
	path    string
	output  io.Writer

	user *syscall.Credential
	home string
}

// built is what there is to measure.
type built struct {
	// command and skill are ghx's, empty for the installed one's. base is the
	// command of the base commit's.
	command, skill, base string
}

// isGHX reports whether a folder is a ghx workspace.
func isGHX(folder string) bool {
	var manifest struct{ Name string }
	data, err := os.ReadFile(filepath.Join(folder, ghxFolder, "package.json"))
	return err == nil && json.Unmarshal(data, &manifest) == nil && manifest.Name == ghxPackage
}

// build builds what the inputs ask for.
func (b *builder) build(ctx context.Context, in actions.Inputs) (built, error) {
	script := in.BuildCommand
	switch {
	case script == actions.BuildNone, script == actions.BuildAuto && !isGHX(b.workspace):
		return built{command: in.GHXCommand, skill: in.GHXSkill, base: in.BaseGHXCommand}.at(b.workspace)
	case script == actions.BuildAuto:
		script = "pnpm install --frozen-lockfile && pnpm --filter " + ghxPackage + " run build"
	}
	var err error
	if b.user, b.home, err = b.account(); err != nil {
		return built{}, err
	}
	folder := filepath.Join(b.home, "workspace")
	if err := b.copyWorkspace(folder); err != nil {
		return built{}, fault.Infraf("copy the workspace to build in: %w", err)
	}
	fmt.Fprintf(b.output, "$ %s\n", script)
	if err := b.run(ctx, folder, script); err != nil {
		return built{}, fault.Infraf("build ghx with %q: %w; see the log of the build, or set build-command", script, err)
	}
	result := built{command: in.GHXCommand, skill: in.GHXSkill, base: in.BaseGHXCommand}
	if result.command == "" && isGHX(folder) {
		command, err := commandOf(filepath.Join(folder, ghxFolder))
		if err != nil {
			return built{}, err
		}
		result.command = command
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
func (b built) at(folder string) (built, error) {
	var problems []error
	in := func(command string) string {
		// A command that cannot be split is refused by whoever runs it.
		words, err := shellquote.Split(command)
		if err != nil || len(words) == 0 {
			return command
		}
		for i, word := range words {
			file, found, err := fileIn(folder, word)
			problems = append(problems, err)
			if found {
				words[i] = file
			}
		}
		return shellquote.Join(words...)
	}
	b.command, b.base = in(b.command), in(b.base)
	if file, found, err := fileIn(folder, b.skill); found {
		b.skill = file
	} else {
		problems = append(problems, err)
	}
	return b, errors.Join(problems...)
}

// fileIn returns the absolute path of a file that a word names in a folder.
func fileIn(folder, word string) (string, bool, error) {
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
	if !within || !isFile(file) {
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

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// copyWorkspace copies the workspace, without what git keeps beside the files:
// the checkout's credentials are there.
func (b *builder) copyWorkspace(to string) error {
	if err := b.makeFolder(to); err != nil {
		return err
	}
	return filepath.WalkDir(b.workspace, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		inside, err := filepath.Rel(b.workspace, path)
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

func (b *builder) makeFolder(path string) error {
	const perm = 0o755
	if err := os.MkdirAll(path, perm); err != nil {
		return err
	}
	return b.give(path)
}

func (b *builder) copyLink(from, to string) error {
	link, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return errors.Join(os.Symlink(link, to), b.give(to))
}

func (b *builder) copyFile(from, to string) error {
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
func (b *builder) give(path string) error {
	if b.user == nil {
		return nil
	}
	return os.Lchown(path, int(b.user.Uid), int(b.user.Gid))
}

// run runs a script as the builder's user, with nothing of our environment, and
// ends what it has left running.
func (b *builder) run(ctx context.Context, folder, script string) error {
	cmd := exec.CommandContext(ctx, "/bin/sh", "-ec", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = folder, b.output, b.output
	cmd.Env = []string{"PATH=" + b.path, "HOME=" + b.home, "CI=true", "LANG=C.UTF-8", "NO_COLOR=1"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: b.user}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = outputDelay
	err := cmd.Run()
	if swept := b.sweep(cmd); err == nil {
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

// sweep ends what a command has left running: everything of the builder's user,
// or, where that is our own, of the command's process group.
func (b *builder) sweep(cmd *exec.Cmd) error {
	if b.user == nil {
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
	killer.Env, killer.SysProcAttr = []string{}, &syscall.SysProcAttr{Credential: b.user}
	var exit *exec.ExitError
	if err := killer.Run(); err != nil && !errors.As(err, &exit) {
		return fmt.Errorf("end what the build has left running: %w", err)
	}
	return nil
}

// describe says in a few words what is measured.
func (b built) describe() string {
	if b.command == "" {
		return "the installed ghx"
	}
	return strings.TrimSpace(b.command)
}
