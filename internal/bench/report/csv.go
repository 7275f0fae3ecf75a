package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// RowsCSV writes rows as comma-separated values (RFC 4180), a line each, under
// a line of names. The columns are the fields of [bench.Row] under their JSON
// names, those of nested objects joined with an underscore; lists are counted.
// What is null in JSON is empty. Figures are exact; texts have spaces for line
// ends.
//
// Rows of another system's benchmark have two columns more, of its reward, if the
// first row is one.
//
// A text that a spreadsheet would take for a formula gets an apostrophe before
// it, which spreadsheets do not show (OWASP, "CSV Injection").
type RowsCSV struct {
	out    *csv.Writer
	fields []string
	begun  bool
	// columns are those of the first row.
	columns []column
}

// NewRowsCSV returns a writer of rows to w.
func NewRowsCSV(w io.Writer) *RowsCSV {
	return &RowsCSV{out: csv.NewWriter(w), columns: columns}
}

// Write writes a row. It keeps nothing of it.
func (c *RowsCSV) Write(row *bench.Row) error {
	if !c.begun && row.Reward != nil {
		c.columns = slices.Concat(columns, rewardColumns)
	}
	if err := c.begin(); err != nil {
		return err
	}
	for i, column := range c.columns {
		c.fields[i] = column.of(row)
	}
	if err := c.out.Write(c.fields); err != nil {
		return fault.Infraf("write CSV: %w", err)
	}
	return nil
}

// Close writes what is left, and the names if there was no row. It leaves the
// writer below open.
func (c *RowsCSV) Close() error {
	if err := c.begin(); err != nil {
		return err
	}
	c.out.Flush()
	if err := c.out.Error(); err != nil {
		return fault.Infraf("write CSV: %w", err)
	}
	return nil
}

func (c *RowsCSV) begin() error {
	if c.begun {
		return nil
	}
	c.begun, c.fields = true, make([]string, len(c.columns))
	for i, column := range c.columns {
		c.fields[i] = column.name
	}
	if err := c.out.Write(c.fields); err != nil {
		return fault.Infraf("write CSV: %w", err)
	}
	return nil
}

// column is a name and how its field is made.
type column struct {
	name string
	of   func(*bench.Row) string
}

