package fake

import (
	"context"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Atomic returns an atomic scenario that changes nothing and needs no
// fixtures. It succeeds with [Envelope]; an attempt may take a minute.
func Atomic(id string) bench.Scenario {
	return bench.Scenario{
		Type: bench.Atomic, ID: id, Name: id, Task: "repo.view",
		Input:          map[string]any{"owner": "o", "name": "n"},
		PromptTemplate: "{{task}} for {{scenario_id}}", TimeoutMS: 60_000,
		Assertions: bench.Assertions{ExpectedOutcome: bench.OutcomeSuccess},
		Hash:       "hash of " + id,
	}
}

// Workflow returns a workflow that merges a pull request. Its checkpoint named
// "merged" holds where the reader answers {"merged": true}.
func Workflow(id string) bench.Scenario {
	return bench.Scenario{
		Type: bench.Workflow, ID: id, Name: id, Prompt: "Merge it.", ExpectedCapabilities: []string{"pr.merge"}, TimeoutMS: 60_000,
		Assertions: bench.Assertions{
			ExpectedOutcome: bench.OutcomeSuccess,
			Checkpoints: []bench.Checkpoint{{
				Name: "merged", VerificationTask: "pr.view", Condition: bench.ConditionFieldEquals,
				ExpectedValue: map[string]any{"merged": true},
			}},
		},
		Footprint: []bench.Allowance{{
			Change: bench.ChangeChanged, Object: "pull request", Name: "o/n#1", Fields: map[string]any{"merged": true},
		}},
		Hash: "hash of " + id,
	}
}

// Reader is a reader of GitHub's state that always says the same. It is safe
// for concurrent use, as long as it is not changed.
type Reader struct {
	Says any
	Err  error
}

// Read returns Says and Err.
func (r *Reader) Read(context.Context, bench.Read) (any, error) { return r.Says, r.Err }

// Ledger keeps rows in memory.
type Ledger struct {
	// OnAppend is asked before a row is taken, one row at a time; nil means
	// yes. It must not call the ledger.
	OnAppend func(row *bench.Row) error

	mu   sync.Mutex
	rows []bench.Row
}

// Append takes a row.
func (l *Ledger) Append(row *bench.Row) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.OnAppend != nil {
		if err := l.OnAppend(row); err != nil {
			return err
		}
	}
	l.rows = append(l.rows, *row)
	return nil
}

// Rows returns the rows in the order in which they came.
func (l *Ledger) Rows() []bench.Row {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.rows)
}

// Cells returns the cells of the rows, in that order.
func (l *Ledger) Cells() []bench.Cell {
	var cells []bench.Cell
	for _, row := range l.Rows() {
		cells = append(cells, row.Cell())
	}
	return cells
}
