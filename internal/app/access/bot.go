package access

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// bot is the user that an App acts as.
type bot struct {
	login string
	asked time.Time
	// by are the credentials that it was asked with.
	by config.Credentials
}

// botLife is how long the bot's login is not asked for again: whoever renames
// the App changes it.
const botLife = time.Minute

// Bot returns the login of the user that the App acts as. The error is of kind
// infrastructure while the App is not set up.
func (a *Access) Bot(ctx context.Context) (string, error) {
	credentials, now := a.opts.Credentials(), a.opts.Now()
	if credentials.Empty() {
		return "", fault.Infraf("the App is not set up: see /setup")
	}
	a.mu.Lock()
	known := a.bot
	a.mu.Unlock()
	if known.by == credentials && now.Sub(known.asked) < botLife {
		return known.login, nil
	}
	app, err := a.app(credentials, 0)
	if err != nil {
		return "", err
	}
	facts, err := app.Facts(ctx)
	if err != nil {
		return "", err
	}
	known = bot{facts.Slug + "[bot]", now, credentials}
	a.mu.Lock()
	a.bot = known
	a.mu.Unlock()
	return known.login, nil
}
