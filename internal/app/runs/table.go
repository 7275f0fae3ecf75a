package runs

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// Table reads and writes runs. It is safe for concurrent use.
type Table struct {
	db *queue.DB
}

// ErrNone is the error of a run that does not exist.
var ErrNone = errors.New("there is no such run")

// ErrOver is the error of what is done for a run that has ended.
var ErrOver = fault.Infraf("the run has ended")

// Open returns the runs of a database and makes their tables.
func Open(ctx context.Context, db *queue.DB) (*Table, error) {
	t := &Table{db: db}
	if err := db.Migrate(ctx, schema()); err != nil {
		return t, err
	}
	if err := t.listOlder(ctx); err != nil {
		return t, err
	}
	if err := t.addOlderPoints(ctx); err != nil {
		return t, err
	}
	return t, t.freeFixtures(ctx)
}

func schema() queue.Schema {
	return queue.Schema{Name: "runs", Steps: []string{`
		CREATE TABLE run (
			seq {id},
			id TEXT NOT NULL UNIQUE,
			cause TEXT NOT NULL UNIQUE,
			installation BIGINT NOT NULL,
			repo TEXT NOT NULL,
			pull BIGINT NOT NULL,
			head TEXT NOT NULL,
			suite TEXT NOT NULL,
			state TEXT NOT NULL,
			request TEXT NOT NULL,
			check_id BIGINT NOT NULL DEFAULT 0,
			check_url TEXT NOT NULL DEFAULT '',
			created BIGINT NOT NULL,
			started BIGINT NOT NULL DEFAULT 0,
			ended BIGINT NOT NULL DEFAULT 0,
			done BIGINT NOT NULL DEFAULT 0,
			cells BIGINT NOT NULL DEFAULT 0,
			cost DOUBLE PRECISION NOT NULL DEFAULT 0,
			verdict TEXT NOT NULL DEFAULT '',
			simulated BIGINT NOT NULL DEFAULT 0,
			workflow_run BIGINT NOT NULL DEFAULT 0,
			told BIGINT NOT NULL DEFAULT 0,
			outcome {bytes}
		);
		CREATE INDEX run_subject ON run (repo, pull, suite);
		CREATE INDEX run_state ON run (state, told);
		CREATE TABLE run_row (
			run TEXT NOT NULL,
			cell TEXT NOT NULL,
			row {bytes} NOT NULL,
			PRIMARY KEY (run, cell)
		);
		CREATE TABLE approval (
			repo TEXT NOT NULL,
			pull BIGINT NOT NULL,
			head TEXT NOT NULL,
			login TEXT NOT NULL,
			given BIGINT NOT NULL,
			PRIMARY KEY (repo, pull, head)
		);
		CREATE TABLE seen (
			repo TEXT NOT NULL,
			pull BIGINT NOT NULL,
			head TEXT NOT NULL,
			pushed BIGINT NOT NULL,
			PRIMARY KEY (repo, pull, head)
		);
		CREATE TABLE said (cause TEXT PRIMARY KEY);
	`, `
		CREATE TABLE fixture (
			repo TEXT NOT NULL,
			seed TEXT NOT NULL,
			installation BIGINT NOT NULL,
			run TEXT NOT NULL,
			noted BIGINT NOT NULL,
			holder TEXT NOT NULL,
			until BIGINT NOT NULL,
			PRIMARY KEY (repo, seed)
		);
		CREATE TABLE fixture_repo (repo TEXT PRIMARY KEY);
		ALTER TABLE said ADD COLUMN dated BIGINT NOT NULL DEFAULT 0;
		CREATE INDEX said_dated ON said (dated);
		CREATE INDEX seen_pushed ON seen (pushed);
		CREATE INDEX run_ended ON run (ended);
	`, `
		CREATE TABLE answer (
			cause TEXT PRIMARY KEY,
			reaction TEXT NOT NULL,
			body TEXT NOT NULL,
			outcome TEXT NOT NULL,
			given BIGINT NOT NULL
		);
		CREATE INDEX answer_given ON answer (given);
	`, `
		ALTER TABLE run ADD COLUMN workflow_asks BIGINT NOT NULL DEFAULT 0;
		ALTER TABLE run ADD COLUMN workflow_asked BIGINT NOT NULL DEFAULT 0;
		UPDATE run SET workflow_asks = 1, workflow_asked = started WHERE workflow_run <> 0;
		ALTER TABLE run_row ADD COLUMN taken_usd DOUBLE PRECISION;
	`, `
		CREATE INDEX run_about ON run ((repo || '#' || CASE WHEN pull > 0 THEN CAST(pull AS TEXT) ELSE head END || ' ' || suite), seq);
		CREATE INDEX run_check ON run (check_id, seq);
		CREATE TABLE claim (name TEXT PRIMARY KEY, dated BIGINT NOT NULL DEFAULT 0);
		CREATE TABLE run_lock (name TEXT PRIMARY KEY);
		INSERT INTO claim (name, dated) SELECT cause, dated FROM said WHERE cause NOT LIKE 'lock %';
		INSERT INTO run_lock (name) SELECT SUBSTR(cause, 6) FROM said WHERE cause LIKE 'lock %';
		DROP TABLE said;
		CREATE INDEX claim_dated ON claim (dated);
	`, `
		ALTER TABLE run ADD COLUMN executor TEXT NOT NULL DEFAULT 'local';
		ALTER TABLE run ADD COLUMN fixtures TEXT NOT NULL DEFAULT '';
		ALTER TABLE run ADD COLUMN place TEXT NOT NULL DEFAULT '';
		UPDATE run SET place = 'has' WHERE state IN ('queued', 'running');
		CREATE INDEX run_place ON run (place, seq);
		CREATE INDEX run_time ON run (executor, state, ended);
		CREATE TABLE turn (name TEXT PRIMARY KEY, last BIGINT NOT NULL);
		CREATE TABLE run_point (
			run TEXT PRIMARY KEY,
			repo TEXT NOT NULL,
			series TEXT NOT NULL,
			ended BIGINT NOT NULL,
			point TEXT NOT NULL
		);
		CREATE INDEX run_point_series ON run_point (repo, series, ended);
		ALTER TABLE run ADD COLUMN point_due BIGINT NOT NULL DEFAULT 0;
		UPDATE run SET point_due = 1 WHERE state = 'finished';
		CREATE TABLE schedule (
			repo TEXT PRIMARY KEY,
			installation BIGINT NOT NULL,
			owner TEXT NOT NULL,
			name TEXT NOT NULL,
			branch TEXT NOT NULL,
			period BIGINT NOT NULL,
			due BIGINT NOT NULL
		);
	`, `
		CREATE TABLE run_block (
			run TEXT NOT NULL,
			position BIGINT NOT NULL,
			cells TEXT NOT NULL,
			part TEXT NOT NULL DEFAULT '',
			finished BIGINT NOT NULL DEFAULT 0,
			PRIMARY KEY (run, position)
		);
		CREATE TABLE run_part (
			run TEXT NOT NULL,
			part TEXT NOT NULL,
			asked BIGINT NOT NULL DEFAULT 0,
			unrecorded_usd DOUBLE PRECISION NOT NULL DEFAULT 0,
			PRIMARY KEY (run, part)
		);
	`, `
		CREATE TABLE run_transcript (
			run TEXT NOT NULL,
			cell TEXT NOT NULL,
			size BIGINT NOT NULL,
			transcript {bytes} NOT NULL,
			PRIMARY KEY (run, cell)
		);
		ALTER TABLE run ADD COLUMN repo_key TEXT NOT NULL DEFAULT '';
		ALTER TABLE run ADD COLUMN kind TEXT NOT NULL DEFAULT '';
		ALTER TABLE run ADD COLUMN model TEXT;
		ALTER TABLE run ADD COLUMN shown TEXT NOT NULL DEFAULT '{}';
		CREATE INDEX run_list ON run (repo_key, seq, state, verdict, kind, model);
		CREATE INDEX run_kind ON run (repo_key, kind, seq);
		CREATE INDEX run_pull ON run (repo_key, pull, seq);
		CREATE INDEX run_head ON run (head);
		CREATE INDEX run_unlisted ON run (seq) WHERE model IS NULL;
		CREATE TABLE run_model (repo TEXT NOT NULL, model TEXT NOT NULL, PRIMARY KEY (repo, model));
	`, `
		ALTER TABLE run ADD COLUMN begun {bytes};
	`}}
}

