package ghxbuild_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// A pnpm that says how it was called stands for the real one.
func TestAGHXWorkspaceIsBuiltByItself(t *testing.T) {
	b := ownBuilder(t, ghxWorkspace(t))
	write(t, b.Workspace, "tools/pnpm", "#!/bin/sh\necho \"pnpm $*\" | tee -a ../called; [ \"$1\" != --filter ] || { mkdir packages/core/bin && echo > packages/core/bin/ghx; }\n")
	require.NoError(t, os.Chmod(filepath.Join(b.Workspace, "tools/pnpm"), 0o755))
	b.Path = "tools:" + b.Path
	var log bytes.Buffer
	b.Output = &log
	ghx, err := b.Build(t.Context(), ghxbuild.Wanted{Script: ghxbuild.Auto})
	require.NoError(t, err, log.String())
	assert.Equal(t, "node "+filepath.Join(b.Home, "workspace/packages/core/bin/ghx"), ghx.Command)
	assert.Contains(t, log.String(), "$ pnpm install --frozen-lockfile && pnpm --filter @ghx-dev/core run build\n")
	called, err := os.ReadFile(filepath.Join(b.Home, "called"))
	require.NoError(t, err)
	assert.Equal(t, "pnpm install --frozen-lockfile\npnpm --filter @ghx-dev/core run build\n", string(called))

	// Others have packages in such a folder, too.
	other := t.TempDir()
	write(t, other, "packages/core/package.json", `{"name": "other"}`)
	installed, err := ownBuilder(t, other).Build(t.Context(), ghxbuild.Wanted{Script: ghxbuild.Auto})
	require.NoError(t, err)
	assert.Equal(t, ghxbuild.Built{Folder: other}, installed, "nothing is built")
	built, err := ownBuilder(t, other).Build(t.Context(), ghxbuild.Wanted{Script: "true"})
	require.NoError(t, err)
	assert.Empty(t, built.Command, "and nothing else is ghx")

	// What has no folder of that name is none either.
	require.NoError(t, os.RemoveAll(filepath.Join(other, "packages")))
	write(t, other, "packages", "a file")
	installed, err = ownBuilder(t, other).Build(t.Context(), ghxbuild.Wanted{Script: ghxbuild.Auto})
	require.NoError(t, err)
	assert.Equal(t, ghxbuild.Built{Folder: other}, installed)

	// What cannot be read any more has no program.
	_, err = ownBuilder(t, ghxWorkspace(t)).Build(t.Context(), ghxbuild.Wanted{Script: "echo '{' > packages/core/package.json"})
	require.ErrorContains(t, err, "cannot be read, so it is not known")

	// A scenario's program needs none of ghx.
	none, err := ownBuilder(t, ghxWorkspace(t)).Build(t.Context(), ghxbuild.Wanted{Script: "true", WithoutGHX: true})
	require.NoError(t, err)
	assert.Empty(t, none.Command)
}

func TestABuildHasNothingOfOurEnvironment(t *testing.T) {
	t.Setenv("GITHUB_TOKEN", "hunter2")
	b := ownBuilder(t, t.TempDir())
	var log bytes.Buffer
	b.Output = &log
	const script = "env; touch $TMPDIR/x"
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: script})
	require.NoError(t, err)
	assert.NotContains(t, log.String(), "hunter2")
	assert.NotContains(t, strings.ToLower(log.String()), "_proxy=", "it uses the network as we do unless hosts are named")
	for _, line := range []string{"HOME=" + b.Home, "PATH=" + b.Path, "CI=true", "LANG=C.UTF-8", "NO_COLOR=1", "TMPDIR=" + b.Home + "/tmp"} {
		assert.Contains(t, log.String(), "\n"+line+"\n")
	}
	assert.NoDirExists(t, filepath.Join(b.Home, "tmp"))
	log.Reset()
	b.Caches = "/caches"
	_, err = b.Build(t.Context(), ghxbuild.Wanted{Script: script})
	require.NoError(t, err)
	assert.Contains(t, log.String(), "\nHOME=/caches\n")
}

