package bench

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// RowSchemaVersion is the version of the row fields that are ours.
const RowSchemaVersion = 1

// Row reports one cell (rules R2 to R8). Its JSON names are those of the
// original harness, whose files load and whose consumers can read ours.
type Row struct {
	// Timestamp is RFC 3339 in UTC with milliseconds; see [FormatTime].
	Timestamp   string  `json:"timestamp"`
	RunID       string  `json:"run_id"`
	Mode        Mode    `json:"mode"`
	ScenarioID  string  `json:"scenario_id"`
	ScenarioSet *string `json:"scenario_set"`
	Iteration   int     `json:"iteration"`
	SessionID   *string `json:"session_id"`
	Success     bool    `json:"success"`
	OutputValid bool    `json:"output_valid"`
	// LatencyMSWall runs from sending the prompt to the end of the agent's
	// turn, of the reported attempt (rule R5).
	LatencyMSWall      float64          `json:"latency_ms_wall"`
	SDKLatencyMS       *float64         `json:"sdk_latency_ms"`
	TimingBreakdown    *TimingBreakdown `json:"timing_breakdown,omitempty"`
	Tokens             Tokens           `json:"tokens"`
	Cost               float64          `json:"cost"`
	ToolCalls          int              `json:"tool_calls"`
	APICalls           int              `json:"api_calls"`
	InternalRetryCount int              `json:"internal_retry_count"`
	ExternalRetryCount int              `json:"external_retry_count"`
	Model              ModelRef         `json:"model"`
	Git                GitRef           `json:"git"`
	// Error is nil where the cell succeeded.
	Error *RowError `json:"error"`

	// The fields below are ours, all optional on reading (rule R3).

	SchemaVersion int                `json:"schema_version,omitempty"`
	Attempts      []Attempt          `json:"attempts,omitempty"`
	Checkpoints   []CheckpointResult `json:"checkpoints,omitempty"`
	// Turns counts the assistant's messages in the reported attempt.
	Turns      int `json:"turns,omitempty"`
	ToolErrors int `json:"tool_errors,omitempty"`
	// ToolUse is by tool and command of the reported attempt, the most used
	// first, at most [MaxToolUse]; nil in rows that are older.
	ToolUse []ToolUse `json:"tool_use,omitempty"`
	// APIRequests is counted outside the agent; nil where it was not.
	APIRequests  *APIRequests `json:"api_requests,omitempty"`
	RefusedHosts []string     `json:"refused_hosts,omitempty"`
	// Unsupported names what the agent asked for that GitHub has and the
	// sandbox lacks, at most [MaxUnsupported]. It voids nothing (rule S20).
	Unsupported   []string `json:"unsupported,omitempty"`
	Continuations int      `json:"continuations,omitempty"`
	SeedID        string   `json:"seed_id,omitempty"`
	Order         *Order   `json:"order,omitempty"`
	// Variation is which of the suite's variations the fixtures were; nil where
	// they do not vary, as on a live target.
	Variation *Variation `json:"variation,omitempty"`
	// Wire is what was counted of the reported attempt's calls of the model's API,
	// nil where they do not pass us (rule N12).
	Wire *WireUsage `json:"wire,omitempty"`
	// Tools maps the name of what took part to its version: the agent, the mode's
	// programs, the harness, the proxy, and the sandbox or else github.
	Tools map[string]string `json:"tools,omitempty"`
	// Simulated is true where no model was involved (rule G15).
	Simulated bool `json:"simulated,omitempty"`
	// ScenarioHash identifies the scenario's content, so that rows of another
	// content are not merged (rule N1).
	ScenarioHash string `json:"scenario_hash,omitempty"`
	// ModeHash identifies the content of the mode's file, see [ModeFact]; empty
	// for modes that are a part of this program, and in rows that are older.
	ModeHash string `json:"mode_hash,omitempty"`

	// Changes are what the reported attempt changed on GitHub, those that were
	// not allowed first, at most [MaxChanges]: the JSON of a list of [Change],
	// which few readers of a ledger want; see [Row.ChangeList]. Nil where that
	// cannot be seen, and in rows that are older.
	Changes json.RawMessage `json:"changes,omitempty"`
	// FootprintJudged is false where it cannot be seen what was changed, or not
	// wholly, as on a live target; nil in rows that are older (rule S12).
	FootprintJudged *bool `json:"footprint_judged,omitempty"`
	// FootprintUnjudged says what of the changes was judged and what was not;
	// empty where all or nothing was.
	FootprintUnjudged string `json:"footprint_unjudged,omitempty"`
	// RouteOK tells whether ghx took the route, and reported what it alone
	// reports, that the scenario names. Nil in other modes and where the
	// scenario names nothing. It decides nothing (rule S13).
	RouteOK *bool `json:"route_ok,omitempty"`

	// Reward is what another system's benchmark says of the task; nil in rows of
	// this program's own scenarios.
	Reward *Reward `json:"reward,omitempty"`

	// Extra holds the fields that this version does not know, as read; they
	// are written back. Nil if there are none.
	Extra map[string]json.RawMessage `json:"-"`
}

