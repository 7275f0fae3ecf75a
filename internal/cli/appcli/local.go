package appcli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	shellquote "github.com/kballard/go-shellquote"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/cli/ghxbuild"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/github"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// local runs benchmarks in this process, as `bench verify` does.
type local struct {
	// dir has a folder for each repository, and in it one for each run.
	dir      string
	settings settings.LocalRuns
	// keep is how long the folders of runs are kept.
	keep    time.Duration
	apiURL  string
	getenv  func(string) string
	now     func() time.Time
	random  func() string
	secrets *redact.Redactor
	// fixtures returns the variables with which the App's tokens for a fixtures
	// repository are made.
	fixtures func(ctx context.Context, r runs.Run) (map[string]string, error)
	seedings *seedings
	builds   *builds
	// reaches is held by the benchmark that reaches the operator's addresses: what it
	// does there is not kept from another one.
	reaches chan struct{}
}

// keyVariable is where the engine finds the key of the models' APIs.
const keyVariable = "BENCH_MODEL_API_KEY"

// Execute runs the benchmark of a run. Rows that are there already, here or in
// w, are not run again.
func (l *local) Execute(ctx context.Context, w service.Work) (runs.Outcome, error) {
	p := w.Run.Request.Plan
	if err := l.allows(w.Run); err != nil {
		return runs.Outcome{}, err
	}
	if err := checkExpectations(l.settings.Expectations); err != nil {
		return runs.Outcome{}, err
	}
	if p.OfTasks() {
		return l.compareAgents(ctx, w)
	}
	rows, err := l.rows(w)
	if err != nil {
		return runs.Outcome{}, err
	}
	l.tidy(w.Run.ID)
	env, err := l.environment(ctx, w.Run)
	if err != nil {
		return runs.Outcome{}, err
	}
	log, logged := newLog(l.secrets, l.dir)
	ghx, err := l.builds.build(ctx, w, log)
	defer ghx.remove()
	if err != nil {
		return runs.Outcome{Log: logged()}, err
	}
	leave, err := l.seedings.hold(ctx, w.Run, seedOf(w.Run, rows), log)
	if err != nil {
		return runs.Outcome{Log: logged()}, err
	}
	var found *bench.SurfaceChange
	tell := w.Surface
	w.Surface = func(c *bench.SurfaceChange) {
		found = c
		tell(c)
	}
	result, err := l.run(ctx, w, l.folder(w.Run), rows, env, log, ghx, false)
	leave()
	outcome := runs.Outcome{Summary: result.Summary, Surface: found, Log: logged()}
	if err == nil && result.Summary != nil {
		// One may not have been stored when it came.
		if err := l.shareAll(w); err != nil {
			return outcome, err
		}
		done := 0 // it may have been enough before the plan's end
		for _, mode := range result.Summary.Modes {
			done += mode.Runs
		}
		w.Progress(done, done, result.Summary.CostUSD)
	}
	switch {
	case result.Stopped == bench.MissingBudget:
		outcome.Reason = spentText(p)
		return outcome, nil
	case err != nil:
		return outcome, err
	case result.Summary == nil:
		return outcome, fault.Infraf("the run ended without a summary")
	default:
		return outcome, nil
	}
}

// spentText says why a run was stopped that has no money left.
func spentText(p settings.Plan) string {
	return fmt.Sprintf("It has spent the %s USD that it may.", bench.USDText(p.MaxUSD))
}

// Help runs cells of a run that another worker leads, which may be one of this machine.
func (l *local) Help(ctx context.Context, w service.Work) error {
	if err := l.allows(w.Run); err != nil {
		return err
	}
	folder := filepath.Join(l.folder(w.Run), w.Run.ID+helped)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fault.Infraf("make a folder: %w", err)
	}
	folder, err := os.MkdirTemp(folder, "")
	if err != nil {
		return fault.Infraf("make a folder: %w", err)
	}
	env, err := l.environment(ctx, w.Run)
	if err != nil {
		return err
	}
	log, logged := newLog(l.secrets, l.dir)
	ghx, err := l.builds.build(ctx, w, log)
	defer ghx.remove()
	if err == nil {
		_, err = l.run(ctx, w, folder, nil, env, log, ghx, true)
	}
	if end := logged(); err != nil && end != "" {
		return fmt.Errorf("%w; its log ends: %s", err, end)
	}
	return err
}

// helped ends the name of the folder of what was done for a run that others lead.
const helped = "-helped"

// environment returns the variables that a run has besides our own.
func (l *local) environment(ctx context.Context, r runs.Run) (map[string]string, error) {
	env := map[string]string{}
	if r.Request.Plan.Target != settings.SandboxTarget {
		var err error
		if env, err = l.fixtures(ctx, r); err != nil {
			return nil, err
		}
	}
	env[keyVariable] = l.settings.ModelKey
	return env, nil
}

