package app

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	gogithub "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// identity asks GitHub as the App itself, not as one of its installations.
type identity struct {
	app    *github.App
	client *github.Client
}

func newIdentity(c config.Credentials, opts Options) (*identity, error) {
	settings, err := c.App()
	if err != nil {
		return nil, err
	}
	app, err := github.NewApp(
		settings,
		github.AppOptions{Options: github.Options{RESTURL: opts.Config.APIURL, Transport: opts.Transport}, Now: opts.Now},
	)
	if err != nil {
		return nil, err
	}
	return &identity{app, app.Client()}, nil
}

// check says whether GitHub accepts the credentials. An error of kind invalid
// says that it does not, others that it could not be asked.
func (i *identity) check(ctx context.Context) error {
	_, err := i.app.Facts(ctx)
	if fault.KindOf(err) == fault.Invalid {
		return fault.Because(fault.Invalid, err, "GitHub does not accept the App's key: its id and its private key do not belong together, or the clock of this machine is wrong")
	}
	return err
}

// attempt is one attempt of GitHub's to deliver a webhook.
type attempt struct {
	// id is that of the attempt, guid that of the delivery.
	id          int64
	guid        string
	at          time.Time
	status      int
	event, name string
}

// perPage is the greatest number of attempts that GitHub lists at a time.
const perPage = 100

// attempts lists attempts, the latest first, from a cursor on that is empty at
// first; next is empty after the last ones.
func (i *identity) attempts(ctx context.Context, cursor string) (page []attempt, next string, err error) {
	listed, response, err := i.client.REST.Apps.ListHookDeliveries(ctx, &gogithub.ListCursorOptions{Cursor: cursor, PerPage: perPage})
	if err != nil {
		return nil, "", github.Explain("list the App's deliveries", err)
	}
	for _, d := range listed {
		page = append(page, attempt{
			id: d.GetID(), guid: d.GetGUID(), at: d.GetDeliveredAt().Time, status: d.GetStatusCode(), event: d.GetEvent(), name: d.GetAction(),
		})
	}
	return page, response.Cursor, nil
}

// repeat asks for another attempt at a delivery.
func (i *identity) repeat(ctx context.Context, id int64) error {
	// go-github would read the answer as a delivery, which it is not.
	request, err := i.client.REST.NewRequest(http.MethodPost, "app/hook/deliveries/"+strconv.FormatInt(id, 10)+"/attempts", nil)
	if err != nil {
		return fault.Internalf("make request: %w", err)
	}
	_, err = i.client.REST.Do(ctx, request, nil)
	if accepted := (*gogithub.AcceptedError)(nil); err == nil || errors.As(err, &accepted) {
		return nil // go-github takes 202 for an error
	}
	return github.Explain("ask for a delivery again", err)
}