// Reward is how another system's benchmark has judged a task.
type Reward struct {
	// Value is from 0 to 1, nil where the task has none.
	Value *float64 `json:"value"`
	// Status is how the task ended, in the words of package harness.
	Status string `json:"status"`
	// Reason says why there is no reward, or what else is to be known; it may be
	// empty.
	Reason string `json:"reason,omitempty"`
}

// MaxChanges is how many changes a row has.
const MaxChanges = 100

// MaxUnsupported is how much a row names that the sandbox lacks.
const MaxUnsupported = 100

// Cell returns the cell that the row reports.
func (r *Row) Cell() Cell {
	return Cell{ScenarioID: r.ScenarioID, Mode: r.Mode, Iteration: r.Iteration}
}

// Tokens are counts summed over every assistant message of an attempt (R4).
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	Reasoning  int64 `json:"reasoning"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Total      int64 `json:"total"`
}

// Active returns the tokens that were not read from a cache (rule R4).
func (t Tokens) Active() int64 { return t.Total - t.CacheRead }

// Add returns the sum of t and u, field by field.
func (t Tokens) Add(u Tokens) Tokens {
	return Tokens{
		Input:      t.Input + u.Input,
		Output:     t.Output + u.Output,
		Reasoning:  t.Reasoning + u.Reasoning,
		CacheRead:  t.CacheRead + u.CacheRead,
		CacheWrite: t.CacheWrite + u.CacheWrite,
		Total:      t.Total + u.Total,
	}
}

// TimingBreakdown splits an attempt's time, in milliseconds.
type TimingBreakdown struct {
	AssistantTotalMS                   float64 `json:"assistant_total_ms"`
	AssistantPreReasoningMS            float64 `json:"assistant_pre_reasoning_ms"`
	AssistantReasoningMS               float64 `json:"assistant_reasoning_ms"`
	AssistantBetweenReasoningAndToolMS float64 `json:"assistant_between_reasoning_and_tool_ms"`
	AssistantPostToolMS                float64 `json:"assistant_post_tool_ms"`
	ToolTotalMS                        float64 `json:"tool_total_ms"`
	ToolBashMS                         float64 `json:"tool_bash_ms"`
	ToolStructuredOutputMS             float64 `json:"tool_structured_output_ms"`
	ObservedAssistantTurns             int     `json:"observed_assistant_turns"`
}

// ModelRef names a model.
type ModelRef struct {
	ProviderID string  `json:"provider_id"`
	ModelID    string  `json:"model_id"`
	Mode       *string `json:"mode"`
}

// Key returns "provider/model", the key of expectations and prices.
func (m ModelRef) Key() string { return m.ProviderID + "/" + m.ModelID }

// Signature returns "provider/model/mode" as summaries show it, with "<null>"
// for a mode that was not given.
func (m ModelRef) Signature() string {
	if m.Mode == nil {
		return m.Key() + "/<null>"
	}
	return m.Key() + "/" + *m.Mode
}

// Text returns the model as people read it: "provider/model", and "provider/model/mode"
// where a mode was given.
func (m ModelRef) Text() string {
	if m.Mode == nil {
		return m.Key()
	}
	return m.Signature()
}

// GitRef is the commit whose tooling was measured; nil where it is unknown.
type GitRef struct {
	Repo   *string `json:"repo"`
	Commit *string `json:"commit"`
	// Tree is the hash of the tooling's content, which commits of the same
	// content share: the commit's tree, that of a checkout with changes, or outside
	// of git that of the programs. Nil where it is unknown, and in rows that are older.
	Tree *string `json:"tree,omitempty"`
}

// SameTool reports whether two references are of the same tooling: by its
// content, where that of both is known, else by the commit. What is unknown is
// not the same as anything.
func (g GitRef) SameTool(other GitRef) bool {
	a, b := g.Tree, other.Tree
	if a == nil || b == nil {
		a, b = g.Commit, other.Commit
	}
	return a != nil && b != nil && *a == *b
}

// Reusable reports whether a later run, on a base commit that is zero where it is not
// known, may take the row over instead of running the cell again. What became of the
// cell is no reason against it: what was tried was tried (rule V3). A row of mode
// [GHXBase] is of no use once the base has moved, or where it is not known of which
// base it is.
func (r *Row) Reusable(base GitRef) bool {
	return r.Mode != GHXBase || base.Commit == nil && base.Tree == nil || r.Git.SameTool(base)
}

// ErrorType classifies what went wrong with a cell (rule R8).
type ErrorType string

// The error types. Those that begin with "runner_" are runner failures, those
// that begin with "runner_timeout_" also timeouts or stalls.
const (
	RunnerError          ErrorType = "runner_error"
	TimeoutNoFirstAnswer ErrorType = "runner_timeout_no_first_assistant"
	TimeoutStalled       ErrorType = "runner_timeout_stalled_session"
	TimeoutNoFinalAnswer ErrorType = "runner_timeout_wait_for_assistant"
	AssertionFailed      ErrorType = "assertion_failed"
	CheckpointFailed     ErrorType = "checkpoint_failed"
	runnerFailurePrefix            = "runner_"
	runnerTimeoutPrefix            = "runner_timeout_"
)

// RowError is what went wrong with a cell.
type RowError struct {
	Type    ErrorType `json:"type"`
	Message string    `json:"message"`
}

// RunnerFailure reports whether harness or agent process failed, rather than
// the agent's work (rule R8). A nil error is none.
func (e *RowError) RunnerFailure() bool {
	return e != nil && strings.HasPrefix(string(e.Type), runnerFailurePrefix)
}

// TimeoutOrStall reports whether the cell ran into a deadline, by its type
// (R8). A nil error did not.
func (e *RowError) TimeoutOrStall() bool {
	return e != nil && strings.HasPrefix(string(e.Type), runnerTimeoutPrefix)
}

// TimeoutOrStall reports whether the cell ran into a deadline: by the type of
// its error or, in rows of the original harness, which had no types for it, by
// a whole word of the message (R8).
func (r *Row) TimeoutOrStall() bool {
	return r.Error.TimeoutOrStall() ||
		r.SchemaVersion == 0 && r.Error != nil && r.Error.Type == RunnerError && speaksOfTimeout(r.Error.Message)
}

// ChangeList returns the row's changes, none where they cannot be read.
func (r *Row) ChangeList() []Change {
	var changes []Change
	if json.Unmarshal(r.Changes, &changes) != nil {
		return nil
	}
	return changes
}

// SetChanges keeps changes in the row; none are left out.
func (r *Row) SetChanges(changes []Change) error {
	if len(changes) == 0 {
		r.Changes = nil
		return nil
	}
	text, err := json.Marshal(changes)
	r.Changes = text
	return err
}

// SpentUSD returns what all attempts of the cell cost (R6).
func (r *Row) SpentUSD() float64 {
	if len(r.Attempts) == 0 {
		return r.Cost
	}
	spent := 0.0
	for _, a := range r.Attempts {
		spent += a.Cost + a.UnreportedUSD
	}
	return spent
}

func speaksOfTimeout(message string) bool {
	words := strings.FieldsFunc(strings.ToLower(message), func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
	for i, w := range words {
		switch w {
		case "timeout", "stall", "stalled":
			return true
		case "timed":
			if i+1 < len(words) && words[i+1] == "out" {
				return true
			}
		}
	}
	return false
}

// Attempt is one try at a cell; the last one is the reported one.
type Attempt struct {
	Error         *RowError `json:"error"`
	LatencyMSWall float64   `json:"latency_ms_wall"`
	Tokens        Tokens    `json:"tokens"`
	Cost          float64   `json:"cost"`
	// UnreportedUSD is what the model's API used beyond what the agent reports, at
	// the suite's price; 0 where that is not known.
	UnreportedUSD float64 `json:"unreported_usd,omitempty"`
	// Class says whom the failure is laid to, Part which part of the
	// infrastructure that is. Both are empty where the attempt succeeded, and in
	// older rows (rule N10).
	Class Class `json:"class,omitempty"`
	Part  Part  `json:"part,omitempty"`
	// ProviderFailure says how the model's provider failed in the attempt,
	// whatever the attempt came to; empty if it did not.
	ProviderFailure string `json:"provider_failure,omitempty"`
}

// CheckpointResult is what a checkpoint found.
type CheckpointResult struct {
	Name string `json:"name"`
	// Kind is empty for a scenario's own checkpoint.
	Kind   CheckpointKind `json:"kind,omitempty"`
	Passed bool           `json:"passed"`
	// Detail says what was seen, and what was expected where it did not pass.
	Detail string `json:"detail,omitempty"`
}

// CheckpointKind tells what is looked at beside a scenario's checkpoints.
type CheckpointKind string

const (
	// CheckFootprint looks at what was changed (rule S12).
	CheckFootprint CheckpointKind = "footprint"
	// CheckAnswer compares the agent's answer with what GitHub says (rules S13
	// and S14).
	CheckAnswer CheckpointKind = "answer"
)

// APIRequests are the agent's requests to GitHub, counted outside of it.
type APIRequests struct {
	REST    int `json:"rest"`
	GraphQL int `json:"graphql"`
	// Bytes is the size of request and response bodies together.
	Bytes int64 `json:"bytes"`
}

// Order tells where in its run a cell stood.
type Order struct {
	// Kind is "interleaved", "blocks" or "sequential".
	Kind string `json:"kind"`
	// Seed is that of the random order; 0 where the order is sequential.
	Seed uint64 `json:"seed"`
	// Position counts from 1 over the whole plan.
	Position int `json:"position"`
}

// FormatTime formats t as rows do: RFC 3339, UTC, milliseconds.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// plainRow has Row's fields without its methods.
type plainRow Row

var rowFields = jsonNames(reflect.TypeFor[Row]())

func jsonNames(t reflect.Type) map[string]bool {
	names := make(map[string]bool, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "-" {
			names[name] = true
		}
	}
	return names
}

// UnmarshalJSON reads a row and keeps the fields that it does not know.
func (r *Row) UnmarshalJSON(data []byte) error {
	var known plainRow
	if err := json.Unmarshal(data, &known); err != nil {
		return err
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	for name := range all {
		if rowFields[name] {
			delete(all, name)
		}
	}
	*r = Row(known)
	if len(all) > 0 {
		r.Extra = all
	}
	return nil
}

// MarshalJSON writes the row's fields in the order of R2, then the unknown
// ones that it was read with, sorted by name.
func (r Row) MarshalJSON() ([]byte, error) {
	head, err := json.Marshal(plainRow(r))
	if err != nil || len(r.Extra) == 0 {
		return head, err
	}
	tail, err := json.Marshal(r.Extra)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{head[:len(head)-1], tail[1:]}, []byte(",")), nil
}
