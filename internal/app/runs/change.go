package runs

import (
	"context"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// alive is a condition on rows of runs that have not ended.
const alive = "state IN ('queued', 'running')"

// change runs one statement in a transaction of its own and returns how many
// rows it changed.
func (t *Table) change(ctx context.Context, statement string, args ...any) (int64, error) {
	var count int64
	err := t.db.Write(ctx, func(tx *queue.Tx) (err error) {
		count, err = tx.Exec(ctx, statement, args...)
		return err
	})
	return count, err
}

// SetCheck notes the run's check run.
func (t *Table) SetCheck(ctx context.Context, id string, checkID int64, url string) error {
	_, err := t.change(ctx, "UPDATE run SET check_id = $1, check_url = $2 WHERE id = $3", checkID, url, id)
	return err
}

// AskWorkflow notes that the workflow run that a run is to be done in is asked
// for, and has not been seen yet. The error is [ErrOver] if the run has ended:
// nobody would end the workflow run.
func (t *Table) AskWorkflow(ctx context.Context, id string, at time.Time) error {
	count, err := t.change(ctx, "UPDATE run SET workflow_run = -1, workflow_asks = workflow_asks + 1, workflow_asked = $1 WHERE id = $2 AND "+alive, at.UnixMilli(), id)
	if err == nil && count == 0 {
		err = ErrOver
	}
	return err
}

// SetWorkflowRun notes the workflow run that a run is done in.
func (t *Table) SetWorkflowRun(ctx context.Context, id string, workflowRun int64) error {
	_, err := t.change(ctx, "UPDATE run SET workflow_run = $1 WHERE id = $2", workflowRun, id)
	return err
}

// Begin notes that a run goes on. It reports false if the run has ended.
func (t *Table) Begin(ctx context.Context, id string, at time.Time) (bool, error) {
	count, err := t.change(ctx, "UPDATE run SET state = 'running', started = CASE WHEN started = 0 THEN $1 ELSE started END WHERE id = $2 AND "+alive, at.UnixMilli(), id)
	return count > 0, err
}

// Progress notes how far a run is. Of what its rows have cost, the run's own
// cost is what those that it took over have not.
func (t *Table) Progress(ctx context.Context, id string, done, cells int, costUSD float64) error {
	return t.db.Write(ctx, func(tx *queue.Tx) error {
		own, err := ownCost(ctx, tx, id, costUSD)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE run SET done = $1, cells = $2, cost = $3 WHERE id = $4 AND "+alive, done, cells, own, id)
		return err
	})
}

// End stores how a run ended, and its own cost as [Table.Progress] does. It
// reports false, and changes nothing, if the run has ended already.
func (t *Table) End(ctx context.Context, tx *queue.Tx, id string, state State, o Outcome, at time.Time) (bool, error) {
	data, err := pack(o)
	if err != nil {
		return false, err
	}
	var verdict bench.Verdict
	var simulated int
	var cost float64
	if o.Summary != nil {
		verdict = o.Summary.Gate.Verdict
		if o.Summary.Simulated {
			simulated = 1
		}
		if cost, err = ownCost(ctx, tx, id, o.Summary.CostUSD); err != nil {
			return false, err
		}
	}
	count, err := tx.Exec(ctx, `UPDATE run SET state = $1, outcome = $2, verdict = $3, simulated = $4, ended = $5, place = '', begun = NULL,
		cost = CASE WHEN cost > $6 THEN cost ELSE $6 END WHERE id = $7 AND `+alive,
		string(state), data, string(verdict), simulated, at.UnixMilli(), cost, id)
	if err != nil || count == 0 {
		return false, err
	}
	if err := removeBlocks(ctx, tx, id); err != nil || state != Finished || o.Summary == nil {
		return true, err
	}
	found, err := find(ctx, tx, "id = $1", id)
	if err != nil || len(found) == 0 {
		return true, err
	}
	return true, t.addPoint(ctx, tx, found[0], *o.Summary)
}

// MarkUnpublished notes that GitHub does not show how the run ended, although it was
// told.
func (t *Table) MarkUnpublished(ctx context.Context, tx *queue.Tx, id string) error {
	_, err := tx.Exec(ctx, "UPDATE run SET told = 0 WHERE id = $1", id)
	return err
}

// MarkPublished notes that GitHub shows how the run ended.
func (t *Table) MarkPublished(ctx context.Context, id string) error {
	_, err := t.change(ctx, "UPDATE run SET told = 1 WHERE id = $1", id)
	return err
}

// Outcome returns how a run ended; it is zero for one that has not.
func (t *Table) Outcome(ctx context.Context, id string) (Outcome, error) {
	var data []byte
	if err := t.db.QueryRow(ctx, "SELECT outcome FROM run WHERE id = $1", id).Scan(&data); err != nil {
		return Outcome{}, fault.Infraf("read outcome of run %s: %w", id, err)
	}
	var o Outcome
	if data == nil {
		return o, nil
	}
	return o, unpack(data, &o)
}

// Claim reports, with the transaction, whether it is called with a name for the
// first time. Whoever calls it at the same time waits.
func (t *Table) Claim(ctx context.Context, tx *queue.Tx, name string) (bool, error) {
	count, err := tx.Exec(ctx, "INSERT INTO claim (name) VALUES ($1) ON CONFLICT DO NOTHING", name)
	return count > 0, err
}

// Lock has everybody else who calls it with the name wait until the transaction
// ends.
func (t *Table) Lock(ctx context.Context, tx *queue.Tx, name string) error {
	_, err := tx.Exec(ctx, "INSERT INTO run_lock (name) VALUES ($1) ON CONFLICT (name) DO UPDATE SET name = excluded.name", name)
	return err
}

// See notes when a commit became the head of a pull request: by its latest
// push, or the first time that something was heard of it.
func (t *Table) See(ctx context.Context, repo string, pull int, head string, at time.Time, push bool) error {
	known := "DO NOTHING"
	if push {
		known = "(repo, pull, head) DO UPDATE SET pushed = CASE WHEN excluded.pushed > seen.pushed THEN excluded.pushed ELSE seen.pushed END"
	}
	_, err := t.change(ctx, "INSERT INTO seen (repo, pull, head, pushed) VALUES ($1, $2, $3, $4) ON CONFLICT "+known, repo, pull, head, at.UnixMilli())
	return err
}

// Seen returns when a commit became the head of a pull request, zero if that
// is not known.
func (t *Table) Seen(ctx context.Context, repo string, pull int, head string) (time.Time, error) {
	var pushed int64
	err := t.db.QueryRow(ctx, "SELECT COALESCE(MAX(pushed), 0) FROM seen WHERE repo = $1 AND pull = $2 AND head = $3", repo, pull, head).Scan(&pushed)
	if err != nil {
		return time.Time{}, fault.Infraf("look up a push: %w", err)
	}
	return moment(pushed), nil
}

// Approve notes that somebody approved a commit of a fork's pull request, the
// last time that he did.
func (t *Table) Approve(ctx context.Context, repo string, pull int, head, login string, at time.Time) error {
	_, err := t.change(ctx, `INSERT INTO approval (repo, pull, head, login, given) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (repo, pull, head) DO UPDATE SET login = excluded.login, given = excluded.given`,
		repo, pull, head, login, at.UnixMilli())
	return err
}

// Approved reports whether a commit of a fork's pull request was approved, and
// nothing was pushed since.
func (t *Table) Approved(ctx context.Context, repo string, pull int, head string) (bool, error) {
	var count int
	err := t.db.QueryRow(ctx, `SELECT count(*) FROM approval WHERE repo = $1 AND pull = $2 AND head = $3
		AND given >= (SELECT COALESCE(MAX(pushed), 0) FROM seen WHERE seen.repo = $1 AND seen.pull = $2)`, repo, pull, head).Scan(&count)
	if err != nil {
		return false, fault.Infraf("look up approval: %w", err)
	}
	return count > 0, nil
}
