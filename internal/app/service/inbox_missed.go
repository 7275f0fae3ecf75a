package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

const (
	// redeliveryWindow is how far back GitHub delivers again.
	redeliveryWindow = 3 * 24 * time.Hour
	// redeliveryOverlap is how far before the last look the next one begins:
	// attempts are listed late, and those that are under way have no status.
	redeliveryOverlap = time.Hour
	// mostAttempts is how often GitHub is asked to deliver one delivery.
	mostAttempts = 5
	// mostPages limits one look.
	mostPages = 100
	// lookedFor is the note of the time up to which was looked.
	lookedFor = "deliveries.looked_at"
)

// Redeliver looks for deliveries that never arrived, asks GitHub for them
// again, and returns how many. The client asks as the App itself.
func (i *Inbox) Redeliver(ctx context.Context, app *github.Client) (count int, err error) {
	began := i.opts.Now()
	last, err := i.NotedTime(ctx, lookedFor)
	if err != nil {
		return 0, err
	}
	since := last.Add(-redeliveryOverlap)
	// A look that is to come was noted by a clock that was wrong.
	if oldest := began.Add(-redeliveryWindow); since.Before(oldest) || last.After(began) {
		since = oldest
	}
	missed, err := i.missed(ctx, app, since)
	if err != nil {
		return 0, err
	}
	var problems []error
	for _, one := range missed {
		if err := repeat(ctx, app, one.id); err != nil {
			problems = append(problems, err)
			continue
		}
		count++
	}
	if err := errors.Join(problems...); err != nil {
		return count, err
	}
	return count, i.NoteTime(ctx, lookedFor, began)
}

// missed returns an attempt of each delivery since a time that matters, has
// failed at every attempt and is not stored.
func (i *Inbox) missed(ctx context.Context, app *github.Client, since time.Time) ([]attempt, error) {
	all, err := i.attemptsSince(ctx, app, since)
	if err != nil {
		return nil, err
	}
	tries, arrived, latest := map[string]int{}, map[string]bool{}, []attempt{}
	for _, one := range all {
		if tries[one.guid] == 0 {
			latest = append(latest, one)
		}
		tries[one.guid]++
		arrived[one.guid] = arrived[one.guid] || one.status >= 200 && one.status < 300
	}
	var missed []attempt
	for _, one := range latest {
		if arrived[one.guid] || tries[one.guid] >= mostAttempts || !i.opts.Events.Action(one.event, one.name) {
			continue
		}
		known, err := i.Knows(ctx, strings.ToLower(one.guid))
		if err != nil {
			return nil, err
		}
		if !known {
			missed = append(missed, one)
		}
	}
	return missed, nil
}

// attemptsSince lists GitHub's attempts since a time, the latest first.
func (i *Inbox) attemptsSince(ctx context.Context, app *github.Client, since time.Time) ([]attempt, error) {
	var all []attempt
	cursor := ""
	for range mostPages {
		page, next, err := attempts(ctx, app, cursor)
		if err != nil {
			return nil, err
		}
		for _, one := range page {
			if one.at.Before(since) {
				return all, nil
			}
			all = append(all, one)
		}
		if next == "" {
			return all, nil
		}
		cursor = next
	}
	i.opts.Log.WarnContext(ctx, "there were too many deliveries to look for missed ones among all", slog.Int("looked_at", len(all)), slog.Time("since", since))
	return all, nil
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
func attempts(ctx context.Context, app *github.Client, cursor string) (page []attempt, next string, err error) {
	listed, response, err := app.REST.Apps.ListHookDeliveries(ctx, &gh.ListCursorOptions{Cursor: cursor, PerPage: perPage})
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
func repeat(ctx context.Context, app *github.Client, id int64) error {
	// go-github would read the answer as a delivery, which it is not.
	request, err := app.REST.NewRequest(http.MethodPost, "app/hook/deliveries/"+strconv.FormatInt(id, 10)+"/attempts", nil)
	if err != nil {
		return fault.Internalf("make request: %w", err)
	}
	_, err = app.REST.Do(ctx, request, nil)
	if accepted := (*gh.AcceptedError)(nil); err == nil || errors.As(err, &accepted) {
		return nil // go-github takes 202 for an error
	}
	return github.Explain("ask for a delivery again", err)
}
