package verify

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// A sequence is all that was run to answer one question on the same trees,
// tasks, model and modes. It has one error budget: what could be done after its
// rows were seen to talk it into a pass ends in can't tell (rule V7).

// runsBeside returns the runs whose files lie beside those.
func runsBeside(files []string) (runs []ledger.RunInfo) {
	for _, file := range files {
		if info, err := ledger.LoadRun(filepath.Dir(file)); err == nil {
			runs = append(runs, info)
		}
	}
	return runs
}

// begunWith describes the runs that rows are of, as far as they are known.
func begunWith(runs []ledger.RunInfo, rows []bench.Row) (all []ledger.Begun) {
	known := map[string]ledger.RunInfo{}
	for _, info := range runs {
		known[info.RunID] = info
	}
	seen := map[string]bool{}
	for i := range rows {
		id := rows[i].RunID
		if seen[id] {
			continue
		}
		seen[id] = true
		info := known[id]
		info.RunID = strings.Clone(id)
		info.Lost += info.CountLost(cellsOf(rows, id))
		all = append(append(all, info.Begun()), info.Continues...)
	}
	return all
}

// cellsOf returns the cells that have a row of a run.
func cellsOf(rows []bench.Row, run string) map[bench.Cell]bool {
	done := map[bench.Cell]bool{}
	for i := range rows {
		if rows[i].RunID == run {
			done[rows[i].Cell()] = true
		}
	}
	return done
}

// fixed returns the repetitions and margins that were fixed before the first
// session, as far as that is known.
func fixed(runs []ledger.RunInfo) (all []ledger.Begun) {
	for _, run := range runs {
		all = append(append(all, run.Begun()), run.Continues...)
	}
	return all
}

// planned returns what was fixed before the first session of a sequence: that of
// the earliest of its runs, so that what a later one adds is not judged. Parts of
// one plan have all the same.
func planned(runs []ledger.RunInfo) ledger.Begun {
	all := fixed(runs)
	unknown := func(b ledger.Begun) bool { return b.At.IsZero() || b.Repetitions == 0 }
	if len(runs) != 1 || slices.ContainsFunc(all, unknown) {
		return all[0]
	}
	return slices.MinFunc(all, func(a, b ledger.Begun) int { return a.At.Compare(b.At) })
}

// hold has a verdict be what the sequence allows: a fail that it came to before
// stands, a pass that may not count is withheld, and of what the budget has ended that
// is the cause. Missing are the planned cells
// without a row.
func (how JudgeOptions) hold(judged *bench.Evidence, source Source, missing []bench.MissingCells, thresholds bench.Thresholds) {
	if why := how.failedBefore(source); why != nil {
		evidence.Uphold(judged, *why)
	} else if why := how.withheld(judged, source, missing, thresholds); why != nil {
		evidence.Withhold(judged, *why)
	}
	if slices.ContainsFunc(missing, func(m bench.MissingCells) bool { return m.Reason == bench.MissingBudget }) {
		evidence.CutShort(judged)
	}
}

