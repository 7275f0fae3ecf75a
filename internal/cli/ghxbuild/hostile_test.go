package ghxbuild_test

import (
	"bytes"
	"context"
	"fmt"
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
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// TestMain has the tests be as the programs are: orphans become their children.
func TestMain(m *testing.M) {
	if err := confine.HardenSelf(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const ghxManifest = `{"name": "@ghx-dev/core", "bin": {"ghx": "bin/ghx"}}`

// What is proposed is read by us: it must not hang us, fill our memory or lead
// us elsewhere.
func TestAManifestThatIsNoneIsNotRead(t *testing.T) {
	workspace := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(workspace, "packages/core"), 0o755))
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(workspace, "packages/core/package.json")))
	_, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: ghxbuild.Auto})
	require.ErrorContains(t, err, "packages/core/package.json cannot be read", "the installed ghx is not measured in its place")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))

	pipe := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(pipe, "packages/core"), 0o755))
	require.NoError(t, syscall.Mkfifo(filepath.Join(pipe, "packages/core/package.json"), 0o644))
	_, isGHX := ghxbuild.PackageManager(pipe)
	assert.False(t, isGHX)

	for name, script := range map[string]string{
		"nothing":                      "rm package.json",
		"another package":              `echo '{"name": "other"}' > package.json`,
		"a pipe":                       "rm package.json && mkfifo package.json",
		"a file without end":           "truncate -s 1T package.json",
		"a mistake in it":              `echo '{"name": "@ghx-dev/core", "packageManager": 7, "bin": {"ghx": "x"}}' > package.json`,
		"a link to a file of somebody": "ln -sf /etc/hostname package.json",
	} {
		t.Run(name, func(t *testing.T) {
			workspace := t.TempDir()
			write(t, workspace, "packages/core/package.json", ghxManifest)
			_, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: "cd packages/core && " + script})
			require.ErrorContains(t, err, "packages/core/package.json", "the installed ghx is not measured in its place")
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestAProgramOutsideOfThePackageIsRefused(t *testing.T) {
	for _, program := range []string{`{"ghx": "../../../../../../../../../../proc/self/environ"}`, `{"ghx": "/proc/self/environ"}`, `{"ghx": ""}`, `{"other": "bin/ghx"}`, `"bin/core"`, `7`, `null`} {
		workspace := t.TempDir()
		write(t, workspace, "packages/core/package.json", fmt.Sprintf(`{"name": "@ghx-dev/core", "bin": %s}`, program))
		_, err := ownBuilder(t, workspace).Build(t.Context(), ghxbuild.Wanted{Script: "true"})
		require.ErrorContains(t, err, "names no program ghx of its own", program)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

// The files of a command are made readable for agents: those that its script
// names are, too.
func TestAScriptNamesNoFilesOfOurs(t *testing.T) {
	for first, refused := range map[string]bool{
		"#!/bin/sh":                                        false,
		"#!/usr/local/bin/x":                               false,
		"#!/bin/sh /bin/sh":                                true,
		"#!/usr/bin/env node":                              false,
		"#!/usr/bin/env -S node --import=./more.js":        false,
		"#!/bin/sh $PWD/real.sh":                           false,
		"\x7fELF /proc/self/environ":                       false,
		"#!/bin/sh $PWD/real.sh /proc/self/environ":        true,
		"#!/usr/bin/env -S sh real.sh /data/bench.db":      true,
		"#!/root/secret":                                   true,
		"#!/proc/self/environ":                             true,
		"#!/bin/sh ./" + filepath.Base(os.Args[0]) + "-no": false,
		"#!/bin/sh ./build.go":                             true,
		"#!/bin/sh $PWD/link":                              true,
		"#!/bin/sh ./link":                                 true,
		fmt.Sprintf("%-256s/etc/hostname", "#!/bin/sh"):    false, // the kernel reads no more
		fmt.Sprintf("%-255s/etc/hostname", "#!/bin/sh"):    true,
	} {
		t.Run(strings.ReplaceAll(first, "/", "_"), func(t *testing.T) {
			workspace := t.TempDir()
			write(t, workspace, "real.sh", "")
			b := ownBuilder(t, workspace)
			_, err := b.Build(t.Context(), ghxbuild.Wanted{
				Script: fmt.Sprintf("ln -s /etc/hostname link; printf '%%s\\n' %q > ghx; chmod +x ghx", first), Command: "ghx --verbose",
			})
			if !refused {
				require.NoError(t, err)
				return
			}
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err), err)
		})
	}
}

// The files that lie beside a program are read too.
func TestABuildLeavesNoPipe(t *testing.T) {
	b := ownBuilder(t, t.TempDir())
	_, err := b.Build(t.Context(), ghxbuild.Wanted{Script: "mkdir -p skills/ghx && mkfifo skills/ghx/SKILL.md && echo real > skills/other.md"})
	require.NoError(t, err)
	assert.NoFileExists(t, filepath.Join(b.Home, "workspace/skills/ghx/SKILL.md"))
	assert.FileExists(t, filepath.Join(b.Home, "workspace/skills/other.md"))
}

func TestAWorkspaceThatWasReplacedIsRefused(t *testing.T) {
	_, err := ownBuilder(t, t.TempDir()).Build(t.Context(), ghxbuild.Wanted{Script: "cd .. && mv workspace other && ln -s /etc workspace", Skill: "hostname"})
	require.ErrorContains(t, err, "in the place of its workspace")
	_, err = ownBuilder(t, t.TempDir()).Build(t.Context(), ghxbuild.Wanted{Script: "cd .. && rm -r workspace"})
	require.ErrorContains(t, err, "in the place of its workspace")
	assert.Equal(t, fault.Invalid, fault.KindOf(err))
}

// runningAs returns the names of the processes of a user.
func runningAs(t *testing.T, uid uint32) (names []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/status")
	require.NoError(t, err)
	for _, file := range files {
		status, _ := os.ReadFile(file) // it may have gone
		if bytes.Contains(status, fmt.Appendf(nil, "\nUid:\t%d\t", uid)) {
			names = append(names, string(status[:bytes.IndexByte(status, '\n')]))
		}
	}
	return names
}

// hostileBuilder builds as a user that nobody else is.
func hostileBuilder(t *testing.T, uid uint32) *ghxbuild.Builder {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	b := ownBuilder(t, t.TempDir())
	b.Account = func() (*syscall.Credential, string, error) {
		home := t.TempDir()
		require.NoError(t, os.Chmod(filepath.Dir(home), 0o755))
		return &syscall.Credential{Uid: uid, Gid: uid}, home, os.Chown(home, int(uid), int(uid))
	}
	return b
}

func TestABuildLeavesNothingRunning(t *testing.T) {
	testkit.NeedComplete(t)
	// Most hold the output of the build, which is read for another moment, and
	// are at it when they are to be ended.
	for i, script := range []string{
		"sleep 1000 & setsid sleep 1000 & exit 0",
		"setsid sh -c 'trap \"\" TERM HUP; sleep 0.1; while true; do kill -KILL -1; done' & exit 0",
		"setsid sh -c 'sleep 0.1; while true; do kill -STOP -1; done' & exit 0",
		"printf '#!/bin/sh\nsetsid \"$0\" &\n' > again; chmod +x again; ./again; exit 0",
		"setsid sh -c 'kill -STOP $$' & exit 0",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			uid := uint32(59100 + i)
			b := hostileBuilder(t, uid)
			require.NoError(t, b.Enter())
			began := time.Now()
			require.NoError(t, b.Run(t.Context(), b.Home, script))
			assert.Empty(t, runningAs(t, uid))
			assert.Less(t, time.Since(began), testkit.TimeLimit(5*time.Second))
		})
	}
}

