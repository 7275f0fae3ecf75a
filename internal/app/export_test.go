package app

import (
	"context"
	"net/http"

	"github.com/ghx-dev/bench-action/internal/queue"
)

// Database returns the database of a server.
func Database(a *App) *queue.DB { return a.db }

// Redeliver looks for missed deliveries once.
func Redeliver(ctx context.Context, a *App) (int, error) {
	return a.inbox.Redeliver(ctx, a.github.Load().Client())
}

// Guarded shows a page to who may see metrics.
func Guarded(token string, page http.Handler) http.Handler { return guarded(token, page) }