// columns are in the order of rule R2, then ours.
var columns = []column{
	{"timestamp", func(r *bench.Row) string { return defuse(r.Timestamp) }},
	{"run_id", func(r *bench.Row) string { return defuse(r.RunID) }},
	{"mode", func(r *bench.Row) string { return defuse(string(r.Mode)) }},
	{"scenario_id", func(r *bench.Row) string { return defuse(r.ScenarioID) }},
	{"scenario_set", func(r *bench.Row) string { return text(r.ScenarioSet) }},
	{"iteration", func(r *bench.Row) string { return strconv.Itoa(r.Iteration) }},
	{"session_id", func(r *bench.Row) string { return text(r.SessionID) }},
	{"success", func(r *bench.Row) string { return strconv.FormatBool(r.Success) }},
	{"output_valid", func(r *bench.Row) string { return strconv.FormatBool(r.OutputValid) }},
	{"latency_ms_wall", func(r *bench.Row) string { return exact(&r.LatencyMSWall) }},
	{"sdk_latency_ms", func(r *bench.Row) string { return exact(r.SDKLatencyMS) }},
	{"tokens_input", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.Input, 10) }},
	{"tokens_output", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.Output, 10) }},
	{"tokens_reasoning", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.Reasoning, 10) }},
	{"tokens_cache_read", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.CacheRead, 10) }},
	{"tokens_cache_write", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.CacheWrite, 10) }},
	{"tokens_total", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.Total, 10) }},
	{"tokens_active", func(r *bench.Row) string { return strconv.FormatInt(r.Tokens.Active(), 10) }},
	{"cost", func(r *bench.Row) string { return exact(&r.Cost) }},
	{"tool_calls", func(r *bench.Row) string { return strconv.Itoa(r.ToolCalls) }},
	{"api_calls", func(r *bench.Row) string { return strconv.Itoa(r.APICalls) }},
	{"internal_retry_count", func(r *bench.Row) string { return strconv.Itoa(r.InternalRetryCount) }},
	{"external_retry_count", func(r *bench.Row) string { return strconv.Itoa(r.ExternalRetryCount) }},
	{"model_provider_id", func(r *bench.Row) string { return defuse(r.Model.ProviderID) }},
	{"model_model_id", func(r *bench.Row) string { return defuse(r.Model.ModelID) }},
	{"model_mode", func(r *bench.Row) string { return text(r.Model.Mode) }},
	{"git_repo", func(r *bench.Row) string { return text(r.Git.Repo) }},
	{"git_commit", func(r *bench.Row) string { return text(r.Git.Commit) }},
	{"error_type", func(r *bench.Row) string { return ofError(r, func(e *bench.RowError) string { return string(e.Type) }) }},
	{"error_message", func(r *bench.Row) string { return ofError(r, func(e *bench.RowError) string { return e.Message }) }},
	{"attempts", func(r *bench.Row) string { return strconv.Itoa(len(r.Attempts)) }},
	{"checkpoints", func(r *bench.Row) string { return strconv.Itoa(len(r.Checkpoints)) }},
	{"checkpoints_passed", func(r *bench.Row) string { return strconv.Itoa(passedCheckpoints(r)) }},
	{"turns", func(r *bench.Row) string { return strconv.Itoa(r.Turns) }},
	{"tool_errors", func(r *bench.Row) string { return strconv.Itoa(r.ToolErrors) }},
	{"continuations", func(r *bench.Row) string { return strconv.Itoa(r.Continuations) }},
	{"seed_id", func(r *bench.Row) string { return defuse(r.SeedID) }},
	{"variation_seed", func(r *bench.Row) string {
		return ofVariation(r, func(v *bench.Variation) string { return strconv.FormatUint(v.Seed, 10) })
	}},
	{"variation_number", func(r *bench.Row) string {
		return ofVariation(r, func(v *bench.Variation) string { return strconv.Itoa(v.Number) })
	}},
	{"simulated", func(r *bench.Row) string { return strconv.FormatBool(r.Simulated) }},
}

// rewardColumns are those of tasks of another system's benchmark.
var rewardColumns = []column{
	{"reward_value", func(r *bench.Row) string { return ofReward(r, func(w *bench.Reward) string { return exact(w.Value) }) }},
	{"reward_status", func(r *bench.Row) string {
		return ofReward(r, func(w *bench.Reward) string { return defuse(w.Status) })
	}},
}

func ofReward(r *bench.Row, text func(*bench.Reward) string) string {
	if r.Reward == nil {
		return ""
	}
	return text(r.Reward)
}

// defuse keeps a text from being a formula, and brings it into one line of
// valid UTF-8.
func defuse(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t', r == '\n', r == '\r':
			return ' '
		case unicode.IsControl(r):
			return utf8.RuneError
		}
		return r
	}, s)
	if first, _ := utf8.DecodeRuneInString(s); strings.ContainsRune("=+-@＝＋－＠", first) {
		return "'" + s
	}
	return s
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return defuse(*s)
}

func exact(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'f', -1, 64)
}

func ofError(r *bench.Row, of func(*bench.RowError) string) string {
	if r.Error == nil {
		return ""
	}
	return defuse(of(r.Error))
}

func ofVariation(r *bench.Row, of func(*bench.Variation) string) string {
	if r.Variation == nil {
		return ""
	}
	return of(r.Variation)
}

func passedCheckpoints(r *bench.Row) (passed int) {
	for _, c := range r.Checkpoints {
		if c.Passed {
			passed++
		}
	}
	return passed
}
