package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// maxForwarded is how many connections are passed on at once; more wait.
const maxForwarded = 256

// Forward passes what connects to a listener on to one address.
type Forward struct {
	listener net.Listener
	ctx      context.Context //nolint:containedctx // it ends with Close
	stop     context.CancelFunc
	ended    sync.WaitGroup
}

// NewForward passes connections to l on to the address, until Close. Whoever can connect
// to l reaches that address, and no other. Problem is told of an address that could not
// be reached and of a connection that could not be accepted; calls may overlap.
func NewForward(l net.Listener, address string, problem func(error)) *Forward {
	f := &Forward{listener: l}
	f.ctx, f.stop = context.WithCancel(context.Background())
	f.ended.Go(func() {
		slots := make(chan struct{}, maxForwarded)
		for {
			slots <- struct{}{} // Close frees some
			conn := f.accept(problem)
			if conn == nil {
				return
			}
			f.ended.Go(func() {
				defer func() { <-slots }()
				f.pass(conn, address, problem)
			})
		}
	})
	return f
}

// acceptAgain is the pause after a connection that could not be accepted: another time
// the machine may have a file for it.
const acceptAgain = time.Second

// accept returns the next connection, nil where the listener is closed.
func (f *Forward) accept(problem func(error)) net.Conn {
	for {
		conn, err := f.listener.Accept()
		if err == nil {
			return conn
		}
		if f.ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
			return nil
		}
		problem(err)
		select {
		case <-time.After(acceptAgain):
		case <-f.ctx.Done():
		}
	}
}

// pass has two connections say what the other says, until both have ended.
func (f *Forward) pass(from net.Conn, address string, problem func(error)) {
	defer from.Close()
	to, err := newDialer().DialContext(f.ctx, "tcp", address)
	if err != nil {
		if f.ctx.Err() == nil {
			problem(err)
		}
		return
	}
	defer to.Close()
	unhook := context.AfterFunc(f.ctx, func() { _, _ = from.Close(), to.Close() })
	defer unhook()
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{from, to}, {to, from}} {
		both.Go(func() {
			_, err := io.Copy(way[1], way[0])
			if half, is := way[1].(interface{ CloseWrite() error }); is && err == nil {
				_ = half.CloseWrite() // who is gone needs no end
				return
			}
			_, _ = from.Close(), to.Close()
		})
	}
	both.Wait()
}

// Close ends all connections, and returns when they have.
func (f *Forward) Close() error {
	f.stop()
	err := f.listener.Close()
	f.ended.Wait()
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}
