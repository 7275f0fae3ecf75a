package egress_test

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/egress"
)

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

func connect(t *testing.T, l net.Listener) *net.TCPConn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn.(*net.TCPConn)
}

// noProblem is for a forward that has nothing to tell.
func noProblem(t *testing.T) func(error) {
	return func(err error) { t.Errorf("a problem is told: %v", err) }
}

func TestAForwardPassesBothWaysAndEachEnd(t *testing.T) {
	server, front := listen(t), listen(t)
	f := egress.NewForward(front, server.Addr().String(), noProblem(t))
	client := connect(t, front)
	served, err := server.Accept()
	require.NoError(t, err)
	_, err = client.Write([]byte("question"))
	require.NoError(t, err)
	require.NoError(t, client.CloseWrite())
	asked, err := io.ReadAll(served)
	require.NoError(t, err)
	assert.Equal(t, "question", string(asked), "and its end")
	_, err = served.Write([]byte("answer"))
	require.NoError(t, err)
	require.NoError(t, served.Close())
	answered, err := io.ReadAll(client)
	require.NoError(t, err)
	assert.Equal(t, "answer", string(answered))
	require.NoError(t, f.Close())
}

func TestAForwardKeepsNoSocketOfAConnectionThatHasEnded(t *testing.T) {
	server, front := listen(t), listen(t)
	f := egress.NewForward(front, server.Addr().String(), noProblem(t))
	sockets := func() (open int) {
		files, err := os.ReadDir("/dev/fd")
		require.NoError(t, err)
		for _, file := range files {
			if is, err := os.Stat("/dev/fd/" + file.Name()); err == nil && is.Mode()&os.ModeSocket != 0 {
				open++
			}
		}
		return open
	}
	before := sockets()
	for range 100 {
		client := connect(t, front)
		served, err := server.Accept()
		require.NoError(t, err)
		require.NoError(t, served.Close())
		require.NoError(t, client.CloseWrite())
		_, err = client.Read(make([]byte, 1))
		require.ErrorIs(t, err, io.EOF)
		require.NoError(t, client.Close())
	}
	require.NoError(t, f.Close())
	assert.Less(t, sockets(), before+50)
}

func TestNoConnectionOutlivesAForward(t *testing.T) {
	server, front := listen(t), listen(t)
	f := egress.NewForward(front, server.Addr().String(), noProblem(t))
	client := connect(t, front)
	served, err := server.Accept()
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.NoError(t, f.Close(), "it may be closed again")
	for _, conn := range []net.Conn{client, served} {
		_, err := io.ReadAll(conn)
		if err != nil {
			assert.ErrorContains(t, err, "reset")
		}
	}
	_, err = new(net.Dialer).DialContext(t.Context(), "tcp", front.Addr().String())
	assert.Error(t, err)
}

func TestAnAddressThatCannotBeReachedIsTold(t *testing.T) {
	server, front := listen(t), listen(t)
	require.NoError(t, server.Close())
	told := make(chan error, 1)
	f := egress.NewForward(front, server.Addr().String(), func(err error) { told <- err })
	said, err := io.ReadAll(connect(t, front))
	if err != nil {
		assert.ErrorContains(t, err, "reset")
	}
	assert.Empty(t, said)
	assert.ErrorContains(t, <-told, "connection refused")
	require.NoError(t, f.Close())
}

// nowhere is an address for which no network is asked.
const nowhere = "an address without a port"

func TestAForwardPassesNoMoreThan256ConnectionsAtOnceAndWaitsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, goOn := newPipeListener(), make(chan struct{})
		var told atomic.Int32
		f := egress.NewForward(l, nowhere, func(error) { told.Add(1); <-goOn })
		go func() {
			for range 2*256 + 1 {
				l.connect()
			}
		}()
		for ended := range int32(256 + 2) {
			synctest.Wait()
			require.Equal(t, 256+min(ended, 257), told.Load(), "each that ends makes room for one")
			goOn <- struct{}{}
		}
		var closed atomic.Bool
		go func() { assert.NoError(t, f.Close()); closed.Store(true) }()
		synctest.Wait()
		assert.False(t, closed.Load(), "connections are left")
		close(goOn)
		synctest.Wait()
		assert.True(t, closed.Load())
	})
}