const columns = `id, cause, installation, repo, pull, head, suite, state, request, check_id, check_url,
	created, started, ended, done, cells, cost, verdict, simulated, workflow_run, workflow_asks, workflow_asked, told, place`

// Create stores a new run with the transaction. It reports false if there is
// one with the same cause.
func (t *Table) Create(ctx context.Context, tx *queue.Tx, r Run) (bool, error) {
	request, err := json.Marshal(r.Request)
	if err != nil {
		return false, fault.Internalf("store run: %w", err)
	}
	kind, model, rest, err := listed(r.Request)
	if err != nil {
		return false, err
	}
	count, err := tx.Exec(ctx, `INSERT INTO run (id, cause, installation, repo, pull, head, suite, state, request, created, cells, executor, fixtures, repo_key, kind, model, shown)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) ON CONFLICT DO NOTHING`,
		r.ID, r.Cause, r.Installation, r.Repo, r.Pull, r.Head, r.Suite, string(r.State), string(request), r.Created.UnixMilli(), r.Cells,
		string(r.Request.Plan.Executor), fixtures(r.Request.Plan), repoKey(r.Repo), string(kind), model, rest)
	if err != nil || count == 0 {
		return false, err
	}
	return true, noteModel(ctx, tx, r.Repo, model)
}

// Get returns a run; the error is [ErrNone] if there is none.
func (t *Table) Get(ctx context.Context, id string) (Run, error) { return t.one(ctx, "id = $1", id) }

