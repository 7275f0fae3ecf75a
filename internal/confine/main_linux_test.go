package confine_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// roleVariable makes the test binary play an agent's program instead of
// running tests.
const roleVariable = "CONFINE_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		roles[role](os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// roles print one line for each argument, "yes" if the attempt on it
// succeeded and why not otherwise.
var roles = map[string]func(args []string){
	"connect": func(args []string) {
		for _, arg := range args {
			network, addr, _ := strings.Cut(arg, "/")
			dialer := net.Dialer{Timeout: 2 * time.Second}
			conn, err := dialer.Dial(network, addr)
			if err == nil && network == "udp" {
				_, err = conn.Write([]byte("x"))
			}
			report(err)
		}
	},
	"read": func(args []string) {
		for _, arg := range args {
			f, err := os.Open(arg)
			if err == nil {
				_, err = f.Read(make([]byte, 1))
			}
			if errors.Is(err, io.EOF) {
				err = nil
			}
			report(err)
		}
	},
	"call": func(args []string) {
		for _, arg := range args {
			report(calls[arg]())
		}
	},
	"signal": func([]string) {
		report(syscall.Kill(os.Getppid(), syscall.SIGCONT))
	},
	"serve": func([]string) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			report(err)
			return
		}
		fmt.Println(l.Addr())
		conn, err := l.Accept()
		if err == nil {
			_, _ = conn.Write([]byte("hello from the space"))
			_ = conn.Close()
		}
	},
	"unreadable": func([]string) {
		report(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
		// A program of Go's that waits for nothing at all ends itself.
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, unix.SIGUSR1)
		<-signals
	},
}

// calls are ways of reaching a network, and some that are not.
var calls = map[string]func() error{
	"unix":    socket(unix.AF_UNIX, unix.SOCK_DGRAM, 0),
	"netlink": socket(unix.AF_NETLINK, unix.SOCK_RAW, 0),
	"tcp":     socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP),
	"tcp6":    socket(unix.AF_INET6, unix.SOCK_STREAM, 0),
	"udp":     socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0),
	"udp6":    socket(unix.AF_INET6, unix.SOCK_DGRAM, unix.IPPROTO_UDP),
	"icmp":    socket(unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP),
	"raw":     socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_RAW),
	"mptcp":   socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP),
	"sctp":    socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_SCTP),
	"packet":  socket(unix.AF_PACKET, unix.SOCK_RAW, 0),
	"vsock":   socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0),
	"io_uring": func() error {
		var params [120]byte
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
		return orNil(errno)
	},
	"fast open": func() error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: 53, Addr: [4]byte{192, 0, 2, 1}})
	},
	"another convention": func() error {
		const x32 = 0x40000000
		_, _, errno := unix.RawSyscall(x32|unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM, 0)
		return orNil(errno)
	},
}

func socket(domain, kind, protocol int) func() error {
	return func() error {
		_, err := unix.Socket(domain, kind, protocol)
		return err
	}
}

func orNil(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func report(err error) {
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("yes")
}

// way is a way of holding processes that is tested.
type way struct {
	name    string
	user    confine.User
	network confine.Network
}

var ways = []way{
	{"own user in a namespace", confine.OwnUser, confine.Namespace},
	{"own user under Landlock", confine.OwnUser, confine.Landlock},
	{"process group under Landlock", confine.ProcessGroup, confine.Landlock},
	{"process group, advisory", confine.ProcessGroup, confine.Advisory},
}

// inEveryWay runs a test in a space of each kind.
func inEveryWay(t *testing.T, test func(t *testing.T, s *confine.Space)) {
	t.Helper()
	inWays(t, ways, test)
}

func inWays(t *testing.T, ways []way, test func(t *testing.T, s *confine.Space)) {
	t.Helper()
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) { test(t, w.open(t)) })
	}
}

// open opens a space that is closed after the test and must leave nothing.
func (w way) open(t *testing.T) *confine.Space {
	t.Helper()
	if w.user == confine.OwnUser && os.Geteuid() != 0 {
		t.Skip("SKIPPED: a user of its own needs root")
	}
	s, err := confine.Open(confine.Options{Name: "test", Base: base(t), User: w.user, Network: w.network})
	if w.network == confine.Namespace && err != nil && os.Geteuid() == 0 && !mayAdminister() {
		t.Skip("SKIPPED: a network namespace needs CAP_SYS_ADMIN")
	}
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, s.Close())
		left, err := s.Processes()
		require.NoError(t, err)
		assert.Empty(t, left, "processes after Close")
		assert.NoDirExists(t, filepath.Dir(s.Home()))
	})
	return s
}

func mayAdminister() bool {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	return unix.Capget(&header, &data[0]) == nil && data[0].Effective&(1<<unix.CAP_SYS_ADMIN) != 0
}

// base makes a folder that every user can enter.
func base(t testing.TB) string {
	dir, err := os.MkdirTemp("", "confine-test-")
	require.NoError(t, err)
	require.NoError(t, os.Chmod(dir, 0o711))
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// run runs a command to its end and returns its lines.
func run(t *testing.T, s *confine.Space, c confine.Command) []string {
	t.Helper()
	var out testkit.SyncBuffer
	c.Stdout, c.Stderr = &out, &out
	p, err := s.Start(t.Context(), c)
	require.NoError(t, err)
	require.NoError(t, p.Wait(), out.String())
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// python is a Python that every user can run.
const python = "/usr/bin/python3"

func requirePython(t *testing.T) {
	if _, err := os.Stat(python); err != nil {
		t.Skip("SKIPPED: " + python + " is not there")
	}
}

// shell is a script for sh.
func shell(script string) confine.Command {
	return confine.Command{Path: "/bin/sh", Args: []string{"-c", script}, Env: []string{"PATH=/usr/bin:/bin"}}
}

// role is the test binary in one of its roles.
func role(t *testing.T, s *confine.Space, name string, args ...string) confine.Command {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	path, err := s.Stage(self)
	require.NoError(t, err)
	return confine.Command{Path: path, Args: args, Env: []string{roleVariable + "=" + name}}
}

// startUntilLine starts a command and returns when it has printed a line.
func startUntilLine(ctx context.Context, t *testing.T, s *confine.Space, c confine.Command) (*confine.Process, string) {
	t.Helper()
	r, w := io.Pipe()
	c.Stdout = w
	p, err := s.Start(ctx, c)
	require.NoError(t, err)
	lines := bufio.NewReader(r)
	line, err := lines.ReadString('\n')
	require.NoError(t, err)
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	t.Cleanup(func() { _ = w.Close() })
	return p, strings.TrimSpace(line)
}

// running counts the processes on this machine, of whatever user, with a word
// among their arguments.
func running(t *testing.T, word string) int {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/cmdline")
	require.NoError(t, err)
	count := 0
	for _, file := range found {
		content, err := os.ReadFile(file)
		if err == nil && bytes.Contains(append(content, 0), []byte("\x00"+word+"\x00")) {
			count++
		}
	}
	return count
}
