package runs

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Pruned is what [Table.Prune] removed.
type Pruned struct {
	// Runs are runs with their outcomes, Rows those of their cells, and Notes
	// what was noted besides.
	Runs, Rows, Notes int64
}

const (
	// pruneRows and pruneNotes are how much is removed in one transaction, so
	// that deliveries which arrive meanwhile do not wait.
	pruneRows  = 100
	pruneNotes = 500
	// pruneRuns is how many runs are looked for together.
	pruneRuns = 100
)

// measuredClaim begins the names of [MeasuredClaim].
const measuredClaim = "measured "

// MeasuredClaim names the measuring of a commit by an event, for a pull request
// onto a branch: see [Table.Claim].
func MeasuredClaim(repo, head, suite, baseRef string) string {
	return measuredClaim + repo + " " + head + " " + suite + " " + baseRef
}

// Prune removes runs that ended before a time, with their rows, transcripts and outcomes,
// and what was noted before it and is of no use any more. Runs that have not
// ended stay, and so do those whose rows one of them goes on with. It may be
// broken off, and goes on the next time.
func (t *Table) Prune(ctx context.Context, before, now time.Time) (Pruned, error) {
	var p Pruned
	if err := t.pruneRuns(ctx, before, &p); err != nil {
		return p, err
	}
	for _, s := range staleNotes() {
		count, err := t.inSteps(ctx, s.statement, s.args(before, now)...)
		if s.removes {
			p.Notes += count
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

func (t *Table) pruneRuns(ctx context.Context, before time.Time, p *Pruned) error {
	last := int64(0)
	for {
		ids, next, err := t.endedBefore(ctx, before, last)
		if err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if err := t.removeRun(ctx, id, p); err != nil {
				return err
			}
		}
		last = next
	}
}

// endedBefore returns some of the runs that ended before a time, after the one
// with a number, and the number of the last of them.
func (t *Table) endedBefore(ctx context.Context, before time.Time, after int64) (ids []string, last int64, err error) {
	rows, err := t.db.Query(ctx, "SELECT seq, id FROM run WHERE NOT "+alive+" AND ended < $1 AND seq > $2 ORDER BY seq LIMIT $3", before.UnixMilli(), after, pruneRuns)
	if err != nil {
		return nil, 0, fault.Infraf("list old runs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		if err := rows.Scan(&last, &id); err != nil {
			return nil, 0, fault.Infraf("list old runs: %w", err)
		}
		ids = append(ids, id)
	}
	return ids, last, fault.Wrap(fault.Infrastructure, rows.Err())
}

// removeRun removes a run, its transcripts and rows first, unless it is in use. So what
// is left when it is broken off is found again.
func (t *Table) removeRun(ctx context.Context, id string, p *Pruned) error {
	for {
		var rows, whole int64
		more := false
		err := t.db.Write(ctx, func(tx *queue.Tx) error {
			used, err := inUse(ctx, tx)
			if err != nil || used[id] {
				return err
			}
			gone, err := tx.Exec(ctx, "DELETE FROM run_transcript WHERE run = $1 AND cell IN (SELECT cell FROM run_transcript WHERE run = $1 LIMIT $2)", id, pruneRows)
			if more = gone == pruneRows; err != nil || more {
				return err
			}
			rows, err = tx.Exec(ctx, "DELETE FROM run_row WHERE run = $1 AND cell IN (SELECT cell FROM run_row WHERE run = $1 LIMIT $2)", id, pruneRows)
			if more = rows == pruneRows; err != nil || more {
				return err
			}
			if err := t.claimFor(ctx, tx, id); err != nil {
				return err
			}
			whole, err = tx.Exec(ctx, "DELETE FROM run WHERE id = $1", id)
			if err == nil {
				_, err = tx.Exec(ctx, "DELETE FROM run_point WHERE run = $1", id)
			}
			return err
		})
		if err != nil {
			return err
		}
		p.Rows, p.Runs = p.Rows+rows, p.Runs+whole
		if !more {
			return nil
		}
	}
}

// claimFor claims, for a run that goes, that its commit was measured. A command
// claims nothing: it is the run that keeps events from measuring again.
func (t *Table) claimFor(ctx context.Context, tx *queue.Tx, id string) error {
	found, err := find(ctx, tx, "id = $1 AND state <> 'skipped'", id)
	if err != nil || len(found) == 0 {
		return err
	}
	r := found[0]
	_, err = t.Claim(ctx, tx, MeasuredClaim(r.Repo, r.Head, r.Suite, r.Request.BaseRef))
	return err
}

// stale is a statement about old notes. Its last parameter is how many it may
// change at a time.
type stale struct {
	statement string
	args      func(before, now time.Time) []any
	removes   bool
}

// staleNotes are what is done with what was claimed, seen and approved. Locks
// stay: there is one for each repository and installation. That it
// is gone must not have anything measured that was not measured before:
//
//   - The claim that a commit was measured stays for good. A pull request may
//     be open, or be opened again, after any time, and without the claim any
//     event would have its head measured again, since the run is gone. It is a
//     line of about a hundred bytes.
//   - Other claims and the causes of answers keep something from being said
//     twice when a delivery comes again, which GitHub does for days, not for
//     as long as this. After that a commit that is skipped or refused is
//     merely told so again. None has a time of its own: it counts from when
//     Prune first meets it, which is later than when it was made.
//   - Without its approval a commit of a fork is held back until somebody
//     approves it again.
//   - When a head was seen tells commands that were written before the push,
//     which are handled within days, and ends approvals that are older. Those
//     go first, so none comes to life again.
func staleNotes() []stale {
	before := func(before, _ time.Time) []any { return []any{before.UnixMilli(), pruneNotes} }
	now := func(_, now time.Time) []any { return []any{now.UnixMilli(), pruneNotes} }
	return []stale{
		{"UPDATE claim SET dated = $1 WHERE name IN (SELECT name FROM claim WHERE dated = 0 LIMIT $2)", now, false},
		{"DELETE FROM claim WHERE name IN (SELECT name FROM claim WHERE dated > 0 AND dated < $1 AND name NOT LIKE '" + measuredClaim + "%' LIMIT $2)", before, true},
		{"DELETE FROM answer WHERE cause IN (SELECT cause FROM answer WHERE given < $1 LIMIT $2)", before, true},
		{"DELETE FROM approval WHERE (repo, pull, head) IN (SELECT repo, pull, head FROM approval WHERE given < $1 LIMIT $2)", before, true},
		{"DELETE FROM seen WHERE (repo, pull, head) IN (SELECT repo, pull, head FROM seen WHERE pushed < $1 LIMIT $2)", before, true},
	}
}

// inSteps repeats a statement, each time in a transaction of its own, until it
// changes nothing, and returns how many rows it changed.
func (t *Table) inSteps(ctx context.Context, statement string, args ...any) (int64, error) {
	var total int64
	for {
		count, err := t.change(ctx, statement, args...)
		total += count
		if err != nil || count == 0 {
			return total, err
		}
	}
}
