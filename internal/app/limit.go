package app

import (
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/ghx-dev/bench-action/internal/github"
)

// limitSpread is over how long jobs come back that waited for the same limit.
const limitSpread = 10 * time.Second

// limited returns for how long a job is put off that GitHub's rate limit keeps
// back. Meanwhile its worker is there for others: the limit is that of one
// installation.
func (a *App) limited(err error) (pause time.Duration, is bool) {
	until, is := github.LimitedUntil(err)
	if !is {
		return 0, false
	}
	pause = max(until.Sub(a.opts.Now()), 0) + rand.N(limitSpread)
	a.opts.Log.Warn("a job waits for GitHub's rate limit", slog.Duration("pause", pause))
	return pause, true
}