func TestABuildIsEndedWithItsRun(t *testing.T) {
	const uid = 59110
	b := hostileBuilder(t, uid)
	require.NoError(t, b.Enter())
	ctx, cancel := context.WithCancel(t.Context())
	b.Output = writer(func([]byte) { cancel() })
	// It stops itself, too.
	err := b.Run(ctx, b.Home, "(sleep 0.1; while true; do kill -STOP -1; done) & echo begun; wait")
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, runningAs(t, uid))
}

// writer is called with what is written to it.
type writer func([]byte)

// Write never fails.
func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}

// A server that died may have left something of the user who builds.
func TestWhatAnEarlierBuildHasLeftIsRemovedFirst(t *testing.T) {
	const uid = 59253
	b := hostileBuilder(t, uid)
	left := filepath.Join(os.TempDir(), fmt.Sprintf("left-by-a-server-%d", os.Getpid()))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(left)) })
	require.NoError(t, os.Mkdir(left, 0o755))
	require.NoError(t, os.Chown(left, uid, uid))
	require.NoError(t, b.Enter())
	assert.NoDirExists(t, left)
}

func TestABuildDoesNotReachAnother(t *testing.T) {
	const uid = 59120
	first := hostileBuilder(t, uid)
	left := filepath.Join(os.TempDir(), fmt.Sprintf("left-by-a-build-%d", os.Getpid()))
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(left)) })
	write(t, first.Workspace, "ghx", "#!/bin/sh\n")
	ghx, err := first.Build(t.Context(), ghxbuild.Wanted{Script: "umask 0; mkdir -p " + left + "/deep; chmod 0777 . ghx", Command: "ghx"})
	require.NoError(t, err)
	assert.NoDirExists(t, left, "what a build leaves is removed")

	second := hostileBuilder(t, uid)
	var log bytes.Buffer
	second.Output = &log
	_, err = second.Build(t.Context(), ghxbuild.Wanted{Script: "for f in " + ghx.Command + " " + first.Home + "; do (echo changed >> $f) || ls $f || chmod 0777 $f || true; done; echo tried; echo $TMPDIR; touch $TMPDIR/x"})
	require.NoError(t, err)
	assert.Contains(t, log.String(), "tried")
	assert.Contains(t, log.String(), filepath.Join(second.Home, "tmp"))
	built, err := os.ReadFile(ghx.Command)
	require.NoError(t, err)
	assert.Equal(t, "#!/bin/sh\n", string(built))
	// An agent is yet another user.
	agent := exec.CommandContext(t.Context(), "cat", ghx.Command)
	agent.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid + 1, Gid: uid + 1}}
	assert.NoError(t, agent.Run())
}

// A container has no right to mount: what holds builds there is tested, too.
func TestTheSameWithTheRightsOfAContainer(t *testing.T) {
	const again = "GHXBUILD_TEST_CONTAINED"
	if os.Getenv(again) != "" {
		return
	}
	self, err := os.Executable()
	require.NoError(t, err)
	tests := "DoesNotReachAnother|SeesNothing"
	if testkit.IsComplete() {
		tests += "|LeavesNothingRunning|StaysInItsBounds|ReachesTheHosts"
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run", tests, "-test.v")
	cmd.Env = append(os.Environ(), again+"=1")
	testkit.Contained(t, cmd)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	assert.Contains(t, string(out), "--- SKIP: TestABuildSeesNothingOfTheRunner", "there is no mount namespace")
	assert.Contains(t, string(out), "--- PASS: TestABuildDoesNotReachAnother")
}
