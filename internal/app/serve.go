package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// The limits of the HTTP server. Bodies have their own.
const (
	headerTimeout = 5 * time.Second
	readTimeout   = 30 * time.Second
	writeTimeout  = 30 * time.Second
	idleTimeout   = 2 * time.Minute
	maxHeader     = 32 << 10
	// closeTimeout is how long requests may go on when the server stops.
	closeTimeout = 10 * time.Second
)

// Serve works until the context ends. Then it takes no more requests, stores
// those that it has, and waits for jobs as long as is set; jobs that do not
// end go back into the queue. It does not close the database.
func (a *App) Serve(ctx context.Context, listener net.Listener) error {
	finishing, stopFinishing := context.WithCancel(context.WithoutCancel(ctx))
	var finisher sync.WaitGroup
	finisher.Go(func() { a.inbox.Finish(finishing) })
	defer finisher.Wait()
	defer stopFinishing()
	if err := a.queue.Start(ctx); err != nil {
		_ = listener.Close() // nobody was told of it
		return err
	}
	if err := a.started(ctx); err != nil {
		a.opts.Log.WarnContext(ctx, "runs that wait begin later", slog.String("error", a.opts.Secrets.String(err.Error())))
	}
	storing, stopStoring := context.WithCancel(context.WithoutCancel(ctx))
	var background sync.WaitGroup
	background.Go(func() { a.inbox.Receive(storing) })
	server := &http.Server{
		Handler: a.mux, ReadHeaderTimeout: headerTimeout, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader, ErrorLog: slog.NewLogLogger(a.opts.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	var problem error
	select {
	case <-ctx.Done():
		a.opts.Log.Info("the server stops", slog.String("reason", context.Cause(ctx).Error()))
	case err := <-failed:
		problem = fault.Infraf("serve: %w", err)
	}
	a.stopping.Store(true)
	problem = errors.Join(problem, closeServer(server))
	stopStoring()
	background.Wait()
	return errors.Join(problem, a.stopQueue())
}

// closeServer waits for requests, and cuts off those that take too long.
func closeServer(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fault.Wrap(fault.Infrastructure, server.Close())
	}
	return nil
}

func (a *App) stopQueue() error {
	ctx, cancel := context.WithTimeout(context.Background(), a.opts.Config.StopTimeout)
	defer cancel()
	return a.queue.Stop(ctx)
}
