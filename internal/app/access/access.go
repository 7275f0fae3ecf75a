// Package access gives the App's work its clients of GitHub, each for one
// repository of one installation: its token reaches nothing else. A user's own
// token, from the login, tells what the user may see.
package access

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// Options say where GitHub is, and who asks.
type Options struct {
	// Credentials returns the App's, empty as long as it is not set up.
	Credentials func() config.Credentials
	// APIURL is that of GitHub's REST API.
	APIURL    string
	Transport http.RoundTripper
	Now       func() time.Time
	// Random returns numbers of [0, 1).
	Random func() float64
	// Limit is told what is left of GitHub's rate limit, as answers say; nil if
	// nobody wants to know.
	Limit func(installation, resource string, remaining int)
}

// Access makes clients. It is safe for concurrent use.
type Access struct {
	opts Options

	mu    sync.Mutex
	known map[place]entry
	bot   bot
}

// New returns what makes clients. Nothing is asked of GitHub yet.
func New(opts Options) *Access { return &Access{opts: opts, known: map[place]entry{}} }

// place is a repository in an installation.
type place struct {
	installation int64
	repo         string
}

// entry is a client that was made.
type entry struct {
	client *github.Client
	made   time.Time
	// by are the credentials that it was made with.
	by config.Credentials
}

// clientLife is how long a client is given out: whoever owns an installation
// may have granted it more since.
const clientLife = 10 * time.Minute

// longestWait is how long a request waits for GitHub. What would have to wait
// longer gives its worker back: see [github.LimitedUntil].
const longestWait = 5 * time.Second

// Client returns a client for one repository of an installation. Its token is
// made when it is first needed, and again before it ends. The error is of kind
// infrastructure while the App is not set up.
func (a *Access) Client(_ context.Context, installation int64, owner, name string) (*github.Client, error) {
	credentials, now := a.opts.Credentials(), a.opts.Now()
	if credentials.Empty() {
		return nil, fault.Infraf("the App is not set up: see /setup")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	at := place{installation, owner + "/" + name}
	if known, is := a.known[at]; is && known.by == credentials && now.Sub(known.made) < clientLife {
		return known.client, nil
	}
	client, err := a.make(credentials, at)
	if err != nil {
		return nil, err
	}
	for other, old := range a.known {
		if now.Sub(old.made) >= clientLife {
			delete(a.known, other)
		}
	}
	a.known[at] = entry{client, now, credentials}
	return client, nil
}

func (a *Access) make(c config.Credentials, at place) (*github.Client, error) {
	app, err := a.app(c, at.installation)
	if err != nil {
		return nil, err
	}
	opts := a.options(at.installation)
	opts.Tokens = app.Credential(at.repo, github.UseService).Token
	return github.New(opts)
}

// app returns the App in an installation. Installation 0 is none: such an App
// can only be asked where it is.
func (a *Access) app(c config.Credentials, installation int64) (*github.App, error) {
	return github.NewApp(github.AppSettings{AppID: c.AppID, InstallationID: installation, PrivateKey: []byte(c.PrivateKey)},
		github.AppOptions{Options: a.options(installation), Now: a.opts.Now})
}

func (a *Access) options(installation int64) github.Options {
	return github.Options{
		RESTURL: a.opts.APIURL, Transport: metered{a.opts, strconv.FormatInt(installation, 10)},
		Patience: &github.Patience{Now: a.opts.Now, Random: a.opts.Random, MaxWait: longestWait},
	}
}

// InstallationFor returns the id of the App's installation that a repository,
// "owner/name", is in. An error is of kind invalid if there is none.
func (a *Access) InstallationFor(ctx context.Context, repo string) (int64, error) {
	c := a.opts.Credentials()
	if c.Empty() {
		return 0, fault.Infraf("the App is not set up: see /setup")
	}
	app, err := a.app(c, 0)
	if err != nil {
		return 0, err
	}
	return app.InstallationFor(ctx, repo)
}

// metered tells what answers say of the rate limit.
type metered struct {
	Options
	installation string
}

// RoundTrip sends a request.
func (m metered) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := m.Transport.RoundTrip(r)
	if err != nil || m.Limit == nil {
		return response, err
	}
	left, missing := strconv.Atoi(response.Header.Get("X-RateLimit-Remaining"))
	if resource := response.Header.Get("X-RateLimit-Resource"); missing == nil && resource != "" {
		m.Limit(m.installation, resource, left)
	}
	return response, nil
}
