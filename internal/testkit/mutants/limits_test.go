package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitsOf returns small limits, and skips where there can be none.
func limitsOf(t *testing.T, tasks, memory int64) *limits {
	t.Helper()
	l, err := limitsHere(t.Context(), tasks, memory, folders{t.TempDir(), t.TempDir(), t.TempDir()})
	if err != nil {
		t.Skipf("SKIPPED: only who may make control groups can limit tests: %s", err)
	}
	return l
}

// alive returns which processes have the text in their command lines.
func alive(t *testing.T, text string) (pids []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	for _, file := range files {
		line, _ := os.ReadFile(file) // it may have gone
		if bytes.Contains(line, []byte(text)) {
			pids = append(pids, filepath.Base(filepath.Dir(file)))
		}
	}
	return pids
}

// groupsLeft are the control groups that were made and not removed.
func groupsLeft(t *testing.T, l *limits) (left []string) {
	t.Helper()
	for _, parent := range l.parents {
		found, err := filepath.Glob(filepath.Join(parent, "mutants-*"))
		require.NoError(t, err)
		for _, group := range found {
			if strings.HasPrefix(filepath.Base(group), strings.TrimSuffix(l.name(), "0123456789")) {
				left = append(left, group)
			}
		}
	}
	return left
}

// The program starts itself without end, in sessions of their own and so beyond any
// signal to a group of processes. A shell ends where it can start nothing.
func TestProcessesWithoutEndAreHeldAndEnded(t *testing.T) {
	l := limitsOf(t, 64, 1<<30)
	bomb := filepath.Join(l.written, "bomb")
	require.NoError(t, os.WriteFile(bomb, []byte("#!/bin/sh\nwhile :; do setsid \"$0\" & done\n"), 0o700))
	require.ErrorIs(t, l.run(exec.CommandContext(t.Context(), bomb)), errTasks)
	assert.Empty(t, alive(t, bomb))
	assert.Empty(t, groupsLeft(t, l))

	// A mutant that makes a test be so is noticed.
	some := batch{{in: &binary{folder: l.written, file: bomb, limits: l}, took: time.Second}}
	assert.Equal(t, timedOut, some.try(t.Context(), 1))
}

func TestAProgramThatTakesTooMuchMemoryIsEnded(t *testing.T) {
	take := func(bytes string) *exec.Cmd {
		return exec.CommandContext(t.Context(), "/bin/sh", "-c", "head -c "+bytes+" /dev/zero | tail -n 1 | wc -c | grep -qx "+bytes)
	}
	l := limitsOf(t, 64, 64<<20)
	assert.NoError(t, l.run(take("1000000")))
	assert.Error(t, l.run(take("100000000")))
	assert.Empty(t, groupsLeft(t, l))
}

// What a test says and how it ends is the same within limits.
func TestLimitsLeaveTestsAsTheyAre(t *testing.T) {
	l := limitsOf(t, 64, 1<<30)
	left := filepath.Join(l.written, "left")
	require.NoError(t, os.WriteFile(left, []byte("#!/bin/sh\necho > \"$0.begun\"\nwhile :; do sleep 1000; done\n"), 0o700))
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `mkfifo "$0.begun"; setsid "$0" > /dev/null 2>&1 & read -r line < "$0.begun"; echo "$1 and $2"; exit 3`, left, "a b", "--")
	cmd.Stdout = &said
	var exit *exec.ExitError
	require.ErrorAs(t, l.run(cmd), &exit)
	assert.Equal(t, 3, exit.ExitCode())
	assert.Equal(t, "a b and --\n", said.String())
	assert.Empty(t, alive(t, left), "what it has left running is ended")
}

// What is broken may be which processes are ended, and what is removed.
func TestLimitsKeepTheMachineAsItIs(t *testing.T) {
	l := limitsOf(t, 64, 1<<30)
	for _, folder := range []string{l.tested, l.built, l.written} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), nil, 0o600))
	}
	other := filepath.Join(t.TempDir(), "a")
	require.NoError(t, os.WriteFile(other, nil, 0o600))
	cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", `rm -rf ../*; rm -f "$1"; ls "$1"; echo > b; echo > "$0/b"; ls /proc | grep -cx '[0-9]*'`, l.written, other)
	var said bytes.Buffer
	cmd.Stdout = &said
	require.NoError(t, l.run(cmd))
	assert.FileExists(t, filepath.Join(l.tested, "a"))
	assert.NoFileExists(t, filepath.Join(l.tested, "b"))
	assert.FileExists(t, filepath.Join(l.built, "a"))
	assert.FileExists(t, filepath.Join(l.written, "b"))
	assert.FileExists(t, other)
	count, err := strconv.Atoi(strings.TrimSpace(said.String()))
	require.NoError(t, err)
	assert.Less(t, count, 10, "it sees no processes of others")
}

func TestWhereControlGroupsAreMade(t *testing.T) {
	for name, c := range map[string]struct {
		ours string
		want []string
	}{
		"the first version, each controller in a tree of its own": {
			"9:name=systemd:/\n8:pids:/a/b\n4:memory:/c\n0::/\n", []string{"/sys/fs/cgroup/pids/a/b", "/sys/fs/cgroup/pids"},
		},
		"the second": {"0::/user.slice/x.scope\n", []string{"/sys/fs/cgroup/user.slice/x.scope", "/sys/fs/cgroup"}},
		"none":       {"", nil},
	} {
		assert.Equal(t, c.want, placesOf(c.ours, "pids"), name)
	}
}
