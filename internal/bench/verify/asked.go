package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/evidence"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Asked is what rows are to be of that others have measured. Their own description says
// what they like, so it decides nothing: it is held to this.
type Asked struct {
	Provider string
	// Model is "provider/model", empty for the provider's only one.
	Model string
	// Scenarios have their hashes.
	Scenarios   []bench.Scenario
	Modes       []bench.Mode
	Repetitions bench.Repetitions
	// Profile is empty where rows are for no gate.
	Profile bench.GateProfile
	// Commit is that of the tooling, BaseCommit that of mode [bench.GHXBase]; empty
	// where it is not known.
	Commit, BaseCommit string
	// Simulated is true of a provider without a model.
	Simulated bool
}

// refused is the error of what was not asked for.
func refused(what, got, want string) error {
	return fault.Invalidf("%s is %s, and %s was asked for: the rows are of something else", what, got, want)
}

// runs says what of the runs was not asked for, nil if all was. All files are to be of a
// run, whose plan says which rows there are to be.
func (a *Asked) runs(source Source) error {
	if len(source.Runs) == 0 {
		return fault.Invalidf("there are rows without the %s of their run: without its plan nobody sees which are missing", ledger.RunFile)
	}
	for _, run := range source.Runs {
		if err := a.run(run); err != nil {
			return fault.Invalidf("run %s: %w", run.RunID, err)
		}
	}
	return nil
}

func (a *Asked) run(run ledger.RunInfo) error {
	look := 0
	if a.Repetitions.Adapt() {
		look = a.Repetitions.First
	}
	for _, f := range []struct{ what, got, want string }{
		{"the provider", run.Provider, a.Provider},
		{"the model", run.Model.Key(), a.Model},
		{"the list of modes", sortedModes(run.Modes), sortedModes(a.Modes)},
		{"the number of repetitions", fmt.Sprint(run.Repetitions), fmt.Sprint(a.Repetitions.Most)},
		{"the number of repetitions before the first look", fmt.Sprint(run.FirstLook), fmt.Sprint(look)},
		{"the commit", commitText(run.Git.Commit), a.Commit},
		{"the base commit", commitText(run.BaseCommit), a.base()},
	} {
		if f.got != f.want && f.want != "" {
			return refused(f.what, f.got, f.want)
		}
	}
	if err := a.scenarios(run.Scenarios); err != nil {
		return err
	}
	return a.plan(run)
}

// base is the base commit, if there is a mode of that.
func (a *Asked) base() string {
	if !slices.Contains(a.Modes, bench.GHXBase) {
		return ""
	}
	return a.BaseCommit
}

func sortedModes(modes []bench.Mode) string {
	return bench.JoinModes(slices.Sorted(slices.Values(modes)), ", ")
}

func (a *Asked) scenarios(of []ledger.ScenarioRef) error {
	hashes := map[string]string{}
	for _, s := range of {
		hashes[s.ID] = s.Hash
	}
	for _, s := range a.Scenarios {
		if hashes[s.ID] != s.Hash {
			return fault.Invalidf("scenario %s is another one there, or is missing", s.ID)
		}
	}
	if len(of) != len(a.Scenarios) {
		return refused("the number of scenarios", fmt.Sprint(len(of)), fmt.Sprint(len(a.Scenarios)))
	}
	return nil
}

// plan says whether the run's cells are all that there are to be, or the shard's part.
func (a *Asked) plan(run ledger.RunInfo) error {
	whole := run.Cells
	if run.Shard != nil {
		whole = run.AllCells
	}
	planned := map[bench.Cell]bool{}
	for _, cell := range whole {
		if err := a.cell(cell, a.Repetitions.Most); err != nil {
			return err
		}
		planned[cell] = true
	}
	if want := len(a.Scenarios) * len(a.Modes) * a.Repetitions.Most; len(planned) != want {
		return refused("the number of cells", fmt.Sprint(len(planned)), fmt.Sprint(want))
	}
	if run.Shard != nil && !slices.Equal(run.Cells, run.Shard.Of(whole)) {
		return fault.Invalidf("its cells are not those of its part %s of the plan", run.Shard)
	}
	return nil
}

func (a *Asked) cell(cell bench.Cell, most int) error {
	_, known := a.scenario(cell.ScenarioID)
	if !known || !slices.Contains(a.Modes, cell.Mode) || cell.Iteration < 1 || cell.Iteration > most {
		return fault.Invalidf("cell %s was not asked for", cell)
	}
	return nil
}

func (a *Asked) scenario(id string) (bench.Scenario, bool) {
	at := slices.IndexFunc(a.Scenarios, func(s bench.Scenario) bool { return s.ID == id })
	if at < 0 {
		return bench.Scenario{}, false
	}
	return a.Scenarios[at], true
}

// row says what of a row was not asked for. What the suite's rows have in common is
// looked at elsewhere; that is lenient where a row says nothing, as here is not.
func (a *Asked) row(row *bench.Row) error {
	most, commit := a.Repetitions.Most, a.Commit
	if a.Profile.ByEvidence() {
		most = evidence.WithRefills(most, len(a.Scenarios))
	}
	switch {
	case row.Mode == bench.GHXBase:
		commit = a.BaseCommit
	case !row.Mode.Shipped():
		commit = "" // its file says what its tool is of
	}
	cell := row.Cell()
	of, _ := a.scenario(cell.ScenarioID)
	switch err := a.cell(cell, most); {
	case err != nil:
		return err
	case row.ScenarioHash != of.Hash:
		return fault.Invalidf("cell %s is of another scenario %s", cell, cell.ScenarioID)
	case row.Simulated != a.Simulated:
		return fault.Invalidf("cell %s does not say what was asked for of whether a model was involved", cell)
	case a.Model != "" && row.Model.Key() != a.Model:
		return refused("the model of cell "+cell.String(), row.Model.Key(), a.Model)
	case commit != "" && commitText(row.Git.Commit) != commit:
		return refused("the commit of cell "+cell.String(), commitText(row.Git.Commit), commit)
	case row.Cost < 0 || slices.ContainsFunc(row.Attempts, func(a bench.Attempt) bool { return a.Cost < 0 }):
		return fault.Invalidf("cell %s has a cost below 0", cell)
	default:
		return nil
	}
}

// commitText returns a commit's name, or that there is none.
func commitText(commit *string) string {
	if commit == nil {
		return "none"
	}
	return strings.ToLower(*commit)
}
