package app

import (
	"context"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// newIdentity returns the App itself, in none of its installations.
func newIdentity(c settings.Credentials, opts Options) (*github.App, error) {
	return github.NewApp(c.App(), github.AppOptions{Options: github.Options{RESTURL: opts.Config.APIURL, Transport: opts.Transport}, Now: opts.Now})
}

// accepted says whether GitHub accepts the credentials of an App. An error of kind
// invalid says that it does not, others that it could not be asked.
func accepted(ctx context.Context, app *github.App) error {
	_, err := app.Facts(ctx)
	if fault.KindOf(err) == fault.Invalid {
		return fault.Because(fault.Invalid, err, "GitHub does not accept the App's key: its id and its private key do not belong together, or the clock of this machine is wrong")
	}
	return err
}
