package service_test

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/service"
)

const (
	// largestSmall is the size of the largest body that counts as small, room
	// that of all small ones together.
	largestSmall = 256 << 10
	room         = 32 << 20
)

// stalled is a body that is not sent to its end.
type stalled struct {
	sent io.Reader
	// waits is done once all that is sent was read; end ends the body.
	waits *sync.WaitGroup
	once  sync.Once
	end   chan struct{}
}

func (s *stalled) Read(p []byte) (int, error) {
	if n, err := s.sent.Read(p); err == nil {
		return n, nil
	}
	s.once.Do(s.waits.Done)
	<-s.end
	return 0, io.EOF
}

func (s *stalled) Close() error { return nil }

// stall has strangers announce as many small bodies as there is room for, and
// send a part of each. They go away when end is called.
func (r *receiverRig) stall(sent int) (end func()) {
	var waits, all sync.WaitGroup
	gone := make(chan struct{})
	for range room / largestSmall {
		waits.Add(1)
		request := delivery(payload)
		request.Header.Set("X-Hub-Signature-256", "sha256="+strings.Repeat("0", 64))
		request.Body, request.ContentLength = &stalled{sent: io.LimitReader(zeros{}, int64(sent)), waits: &waits, end: gone}, largestSmall
		all.Go(func() { r.send(request) })
	}
	waits.Wait()
	return func() {
		close(gone)
		all.Wait()
	}
}

// What may not be stored is not said to be. GitHub gives up after ten seconds.
func TestADeliveryThatIsNotStoredInTimeIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReceiverRig(t, func(_ *service.ReceiverOptions, k *keeper) {
			k.called, k.hold = make(chan int, 1), make(chan struct{})
		})
		defer close(r.keeper.hold)
		began := time.Now()
		w := r.send(delivery(payload))
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.NotEmpty(t, w.Header().Get("Retry-After"))
		assert.Less(t, time.Since(began), 10*time.Second)
	})
}

func TestWhoOnlyAnnouncesTakesNoRoom(t *testing.T) {
	r := newReceiverRig(t, nil)
	defer r.stall(1)()
	assert.Equal(t, http.StatusAccepted, r.send(delivery(payload)).Code)
}

func TestWhatHasArrivedTakesRoomAndGivesItBack(t *testing.T) {
	r := newReceiverRig(t, nil)
	end := r.stall(largestSmall)
	w := r.send(delivery(payload))
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.NotEmpty(t, w.Header().Get("Retry-After"))
	end()
	assert.Equal(t, http.StatusAccepted, r.send(delivery(payload)).Code)
}

// oneConn is a listener with one connection.
type oneConn struct {
	net.Listener
	conn chan net.Conn
}

func (o oneConn) Accept() (net.Conn, error) {
	if conn, is := <-o.conn; is {
		return conn, nil
	}
	return nil, net.ErrClosed
}

func (oneConn) Close() error { return nil }

func TestASmallBodyThatDoesNotArriveIsGivenUpSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := service.NewReceiver(service.ReceiverOptions{
			Secret: func() []byte { return []byte(secret) }, Route: table{}, Keeper: &keeper{kept: map[string]service.Delivery{}},
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		here, there := net.Pipe()
		listener := oneConn{conn: make(chan net.Conn, 1)}
		listener.conn <- there
		close(listener.conn)
		server := &http.Server{Handler: r, ReadTimeout: 30 * time.Second}
		assert.ErrorIs(t, server.Serve(listener), net.ErrClosed)
		began := time.Now()
		_, err := fmt.Fprintf(here, "POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nX-GitHub-Event: pull_request\r\n"+
			"X-GitHub-Delivery: %s\r\nX-Hub-Signature-256: %s\r\nContent-Length: %d\r\n\r\n{", id, sign(payload), largestSmall)
		require.NoError(t, err)
		response, err := http.ReadResponse(bufio.NewReader(here), nil)
		require.NoError(t, err)
		defer response.Body.Close()
		assert.Equal(t, http.StatusBadRequest, response.StatusCode)
		assert.Equal(t, 5*time.Second, time.Since(began))
		require.NoError(t, here.Close())
	})
}
