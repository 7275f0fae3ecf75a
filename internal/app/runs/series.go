package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// series names what a run may be compared with others in; it is empty for a run that
// was asked for otherwise than the settings say.
func series(r Run) string {
	if strings.HasSuffix(r.Suite, comment.PartialSuffix) {
		return ""
	}
	p := r.Request.Plan
	if p.OfTasks() {
		return fmt.Sprintf("%s · %s (%s) · head against base · %s", p.Model, p.Benchmark, p.Experiment, p.Profile)
	}
	set := p.Set
	if set == "" {
		set = strings.Join(slices.Sorted(slices.Values(p.Scenarios)), ", ")
	}
	return fmt.Sprintf("%s · %s · %s against %s · %s", p.Model, set, p.Candidate, p.Baseline, p.Profile)
}

// addPoint stores a judged run as a point of its series.
func (t *Table) addPoint(ctx context.Context, tx *queue.Tx, r Run, summary bench.Summary) error {
	name := series(r)
	if name == "" {
		return nil
	}
	data, err := json.Marshal(point(r, summary))
	if err != nil {
		return fault.Internalf("store a point: %w", err)
	}
	_, err = tx.Exec(ctx, "INSERT INTO run_point (run, repo, series, ended, point) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
		r.ID, strings.ToLower(r.Repo), name, r.Ended.UnixMilli(), string(data))
	return err
}

// point is what charts show of a run.
func point(r Run, summary bench.Summary) dashboard.Point {
	p := dashboard.Point{
		RunID: r.ID, At: r.Ended, Commit: r.Head, Pull: r.Pull, DefaultBranch: r.Request.DefaultBranch, Verdict: summary.Gate.Verdict,
		Simulated: summary.Simulated, CostUSD: r.CostUSD, Limits: map[bench.CheckName]dashboard.Limits{},
	}
	if e := summary.Gate.Efficiency; e != nil {
		p.TotalPct = e.TokensTotalReductionPct
	}
	for _, c := range summary.Gate.Checks {
		switch c.Name {
		case bench.CheckTokensReduction:
			p.TokensPct = &c.Value
		case bench.CheckLatencyReduction:
			p.LatencyPct = &c.Value
		case bench.CheckToolCallReduction:
			p.CallsPct = &c.Value
		case bench.CheckSuccessRate:
			p.SuccessPP = &c.Value
		default: // the others have no course of their own
			continue
		}
		limits := dashboard.Limits{Threshold: &c.Threshold}
		if c.Interval != nil {
			limits.Low, limits.High = &c.Interval[0], &c.Interval[1]
		}
		p.Limits[c.Name] = limits
	}
	return p
}

// olderPoints is how many runs of a release before, which stored no points, get theirs.
const olderPoints = 2000

// addOlderPoints stores points of runs that ended before there were any.
func (t *Table) addOlderPoints(ctx context.Context) error {
	found, err := find(ctx, t.db, "state = 'finished' AND point_due = 1 ORDER BY ended DESC LIMIT $1", olderPoints)
	if err != nil || len(found) == 0 {
		return err
	}
	return t.db.Write(ctx, func(tx *queue.Tx) error {
		for _, r := range found {
			o, err := t.Outcome(ctx, r.ID)
			if err != nil {
				return err
			}
			if o.Summary != nil {
				if err := t.addPoint(ctx, tx, r, *o.Summary); err != nil {
					return err
				}
			}
		}
		_, err := tx.Exec(ctx, "UPDATE run SET point_due = 0 WHERE point_due = 1")
		return err
	})
}

// Series returns what a repository's runs may be compared in, the one with the latest
// run first.
func (s Source) Series(ctx context.Context, repo string) ([]dashboard.Series, error) {
	rows, err := s.Table.db.Query(ctx, "SELECT series, count(*), MAX(ended) FROM run_point WHERE repo = $1 GROUP BY series ORDER BY 3 DESC, 1", strings.ToLower(repo))
	if err != nil {
		return nil, fault.Infraf("read series: %w", err)
	}
	defer rows.Close()
	var all []dashboard.Series
	for rows.Next() {
		var one dashboard.Series
		var last int64
		if err := rows.Scan(&one.Name, &one.Runs, &last); err != nil {
			return nil, fault.Infraf("read series: %w", err)
		}
		one.Last = moment(last)
		all = append(all, one)
	}
	return all, fault.Wrap(fault.Infrastructure, rows.Err())
}

// Course returns the last judged runs of a series, the oldest first.
func (s Source) Course(ctx context.Context, repo, series string, limit int) ([]dashboard.Point, error) {
	rows, err := s.Table.db.Query(ctx, "SELECT point FROM run_point WHERE repo = $1 AND series = $2 ORDER BY ended DESC LIMIT $3", strings.ToLower(repo), series, limit)
	if err != nil {
		return nil, fault.Infraf("read a series: %w", err)
	}
	defer rows.Close()
	var course []dashboard.Point
	for rows.Next() {
		var text []byte
		var p dashboard.Point
		if err := rows.Scan(&text); err != nil {
			return nil, fault.Infraf("read a series: %w", err)
		}
		if err := json.Unmarshal(text, &p); err != nil {
			return nil, fault.Internalf("read a series: %w", err)
		}
		course = append(course, p)
	}
	slices.Reverse(course)
	return course, fault.Wrap(fault.Infrastructure, rows.Err())
}
