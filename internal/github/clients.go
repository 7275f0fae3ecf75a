package github

import (
	"bytes"
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// ClientsOptions say where GitHub is, and which App asks.
type ClientsOptions struct {
	// App returns the App's settings, which may change; its installation does not
	// count. The error is what asking comes to while there is no App.
	App func() (AppSettings, error)
	// RESTURL is that of GitHub's REST API.
	RESTURL   string
	Transport http.RoundTripper
	Now       func() time.Time
	// Random returns numbers of [0, 1).
	Random func() float64
	// Limit is told what is left of GitHub's rate limit, as answers say; nil if
	// nobody wants to know.
	Limit func(installation, resource string, remaining int)
}

// Clients gives the work of an App its clients of GitHub, each for one repository of
// one installation: its token reaches nothing else. It is safe for concurrent use.
type Clients struct {
	opts ClientsOptions

	mu    sync.Mutex
	known map[clientKey]madeClient
	bot   bot
}

// NewClients returns what makes clients. Nothing is asked of GitHub yet.
func NewClients(opts ClientsOptions) *Clients {
	return &Clients{opts: opts, known: map[clientKey]madeClient{}}
}

// clientKey is a repository in an installation.
type clientKey struct {
	installation int64
	repo         string
}

// madeClient is a client that was made.
type madeClient struct {
	client *Client
	made   time.Time
	// by is the App that it was made for.
	by AppSettings
}

// bot is the user that an App acts as.
type bot struct {
	login string
	asked time.Time
	// by is the App that was asked.
	by AppSettings
}

// is reports whether both are the same App, in whichever of its installations.
func (s AppSettings) is(other AppSettings) bool {
	return s.AppID == other.AppID && bytes.Equal(s.PrivateKey, other.PrivateKey)
}

const (
	// clientLife is how long a client is given out: whoever owns an installation
	// may have granted it more since.
	clientLife = 10 * time.Minute
	// botLife is how long the bot's login is not asked for again: whoever renames
	// the App changes it.
	botLife = time.Minute
	// longestWait is how long a request waits for GitHub. What would have to wait
	// longer gives its worker back: see [LimitedUntil].
	longestWait = 5 * time.Second
)

// Client returns a client for one repository of an installation. Its token is
// made when it is first needed, and again before it ends.
func (c *Clients) Client(_ context.Context, installation int64, owner, name string) (*Client, error) {
	settings, err := c.opts.App()
	if err != nil {
		return nil, err
	}
	now := c.opts.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	at := clientKey{installation, owner + "/" + name}
	if known, has := c.known[at]; has && known.by.is(settings) && now.Sub(known.made) < clientLife {
		return known.client, nil
	}
	client, err := c.make(settings, at)
	if err != nil {
		return nil, err
	}
	for other, old := range c.known {
		if now.Sub(old.made) >= clientLife {
			delete(c.known, other)
		}
	}
	c.known[at] = madeClient{client, now, settings}
	return client, nil
}

func (c *Clients) make(settings AppSettings, at clientKey) (*Client, error) {
	settings.InstallationID = at.installation
	app, err := c.app(settings)
	if err != nil {
		return nil, err
	}
	opts := c.options(at.installation)
	opts.Tokens = app.Credential(at.repo, UseService).Token
	return New(opts)
}

// app returns the App in an installation. Installation 0 is none: such an App
// can only be asked where it is, and what it is.
func (c *Clients) app(settings AppSettings) (*App, error) {
	return NewApp(settings, AppOptions{Options: c.options(settings.InstallationID), Now: c.opts.Now})
}

func (c *Clients) options(installation int64) Options {
	return Options{
		RESTURL: c.opts.RESTURL, Transport: metered{c.opts, strconv.FormatInt(installation, 10)},
		Patience: &Patience{Now: c.opts.Now, Random: c.opts.Random, MaxWait: longestWait},
	}
}

// App returns the App itself, in none of its installations.
func (c *Clients) App() (*App, error) {
	settings, err := c.opts.App()
	if err != nil {
		return nil, err
	}
	settings.InstallationID = 0
	return c.app(settings)
}

// InstallationFor returns the id of the App's installation that a repository,
// "owner/name", is in. An error is of kind invalid if there is none.
func (c *Clients) InstallationFor(ctx context.Context, repo string) (int64, error) {
	app, err := c.App()
	if err != nil {
		return 0, err
	}
	return app.InstallationFor(ctx, repo)
}

// Bot returns the login of the user that the App acts as.
func (c *Clients) Bot(ctx context.Context) (string, error) {
	settings, err := c.opts.App()
	if err != nil {
		return "", err
	}
	now := c.opts.Now()
	c.mu.Lock()
	known := c.bot
	c.mu.Unlock()
	if known.by.is(settings) && now.Sub(known.asked) < botLife {
		return known.login, nil
	}
	app, err := c.App()
	if err != nil {
		return "", err
	}
	facts, err := app.Facts(ctx)
	if err != nil {
		return "", err
	}
	known = bot{facts.Slug + "[bot]", now, settings}
	c.mu.Lock()
	c.bot = known
	c.mu.Unlock()
	return known.login, nil
}

// metered tells what answers say of the rate limit.
type metered struct {
	ClientsOptions
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