// run runs a run, or helps with one, with its files in a folder, and stores each row as
// soon as the ledger has it.
func (l *local) run(ctx context.Context, w service.Work, folder string, rows []bench.Row, env map[string]string, log io.Writer, ghx *measured, helps bool) (benchcli.Result, error) {
	args := l.arguments(w.Run, folder, ghx, rows)
	fmt.Fprintln(log, "$ bench "+shellquote.Join(args...))
	return benchcli.World{
		Stdout: log, Stderr: log, Now: l.now, Random: l.random, Secrets: l.secrets, RunID: w.Run.ID, Rows: rows, Continues: begunBefore(w.Before),
		// Others are of a pull request, or of a group of them.
		Aside:   !w.Run.Request.DefaultBranch,
		Getenv:  func(name string) string { return cmp.Or(env[name], l.getenv(name)) },
		Surface: w.Surface, Shared: w.Shared, Helps: helps,
		Observe: func(e runner.Event) {
			if e.Kind == runner.EventRow {
				l.share(w, e.Row)
				l.shareTranscript(w, folder, e.Row)
				w.Progress(e.Done, e.Total, e.CostUSD)
			}
		},
	}.Run(ctx, args...)
}

// Abandon has the fixtures removed that a run has left behind which was ended
// while nobody ran it. Who runs a benchmark sees that it was ended.
func (l *local) Abandon(ctx context.Context, _ runs.Run, _ *github.Client) error {
	return l.seedings.look(ctx)
}

// allows says whether a run may be done on this machine.
func (l *local) allows(r runs.Run) error {
	mine := func(owner string) bool { return strings.EqualFold(owner, r.Owner()) }
	switch {
	case len(l.settings.Owners) > 0 && !slices.ContainsFunc(l.settings.Owners, mine):
		return fault.Invalidf("Repositories of %s may not run on the App's machine: write `executor: %s` into %s", r.Owner(), settings.Dispatch, settings.Path)
	case !filepath.IsLocal(r.Repo) || !filepath.IsLocal(r.ID):
		return fault.Internalf("run %q of %q has no folder", r.ID, r.Repo)
	default:
		return nil
	}
}

// folder has the runs of a repository, and their history.
func (l *local) folder(r runs.Run) string {
	return filepath.Join(l.dir, strings.ToLower(r.Owner()), strings.ToLower(r.Name()))
}

// rows returns the rows that the run has already. Those of its ledger that the
// table lacks, because the process died in between, are added to it.
func (l *local) rows(w service.Work) ([]bench.Row, error) {
	rows, err := rowsOf(w.Rows)
	if err != nil {
		return nil, err
	}
	return rows, l.shareAll(w)
}

// shareAll shares the rows of the run's ledger, if it was begun on this machine.
func (l *local) shareAll(w service.Work) error {
	here := filepath.Join(l.folder(w.Run), w.Run.ID)
	if _, err := os.Stat(here); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	files, err := ledger.Files(here)
	if err != nil {
		return err
	}
	// The last line may be torn; its cell runs again.
	rows, _, err := ledger.Read(files)
	for i := range rows {
		l.share(w, &rows[i])
		l.shareTranscript(w, l.folder(w.Run), &rows[i])
	}
	return err
}

func rowsOf(lines [][]byte) ([]bench.Row, error) {
	rows := make([]bench.Row, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &rows[i]); err != nil {
			return nil, fault.Internalf("read a row that was kept: %w", err)
		}
	}
	return rows, nil
}

// share stores a row where other machines find it.
func (l *local) share(w service.Work, row *bench.Row) {
	line, err := json.Marshal(row)
	if err != nil {
		return // it has just been written as JSON
	}
	w.Keep(row.Cell(), line)
}

// shareTranscript stores what was said and done in the session that a row of the run's
// own tells of. Without one, the row is there without it.
func (l *local) shareTranscript(w service.Work, in string, row *bench.Row) {
	folder := verify.TranscriptsFolder(filepath.Join(in, w.Run.ID), ledger.RunInfo{})
	t, err := verify.LoadTranscript(folder, w.Run.ID, row.Cell(), max(1, len(row.Attempts)))
	if err == nil && t != nil && row.RunID == w.Run.ID {
		w.KeepTranscript(row.Cell(), l.placeless(*t))
	}
}

// placeless returns a transcript that does not tell where the folder of runs is on this
// machine.
func (l *local) placeless(t agent.Transcript) agent.Transcript {
	text, err := json.Marshal(t)
	if err != nil || !bytes.Contains(text, []byte(l.dir)) {
		return t
	}
	var without agent.Transcript
	if json.Unmarshal(bytes.ReplaceAll(text, []byte(l.dir), []byte(runsFolder)), &without) != nil {
		return t
	}
	return without
}

// tidy removes the folders of runs that are old. What cannot be removed now is
// removed another time.
func (l *local) tidy(current string) {
	folders, err := filepath.Glob(filepath.Join(l.dir, "*", "*", "*"))
	if err != nil {
		return
	}
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err == nil && info.IsDir() && filepath.Base(folder) != current && l.now().Sub(info.ModTime()) > l.keep {
			_ = os.RemoveAll(folder)
		}
	}
}