func because(kind bench.CauseKind, format string, args ...any) *bench.Cause {
	return &bench.Cause{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// failedBefore says which run of the sequence came to a fail on this question; nil
// if none did.
func (how JudgeOptions) failedBefore(source Source) *bench.Cause {
	for _, begun := range fixed(source.Runs) {
		j := begun.Judged
		same := j != nil && (j.Profile == "" || j.Profile == how.Profile) && (len(j.Compared) == 0 || slices.Equal(j.Compared, how.compared()))
		if same && j.Verdict == bench.VerdictFail {
			return because(bench.CauseEarlierSequence, "Run %s came to FAIL, and a verdict is final", begun.RunID)
		}
	}
	return nil
}

// withheld says why a pass would not count; nil if it does.
func (how JudgeOptions) withheld(judged *bench.Evidence, source Source, missing []bench.MissingCells, thresholds bench.Thresholds) *bench.Cause {
	if len(source.Runs) == 0 {
		return because(bench.CausePlanUnknown, "What was planned is not known, as the ledgers lie without %s, so rows may have been left away: name the run, or its folder with --results", ledger.RunFile)
	}
	now, plan := how.margins(thresholds), planned(source.Runs)
	for _, begun := range fixed(source.Runs) {
		if begun.Repetitions == 0 {
			return because(bench.CausePlanUnknown, "What run %s had planned is not known, as its rows were taken over without its %s: name its folder with --rows", begun.RunID, ledger.RunFile)
		}
		if begun.Lost > 0 {
			return because(bench.CauseRowsMissing, "Run %s had lost rows of its cells, %d of them, when it was gone on with: later cells had theirs, so failures may have been taken away", begun.RunID, begun.Lost)
		}
		if begun.Altered != "" {
			return &bench.Cause{Kind: bench.CauseRowsChanged, Text: alteredText(begun.RunID, begun.Altered)}
		}
		adds := len(source.Runs) == 1 && begun.At.After(plan.At)
		if !adds && (begun.Repetitions != plan.Repetitions || begun.FirstLook != plan.FirstLook) {
			return because(bench.CauseSetAfterwards, "Run %s had planned %s repetitions before its first session, and %s were set later: go on with --repetitions %[2]s",
				begun.RunID, repetitionsText(begun), repetitionsText(plan))
		}
		before := evidence.DefaultMargins(thresholds)
		if begun.Margins != nil {
			before = *begun.Margins
		}
		if looser(now, before, how.Profile) {
			return because(bench.CauseSetAfterwards, "The margins are wider than those that run %s had before its first session", begun.RunID)
		}
	}
	if gap := how.gap(judged, missing, uncounted(source.Runs)); gap != nil {
		return because(bench.CauseRowsMissing, "%s has no row, though its repetition is one of those that were judged: it may have been a failure that was taken away", gap)
	}
	for _, run := range earlierSequences(source) {
		if run.Profile == how.Profile && !spendsNothing(run.Judged) {
			return because(bench.CauseEarlierSequence, "Run %s on the same trees, tasks, model and modes %s: there is one error budget for them, so a pass of a later run does not count",
				run.RunID, becameText(run.Judged))
		}
	}
	return nil
}

func repetitionsText(b ledger.Begun) string {
	return repetitions(ledger.RunInfo{Repetitions: b.Repetitions, FirstLook: b.FirstLook})
}

// looser reports whether margins allow more than others.
func looser(now, before bench.Margins, profile bench.GateProfile) bool {
	if now.SuccessDropPct > before.SuccessDropPct {
		return true
	}
	if profile == bench.ProfileClaim {
		return now.MinCostReductionPct < before.MinCostReductionPct || now.MinLatencyReductionPct < before.MinLatencyReductionPct
	}
	return now.CostRatio > before.CostRatio || now.LatencyRatio > before.LatencyRatio
}

// gap returns a planned cell without a row of what the last look saw; nil if there is
// none. What ends a run leaves none: cells run in the order of their repetitions.
func (how JudgeOptions) gap(judged *bench.Evidence, missing []bench.MissingCells, notCounted map[string]string) *bench.Cell {
	seen := 0
	for _, look := range judged.Looks {
		seen = max(seen, look.Blocks)
	}
	for _, m := range missing {
		for _, cell := range m.Cells {
			if cell.Iteration <= seen && notCounted[cell.ScenarioID] == "" && slices.Contains(how.compared(), cell.Mode) {
				return &cell
			}
		}
	}
	return nil
}

// spendsNothing reports whether a run's end has used nothing of the error
// budget: it passed, or nothing was compared.
func spendsNothing(j *ledger.Judged) bool {
	return comparedNothing(j) || j != nil && j.Verdict == bench.VerdictPass
}

func comparedNothing(j *ledger.Judged) bool {
	return j != nil && j.Cause.ComparedNothing()
}

// Spent says why the suite would run for nothing, as an error of kind invalid with
// the mend; nil if it would not. An earlier run of the same question beside it,
// whose rows it does not take over, has used the error budget: what that one came
// to stands, or it is to be gone on with.
func (s Suite) Spent(how JudgeOptions, by agent.Info, now time.Time) error {
	info := s.info(now, by.Model)
	info.Compared = how.compared()
	for _, run := range earlierSequences(Source{Runs: []ledger.RunInfo{info}, folders: []string{s.Folder()}}) {
		switch j := run.Judged; {
		case run.Profile != how.Profile || comparedNothing(j):
		case j == nil:
			return fault.Invalidf("run %s on the same trees, tasks, model and modes was not brought to its end, and there is one error budget for them: go on with it by --resume=%[1]s, or take its rows over with --rows %s", run.RunID, filepath.Join(s.Dir, run.RunID))
		default:
			return fault.Invalidf("run %s on the same trees, tasks, model and modes came to %s, and that stands: no session would be judged any more, so none is spent; change the tool, or see `bench report --gate --gate-profile %s --results %s`", run.RunID, j.Verdict.Word(), how.Profile, filepath.Join(s.Dir, run.RunID))
		}
	}
	return nil
}

func becameText(j *ledger.Judged) string {
	if j == nil {
		return "was not brought to its end"
	}
	return "came to " + j.Verdict.Word()
}

// earlierSequences returns the runs beside those of a source that are of the same
// question, were begun before, and are not gone on with by them; the earliest
// first.
func earlierSequences(source Source) (earlier []ledger.RunInfo) {
	skip := map[string]bool{}
	for _, begun := range fixed(source.Runs) {
		skip[begun.RunID] = true
	}
	for _, base := range source.bases() {
		entries, _ := os.ReadDir(base) // where that fails nothing can be seen
		for _, entry := range entries {
			dir := filepath.Join(base, entry.Name())
			run, _ := ledger.LoadRun(dir) // what is no run asks no question
			if skip[run.RunID] || !sameQuestion(run, source.Runs[0]) || !run.CreatedAt.Before(source.Runs[0].CreatedAt) {
				continue
			}
			if own, _ := SourceOf(dir); len(own.Files) > 0 {
				skip[run.RunID], earlier = true, append(earlier, run)
			}
		}
	}
	slices.SortFunc(earlier, func(a, b ledger.RunInfo) int { return a.CreatedAt.Compare(b.CreatedAt) })
	return earlier
}

func (s Source) bases() (bases []string) {
	for _, folder := range s.folders {
		if base := filepath.Dir(folder); !slices.Contains(bases, base) {
			bases = append(bases, base)
		}
	}
	return bases
}

// sameQuestion compares the keys of two sequences: trees, tasks, model and modes.
// Trees that are not known are not the same. Parts of one plan are one sequence.
func sameQuestion(a, b ledger.RunInfo) bool {
	parts := a.Shard != nil && b.Shard != nil && a.Shard.Index != b.Shard.Index
	return a.Profile.ByEvidence() && !parts && sameHead(a, b) && sameBase(a, b) && sameFiles(a, b) && a.Provider == b.Provider && a.Model.Signature() == b.Model.Signature() &&
		sameModes(a, b) && maps.Equal(a.Identity().ScenarioHashes, b.Identity().ScenarioHashes)
}

// sameHead compares the tool that is measured. Runs that compare modes of files alone
// have none, if it is known what those are.
func sameHead(a, b ledger.RunInfo) bool {
	ofFile := func(mode bench.Mode) bool { return !isUnknown(a.ModeFiles[mode].Git) }
	files := slices.ContainsFunc(a.Compared, ofFile) && !slices.ContainsFunc(a.Compared, func(mode bench.Mode) bool { return mode.OwnCommit() && !ofFile(mode) })
	return a.Git.SameTool(b.Git) || files && isUnknown(a.Git) && isUnknown(b.Git)
}

func sameBase(a, b ledger.RunInfo) bool { return sameOrUnknown(a.Base(), b.Base()) }

func sameOrUnknown(a, b bench.GitRef) bool {
	return isUnknown(a) && isUnknown(b) || a.SameTool(b)
}

func isUnknown(g bench.GitRef) bool { return g.Commit == nil && g.Tree == nil }

// sameFiles compares what modes that are not a part of this program are.
func sameFiles(a, b ledger.RunInfo) bool {
	return maps.EqualFunc(a.ModeFiles, b.ModeFiles, func(a, b bench.ModeFact) bool {
		return a.Hash == b.Hash && sameOrUnknown(a.Git, b.Git)
	})
}

// sameModes compares the modes that are compared, or all where those are not
// known.
func sameModes(a, b ledger.RunInfo) bool {
	if len(a.Compared) > 0 && len(b.Compared) > 0 {
		return slices.Equal(a.Compared, b.Compared)
	}
	return sortedModes(a.Modes) == sortedModes(b.Modes)
}

// sequenceWarning counts the sequences on the same trees; empty where this is
// the first.
func sequenceWarning(earlier []ledger.RunInfo) string {
	if len(earlier) == 0 {
		return ""
	}
	texts := make([]string, len(earlier))
	for i, run := range earlier {
		texts[i] = run.RunID + " " + becameText(run.Judged)
	}
	return fmt.Sprintf("This is sequence %d on the same trees, tasks, model and modes: %s.", len(earlier)+1, strings.Join(texts, ", "))
}
