package runs

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Schedule says that the default branch of a repository is measured again and again.
type Schedule struct {
	Installation        int64
	Owner, Name, Branch string
	// Period is the time between two runs, at least a millisecond.
	Period time.Duration
	// Due is when the next one begins.
	Due time.Time
}

// Repo returns "owner/name".
func (s Schedule) Repo() string { return s.Owner + "/" + s.Name }

// SetSchedule stores the schedule of a repository. One with the same period goes on
// as it is.
func (t *Table) SetSchedule(ctx context.Context, s Schedule) error {
	_, err := t.change(ctx, `INSERT INTO schedule (repo, installation, owner, name, branch, period, due) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (repo) DO UPDATE SET installation = excluded.installation, branch = excluded.branch, period = excluded.period,
		due = CASE WHEN schedule.period = excluded.period THEN schedule.due ELSE excluded.due END`,
		s.Repo(), s.Installation, s.Owner, s.Name, s.Branch, s.Period.Milliseconds(), s.Due.UnixMilli())
	return err
}

// EndSchedule has a repository measured no more by itself.
func (t *Table) EndSchedule(ctx context.Context, repo string) error {
	_, err := t.change(ctx, "DELETE FROM schedule WHERE repo = $1", repo)
	return err
}

// EndSchedules ends those of an installation; of all of its repositories, or of those
// that are named.
func (t *Table) EndSchedules(ctx context.Context, installation int64, repos []string) error {
	if repos == nil {
		_, err := t.change(ctx, "DELETE FROM schedule WHERE installation = $1", installation)
		return err
	}
	for _, repo := range repos {
		if err := t.EndSchedule(ctx, repo); err != nil {
			return err
		}
	}
	return nil
}

// Due returns the schedules whose time has come.
func (t *Table) Due(ctx context.Context, now time.Time) ([]Schedule, error) {
	rows, err := t.db.Query(ctx, "SELECT installation, owner, name, branch, period, due FROM schedule WHERE due <= $1 ORDER BY due", now.UnixMilli())
	if err != nil {
		return nil, fault.Infraf("read what is due: %w", err)
	}
	defer rows.Close()
	var all []Schedule
	for rows.Next() {
		var s Schedule
		var period, due int64
		if err := rows.Scan(&s.Installation, &s.Owner, &s.Name, &s.Branch, &period, &due); err != nil {
			return nil, fault.Infraf("read what is due: %w", err)
		}
		s.Period, s.Due = time.Duration(period)*time.Millisecond, moment(due)
		all = append(all, s)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}

// PutOff sets when a schedule is due next: the first time after now that is whole
// periods after it was due, so that a server that was away does not make up for all.
func (t *Table) PutOff(ctx context.Context, s Schedule, now time.Time) error {
	missed := max(0, now.Sub(s.Due)/s.Period)
	_, err := t.change(ctx, "UPDATE schedule SET due = $1 WHERE repo = $2 AND due = $3", s.Due.Add((missed+1)*s.Period).UnixMilli(), s.Repo(), s.Due.UnixMilli())
	return err
}
