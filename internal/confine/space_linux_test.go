package confine_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestAProcessGetsWhatIsGivenAndNothingElse(t *testing.T) {
	t.Setenv("OUR_TOKEN", "secret")
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		c := confine.Command{Path: "/usr/bin/env", Env: []string{"A=1", "B=2"}}
		env := run(t, s, c)
		if s.Isolation().User == confine.ProcessGroup {
			// The mark by which its processes are found.
			require.Len(t, env, 3)
			require.Contains(t, env[2], "BENCH_SPACE=")
			env = env[:2]
		}
		assert.Equal(t, c.Env, env)
		c.Env = nil
		assert.NotContains(t, strings.Join(run(t, s, c), "\n"), "secret")

		assert.Equal(t, []string{s.Work()}, run(t, s, shell("pwd")))
		assert.Equal(t, []string{"0077"}, run(t, s, shell("umask")))
		assert.Equal(t, []string{"0"}, run(t, s, shell("ulimit -c")))
		assert.Equal(t, []string{"no terminal"}, run(t, s, shell("(: < /dev/tty) 2>/dev/null || echo no terminal")))
		assert.Equal(t, []string{"0"}, run(t, s, shell("wc -c")), "bytes on standard input")
		assert.Equal(t, []string{"NoNewPrivs:\t1"}, run(t, s, shell("grep NoNewPrivs /proc/self/status")))
	})
}

func TestAProcessInheritsNoDescriptors(t *testing.T) {
	// As one that whoever started us left open.
	r, w, err := os.Pipe()
	require.NoError(t, err)
	defer r.Close()
	defer w.Close()
	keepOpen(t, r)
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		// The last is the folder that ls reads.
		assert.Equal(t, []string{"0", "1", "2", "3"}, run(t, s, shell("ls /proc/self/fd")))
	})
}

func TestAnOwnUserHasNoRights(t *testing.T) {
	for _, w := range ways[:2] {
		t.Run(w.name, func(t *testing.T) {
			s := w.open(t)
			uid := strconv.Itoa(s.Isolation().UID)
			assert.Equal(t, []string{uid, uid, uid}, run(t, s, shell("id -u; id -g; id -G")))
			assert.Equal(t, []string{"CapInh:\t0000000000000000", "CapPrm:\t0000000000000000", "CapEff:\t0000000000000000"},
				run(t, s, shell("grep -E 'Cap(Inh|Prm|Eff)' /proc/self/status")))
			assert.Empty(t, s.Isolation().UserWhy)
		})
	}
}

func TestAnAgentReadsNothingOfOurs(t *testing.T) {
	require.NoError(t, confine.HardenSelf())
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			s, other := w.open(t), w.open(t)
			proc := fmt.Sprintf("/proc/%d/", os.Getpid())
			if w.user == confine.ProcessGroup && os.Geteuid() == 0 {
				t.Skip("SKIPPED: an agent that runs as root reads everything")
			}
			targets := []string{proc + "environ", proc + "mem", proc + "maps"}
			if w.user == confine.OwnUser {
				secret := filepath.Join(base(t), "secret")
				require.NoError(t, os.WriteFile(secret, []byte("x"), 0o600))
				targets = append(targets, secret, s.Home()+"/../..", other.Home(), other.Work(), other.Temp())
			}
			for i, answer := range run(t, s, role(t, s, "read", targets...)) {
				assert.Contains(t, answer, "permission denied", targets[i])
			}
		})
	}
}

func TestAnAgentUsesItsOwnFolders(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		extra, err := s.Folder("attempt-1")
		require.NoError(t, err)
		for _, folder := range []string{s.Home(), s.Work(), s.Temp(), extra} {
			run(t, s, shell("test -z \"$(ls -A "+folder+")\" && echo x > "+folder+"/file"))
			info, err := os.Stat(folder)
			require.NoError(t, err)
			assert.Equal(t, os.FileMode(0o700), info.Mode().Perm())
		}
		_, err = s.Folder("attempt-1")
		require.ErrorContains(t, err, "exists")
		_, err = s.Folder("../elsewhere")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	})
}

func TestAnAgentCannotSignalUs(t *testing.T) {
	for _, w := range ways[:3] {
		t.Run(w.name, func(t *testing.T) {
			s := w.open(t)
			assert.Contains(t, run(t, s, role(t, s, "signal"))[0], "not permitted")
		})
	}
}

