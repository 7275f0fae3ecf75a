package child_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// role is the environment variable by which a process of the test is told what
// to do in place of testing.
const role = "CHILD_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(role) {
	case "":
		os.Exit(m.Run())
	case "polite":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		fmt.Println("ready")
		<-stop
		fmt.Println("cleaned up")
	case "stubborn":
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	case "daemon":
		// Leaves the group and the session of its parent, and ignores SIGTERM.
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("daemon", os.Getpid())
		select {}
	case "leaver":
		startDaemon()
	case "hung":
		startDaemon()
		signal.Ignore(syscall.SIGTERM)
		fmt.Println("ready")
		select {}
	case "parent":
		// Starts a polite child and is killed with it running.
		p, err := child.Start(context.Background(), self("polite", os.Stdout))
		if err != nil {
			os.Exit(1)
		}
		fmt.Println("child", p.PID())
		select {}
	case "parent of one that is hung":
		c := self("hung", os.Stdout)
		c.Grace = time.Second
		p, err := child.Start(context.Background(), c)
		if err != nil {
			os.Exit(1)
		}
		fmt.Println("child", p.PID())
		select {}
	}
}

// startDaemon starts one and returns once it has said that it runs.
func startDaemon() {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), role+"=daemon")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	fmt.Print(line)
}

func self(as string, out io.Writer) child.Command {
	// The race detector would have each process wait for a second at its end.
	env := []string{role + "=" + as, "PATH=" + os.Getenv("PATH"), "GORACE=atexit_sleep_ms=0"}
	return child.Command{Path: os.Args[0], Env: env, Stdout: out}
}

// now tells at once that a time is over.
func now(time.Duration) <-chan time.Time {
	over := make(chan time.Time, 1)
	over <- time.Time{}
	return over
}

// startReady starts a process and returns its output once it is ready.
func startReady(ctx context.Context, t *testing.T, c child.Command) (*child.Process, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, r.Close()) })
	c.Stdout = w
	p, err := child.Start(ctx, c)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	t.Cleanup(p.Stop)
	return p, bufio.NewReader(r)
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(text)
}

// alive reports whether a process runs.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(rest, "Z")
}

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
}

func TestRun(t *testing.T) {
	shell := func(script string) child.Command {
		return child.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"GREETING=hello"}}
	}
	t.Run("a program gets its input, its environment and nothing of ours", func(t *testing.T) {
		var out, errs bytes.Buffer
		c := shell(`read word; echo "$GREETING $word ${HOME-none}"; echo oops >&2`)
		c.Stdin, c.Stdout, c.Stderr, c.Dir = strings.NewReader("world\n"), &out, &errs, t.TempDir()
		require.NoError(t, child.Run(t.Context(), c))
		assert.Equal(t, "hello world none\n", out.String())
		assert.Equal(t, "oops\n", errs.String())
	})
	t.Run("its further files are its file descriptors from 3 on", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		c := shell("echo event >&3")
		c.ExtraFiles = []*os.File{w}
		require.NoError(t, child.Run(t.Context(), c))
		require.NoError(t, w.Close())
		got, err := io.ReadAll(r)
		require.NoError(t, err)
		assert.Equal(t, "event\n", string(got))
	})
	t.Run("its exit status is told", func(t *testing.T) {
		var exit *exec.ExitError
		require.ErrorAs(t, child.Run(t.Context(), shell("exit 7")), &exit)
		assert.Equal(t, 7, exit.ExitCode())
	})
	t.Run("a program that is not there is an infrastructure error", func(t *testing.T) {
		err := child.Run(t.Context(), child.Command{Path: "/no/such/program"})
		require.ErrorIs(t, err, os.ErrNotExist)
		assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	})
	t.Run("nothing is started when the context has ended", func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		require.ErrorIs(t, child.Run(ctx, child.Command{Path: "/no/such/program"}), why)
	})
}

