package runs

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// shown is what lists show of a run's request, which is larger.
type shown struct {
	Asked string       `json:"asked,omitempty"`
	Set   string       `json:"set,omitempty"`
	Modes []bench.Mode `json:"modes,omitempty"`
}

// listed returns what of a request is stored for lists: the kind of run, the model and
// the rest, as JSON.
func listed(r Request) (kind dashboard.Kind, model, rest string, err error) {
	text, err := json.Marshal(shown{r.Asked, setOf(r.Plan), r.Plan.Modes})
	if err != nil {
		return "", "", "", fault.Internalf("store run: %w", err)
	}
	switch {
	case r.DefaultBranch:
		kind = dashboard.Baseline
	case strings.HasPrefix(r.Asked, "/bench"):
		kind = dashboard.Command
	case r.Asked == mergeQueue:
		kind = dashboard.MergeQueue
	default:
		kind = dashboard.PullRequest
	}
	return kind, r.Plan.Model, string(text), nil
}

// mergeQueue is who asks for runs of a merge queue's groups.
const mergeQueue = "merge queue"

// setOf names the scenarios of a plan, or the benchmark that brings its own tasks.
func setOf(p settings.Plan) string {
	if p.OfTasks() {
		return p.Benchmark
	}
	if p.Set != "" {
		return p.Set
	}
	return strings.Join(p.Scenarios, ", ")
}

// noteModel notes, for the choice of models, that a repository has runs of one.
func noteModel(ctx context.Context, tx *queue.Tx, repo, model string) error {
	_, err := tx.Exec(ctx, "INSERT INTO run_model (repo, model) VALUES ($1, $2) ON CONFLICT DO NOTHING", repoKey(repo), model)
	return err
}

// repoKey is a repository's name as it is compared.
func repoKey(repo string) string { return strings.ToLower(repo) }

// listBatch is how many runs of a release before are brought up to date at a time.
const listBatch = 500