// arguments returns the command line that does what the plan says, with its files in a
// folder.
func (l *local) arguments(r runs.Run, folder string, ghx *measured, rows []bench.Row) []string {
	p := r.Request.Plan
	args := []string{
		"verify", "--output-dir", folder, "--modes", bench.JoinModes(p.Modes, ","), "--repetitions", p.Repetitions.String(),
		"--gate-profile", string(p.Profile), "--baseline-mode", string(p.Baseline), "--candidate-mode", string(p.Candidate),
		"--git-repo", r.Repo, "--git-commit", r.Head,
	}
	if p.Profile.ByEvidence() {
		number := func(margin float64) string { return strconv.FormatFloat(margin, 'g', -1, 64) }
		args = append(args, "--margin-success", number(p.Margins.Success), "--margin-cost", number(p.Margins.Cost), "--margin-latency", number(p.Margins.Latency))
	}
	if p.Set != "" {
		args = append(args, "--scenario-set", p.Set)
	} else {
		for _, id := range p.Scenarios {
			args = append(args, "--scenario", id)
		}
	}
	if slices.Contains(p.Modes, bench.GHXBase) && r.Request.BaseSHA != "" {
		args = append(args, "--base-commit", r.Request.BaseSHA)
	}
	if p.Target != settings.SandboxTarget {
		args = append(args, "--target", p.Target, "--api-url", l.apiURL, "--seed-id", seedOf(r, rows))
	}
	if seed := strconv.FormatUint(r.Request.Seed, 10); r.Request.Seed != 0 && p.Target == settings.SandboxTarget {
		args = append(args, "--variation-seed", seed, "--order-seed", seed, "--order", string(runner.Blocks))
	}
	for _, file := range ghx.modeFiles {
		args = append(args, "--mode-file", file)
	}
	if l.settings.Expectations != "" {
		args = append(args, "--expectations-config", l.settings.Expectations)
	}
	args = append(args, "--provider", p.Agent)
	if p.Agent == settings.Scripted {
		return args
	}
	args = append(args, "--model", p.Model, "--max-cost-usd", strconv.FormatFloat(p.MaxUSD+before(r, rows), 'f', -1, 64))
	if l.settings.ModelKey != "" {
		args = append(args, "--model-api-key-env", keyVariable)
	}
	if l.settings.ModelBaseURL != "" {
		args = append(args, "--model-base-url", l.settings.ModelBaseURL)
	}
	for _, o := range [][2]string{
		{"--ghx-command", ghx.Command}, {"--ghx-skill", ghx.Skill}, {"--base-ghx", ghx.Base}, {"--base-ghx-skill", ghx.BaseSkill},
		{"--git-tree", ghx.tree}, {"--base-tree", ghx.baseTree},
	} {
		if o[1] != "" {
			args = append(args, o[0], o[1])
		}
	}
	return args
}

// begunBefore describes the runs whose rows a run begins with: what was fixed
// before their first sessions (rule V7).
func begunBefore(before []runs.Run) []ledger.Begun {
	var all []ledger.Begun
	for _, r := range before {
		p := r.Request.Plan
		begun := ledger.Begun{RunID: r.ID, Repetitions: p.Repetitions.Most}
		if p.Repetitions.Adapt() {
			begun.FirstLook = p.Repetitions.First
		}
		if p.Profile.ByEvidence() {
			begun.Margins = &bench.Margins{SuccessDropPct: p.Margins.Success, CostRatio: p.Margins.Cost, LatencyRatio: p.Margins.Latency}
		}
		all = append(all, begun)
	}
	return all
}

// seedOf names the run's fixtures: as in the rows that it goes on with, which
// must be of the same.
func seedOf(r runs.Run, rows []bench.Row) string {
	if len(rows) > 0 && rows[0].SeedID != "" {
		return rows[0].SeedID
	}
	return strings.ToLower(r.ID)
}

// before returns what rows of other runs have cost, which is not spent now.
func before(r runs.Run, rows []bench.Row) (usd float64) {
	for i := range rows {
		if rows[i].RunID != r.ID {
			usd += rows[i].SpentUSD()
		}
	}
	return usd
}

// maxLog is how much of a run's log is kept, in bytes.
const maxLog = 64 << 10

// newLog returns where a run's log is written to, and the end of it without
// secrets, which is whole once the log is closed. Where the folder of runs is on this
// machine is nobody's business.
func newLog(secrets *redact.Redactor, folder string) (log io.WriteCloser, end func() string) {
	kept := &ghxbuild.Tail{Max: maxLog}
	log = secrets.Writer(kept)
	return log, func() string {
		_ = log.Close() // memory takes what is written
		return strings.ReplaceAll(kept.String(), folder, runsFolder)
	}
}