func TestAnAgentReachesTheListenerAndNothingElse(t *testing.T) {
	outside, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer outside.Close()
	for _, w := range ways[:3] {
		t.Run(w.name, func(t *testing.T) {
			s := w.open(t)
			l, err := s.Listen()
			require.NoError(t, err)
			go func() {
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_ = conn.Close()
				}
			}()
			targets := []string{"tcp/" + l.Addr().String(), "tcp/" + outside.Addr().String(), "tcp/192.0.2.1:443"}
			targets = append(targets, "udp/192.0.2.1:53", "udp/127.0.0.1:53")
			if w.network == confine.Namespace {
				targets[len(targets)-1] = "tcp/[2001:db8::1]:443" // its loopback is its own
			}
			answers := run(t, s, role(t, s, "connect", targets...))
			require.Len(t, answers, len(targets))
			assert.Equal(t, "yes", answers[0], "the listener")
			for i, answer := range answers[1:] {
				assert.Regexp(t, "permission denied|refused|unreachable", answer, targets[i+1])
			}
		})
	}
}

// What Landlock does not cover is refused all the same, and nothing besides.
func TestUnderLandlockNoOtherSocketReachesANetwork(t *testing.T) {
	open := []string{"unix", "netlink", "tcp", "tcp6"}
	refused := []string{"udp", "udp6", "icmp", "raw", "mptcp", "sctp", "packet", "vsock", "io_uring", "fast open", "another convention"}
	for _, w := range ways[1:3] {
		t.Run(w.name, func(t *testing.T) {
			s := w.open(t)
			asked := slices.Concat(open, refused)
			answers := run(t, s, role(t, s, "call", asked...))
			require.Len(t, answers, len(asked))
			for i, answer := range answers {
				want := "permission denied"
				if i < len(open) {
					want = "yes"
				}
				assert.Equal(t, want, answer, asked[i])
			}
		})
	}
}

func TestUnderLandlockAllListenersComeFirst(t *testing.T) {
	s := ways[2].open(t)
	first, err := s.Listen()
	require.NoError(t, err)
	second, err := s.Listen()
	require.NoError(t, err)
	answers := run(t, s, role(t, s, "connect", "tcp/"+first.Addr().String(), "tcp/"+second.Addr().String()))
	assert.Equal(t, []string{"yes", "yes"}, answers)
	_, err = s.Listen()
	require.ErrorContains(t, err, "settled")
}

func TestWeReachAServerInTheSpace(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		_, addr := startUntilLine(t.Context(), t, s, role(t, s, "serve"))
		conn, err := s.Dial(t.Context(), "tcp", addr)
		require.NoError(t, err)
		defer conn.Close()
		said, err := io.ReadAll(conn)
		require.NoError(t, err)
		assert.Equal(t, "hello from the space", string(said))

		_, err = s.Dial(t.Context(), "tcp", "192.0.2.1:80")
		require.Equal(t, fault.Invalid, fault.KindOf(err))
	})
}

func TestSpacesInNamespacesMayUseTheSamePort(t *testing.T) {
	const script = `import socket, sys, time
s = socket.socket(); s.bind(("127.0.0.1", 4096)); s.listen()
print("listening", flush=True)
time.sleep(1000)`
	requirePython(t)
	for range 2 {
		s := ways[0].open(t)
		_, line := startUntilLine(t.Context(), t, s, confine.Command{Path: python, Args: []string{"-c", script}})
		assert.Equal(t, "listening", line)
	}
}

func TestOpenTakesTheStrongestThatCanBeHad(t *testing.T) {
	s, err := confine.Open(confine.Options{Name: "auto", Base: base(t)})
	require.NoError(t, err)
	defer s.Close()
	i := s.Isolation()
	t.Log(i, i.UserWhy, i.NetworkWhy)
	if os.Geteuid() == 0 {
		assert.Equal(t, confine.OwnUser, i.User)
	} else {
		assert.Equal(t, confine.ProcessGroup, i.User)
		assert.Contains(t, i.UserWhy, "not root")
		assert.NotEqual(t, confine.Namespace, i.Network)
	}
	if i.Network != confine.Namespace {
		assert.Contains(t, i.NetworkWhy, "no network namespace")
	}
}