// lateListener accepts a connection when it is closed already, and says that it
// cannot be closed.
type lateListener struct {
	*pipeListener
	late net.Conn // nil once it is accepted
}

var errCannotClose = errors.New("it cannot be closed")

func (l *lateListener) Accept() (net.Conn, error) {
	conn, err := l.pipeListener.Accept()
	if err != nil && l.late != nil {
		conn, l.late = l.late, nil
		return conn, nil
	}
	return conn, err
}

func (l *lateListener) Close() error { return errors.Join(l.pipeListener.Close(), errCannotClose) }

func TestAForwardThatIsClosedTellsNothingOfConnections(t *testing.T) {
	client, late := net.Pipe()
	f := egress.NewForward(&lateListener{newPipeListener(), late}, nowhere, noProblem(t))
	require.ErrorIs(t, f.Close(), errCannotClose, "but it tells of itself")
	_, err := client.Read(make([]byte, 1))
	assert.ErrorIs(t, err, io.EOF)
}

// busyListener cannot accept at first.
type busyListener struct {
	*pipeListener
	failures []error
}

func (l *busyListener) Accept() (net.Conn, error) {
	if len(l.failures) == 0 {
		return l.pipeListener.Accept()
	}
	err := l.failures[0]
	l.failures = l.failures[1:]
	return nil, err
}

func TestAForwardOutlivesAMachineWithoutFiles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, began := newPipeListener(), time.Now()
		var told []error
		f := egress.NewForward(&busyListener{l, []error{syscall.EMFILE, syscall.EMFILE}}, nowhere, func(err error) { told = append(told, err) })
		l.connect()
		synctest.Wait()
		require.Len(t, told, 3, "two that were not accepted, and one that goes nowhere")
		assert.Equal(t, []error{syscall.EMFILE, syscall.EMFILE}, told[:2])
		assert.Equal(t, 2*time.Second, time.Since(began), "it does not spin")
		require.NoError(t, f.Close())
	})
}

func TestAForwardEndsWithItsListener(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newPipeListener()
		f := egress.NewForward(&busyListener{l, []error{syscall.EMFILE}}, nowhere, func(error) {})
		require.NoError(t, f.Close(), "also while it waits")
		again := newPipeListener()
		egress.NewForward(again, nowhere, noProblem(t))
		require.NoError(t, again.Close(), "by others, too")
		synctest.Wait() // and nothing of it goes on
	})
}

func TestAForwardEndsWhatNobodyReads(t *testing.T) {
	server, front := listen(t), newPipeListener()
	f := egress.NewForward(front, server.Addr().String(), noProblem(t))
	client, accepted := net.Pipe()
	front.conns <- accepted
	served, err := server.Accept()
	require.NoError(t, err)
	defer served.Close()
	_, err = served.Write([]byte("ab"))
	require.NoError(t, err)
	_, err = client.Read(make([]byte, 1))
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// broken is a connection of which nothing can be read.
type broken struct{ net.Conn }

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestAConnectionEndsAsAWholeWhereItCannotEndInHalves(t *testing.T) {
	for name, c := range map[string]struct {
		accepted func(net.Conn) net.Conn
		end      func(net.Conn) error
	}{
		"as its kind has none": {func(c net.Conn) net.Conn { return c }, net.Conn.Close},
		"as it has broken":     {func(c net.Conn) net.Conn { return broken{c} }, func(net.Conn) error { return nil }},
	} {
		t.Run(name, func(t *testing.T) {
			server, front := listen(t), newPipeListener()
			f := egress.NewForward(front, server.Addr().String(), noProblem(t))
			client, accepted := net.Pipe()
			require.NoError(t, client.SetDeadline(time.Now().Add(10*time.Second)))
			front.conns <- c.accepted(accepted)
			served, err := server.Accept()
			require.NoError(t, err)
			defer served.Close()
			require.NoError(t, c.end(served))
			_, err = client.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF)
			require.NoError(t, f.Close())
		})
	}
}