// listOlder stores, for runs of a release before, what lists show.
func (t *Table) listOlder(ctx context.Context) error {
	for {
		found, err := find(ctx, t.db, "model IS NULL ORDER BY seq LIMIT $1", listBatch)
		if err != nil || len(found) == 0 {
			return err
		}
		err = t.db.Write(ctx, func(tx *queue.Tx) error {
			for _, r := range found {
				kind, model, rest, err := listed(r.Request)
				if err == nil {
					_, err = tx.Exec(ctx, "UPDATE run SET repo_key = $1, kind = $2, model = $3, shown = $4 WHERE id = $5", repoKey(r.Repo), string(kind), model, rest, r.ID)
				}
				if err == nil {
					err = noteModel(ctx, tx, r.Repo, model)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// listColumns are those that lists show.
const listColumns = "id, repo, pull, head, state, kind, model, shown, check_url, created, started, ended, done, cells, cost, verdict, simulated"

// args collects the parameters of a query.
type args []any

// add returns the parameter of a value.
func (a *args) add(value any) string {
	*a = append(*a, value)
	return fmt.Sprintf("$%d", len(*a))
}

// in returns the parameters of repositories, with commas between them.
func (a *args) in(repos []string) string {
	names := make([]string, len(repos))
	for i, repo := range repos {
		names[i] = a.add(repoKey(repo))
	}
	return strings.Join(names, ", ")
}

// listQuery returns the query of the runs that a filter asks for.
func listQuery(f dashboard.Filter) (query string, values []any) {
	var a args
	may := "repo_key IN (" + a.in(f.Repos) + ")"
	var common string
	// The index of states is of those of all repositories, which are too many.
	for _, is := range []struct{ column, value string }{{"state || ''", string(f.State)}, {"verdict", string(f.Verdict)}, {"kind", string(f.Kind)}, {"model", f.Model}} {
		if is.value != "" {
			common += " AND " + is.column + " = " + a.add(is.value)
		}
	}
	if f.Before != "" {
		// Whether there is a run that nobody here may see is not told.
		common += " AND seq < (SELECT seq FROM run WHERE id = " + a.add(f.Before) + " AND " + may + ")"
	}
	limit := a.add(f.Limit)
	var parts []string
	for i, where := range wanted(&a, f, may) {
		parts = append(parts, fmt.Sprintf("SELECT seq FROM (SELECT seq FROM run WHERE %s%s ORDER BY seq DESC LIMIT %s) AS part%d", where, common, limit, i))
	}
	if len(parts) == 0 {
		return "", nil
	}
	return "SELECT " + listColumns + " FROM run WHERE seq IN (" + strings.Join(parts, " UNION ") + ") ORDER BY seq DESC LIMIT " + limit, a
}

// wanted returns conditions of which one holds for what is searched for. An index serves
// each.
func wanted(a *args, f dashboard.Filter, may string) []string {
	if f.Search.Empty() {
		return []string{may}
	}
	var all []string
	if len(f.Search.Repos) > 0 {
		all = append(all, may+" AND repo_key IN ("+a.in(f.Search.Repos)+")")
	}
	if f.Search.Pull > 0 {
		all = append(all, may+" AND pull = "+a.add(f.Search.Pull))
	}
	for _, is := range []struct{ column, prefix string }{{"head", f.Search.Commit}, {"id", f.Search.ID}} {
		if is.prefix != "" {
			// Commits and ids are of digits and small letters, in whatever order a database
			// sorts the rest. Few are found, so no index of repositories is to be used.
			all = append(all, strings.Replace(may, "repo_key", "repo_key || ''", 1)+" AND "+is.column+" >= "+a.add(is.prefix)+" AND "+is.column+" < "+a.add(is.prefix+"zzzzzzzz"))
		}
	}
	return all
}

// Runs lists runs, the newest first.
func (s Source) Runs(ctx context.Context, f dashboard.Filter) ([]dashboard.Run, error) {
	if len(f.Repos) == 0 {
		return nil, nil
	}
	query, values := listQuery(f)
	if query == "" {
		return nil, nil
	}
	return s.list(ctx, query, values)
}

func (s Source) list(ctx context.Context, query string, values []any) ([]dashboard.Run, error) {
	rows, err := s.Table.db.Query(ctx, query, values...)
	if err != nil {
		return nil, fault.Infraf("list runs: %w", err)
	}
	defer rows.Close()
	var all []dashboard.Run
	for rows.Next() {
		run, err := scanListed(rows)
		if err != nil {
			return nil, fault.Infraf("list runs: %w", err)
		}
		all = append(all, run)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}

func scanListed(row *sql.Rows) (dashboard.Run, error) {
	var r dashboard.Run
	var rest string
	var created, started, ended, simulated int64
	err := row.Scan(&r.ID, &r.Repo, &r.Pull, &r.Commit, &r.State, &r.Kind, &r.Model, &rest, &r.CheckURL, &created, &started, &ended,
		&r.Done, &r.Cells, &r.CostUSD, &r.Verdict, &simulated)
	if err != nil {
		return r, err
	}
	var more shown
	if err := json.Unmarshal([]byte(rest), &more); err != nil {
		return r, err
	}
	r.Asked, r.Set, r.Modes = more.Asked, more.Set, more.Modes
	r.Created, r.Started, r.Ended = moment(created), moment(started), moment(ended)
	r.Simulated = simulated != 0 || r.Model == settings.Scripted
	return r, nil
}

// Models returns those that runs of repositories were of.
func (s Source) Models(ctx context.Context, repos []string) ([]string, error) {
	if len(repos) == 0 {
		return nil, nil
	}
	var a args
	rows, err := s.Table.db.Query(ctx, "SELECT DISTINCT model FROM run_model WHERE repo IN ("+a.in(repos)+") AND model <> '' ORDER BY model", a...)
	if err != nil {
		return nil, fault.Infraf("list models: %w", err)
	}
	defer rows.Close()
	var all []string
	for rows.Next() {
		var model string
		if err := rows.Scan(&model); err != nil {
			return nil, fault.Infraf("list models: %w", err)
		}
		all = append(all, model)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}

// latestQuery returns the query of the runs that tell how repositories are: the latest
// one, the latest with a verdict, and the latest of the default branch.
func latestQuery(repos []string) (query string, values []any) {
	var a args
	var names []string
	for _, repo := range repos {
		names = append(names, "("+a.add(repoKey(repo))+")")
	}
	latest := func(where string) string {
		return "SELECT (SELECT seq FROM run WHERE repo_key = l.column1" + where + " ORDER BY seq DESC LIMIT 1) AS seq FROM l"
	}
	return "WITH l AS (SELECT * FROM (VALUES " + strings.Join(names, ", ") + ") AS v) SELECT " + listColumns + " FROM run WHERE seq IN (" +
		latest("") + " UNION " + latest(" AND verdict <> ''") + " UNION " + latest(" AND kind = '"+string(dashboard.Baseline)+"'") + ") ORDER BY seq DESC", a
}

// Latest returns, of each repository, the latest run, the latest one with a verdict, and
// the latest one of the default branch, the newest first; one may be all of that.
func (s Source) Latest(ctx context.Context, repos []string) ([]dashboard.Run, error) {
	if len(repos) == 0 {
		return nil, nil
	}
	query, values := latestQuery(repos)
	return s.list(ctx, query, values)
}
