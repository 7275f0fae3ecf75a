package ledger

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Identity is what the rows of one suite have in common (rule N1). Fields that
// are empty, here or in a row, are not compared, so rows of the original
// harness can be read together with ours.
type Identity struct {
	Model bench.ModelRef
	// Tool is the tooling measured, Base that of mode [bench.GHXBase].
	Tool, Base bench.GitRef
	// ModeFiles has files and tooling of other modes than this program's.
	ModeFiles map[bench.Mode]bench.ModeFact
	SeedID    string
	// Variations are those of the fixtures.
	Variations bench.Variations
	// ScenarioHashes maps scenario ids to [bench.Scenario.Hash].
	ScenarioHashes map[string]string
}

// CheckSame returns an invalid error if the row does not belong to the suite.
// It names the field and both values; [Scan] puts file and line before it.
func CheckSame(suite Identity, row *bench.Row) error {
	if suite.Model.ModelID != "" && row.Model.ModelID != "" && suite.Model.Signature() != row.Model.Signature() {
		return differs(row, "model", row.Model.Text(), suite.Model.Text())
	}
	tool := suite.Tool
	if row.Mode == bench.GHXBase {
		tool = suite.Base
	}
	if !row.Mode.Shipped() {
		tool = suite.ModeFiles[row.Mode].Git
	}
	name, got, want := "git.commit", row.Git.Commit, tool.Commit
	if row.Git.Tree != nil && tool.Tree != nil {
		name, got, want = "git.tree", row.Git.Tree, tool.Tree
	}
	for _, f := range []struct{ name, got, want string }{
		{name, text(got), text(want)},
		{"seed_id", row.SeedID, suite.SeedID},
		{"scenario_hash", row.ScenarioHash, suite.ScenarioHashes[row.ScenarioID]},
		{"mode_hash", row.ModeHash, suite.ModeFiles[row.Mode].Hash},
	} {
		if f.got != "" && f.want != "" && f.got != f.want {
			return differs(row, f.name, f.got, f.want)
		}
	}
	if want := suite.Variations.Of(row.Iteration); want != nil && row.Variation != nil && *want != *row.Variation {
		return differs(row, "variation", row.Variation.String(), want.String())
	}
	return nil
}

func differs(row *bench.Row, field, got, want string) error {
	return fault.Invalidf("%s of cell %s is %q, but the suite's is %q: rows of different suites cannot be put together, so start a new run or leave the file out",
		field, row.Cell(), got, want)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// Cells returns the cells that the files have rows of, all of them of the
// suite; see [CheckSame] and, for other errors, [Scan]. A zero Identity
// compares nothing.
func Cells(files []string, suite Identity) (map[bench.Cell]bool, Report, error) {
	cells := map[bench.Cell]bool{}
	report, err := Scan(files, func(row *bench.Row) error {
		cells[row.Cell()] = true
		return CheckSame(suite, row)
	})
	if err != nil {
		return nil, report, fmt.Errorf("find finished cells: %w", err)
	}
	return cells, report, nil
}