func TestStopping(t *testing.T) {
	t.Run("a program has time to clean up", func(t *testing.T) {
		p, out := startReady(t.Context(), t, self("polite", nil))
		assert.Equal(t, "ready", line(t, out))
		p.Stop()
		assert.Equal(t, "cleaned up", line(t, out))
		require.ErrorIs(t, p.Wait(), child.ErrStopped)
		p.Stop()
	})
	t.Run("its time is over with its context, whose cause is told", func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		p, out := startReady(ctx, t, self("polite", nil))
		line(t, out)
		cancel(why)
		require.ErrorIs(t, p.Wait(), why)
	})
	t.Run("its time is over at its deadline", func(t *testing.T) {
		over := make(chan time.Time)
		c := self("polite", nil)
		c.Deadline, c.After = time.Hour, func(d time.Duration) <-chan time.Time {
			if d == time.Hour {
				return over
			}
			assert.Equal(t, 60*time.Second, d, "the grace")
			return nil
		}
		p, out := startReady(t.Context(), t, c)
		line(t, out)
		over <- time.Time{}
		err := p.Wait()
		require.ErrorIs(t, err, child.ErrDeadline)
		assert.ErrorContains(t, err, "after 1h0m0s")
		assert.Equal(t, "cleaned up", line(t, out))
	})
	t.Run("one that does not listen is killed after the grace", func(t *testing.T) {
		c := self("stubborn", nil)
		c.After = now
		p, out := startReady(t.Context(), t, c)
		assert.Equal(t, "ready", line(t, out))
		p.Stop()
		require.ErrorIs(t, p.Wait(), child.ErrStopped)
		assert.False(t, alive(p.PID()))
	})
}

func TestNothingIsLeftBehind(t *testing.T) {
	onLinux(t)
	daemonOf := func(t *testing.T, out *bufio.Reader) int {
		t.Helper()
		pid, err := strconv.Atoi(strings.TrimPrefix(line(t, out), "daemon "))
		require.NoError(t, err)
		return pid
	}
	t.Run("what a hung program has started in a session of its own is killed with it", func(t *testing.T) {
		c := self("hung", nil)
		c.After = now
		p, out := startReady(t.Context(), t, c)
		daemon := daemonOf(t, out)
		require.Equal(t, "ready", line(t, out))
		require.True(t, alive(daemon))
		p.Stop()
		assert.False(t, alive(p.PID()))
		assert.False(t, alive(daemon))
	})
	t.Run("what a program leaves running at its end is killed", func(t *testing.T) {
		p, out := startReady(t.Context(), t, self("leaver", nil))
		daemon := daemonOf(t, out)
		require.NoError(t, p.Wait())
		assert.False(t, alive(daemon))
	})
	t.Run("a program is told when we are gone", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		parent := exec.Command(os.Args[0])
		parent.Env, parent.Stdout = append(os.Environ(), role+"=parent"), w
		require.NoError(t, parent.Start())
		require.NoError(t, w.Close())
		out := bufio.NewReader(r)
		seen := []string{line(t, out), line(t, out)}
		assert.Contains(t, seen, "ready")
		require.NoError(t, parent.Process.Kill())
		_ = parent.Wait()
		assert.Equal(t, "cleaned up", line(t, out))
	})
	t.Run("and killed if it does not listen, with what has left its session", func(t *testing.T) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		parent := exec.Command(os.Args[0])
		parent.Env, parent.Stdout = append(os.Environ(), role+"=parent of one that is hung"), w
		require.NoError(t, parent.Start())
		require.NoError(t, w.Close())
		pids := map[string]int{}
		for out := bufio.NewReader(r); pids["ready"] == 0 || pids["child"] == 0 || pids["daemon"] == 0; {
			name, number, _ := strings.Cut(line(t, out), " ")
			pids[name], _ = strconv.Atoi(cmp.Or(number, "1"))
		}
		require.True(t, alive(pids["child"]) && alive(pids["daemon"]))
		require.NoError(t, parent.Process.Kill())
		_ = parent.Wait()
		assert.Eventually(t, func() bool { return !alive(pids["child"]) && !alive(pids["daemon"]) }, testkit.TimeLimit(20*time.Second), 10*time.Millisecond)
	})
}
