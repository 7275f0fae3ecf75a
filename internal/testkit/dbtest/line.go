package dbtest

import (
	"context"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// Line leads to a PostgreSQL and can be cut.
type Line struct {
	// Address is that of the database through the line.
	Address string

	mu    sync.Mutex
	down  bool
	conns []net.Conn
}

// NewLine returns a line to a database.
func NewLine(t testing.TB, address string) *Line {
	t.Helper()
	at, err := url.Parse(address)
	require.NoError(t, err)
	network, to := "tcp", at.Host
	if folder := at.Query().Get("host"); folder != "" {
		network, to = "unix", folder+"/.s.PGSQL.5432"
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	at.Host, at.RawQuery = listener.Addr().String(), "sslmode=disable&user="+url.QueryEscape(at.Query().Get("user"))
	l := &Line{Address: at.String()}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			l.join(in, network, to)
		}
	}()
	return l
}

func (l *Line) join(in net.Conn, network, to string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out, err := (&net.Dialer{}).DialContext(context.Background(), network, to)
	if err != nil || l.down {
		_ = in.Close()
		return
	}
	l.conns = append(l.conns, in, out)
	go func() { _, _ = io.Copy(in, out); _ = in.Close() }()
	go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
}

// Cut ends all connections, and there are no new ones.
func (l *Line) Cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for _, conn := range l.conns {
		_ = conn.Close()
	}
}

// Mend has the line lead to the database again.
func (l *Line) Mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}