// Our own user's workspace may be built where it is, without being held.
func TestABuildInPlace(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	b.InPlace, b.Bounds.Time = true, time.Nanosecond
	b.Ticks = func() (<-chan time.Time, func()) {
		t.Error("nobody looks at it")
		return nil, func() {}
	}
	var log bytes.Buffer
	b.Output = &log
	ghx, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "echo > ghx; mkfifo pipe; read -r line < /dev/null || true", Command: "./ghx"})
	require.NoError(t, err)
	assert.Equal(t, b.Workspace+"/ghx", ghx.Command)
	assert.Equal(t, b.Workspace, ghx.Folder)
	assert.FileExists(t, filepath.Join(b.Workspace, "ghx"))
	_, err = os.Lstat(filepath.Join(b.Workspace, "pipe"))
	require.NoError(t, err, "what is somebody's own stays")
	assert.NotContains(t, log.String(), "The build is held")
	_, err = b.Build(t.Context(), ghxbuild.Wanted{Script: "exit 4"})
	require.ErrorContains(t, err, `build ghx with "exit 4": exit status 4; see the log of the build, or set build-command`)
	assert.Equal(t, fault.Tool, fault.KindOf(err))
}

func TestWordsOfACommandThatAreNoFilesOfTheBuildStay(t *testing.T) {
	workspace := t.TempDir()
	write(t, workspace, "ghx", "")
	for command, want := range map[string]string{
		"ghx /etc/hostname":      workspace + "/ghx /etc/hostname",
		"ghx 'a b' " + "--x=ghx": workspace + "/ghx 'a b' --x=ghx",
		"an 'open quote":         "an 'open quote",
		"":                       "",
		"  ":                     "  ",
	} {
		ghx, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: ghxbuild.None, Command: command})
		require.NoError(t, err)
		assert.Equal(t, want, ghx.Command)
	}
	_, err := ownBuilder(t, filepath.Join(workspace, "gone")).Build(t.Context(), ghxbuild.Wanted{Script: ghxbuild.None, Skill: ""})
	assert.NoError(t, err, "where no file is named none is looked for")
}

func TestABuildThatCannotBegin(t *testing.T) {
	gone := filepath.Join(t.TempDir(), "gone")
	for name, c := range map[string]struct {
		change func(b *ghxbuild.Builder)
		says   string
		kind   fault.Kind
	}{
		"nobody to build as": {func(b *ghxbuild.Builder) {
			b.Account = func() (*syscall.Credential, string, error) {
				return &syscall.Credential{Uid: 59241}, "", fault.Invalidf("no account")
			}
		}, "no account", fault.Invalid},
		"root to build as": {func(b *ghxbuild.Builder) {
			b.Account = func() (*syscall.Credential, string, error) { return &syscall.Credential{}, b.Workspace, nil }
		}, "root builds nothing", fault.Infrastructure},
		"a home that is a file": {func(b *ghxbuild.Builder) {
			b.Account = func() (*syscall.Credential, string, error) { return nil, "/etc/hostname", nil }
		}, "make a folder to build in", fault.Infrastructure},
		"a workspace that is gone": {func(b *ghxbuild.Builder) { b.Workspace = gone }, "copy the workspace to build in", fault.Infrastructure},
	} {
		t.Run(name, func(t *testing.T) {
			b := ownBuilder(t, t.TempDir())
			c.change(b)
			_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "true"})
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, c.kind, fault.KindOf(err))
		})
	}
}

// A build that cannot be held is not begun.
func TestABuildThatCannotBeHeld(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	require.NoError(t, b.Enter())
	needMounts(t)
	var log bytes.Buffer
	b.Output = &log
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "gone"))
	require.Error(t, b.Run(t.Context(), b.Home, "echo begun"))
	assert.Empty(t, log.String())
	write(t, b.Home, "tmp", "a file")
	require.ErrorIs(t, b.Run(t.Context(), b.Home, "true"), syscall.ENOTDIR)
}

// What cannot be shown is an error: nobody would know what was done.
func TestABuildWhoseOutputCannotBeShown(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	require.NoError(t, b.Enter())
	full := errors.New("the disk is full")
	b.Output = failing{full}
	require.ErrorIs(t, b.Run(t.Context(), b.Home, "echo begun"), full)
}

// failing is a writer that cannot write.
type failing struct{ err error }

