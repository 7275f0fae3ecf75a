package ledger

import (
	"cmp"
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// slot is a row and where it stands.
type slot struct {
	fields
	has required
	// line counts from 1; text is the whole line. cell and sum identify the
	// row's cell and its line in one scan; own is the line's in any.
	line      int
	text      []byte
	cell, sum uint64
	own       Sum
}

// plainRow has the fields of a row without its methods, which are slow.
type plainRow bench.Row

// fields are those of a row; the ones that it must have are nil where they are
// missing or null.
type fields struct {
	plainRow
	RunID         *string         `json:"run_id"`
	Mode          *bench.Mode     `json:"mode"`
	ScenarioID    *string         `json:"scenario_id"`
	Iteration     *int            `json:"iteration"`
	Success       *bool           `json:"success"`
	OutputValid   *bool           `json:"output_valid"`
	LatencyMSWall *float64        `json:"latency_ms_wall"`
	Tokens        *bench.Tokens   `json:"tokens"`
	Cost          *float64        `json:"cost"`
	ToolCalls     *int            `json:"tool_calls"`
	Model         *bench.ModelRef `json:"model"`
}

// likeEncodingJSON reads as encoding/json does, but in one pass.
var likeEncodingJSON = jsonv2.JoinOptions(jsonv1.DefaultOptionsV1(), jsonv1.ReportErrorsWithLegacySemantics(false))

// decode reads a row as encoding/json does. Unknown fields are checked, and
// dropped unless whole is set.
func (s *slot) decode(line []byte, whole bool) error {
	s.fields = fields{}
	if err := jsonv2.Unmarshal(line, &s.fields, likeEncodingJSON); err != nil {
		// The error of encoding/json is the one that explain puts into words.
		return cmp.Or(json.Unmarshal(line, new(bench.Row)), err)
	}
	f, r := &s.fields, s.row()
	s.has = set(&r.RunID, f.RunID, hasRunID) |
		set(&r.Mode, f.Mode, hasMode) |
		set(&r.ScenarioID, f.ScenarioID, hasScenarioID) |
		set(&r.Iteration, f.Iteration, hasIteration) |
		set(&r.Success, f.Success, hasSuccess) |
		set(&r.OutputValid, f.OutputValid, hasOutputValid) |
		set(&r.LatencyMSWall, f.LatencyMSWall, hasLatency) |
		set(&r.Tokens, f.Tokens, hasTokens) |
		set(&r.Cost, f.Cost, hasCost) |
		set(&r.ToolCalls, f.ToolCalls, hasToolCalls) |
		set(&r.Model, f.Model, hasModel)
	if !whole {
		return nil
	}
	return json.Unmarshal(line, r)
}

// row returns the row that was decoded.
func (s *slot) row() *bench.Row { return (*bench.Row)(&s.plainRow) }

// set stores a field that a row must have, and returns it if it is there.
func set[T any](to, from *T, field required) required {
	if from == nil {
		return 0
	}
	*to = *from
	return field
}
