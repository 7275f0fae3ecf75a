package service

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	gh "github.com/google/go-github/v60/github"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
)

// The limits of an artifact, in bytes.
const (
	maxArchive = 64 << 20
	maxSummary = 8 << 20
	maxRows    = 256 << 20
	maxRow     = 8 << 20
	// maxFiles is a number of files, known and unknown ones.
	maxFiles = 1000
)

// The files that are read; others do not count.
const (
	summaryFile = "summary.json"
	rowsSuffix  = "-suite.jsonl"
)

// artifactName is that of a run's artifact.
func artifactName(r runs.Run) string { return "bench-" + r.ID }

// findArtifact returns the artifact of a name that a workflow run has of a run, nil if
// there is none.
func findArtifact(ctx context.Context, client *github.Client, r runs.Run, workflowRun int64, name string) (*github.Artifact, error) {
	all, err := github.ArtifactSource{Client: client, Owner: r.Owner(), Name: r.Name(), Run: workflowRun}.List(ctx)
	if github.StatusOf(err) == http.StatusNotFound {
		return nil, nil // the workflow run was deleted
	}
	var found *github.Artifact
	for i, one := range all {
		// Of attempts that were made again, the latest counts.
		if one.Name == name && !one.Expired && (found == nil || one.ID > found.ID) {
			found = &all[i]
		}
	}
	return found, err
}

// download returns the archive of a run's artifact of a name, nil if there is none.
func (e *Dispatcher) download(ctx context.Context, w Work, run *gh.WorkflowRun, name string) ([]byte, error) {
	found, err := findArtifact(ctx, w.Client, w.Run, run.GetID(), name)
	if found == nil {
		return nil, err
	}
	from := github.ArtifactSource{Client: w.Client, Owner: w.Run.Owner(), Name: w.Run.Name(), HTTP: e.HTTP}
	return from.Download(ctx, *found, maxArchive)
}

// result is what an artifact holds.
type result struct {
	// summary is nil where the run ended before its plan.
	summary *bench.Summary
	rows    []row
}

// row is a row as it was written, its cell, how many attempts that took, and what it has
// cost.
type row struct {
	cell     bench.Cell
	line     []byte
	attempts int
	usd      float64
}

// together returns how many cells have a row, in the artifact or among those
// that the run has already, and what they have cost.
func (out result) together(kept [][]byte) (done int, usd float64, err error) {
	seen := map[bench.Cell]bool{}
	for _, one := range out.rows {
		seen[one.cell] = true
		usd += one.usd
	}
	if out.summary != nil {
		usd = max(usd, out.summary.CostUSD)
	}
	for _, line := range kept {
		var row bench.Row
		if err := json.Unmarshal(line, &row); err != nil {
			return 0, 0, fault.Internalf("read a row that was kept: %w", err)
		}
		if !seen[row.Cell()] {
			seen[row.Cell()] = true
			usd += row.SpentUSD()
		}
	}
	return len(seen), usd, nil
}

// keep stores the rows, and tells how far the run is with them.
func (out result) keep(w Work) error {
	for _, row := range out.rows {
		w.Keep(row.cell, row.line)
	}
	done, usd, err := out.together(w.Rows)
	if err != nil {
		return err
	}
	cells := max(w.Run.Request.Plan.Cells(), done)
	if s := out.summary; s != nil && len(s.Missing) == 0 {
		cells = done // it may have been enough before the plan's end
	}
	w.Progress(done, cells, usd)
	return nil
}