// ByCause returns the run of a cause.
func (t *Table) ByCause(ctx context.Context, cause string) (Run, error) {
	return t.one(ctx, "cause = $1", cause)
}

// ByCheck returns the latest run that a check run shows.
func (t *Table) ByCheck(ctx context.Context, checkID int64) (Run, error) {
	return t.one(ctx, ofCheck, checkID)
}

// Latest returns the latest run of a subject, skipped ones aside.
func (t *Table) Latest(ctx context.Context, subject string) (Run, error) {
	return t.one(ctx, ofSubject+" AND state <> 'skipped'", subject)
}

// LatestOf returns the latest run of a commit.
func (t *Table) LatestOf(ctx context.Context, repo, head, suite string) (Run, error) {
	return t.one(ctx, "repo = $1 AND head = $2 AND suite = $3", repo, head, suite)
}

// OfHead returns the runs of a commit, skipped ones aside, the latest first.
func (t *Table) OfHead(ctx context.Context, repo, head, suite string) ([]Run, error) {
	return find(ctx, t.db, "repo = $1 AND head = $2 AND suite = $3 AND state <> 'skipped' ORDER BY seq DESC", repo, head, suite)
}

// LatestOfHead returns the latest run of a commit, whatever its suite.
func (t *Table) LatestOfHead(ctx context.Context, repo, head string) (Run, error) {
	return t.one(ctx, "repo = $1 AND head = $2", repo, head)
}

// Conditions that an index serves. The one of the subject, which is [Subject]
// of a row, has to be written as in the index.
const (
	ofSubject = `(repo || '#' || CASE WHEN pull > 0 THEN CAST(pull AS TEXT) ELSE head END || ' ' || suite) = $1`
	ofCheck   = "check_id = $1"
)

// latest picks the latest run of those for which a condition holds.
const latest = " ORDER BY seq DESC LIMIT 1"

// Subject names what only one run at a time is about: a pull request and a
// check's name, or a commit where there is no pull request.
func Subject(repo string, pull int, head, suite string) string {
	about := head
	if pull > 0 {
		about = fmt.Sprint(pull)
	}
	return repo + "#" + about + " " + suite
}

// one returns the latest run for which a condition holds.
func (t *Table) one(ctx context.Context, where string, args ...any) (Run, error) {
	found, err := find(ctx, t.db, where+latest, args...)
	if err == nil && len(found) == 0 {
		return Run{}, ErrNone
	}
	if err != nil {
		return Run{}, err
	}
	return found[0], nil
}

// querier is a database, or a transaction of it.
type querier = queue.Querier

const selectRuns = "SELECT " + columns + " FROM run WHERE "

// find returns the runs for which a condition holds.
func find(ctx context.Context, in querier, where string, args ...any) ([]Run, error) {
	rows, err := in.Query(ctx, selectRuns+where, args...)
	if err != nil {
		return nil, fault.Infraf("read runs: %w", err)
	}
	defer rows.Close()
	var found []Run
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, fault.Infraf("read runs: %w", err)
		}
		found = append(found, r)
	}
	return found, fault.Wrap(fault.Infrastructure, rows.Err())
}

func scan(row *sql.Rows) (Run, error) {
	var r Run
	var request, place string
	var created, started, ended, simulated, asked, told int64
	err := row.Scan(&r.ID, &r.Cause, &r.Installation, &r.Repo, &r.Pull, &r.Head, &r.Suite, &r.State, &request, &r.CheckID, &r.CheckURL,
		&created, &started, &ended, &r.Done, &r.Cells, &r.CostUSD, &r.Verdict, &simulated, &r.WorkflowRun, &r.WorkflowAsks, &asked, &told, &place)
	if err != nil {
		return Run{}, err
	}
	r.Created, r.Started, r.Ended, r.WorkflowAsked = moment(created), moment(started), moment(ended), moment(asked)
	r.Simulated, r.Published, r.HasPlace = simulated != 0, told != 0, place == hasPlace
	return r, json.Unmarshal([]byte(request), &r.Request)
}

func moment(milliseconds int64) time.Time {
	if milliseconds == 0 {
		return time.Time{}
	}
	return time.UnixMilli(milliseconds).UTC()
}

// pack compresses a value; unpack takes what pack made.
func pack(value any) ([]byte, error) {
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	if err := json.NewEncoder(zip).Encode(value); err != nil {
		return nil, fault.Internalf("store outcome: %w", err)
	}
	if err := zip.Close(); err != nil {
		return nil, fault.Internalf("store outcome: %w", err)
	}
	return out.Bytes(), nil
}

func unpack(data []byte, into any) error {
	zip, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fault.Internalf("read outcome: %w", err)
	}
	text, err := io.ReadAll(zip)
	if err != nil {
		return fault.Internalf("read outcome: %w", err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fault.Internalf("read outcome: %w", err)
	}
	return nil
}
