package runs

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Places are how many runs may go on at a time.
type Places struct {
	// Local is how many runs all machines together work on.
	Local int
	// Installation is how many go on of one installation, also in workflows.
	Installation int
}

// Place is a run that was given a place.
type Place struct {
	ID       string
	Executor settings.Executor
}

// What the column place says of a run: nothing, waits or has.
const (
	waits    = "waits"
	hasPlace = "has"
)

// Enter has a run wait for a place. One that waits, has a place or has ended stays
// as it is.
func (t *Table) Enter(ctx context.Context, tx *queue.Tx, id string) error {
	_, err := tx.Exec(ctx, "UPDATE run SET place = $1 WHERE id = $2 AND place = '' AND "+alive, waits, id)
	return err
}

// LockLine has others who give places, or end runs, wait until the transaction ends.
func (t *Table) LockLine(ctx context.Context, tx *queue.Tx) error { return t.Lock(ctx, tx, "line") }

// Admit gives free places to the runs whose turn it is, and returns those. The
// transaction holds [Table.LockLine].
//
// Who waits is served in turn: first the installation with the fewest places, of
// those the one whose last turn is longest ago; in it the repository, by the same
// rule; and in that the run that was asked for first.
func (t *Table) Admit(ctx context.Context, tx *queue.Tx, places Places) ([]Place, error) {
	l, err := readLine(ctx, tx)
	if err != nil {
		return nil, err
	}
	var admitted []Place
	for {
		run := l.next(func(run inLine) bool { return l.mayBegin(run, places) })
		if run == nil {
			return admitted, nil
		}
		l.take(*run)
		if _, err := tx.Exec(ctx, "UPDATE run SET place = $1 WHERE id = $2", hasPlace, run.id); err != nil {
			return nil, err
		}
		for _, name := range []string{run.account(), run.repo} {
			if _, err := tx.Exec(ctx, "INSERT INTO turn (name, last) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET last = excluded.last", name, l.turn); err != nil {
				return nil, err
			}
		}
		admitted = append(admitted, Place{run.id, run.executor})
	}
}

// Line returns the ids of the runs that wait, and of one that is about to, in the
// order in which they are thought to begin: by turns alone, as nobody knows which
// place is free next. The one is nil where only those that wait are asked for.
func (t *Table) Line(ctx context.Context, one *Run) ([]string, error) {
	l, err := readLine(ctx, t.db)
	if err != nil {
		return nil, err
	}
	if one != nil {
		_, r := l.find(inLine{id: one.ID, repo: one.Repo, installation: one.Installation})
		if !slices.ContainsFunc(r.waiting, func(other inLine) bool { return other.id == one.ID }) {
			r.waiting = append(r.waiting, inLine{id: one.ID, repo: one.Repo, installation: one.Installation})
		}
	}
	l.taken = nil
	for _, a := range l.accounts {
		a.taken = 0
		for _, r := range a.repos {
			r.taken = 0
		}
	}
	var ids []string
	for {
		run := l.next(func(inLine) bool { return true })
		if run == nil {
			return ids, nil
		}
		ids = append(ids, run.id)
	}
}

// inLine is a run that waits for a place or has one.
type inLine struct {
	id, repo, fixtures string
	installation       int64
	executor           settings.Executor
}

// account names the run's installation.
func (r inLine) account() string { return fmt.Sprint(r.installation) }

// line is who waits and who has a place.
type line struct {
	accounts []*account
	taken    []inLine
	// turn is the latest turn that somebody had.
	turn int64
}

// turns are how many places somebody has, and the last turn that he had, 0 if none.
type turns struct {
	name  string
	taken int
	last  int64
}

// compare orders those that wait by whose turn it is.
func (t turns) compare(u turns) int {
	return cmp.Or(cmp.Compare(t.taken, u.taken), cmp.Compare(t.last, u.last))
}

// account is an installation.
type account struct {
	turns
	repos []*repository
}

// repository has its runs that wait, in the order in which they were asked for.
type repository struct {
	turns
	waiting []inLine
}

// find returns the run's installation and repository.
func (l *line) find(run inLine) (*account, *repository) {
	i := slices.IndexFunc(l.accounts, func(a *account) bool { return a.name == run.account() })
	if i < 0 {
		i, l.accounts = len(l.accounts), append(l.accounts, &account{turns: turns{name: run.account()}})
	}
	a := l.accounts[i]
	j := slices.IndexFunc(a.repos, func(r *repository) bool { return r.name == run.repo })
	if j < 0 {
		j, a.repos = len(a.repos), append(a.repos, &repository{turns: turns{name: run.repo}})
	}
	return a, a.repos[j]
}

