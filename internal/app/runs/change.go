package runs

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue/database"
)

// alive is a condition on rows of runs that have not ended.
const alive = "state IN ('queued', 'running')"

// change runs one statement in a transaction of its own and returns how many
// rows it changed.
func (t *Table) change(ctx context.Context, statement string, args ...any) (int64, error) {
	var count int64
	err := t.db.Write(ctx, func(tx *database.Tx) (err error) {
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

// SetWorkflowRun notes the workflow run that a run is done in.
func (t *Table) SetWorkflowRun(ctx context.Context, id string, workflowRun int64) error {
	_, err := t.change(ctx, "UPDATE run SET workflow_run = $1 WHERE id = $2", workflowRun, id)
	return err
}

// Turn says whether a run goes on.
type Turn int

// The turns.
const (
	// Over: it has ended.
	Over Turn = iota
	// Waits: as many runs of its installation as may go on at a time do, or
	// were asked for before it.
	Waits
	// Goes: it goes on.
	Goes
)

// Begin notes that a run goes on, if it is its turn: no more than parallel runs
// of an installation go on at a time, in the order in which they were asked
// for. A run that went on already goes on.
func (t *Table) Begin(ctx context.Context, r Run, parallel int, at time.Time) (turn Turn, err error) {
	err = t.db.Write(ctx, func(tx *database.Tx) error {
		if err := t.Lock(ctx, tx, fmt.Sprint("installation ", r.Installation)); err != nil {
			return err
		}
		around, err := find(ctx, tx, "installation = $1 AND "+alive+" ORDER BY seq", r.Installation)
		if err != nil {
			return err
		}
		if turn = turnOf(r.ID, around, parallel); turn != Goes {
			return nil
		}
		_, err = tx.Exec(ctx, "UPDATE run SET state = 'running', started = CASE WHEN started = 0 THEN $1 ELSE started END WHERE id = $2 AND "+alive, at.UnixMilli(), r.ID)
		return err
	})
	return turn, err
}

// turnOf returns a run's turn among the runs that have not ended, the oldest
// first.
func turnOf(id string, around []Run, parallel int) Turn {
	mine := slices.IndexFunc(around, func(r Run) bool { return r.ID == id })
	if mine < 0 {
		return Over
	}
	before := 0
	for i, r := range around {
		if i < mine || i > mine && r.State == Running {
			before++
		}
	}
	if around[mine].State == Running || before < parallel {
		return Goes
	}
	return Waits
}

// Progress notes how far a run is.
func (t *Table) Progress(ctx context.Context, id string, done, cells int, costUSD float64) error {
	_, err := t.change(ctx, "UPDATE run SET done = $1, cells = $2, cost = $3 WHERE id = $4 AND "+alive, done, cells, costUSD, id)
	return err
}

// End stores how a run ended. It reports false, and changes nothing, if the
// run has ended already.
func (t *Table) End(ctx context.Context, tx *database.Tx, id string, state State, o Outcome, at time.Time) (bool, error) {
	data, err := pack(o)
	if err != nil {
		return false, err
	}
	var verdict bench.Verdict
	var simulated int
	var cost float64
	if o.Summary != nil {
		verdict, cost = o.Summary.Gate.Verdict, o.Summary.CostUSD
		if o.Summary.Simulated {
			simulated = 1
		}
	}
	count, err := tx.Exec(ctx, `UPDATE run SET state = $1, outcome = $2, verdict = $3, simulated = $4, ended = $5,
		cost = CASE WHEN cost > $6 THEN cost ELSE $6 END WHERE id = $7 AND `+alive,
		string(state), data, string(verdict), simulated, at.UnixMilli(), cost, id)
	return count > 0, err
}

// SetTold notes that GitHub shows how the run ended.
func (t *Table) SetTold(ctx context.Context, id string) error {
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

// AddRow keeps a row of a run, as a line of JSON. A cell that is there already
// keeps its row.
func (t *Table) AddRow(ctx context.Context, id string, cell bench.Cell, row []byte) error {
	_, err := t.change(ctx, "INSERT INTO run_row (run, cell, row) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", id, cell.String(), row)
	return err
}

// Rows returns the rows that were kept of a run, in no particular order.
func (t *Table) Rows(ctx context.Context, id string) ([][]byte, error) {
	rows, err := t.db.Query(ctx, "SELECT row FROM run_row WHERE run = $1", id)
	if err != nil {
		return nil, fault.Infraf("read rows of run %s: %w", id, err)
	}
	defer rows.Close()
	var all [][]byte
	for rows.Next() {
		var row []byte
		if err := rows.Scan(&row); err != nil {
			return nil, fault.Infraf("read rows of run %s: %w", id, err)
		}
		all = append(all, row)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}

// Once reports whether it is called with a cause for the first time.
func (t *Table) Once(ctx context.Context, cause string) (bool, error) {
	count, err := t.change(ctx, "INSERT INTO said (cause) VALUES ($1) ON CONFLICT DO NOTHING", cause)
	return count > 0, err
}

// Claim reports, with the transaction, whether it is called with a name for the
// first time. Whoever calls it at the same time waits.
func (t *Table) Claim(ctx context.Context, tx *database.Tx, name string) (bool, error) {
	count, err := tx.Exec(ctx, "INSERT INTO said (cause) VALUES ($1) ON CONFLICT DO NOTHING", name)
	return count > 0, err
}

// Lock has everybody else who calls it with the name wait until the transaction
// ends.
func (t *Table) Lock(ctx context.Context, tx *database.Tx, name string) error {
	_, err := tx.Exec(ctx, "INSERT INTO said (cause) VALUES ($1) ON CONFLICT (cause) DO UPDATE SET cause = excluded.cause", "lock "+name)
	return err
}

// See notes when a commit became the head of a pull request. The first time
// counts.
func (t *Table) See(ctx context.Context, repo string, pull int, head string, at time.Time) error {
	_, err := t.change(ctx, "INSERT INTO seen (repo, pull, head, pushed) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING", repo, pull, head, at.UnixMilli())
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

// Approve notes that somebody approved a commit of a fork's pull request.
func (t *Table) Approve(ctx context.Context, repo string, pull int, head, login string, at time.Time) error {
	_, err := t.change(ctx, "INSERT INTO approval (repo, pull, head, login, given) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
		repo, pull, head, login, at.UnixMilli())
	return err
}

// Approved reports whether a commit of a fork's pull request was approved.
func (t *Table) Approved(ctx context.Context, repo string, pull int, head string) (bool, error) {
	var count int
	err := t.db.QueryRow(ctx, "SELECT count(*) FROM approval WHERE repo = $1 AND pull = $2 AND head = $3", repo, pull, head).Scan(&count)
	if err != nil {
		return false, fault.Infraf("look up approval: %w", err)
	}
	return count > 0, nil
}
