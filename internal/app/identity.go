package app

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
	gogithub "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/config"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// identity asks GitHub as the App itself, not as one of its installations.
type identity struct {
	client *github.Client
}

func newIdentity(c config.Credentials, opts Options) (*identity, error) {
	key, err := ghinstallation.NewAppsTransport(opts.Transport, c.AppID, []byte(c.PrivateKey))
	if err != nil {
		// What was read is not repeated: it may be half a key.
		return nil, fault.Invalidf("the private key of App %d is none that GitHub makes", c.AppID)
	}
	client, err := github.New(github.Options{RESTURL: opts.Config.APIURL, Transport: signed{key}})
	if err != nil {
		return nil, err
	}
	return &identity{client}, nil
}

// signed signs copies of requests: the transport of the key writes into the
// one that it is given.
type signed struct{ key *ghinstallation.AppsTransport }

// RoundTrip sends a signed copy of the request.
func (s signed) RoundTrip(r *http.Request) (*http.Response, error) {
	return s.key.RoundTrip(r.Clone(r.Context()))
}

// check says whether GitHub accepts the credentials. An error of kind invalid
// says that it does not, others that it could not be asked.
func (i *identity) check(ctx context.Context) error {
	if _, _, err := i.client.REST.Apps.Get(ctx, ""); err != nil {
		if github.StatusOf(err) == http.StatusUnauthorized {
			return fault.Invalidf("GitHub does not accept the App's key: its id and its private key do not belong together, or the clock of this machine is wrong")
		}
		return github.Explain("ask GitHub about the App", err)
	}
	return nil
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
