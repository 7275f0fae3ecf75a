package egress_test

import (
	"io"
	"net"
	"testing"

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

func TestAForwardPassesBothWaysAndEachEnd(t *testing.T) {
	server, front := listen(t), listen(t)
	f := egress.NewForward(front, server.Addr().String(), func(err error) { assert.NoError(t, err) })
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

func TestNoConnectionOutlivesAForward(t *testing.T) {
	server, front := listen(t), listen(t)
	f := egress.NewForward(front, server.Addr().String(), func(err error) { assert.NoError(t, err) })
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