// take notes that a run has a place.
func (l *line) take(run inLine) {
	a, r := l.find(run)
	a.taken++
	r.taken++
	l.taken = append(l.taken, run)
}

// next takes the run out of the line whose turn it is, of those that may begin; nil
// if there is none.
func (l *line) next(may func(inLine) bool) *inLine {
	var of *account
	var in *repository
	var at int
	for _, a := range l.accounts {
		if of != nil && a.compare(of.turns) >= 0 {
			continue
		}
		if r, i := a.next(may); r != nil {
			of, in, at = a, r, i
		}
	}
	if of == nil {
		return nil
	}
	l.turn++
	of.last, in.last = l.turn, l.turn
	run := in.waiting[at]
	in.waiting = slices.Delete(in.waiting, at, at+1)
	return &run
}

func (a *account) next(may func(inLine) bool) (in *repository, at int) {
	for _, r := range a.repos {
		if in != nil && r.compare(in.turns) >= 0 {
			continue
		}
		if i := slices.IndexFunc(r.waiting, may); i >= 0 {
			in, at = r, i
		}
	}
	return in, at
}

// mayBegin reports whether there is a place for a run.
func (l *line) mayBegin(run inLine, places Places) bool {
	local := 0
	for _, other := range l.taken {
		if other.fixtures == run.fixtures && run.fixtures != "" {
			return false // one run at a time seeds a fixtures repository
		}
		if other.executor == settings.Local {
			local++
		}
	}
	a, _ := l.find(run)
	return a.taken < places.Installation && (run.executor != settings.Local || local < places.Local)
}

// readLine reads who waits and who has a place.
func readLine(ctx context.Context, in querier) (*line, error) {
	l := &line{}
	err := each(ctx, in, "SELECT id, repo, fixtures, installation, executor, place FROM run WHERE place IN ('waits', 'has') ORDER BY seq", func(rows *sql.Rows) error {
		var run inLine
		var place string
		if err := rows.Scan(&run.id, &run.repo, &run.fixtures, &run.installation, &run.executor, &place); err != nil {
			return err
		}
		if place == hasPlace {
			l.take(run)
			return nil
		}
		_, r := l.find(run)
		r.waiting = append(r.waiting, run)
		return nil
	})
	if err != nil {
		return nil, err
	}
	last := map[string]int64{}
	err = each(ctx, in, "SELECT name, last FROM turn", func(rows *sql.Rows) error {
		var name string
		var turn int64
		err := rows.Scan(&name, &turn)
		last[name], l.turn = turn, max(l.turn, turn)
		return err
	})
	for _, a := range l.accounts {
		a.last = last[a.name]
		for _, r := range a.repos {
			r.last = last[r.name]
		}
	}
	return l, err
}

// each reads the rows of a query.
func each(ctx context.Context, in querier, query string, read func(*sql.Rows) error, args ...any) error {
	rows, err := in.Query(ctx, query, args...)
	if err != nil {
		return fault.Infraf("read runs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := read(rows); err != nil {
			return fault.Infraf("read runs: %w", err)
		}
	}
	return fault.Wrap(fault.Infrastructure, rows.Err())
}

// fixtures names the repository that a run needs for itself, empty for none.
func fixtures(p settings.Plan) string {
	if p.Executor != settings.Local || p.Target == settings.SandboxTarget {
		return ""
	}
	return strings.ToLower(p.Target)
}

// runTimes is how many runs the mean time of one is of.
const runTimes = 20

// MeanTime returns how long the latest finished runs on the App's machines took, 0
// if there are none.
func (t *Table) MeanTime(ctx context.Context) (time.Duration, error) {
	var mean float64
	err := t.db.QueryRow(ctx, `SELECT COALESCE(AVG(took), 0) FROM (SELECT ended - started AS took FROM run
		WHERE state = 'finished' AND executor = 'local' ORDER BY ended DESC LIMIT $1) AS latest`, runTimes).Scan(&mean)
	if err != nil {
		return 0, fault.Infraf("read how long runs take: %w", err)
	}
	return time.Duration(mean) * time.Millisecond, nil
}