// read reads an archive and holds it against the run's plan. Nothing is written
// to a disk, so names lead nowhere. Errors are of kind invalid.
func readArtifact(archive []byte, r runs.Run) (result, error) {
	files, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return result{}, fault.Invalidf("it is no zip archive")
	}
	if len(files.File) > maxFiles {
		return result{}, fault.Invalidf("it has more than %d files", maxFiles)
	}
	var out result
	left, summaries := int64(maxRows), 0
	for _, file := range files.File {
		switch {
		case file.Name == summaryFile:
			summaries++
			out.summary, err = readSummary(file)
		case strings.HasSuffix(file.Name, rowsSuffix) && !strings.ContainsAny(file.Name, `/\`):
			var rows []row
			rows, err = readRows(file, &left, r)
			out.rows = append(out.rows, rows...)
		}
		if err != nil {
			return result{}, err
		}
	}
	if err := once(out.rows); err != nil {
		return result{}, err
	}
	switch {
	case summaries > 1:
		return result{}, fault.Invalidf("it has %d files %s", summaries, summaryFile)
	case out.summary == nil:
		return out, nil
	default:
		return out, fits(*out.summary, out.rows, r)
	}
}

func readSummary(file *zip.File) (*bench.Summary, error) {
	content, err := file.Open()
	if err != nil {
		return nil, fault.Invalidf("%s cannot be unpacked", summaryFile)
	}
	defer content.Close()
	text, err := io.ReadAll(io.LimitReader(content, maxSummary+1))
	if err != nil || len(text) > maxSummary {
		return nil, fault.Invalidf("%s is damaged or larger than %d MiB", summaryFile, maxSummary>>20)
	}
	summary := &bench.Summary{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(summary); err != nil {
		return nil, fault.Invalidf("%s is no summary of this version: %w", summaryFile, err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.Invalidf("%s has something after the summary", summaryFile)
	}
	return summary, nil
}

// readRows reads a ledger, as long as left is not used up.
func readRows(file *zip.File, left *int64, r runs.Run) ([]row, error) {
	content, err := file.Open()
	if err != nil {
		return nil, fault.Invalidf("%s cannot be unpacked", file.Name)
	}
	defer content.Close()
	return readLedger(file.Name, content, left, r)
}

// readLedger reads a ledger by its name, as long as left is not used up.
func readLedger(name string, content io.Reader, left *int64, r runs.Run) ([]row, error) {
	bounded := &io.LimitedReader{R: content, N: *left}
	lines := bufio.NewScanner(bounded)
	lines.Buffer(nil, maxRow)
	var rows []row
	for lines.Scan() {
		one, err := readRow(lines.Bytes(), r)
		if err != nil {
			return nil, fault.Invalidf("line %d of %s: %s", len(rows)+1, name, fault.Public(err))
		}
		if len(rows) >= r.Plan().MostCells() {
			return nil, fault.Invalidf("%s has more rows than the plan has cells", name)
		}
		rows = append(rows, one)
	}
	if lines.Err() != nil || bounded.N == 0 {
		return nil, fault.Invalidf("%s is damaged, or larger than it may be", name)
	}
	*left = bounded.N
	return rows, nil
}

// readRow reads a row and holds it against the plan.
func readRow(line []byte, r runs.Run) (row, error) {
	var read bench.Row
	if err := json.Unmarshal(line, &read); err != nil {
		return row{}, fault.Invalidf("it is no row")
	}
	p, cell, commit := r.Plan(), read.Cell(), r.Head
	switch {
	case cell.Mode == bench.GHXBase, p.OfTasks() && cell.Mode == p.Baseline:
		commit = r.Request.BaseSHA
	case !cell.Mode.Shipped() && !p.OfTasks():
		commit = "" // its file says what its tool is of
	}
	switch {
	case cell.ScenarioID == "" || !p.OfTasks() && !slices.Contains(p.Scenarios, cell.ScenarioID) || !slices.Contains(p.Modes, cell.Mode) || cell.Iteration < 1 || cell.Iteration > p.MostRepetitions():
		return row{}, fault.Invalidf("the plan has no cell %s", cell)
	case commit != "" && (read.Git.Commit == nil || *read.Git.Commit != commit):
		return row{}, fault.Invalidf("it is not of commit %s", commit)
	case read.Model.Key() != p.Model && p.Model != settings.Scripted:
		return row{}, fault.Invalidf("it is of model %s, not of %s", read.Model.Key(), p.Model)
	case read.Simulated != p.AsksNoModel():
		return row{}, fault.Invalidf("whether a model was involved is not as in the plan")
	case read.Cost < 0 || slices.ContainsFunc(read.Attempts, func(a bench.Attempt) bool { return a.Cost < 0 }):
		return row{}, fault.Invalidf("it has a cost below 0")
	}
	return row{cell, slices.Clone(line), max(1, len(read.Attempts)), read.SpentUSD()}, nil
}

// once says which cell has more than one row.
func once(rows []row) error {
	seen := map[bench.Cell]bool{}
	for _, one := range rows {
		if seen[one.cell] {
			return fault.Invalidf("cell %s has two rows", one.cell)
		}
		seen[one.cell] = true
	}
	return nil
}

// fits says what of a summary is not what was asked for, or not of these rows.
func fits(s bench.Summary, all []row, r runs.Run) error {
	p, counted, rows := r.Plan(), 0, len(all)
	if p.OfTasks() {
		p.Scenarios = tasksOf(all)
	}
	for mode, m := range s.Modes {
		if !slices.Contains(p.Modes, mode) {
			return fault.Invalidf("the summary has mode %s, which was not asked for", mode)
		}
		counted += m.Runs
	}
	for _, scenario := range s.Scenarios {
		if !slices.Contains(p.Scenarios, scenario.ID) {
			return fault.Invalidf("the summary has scenario %s, which was not asked for", scenario.ID)
		}
	}
	missing := 0
	for _, m := range s.Missing {
		missing += len(m.Cells)
	}
	switch {
	case s.Gate.Profile != p.Profile || s.Gate.Baseline != p.Baseline || s.Gate.Candidate != p.Candidate:
		return fault.Invalidf("the summary judges %s against %s by %s, which was not asked for", s.Gate.Candidate, s.Gate.Baseline, s.Gate.Profile)
	case p.OfTasks() && s.Evidence == nil:
		return fault.Invalidf("the summary has no evidence, which was asked for: pass gate-profile on in the workflow, as that of `bench init --app` does")
	case s.Evidence != nil && marginsOf(s.Evidence.Margins) != p.Margins:
		return fault.Invalidf("the summary has other margins than those that were asked for: pass them on in the workflow, as that of `bench init --app` does")
	case s.CostUSD < 0:
		return fault.Invalidf("the summary has a cost below 0")
	case s.Simulated != p.AsksNoModel():
		return fault.Invalidf("the summary does not say what the plan does of whether a model was involved")
	case counted != rows:
		return fault.Invalidf("the summary is of %d rows, and there are %d", counted, rows)
	case !fitsPlan(rows+missing, p):
		return fault.Invalidf("there are %d rows, and the plan has %d cells", rows, p.Cells())
	default:
		return nil
	}
}

// tasksOf are the tasks that rows are of: those of a benchmark that brings its own.
func tasksOf(all []row) []string {
	ids := map[string]bool{}
	for _, one := range all {
		ids[one.cell.ScenarioID] = true
	}
	return slices.Sorted(maps.Keys(ids))
}

func marginsOf(m bench.Margins) settings.Margins {
	return settings.Margins{Success: m.SuccessDropPct, Cost: m.CostRatio, Latency: m.LatencyRatio}
}

// fitsPlan reports whether a plan leads to so many cells: all of them, and where
// evidence decides it may have been enough earlier, or blocks have taken the
// place of void ones.
func fitsPlan(cells int, p settings.Plan) bool {
	if !p.Profile.ByEvidence() {
		return cells == p.Cells()
	}
	least := len(p.Scenarios) * len(p.Modes) * p.Repetitions.First
	return least <= cells && cells <= p.MostCells()
}
