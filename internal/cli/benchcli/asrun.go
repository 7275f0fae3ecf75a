package benchcli

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// asRun has a source judged in the way in which its run was, or was to be: its profile,
// margins and modes, where no flag says them.
func asRun(how *verify.JudgeOptions, source verify.Source, given func(string) bool) {
	if len(source.Runs) == 0 {
		return
	}
	run := source.Runs[0]
	if run.Profile != "" && !given("gate-profile") {
		how.Profile = run.Profile
	}
	if run.Margins != nil && !given("margin-success") && !given("margin-cost") && !given("margin-latency") {
		how.Margins = *run.Margins
	}
	if given("baseline-mode") || given("candidate-mode") {
		return
	}
	switch {
	case len(run.Compared) == 2:
		how.Baseline, how.Candidate = run.Compared[0], run.Compared[1]
	case len(run.Modes) == 1 && run.Benchmark != nil:
		how.Baseline, how.Candidate = bench.NoBaseline, run.Modes[0]
	case len(run.Modes) == 2 && !(slices.Contains(run.Modes, how.Baseline) && slices.Contains(run.Modes, how.Candidate)):
		how.Baseline, how.Candidate = run.Modes[0], run.Modes[1]
	}
}
