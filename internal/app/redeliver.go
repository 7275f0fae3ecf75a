package app

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
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

// redeliver looks for deliveries that never arrived, asks GitHub for them
// again, and returns how many.
func (a *App) redeliver(ctx context.Context, who *identity) (count int, err error) {
	began := a.opts.Now()
	last, err := a.store.NotedTime(ctx, lookedFor)
	if err != nil {
		return 0, err
	}
	since := last.Add(-redeliveryOverlap)
	// A look that is to come was noted by a clock that was wrong.
	if oldest := began.Add(-redeliveryWindow); since.Before(oldest) || last.After(began) {
		since = oldest
	}
	missed, err := a.missed(ctx, who, since)
	if err != nil {
		return 0, err
	}
	var problems []error
	for _, one := range missed {
		if err := who.repeat(ctx, one.id); err != nil {
			problems = append(problems, err)
			continue
		}
		count++
	}
	if err := errors.Join(problems...); err != nil {
		return count, err
	}
	return count, a.store.NoteTime(ctx, lookedFor, began)
}

// missed returns an attempt of each delivery since a time that matters, has
// failed at every attempt and is not stored.
func (a *App) missed(ctx context.Context, who *identity, since time.Time) ([]attempt, error) {
	all, err := a.attemptsSince(ctx, who, since)
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
		if arrived[one.guid] || tries[one.guid] >= mostAttempts || !(routes{}).Action(one.event, one.name) {
			continue
		}
		known, err := a.store.Knows(ctx, strings.ToLower(one.guid))
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
func (a *App) attemptsSince(ctx context.Context, who *identity, since time.Time) ([]attempt, error) {
	var all []attempt
	cursor := ""
	for range mostPages {
		page, next, err := who.attempts(ctx, cursor)
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
	a.opts.Log.WarnContext(ctx, "there were too many deliveries to look for missed ones among all", slog.Int("looked_at", len(all)), slog.Time("since", since))
	return all, nil
}