func TestOpenRefusesWhatItCannotDo(t *testing.T) {
	closed := filepath.Join(base(t), "closed")
	require.NoError(t, os.Mkdir(closed, 0o700))
	for name, opts := range map[string]confine.Options{
		"a name with a path":       {Name: "../x", Base: base(t)},
		"no base":                  {Name: "x"},
		"a base that is not there": {Name: "x", Base: "/nowhere"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := confine.Open(opts)
			require.Equal(t, fault.Invalid, fault.KindOf(err), err)
		})
	}
	t.Run("a base that the agent's user cannot enter", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("SKIPPED: a user of its own needs root")
		}
		_, err := confine.Open(confine.Options{Name: "x", Base: closed})
		require.Equal(t, fault.Invalid, fault.KindOf(err))
		require.ErrorContains(t, err, closed)
	})
	t.Run("a user of its own without root", func(t *testing.T) {
		if os.Geteuid() == 0 {
			t.Skip("SKIPPED: we are root")
		}
		_, err := confine.Open(confine.Options{Name: "x", Base: base(t), User: confine.OwnUser})
		require.Equal(t, fault.Infrastructure, fault.KindOf(err))
	})
}

func TestClose(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		l, err := s.Listen()
		require.NoError(t, err)
		word := rest()
		startUntilLine(t.Context(), t, s, shell("mkdir -p a/b; chmod 0 a; setsid sleep "+word+" & echo ready"))
		require.NoError(t, s.Close())
		require.NoError(t, s.Close(), "a second time")

		assert.Zero(t, running(t, word))
		_, err = l.Accept()
		require.ErrorIs(t, err, net.ErrClosed)
		_, err = s.Start(t.Context(), shell("true"))
		require.ErrorContains(t, err, "closed")
		_, err = s.Listen()
		require.ErrorContains(t, err, "closed")
	})
}

func TestCloseRemovesWhatTheUserLeftInSharedFolders(t *testing.T) {
	s := ways[0].open(t)
	left := filepath.Join("/tmp", "confine-left-"+rest())
	run(t, s, shell("mkdir "+left+" && echo x > "+left+"/file"))
	require.FileExists(t, left+"/file")
	require.NoError(t, s.Close())
	require.NoDirExists(t, left)
}

func TestSpacesHaveDifferentUsers(t *testing.T) {
	seen := map[int]bool{}
	for range 5 {
		uid := ways[1].open(t).Isolation().UID
		assert.False(t, seen[uid], uid)
		seen[uid] = true
	}
}

func TestProcessesMayBeStartedAtTheSameTime(t *testing.T) {
	inEveryWay(t, func(t *testing.T, s *confine.Space) {
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				p, err := s.Start(t.Context(), shell("(exit 0) & (sleep 0 &); exit 0"))
				if assert.NoError(t, err) {
					assert.NoError(t, p.Wait())
				}
			})
			wg.Go(func() { _, _ = s.Processes() })
		}
		wg.Wait()
	})
}

func TestAProgramThatCannotBeRunIsAnInfrastructureFault(t *testing.T) {
	s := ways[len(ways)-1].open(t)
	_, err := s.Start(t.Context(), confine.Command{Path: "/nowhere/opencode"})
	require.Equal(t, fault.Infrastructure, fault.KindOf(err))
	require.ErrorContains(t, err, "opencode")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Start(ctx, shell("true"))
	require.ErrorIs(t, err, context.Canceled)
}

// TestWithFewerRights runs the other tests as an ordinary user, and as root in
// a container that may not administer the system.
func TestWithFewerRights(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("SKIPPED: only root can become another user")
	}
	for name, c := range map[string]struct {
		start        func(*exec.Cmd) error
		quick, tests string
	}{
		"as an ordinary user":   {startAsNobody, "ReadsNothingOfOurs|Close", "Kill.*Leaves|Agent|Open|Reach|Close|SameTime|Zombies"},
		"without CAP_SYS_ADMIN": {startWithoutAdmin, "Hides|ReadsNothingOfOurs", "Hides|Agent|Open|Reach|OwnUser"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := ways[1].open(t)
			self, err := os.Executable()
			require.NoError(t, err)
			binary, err := s.Stage(self)
			require.NoError(t, err)
			tests := c.quick
			if testkit.IsComplete() {
				tests = c.tests
			}
			cmd := exec.Command(binary, "-test.v", "-test.run", tests)
			cmd.Env = []string{"PATH=/usr/bin:/bin", "TMPDIR=/tmp", "BENCH_COMPLETE=" + os.Getenv("BENCH_COMPLETE")}
			cmd.Dir = "/"
			var out testkit.SyncBuffer
			cmd.Stdout, cmd.Stderr = &out, &out
			require.NoError(t, c.start(cmd))
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v\n%s", err, out.String())
			}
			for line := range strings.Lines(out.String()) {
				if strings.Contains(line, "egress:") {
					t.Log(strings.TrimSpace(line))
				}
			}
		})
	}
}