// Write returns the error.
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestACopyThatIsStoppedEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the server ends")
	cancel(why)
	workspace := t.TempDir()
	write(t, workspace, "a", "")
	require.ErrorIs(t, ownBuilder(t, workspace).Copy(ctx, filepath.Join(t.TempDir(), "to")), why)
	committed(t, workspace, nil)
	require.ErrorIs(t, ownBuilder(t, workspace).Copy(ctx, filepath.Join(t.TempDir(), "to")), why)
}

// Programs that measure what was built are held as the build is.
func TestAProgramThatIsStartedIsSwept(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	require.NoError(t, b.Enter())
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", "(trap '' TERM HUP; echo begun; exec sleep 1000) & read -r end")
	output, write, err := os.Pipe()
	require.NoError(t, err)
	input, err := cmd.StdinPipe()
	require.NoError(t, err)
	cmd.Stdout, cmd.SysProcAttr = write, &syscall.SysProcAttr{Setpgid: true}
	require.NoError(t, b.Sweep(cmd), "there is nothing yet")
	end, err := b.Start(cmd)
	require.NoError(t, err)
	require.NoError(t, write.Close())
	_, err = output.Read(make([]byte, len("begun")))
	require.NoError(t, err)
	require.NoError(t, input.Close())
	require.Error(t, cmd.Wait(), "there was nothing to read")
	require.NoError(t, b.Sweep(cmd))
	require.NoError(t, end())
	_, err = io.ReadAll(output)
	require.NoError(t, err, "nothing holds the output any more")

	t.Setenv("TMPDIR", t.TempDir())
	_, err = b.Start(exec.CommandContext(t.Context(), "/gone"))
	require.ErrorContains(t, err, "start /gone")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	left, err := os.ReadDir(os.TempDir())
	require.NoError(t, err)
	assert.Empty(t, left, "what was to hold it is given back")
}

func TestAnErrorHasTheEndOfTheOutput(t *testing.T) {
	_, err := ownBuilder(t, t.TempDir()).Build(t.Context(), ghxbuild.Wanted{Script: "printf '%0600d' 0; exit 3"})
	require.ErrorContains(t, err, "lines: "+strings.Repeat("0", 500)+";")
	assert.NotContains(t, err.Error(), strings.Repeat("0", 501))
}

// Where memory runs out a build is the first to end, and none of ours.
func TestABuildIsTheFirstToEndWhereMemoryRunsOut(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	require.NoError(t, b.Enter())
	assert.NoError(t, b.Run(t.Context(), b.Home, `adjusted() { read -r by < /proc/$$/oom_score_adj && [ "$by" = 1000 ]; }; until adjusted; do :; done`))
}

// A user whom others run as, too, is not bounded as one who builds alone.
func TestOurOwnUserMayHaveAsManyProcessesAsBefore(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	require.NoError(t, b.Enter())
	var log bytes.Buffer
	b.Output = &log
	ours, err := os.ReadFile("/proc/self/limits")
	require.NoError(t, err)
	require.NoError(t, b.Run(t.Context(), b.Home, "grep 'Max processes' /proc/self/limits"))
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	assert.Contains(t, string(ours), lines[len(lines)-1])
}

func TestAUserWhoBuildsAloneMayHaveSoManyProcesses(t *testing.T) {
	b := hostileBuilder(t, 59255)
	require.NoError(t, b.Enter())
	assert.NoError(t, b.Run(t.Context(), b.Home, "grep 'Max processes  *2048 ' /proc/self/limits"))
}

func TestOurOwnUsersBuildLeavesNothingRunning(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	require.NoError(t, b.Enter())
	pipe := filepath.Join(b.Home, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	read, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	require.NoError(t, b.Run(t.Context(), b.Home, "exec 3> pipe; sleep 1000 > /dev/null 2>&1 &"))
	_, err = io.ReadAll(read)
	require.NoError(t, err, "nothing holds the pipe any more")
	require.NoError(t, read.Close())
}

// Names of files may be as long as one likes, if one makes them step by step.
func TestFoldersThatAreTooDeepToLookAtAreAnError(t *testing.T) {
	deep := strings.Repeat("x", 250)
	_, err := ownBuilder(t, t.TempDir()).Build(t.Context(), ghxbuild.Wanted{Script: "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do mkdir " + deep + "; cd -P " + deep + "; done"})
	require.ErrorContains(t, err, "look at what was built")
}
