package runs

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Fixtures are what was seeded for a run in a repository on GitHub. They are
// noted before anything is seeded, and forgotten when nothing is left, so that
// what a process leaves behind that dies is found.
type Fixtures struct {
	// Repo is "owner/name" of the repository, Seed the seeding's name in it.
	Repo, Seed string
	// Installation is the App's that the repository is in.
	Installation int64
	// Run is the last one that they were seeded for, and Noted when that was,
	// to the millisecond.
	Run   string
	Noted time.Time
}

// HoldLife is how long fixtures are held by somebody who does not say that he
// lives: see [Table.KeepFixtures]. The clocks of machines differ by less, or
// GitHub would refuse what they sign.
const HoldLife = time.Minute

// NoteFixtures notes fixtures that are about to be seeded, and has them held
// by a name that nobody else has. It reports false, and does nothing, as long
// as anybody else holds fixtures in the repository: agents meet there in lists,
// and seedings share labels, which are removed with the last one.
func (t *Table) NoteFixtures(ctx context.Context, f Fixtures, by string, now time.Time) (noted bool, err error) {
	err = t.db.Write(ctx, func(tx *queue.Tx) error {
		held, err := isHeld(ctx, tx, f.Repo, now)
		if err != nil || held {
			return err
		}
		noted = true
		_, err = tx.Exec(ctx, `INSERT INTO fixture (repo, seed, installation, run, noted, holder, until) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (repo, seed) DO UPDATE SET installation = excluded.installation, run = excluded.run, noted = excluded.noted,
				holder = excluded.holder, until = excluded.until`,
			f.Repo, f.Seed, f.Installation, f.Run, f.Noted.UnixMilli(), by, now.Add(HoldLife).UnixMilli())
		return err
	})
	return noted, err
}

// TakeFixtures has fixtures held by who is to remove them. It reports false if
// there are none, if anybody holds any in the repository, or if a run that has
// not ended uses them or goes on with the rows of the one that did.
func (t *Table) TakeFixtures(ctx context.Context, repo, seed, by string, now time.Time) (f Fixtures, taken bool, err error) {
	err = t.db.Write(ctx, func(tx *queue.Tx) error {
		held, err := isHeld(ctx, tx, repo, now)
		if err != nil || held {
			return err
		}
		used, err := inUse(ctx, tx)
		if err != nil {
			return err
		}
		f, err = scanFixtures(tx.QueryRow(ctx, "SELECT "+fixtureColumns+" FROM fixture WHERE repo = $1 AND seed = $2", repo, seed).Scan)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fault.Infraf("read what is noted of fixtures: %w", err)
		}
		if used[f.Run] {
			return nil
		}
		taken = true
		_, err = tx.Exec(ctx, "UPDATE fixture SET holder = $1, until = $2 WHERE repo = $3 AND seed = $4", by, now.Add(HoldLife).UnixMilli(), repo, seed)
		return err
	})
	return f, taken, err
}

// isHeld reports whether anybody holds fixtures in a repository. Nobody begins
// to until the transaction ends.
func isHeld(ctx context.Context, tx *queue.Tx, repo string, now time.Time) (bool, error) {
	repo = strings.ToLower(repo)
	_, err := tx.Exec(ctx, "INSERT INTO fixture_repo (repo) VALUES ($1) ON CONFLICT (repo) DO UPDATE SET repo = excluded.repo", repo)
	if err != nil {
		return false, err
	}
	var held int
	if err := tx.QueryRow(ctx, "SELECT count(*) FROM fixture WHERE LOWER(repo) = $1 AND until > $2", repo, now.UnixMilli()).Scan(&held); err != nil {
		return false, fault.Infraf("read who holds fixtures: %w", err)
	}
	return held > 0, nil
}

// KeepFixtures says that who holds fixtures lives.
func (t *Table) KeepFixtures(ctx context.Context, f Fixtures, by string, now time.Time) error {
	_, err := t.change(ctx, "UPDATE fixture SET until = $1 WHERE repo = $2 AND seed = $3 AND holder = $4",
		now.Add(HoldLife).UnixMilli(), f.Repo, f.Seed, by)
	return err
}

// LeaveFixtures ends the hold of a name. The fixtures are still noted.
func (t *Table) LeaveFixtures(ctx context.Context, f Fixtures, by string) error {
	_, err := t.change(ctx, "UPDATE fixture SET until = 0 WHERE repo = $1 AND seed = $2 AND holder = $3", f.Repo, f.Seed, by)
	return err
}

// ForgetFixtures drops the note of fixtures that a name holds.
func (t *Table) ForgetFixtures(ctx context.Context, f Fixtures, by string) error {
	_, err := t.change(ctx, "DELETE FROM fixture WHERE repo = $1 AND seed = $2 AND holder = $3", f.Repo, f.Seed, by)
	return err
}

// LeftFixtures returns those that nobody needs any more and that can be taken
// now, the oldest first: see [Table.TakeFixtures].
func (t *Table) LeftFixtures(ctx context.Context, now time.Time) ([]Fixtures, error) {
	used, err := inUse(ctx, t.db)
	if err != nil {
		return nil, err
	}
	rows, err := t.db.Query(ctx, "SELECT "+fixtureColumns+` FROM fixture AS f WHERE NOT EXISTS (
		SELECT 1 FROM fixture AS other WHERE LOWER(other.repo) = LOWER(f.repo) AND other.until > $1) ORDER BY noted`, now.UnixMilli())
	if err != nil {
		return nil, fault.Infraf("list fixtures: %w", err)
	}
	defer rows.Close()
	var left []Fixtures
	for rows.Next() {
		f, err := scanFixtures(rows.Scan)
		if err != nil {
			return nil, fault.Infraf("list fixtures: %w", err)
		}
		if !used[f.Run] {
			left = append(left, f)
		}
	}
	return left, fault.Wrap(fault.Infrastructure, rows.Err())
}

const fixtureColumns = "repo, seed, installation, run, noted"

func scanFixtures(row func(...any) error) (f Fixtures, err error) {
	var noted int64
	err = row(&f.Repo, &f.Seed, &f.Installation, &f.Run, &noted)
	f.Noted = moment(noted)
	return f, err
}

// freeFixtures ends holds from before this process. A SQLite file has one
// process, so whoever had them is dead.
func (t *Table) freeFixtures(ctx context.Context) error {
	if t.db.Dialect() != queue.SQLite {
		return nil
	}
	_, err := t.change(ctx, "UPDATE fixture SET until = 0 WHERE until > 0")
	return err
}

// inUse returns the runs that have not ended, and those whose rows they go on
// with.
func inUse(ctx context.Context, in querier) (map[string]bool, error) {
	found, err := find(ctx, in, alive)
	used := map[string]bool{}
	for _, r := range found {
		used[r.ID] = true
		if r.Request.Continues != "" {
			used[r.Request.Continues] = true
		}
	}
	return used, err
}
