package bench

import (
	"encoding/json"
	"time"
)

// ScenarioType tells the two kinds of scenario apart.
type ScenarioType string

const (
	// Atomic is one capability, asked for as task and input, answered with a
	// result envelope.
	Atomic ScenarioType = "atomic"
	// Workflow is a task in plain words over several capabilities, judged by
	// its checkpoints alone.
	Workflow ScenarioType = "workflow"
)

// Scenario is one task for an agent, as its file states it (rules S1 to S6).
// Bindings are unresolved in it; package scenario resolves them.
type Scenario struct {
	Type ScenarioType `json:"type,omitempty"`
	ID   string       `json:"id"`
	Name string       `json:"name"`
	// Purpose says what a good and a poor tool differ in, for people.
	Purpose string `json:"purpose,omitempty"`

	// Task is the capability that an atomic scenario asks for, for example
	// "pr.merge". Empty in a workflow.
	Task string `json:"task,omitempty"`
	// Input is the capability's input, before bindings. Nil in a workflow.
	Input map[string]any `json:"input,omitempty"`
	// PromptTemplate is what an atomic scenario says to the agent.
	PromptTemplate string `json:"prompt_template,omitempty"`

	// Prompt is what a workflow says to the agent. Empty in an atomic one.
	Prompt string `json:"prompt,omitempty"`
	// ExpectedCapabilities are those that a workflow is meant to use. They
	// are not asserted; they tell which ghx can run it and whether it mutates.
	ExpectedCapabilities []string `json:"expected_capabilities,omitempty"`

	// TimeoutMS bounds one attempt, in milliseconds.
	TimeoutMS int `json:"timeout_ms"`
	// AllowedRetries is how often a failed attempt may be repeated.
	AllowedRetries int `json:"allowed_retries"`
	// Fixture says where the scenario runs and what must be there; nil means
	// the default fixtures repository and no resources.
	Fixture *Fixture `json:"fixture,omitempty"`
	// Target is nil for tasks on GitHub.
	Target     *CommandTarget `json:"target,omitempty"`
	Assertions Assertions     `json:"assertions"`
	// Footprint is what an attempt may change; empty means nothing (rule S12).
	Footprint []Allowance `json:"footprint,omitempty"`
	Tags      []string    `json:"tags"`

	// Hash identifies the scenario's content: hex SHA-256 over its canonical
	// JSON. It is set on loading, never read from a file.
	Hash string `json:"-"`
}

// Timeout returns TimeoutMS as a duration.
func (s Scenario) Timeout() time.Duration { return time.Duration(s.TimeoutMS) * time.Millisecond }

// Capabilities returns the capabilities of ghx's that the scenario uses: its
// task, or a workflow's expected ones; none where it is not about GitHub.
func (s Scenario) Capabilities() []string {
	if s.Target != nil {
		return nil
	}
	if s.Type == Workflow {
		return s.ExpectedCapabilities
	}
	return []string{s.Task}
}

// World returns the world that the scenario is in, empty for the fixtures that
// ship with the program.
func (s Scenario) World() string {
	if s.Fixture == nil {
		return ""
	}
	return s.Fixture.World
}

// Requires returns the fixture resources that must be there, possibly none.
func (s Scenario) Requires() []string {
	if s.Fixture == nil {
		return nil
	}
	return s.Fixture.Requires
}

// Fixture is the ground a scenario stands on (rule S2). Empty fields mean the
// target's defaults.
type Fixture struct {
	Repo    string `json:"repo,omitempty"`
	Workdir string `json:"workdir,omitempty"`
	Branch  string `json:"branch,omitempty"`
	// World names a world of the scenario folder; empty means the fixtures that
	// ship with the program.
	World string `json:"world,omitempty"`
	// Requires names resources of the fixture manifest.
	Requires []string `json:"requires,omitempty"`
	// Bindings maps "input.<dotted path>" to a dotted path in the manifest.
	Bindings map[string]string `json:"bindings,omitempty"`
}

// TargetCommand is the type of a [CommandTarget].
const TargetCommand = "command"

// CommandTarget is where a task is that is not about GitHub: a folder that
// commands fill, look at, judge and give up. Commands are shell text; an empty
// one is left out. The agent can neither read nor change them.
type CommandTarget struct {
	// Type is [TargetCommand].
	Type string `json:"type"`
	// Files names a folder below "files" of the scenario folder, with what the
	// commands need; empty means none.
	Files string `json:"files,omitempty"`
	// Setup fills the folder before the agent's turn, and tells resources, as
	// <name>.<field>=<value> lines: those that Makes names.
	Setup string              `json:"setup,omitempty"`
	Makes map[string][]string `json:"makes,omitempty"`
	// Snapshot prints what there is, before and after the agent's turn, as JSON:
	// fields by name by kind of object. Without it that is the folder's files.
	Snapshot string `json:"snapshot,omitempty"`
	// Verify ends with 0 if the task was done, with 1 if not.
	Verify string `json:"verify,omitempty"`
	// Cleanup gives up what is outside of the folder. It runs however the attempt
	// has ended.
	Cleanup string `json:"cleanup,omitempty"`
	// TimeoutMS bounds each command, in milliseconds; 0 means a minute.
	TimeoutMS int `json:"timeout_ms,omitempty"`
}

// commandTimeout bounds a command that has no bound of its own.
const commandTimeout = time.Minute

// Timeout returns what bounds each command.
func (t CommandTarget) Timeout() time.Duration {
	if t.TimeoutMS == 0 {
		return commandTimeout
	}
	return time.Duration(t.TimeoutMS) * time.Millisecond
}

// Outcome is what a scenario is expected to end in.
type Outcome string

const (
	// OutcomeSuccess expects ok true and no error.
	OutcomeSuccess Outcome = "success"
	// OutcomeError expects an error object with the expected code.
	OutcomeError Outcome = "expected_error"
)

// Route is the way that ghx took to GitHub.
type Route string

// The routes that ghx reports.
const (
	RouteCLI     Route = "cli"
	RouteGraphQL Route = "graphql"
	RouteREST    Route = "rest"
)

// Assertions is what must hold for a scenario to succeed (rules S3 and S5).
// A nil or zero field asserts nothing.
type Assertions struct {
	ExpectedOutcome Outcome `json:"expected_outcome,omitempty"`
	// MustSucceed is the older form of ExpectedOutcome; where both are given
	// they agree.
	MustSucceed        *bool    `json:"must_succeed,omitempty"`
	ExpectValidOutput  *bool    `json:"expect_valid_output,omitempty"`
	RequiredFields     []string `json:"required_fields,omitempty"`
	RequiredDataFields []string `json:"required_data_fields,omitempty"`
	RequiredMetaFields []string `json:"required_meta_fields,omitempty"`
	// DataType is "array" or "object".
	DataType          string     `json:"data_type,omitempty"`
	ExpectedRouteUsed Route      `json:"expected_route_used,omitempty"`
	ExpectedErrorCode ErrorCodes `json:"expected_error_code,omitempty"`
	// MayBeForeseen says that a right way to an expected error of a write is to
	// read what GitHub will refuse it for, and not to try (rule S14).
	MayBeForeseen       bool `json:"may_be_foreseen,omitempty"`
	RequireToolCalls    bool `json:"require_tool_calls,omitempty"`
	MinToolCalls        *int `json:"min_tool_calls,omitempty"`
	MaxToolCalls        *int `json:"max_tool_calls,omitempty"`
	RequireAttemptTrace bool `json:"require_attempt_trace,omitempty"`
	// ExpectedData is nil where the data that an agent reports are not compared
	// with GitHub's (rule S13).
	ExpectedData *ExpectedData `json:"expected_data,omitempty"`
	Checkpoints  []Checkpoint  `json:"checkpoints,omitempty"`
}

// ErrorCodes are the codes of which an expected error has one: more than one
// where GitHub's words leave open which is meant. In a file a single one may
// stand by itself.
type ErrorCodes []string

// UnmarshalJSON reads a text or a list of texts.
func (c *ErrorCodes) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*c = ErrorCodes{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(c))
}

// ExpectedData is what GitHub says of what an agent reports (rule S13).
type ExpectedData struct {
	// Read is what the verifier reads, after the agent's turn.
	Read Read `json:"read"`
	// Fields are jq expressions, by the field of data that each gives the true
	// value of, applied to what was read; package envelope tells how values are
	// compared. "." is data as a whole. An expression may use $input, the
	// scenario's input; $repo and $resources, those of the fixture manifest; and
	// $agent, the login of the agent's account.
	Fields map[string]string `json:"fields"`
	// Ordered are the fields whose lists have an order.
	Ordered []string `json:"ordered,omitempty"`
}

// Outcome returns the outcome that the assertions expect, from whichever of
// the two fields states it.
func (a Assertions) Outcome() Outcome {
	switch {
	case a.ExpectedOutcome != "":
		return a.ExpectedOutcome
	case a.MustSucceed != nil && !*a.MustSucceed:
		return OutcomeError
	default:
		return OutcomeSuccess
	}
}

// Condition is what a checkpoint asks of the state that it reads.
type Condition string

// The conditions of rule S5.
const (
	ConditionEmpty       Condition = "empty"
	ConditionNonEmpty    Condition = "non_empty"
	ConditionCountEq     Condition = "count_eq"
	ConditionCountGte    Condition = "count_gte"
	ConditionFieldEquals Condition = "field_equals"
	ConditionContains    Condition = "contains"
	ConditionMatches     Condition = "matches"
)

// CheckpointTime is when a checkpoint must hold.
type CheckpointTime string

const (
	// AtEnd asks after the agent's turn has ended. It is the default.
	AtEnd CheckpointTime = "end"
	// During asks after each of the agent's writes; it is enough that the
	// condition held once.
	During CheckpointTime = "during"
)

// Checkpoint is one look at GitHub's state (rules S5 and S6). What it reads is
// said in the short form, by VerificationTask and VerificationInput, or by Read.
type Checkpoint struct {
	Name string `json:"name"`
	// VerificationTask names a read that ships with the program, in the words
	// of ghx's capabilities. Empty where there is a Read.
	VerificationTask string `json:"verification_task,omitempty"`
	// VerificationInput is that read's input; those of the scenario's bound
	// inputs that it takes are merged under it.
	VerificationInput map[string]any `json:"verification_input,omitempty"`
	// Read is nil in the short form.
	Read      *Read     `json:"read,omitempty"`
	Condition Condition `json:"condition"`
	// ExpectedValue is nil for empty and non_empty.
	ExpectedValue any `json:"expected_value,omitempty"`
	// Path is the place in the answer that the condition looks at, dotted,
	// with indexes and "length"; empty means the whole answer, or the items
	// of a list.
	Path string `json:"path,omitempty"`
	// When is [AtEnd] if empty.
	When CheckpointTime `json:"when,omitempty"`
}

// Look returns what a checkpoint reads, whichever way that is said.
func (c Checkpoint) Look() Read {
	if c.Read != nil {
		return *c.Read
	}
	return Read{Task: c.VerificationTask, Input: c.VerificationInput}
}

// Read is one way to read the state of things (rule S17): on GitHub a read that
// ships with the program, a GraphQL query, or a path of the REST API; elsewhere
// what a [CommandTarget] says. Exactly one of Task, Query, Path and From is not
// empty. Texts in Input, in Variables and in Path may refer to
// the input and to the fixtures, as in {{input.owner}}.
type Read struct {
	// Task names a read that ships with the program, such as "pr.view"; Input
	// is its input. The scenario's bound inputs that it takes are merged under it.
	Task  string         `json:"task,omitempty"`
	Input map[string]any `json:"input,omitempty"`

	// Query is a GraphQL query. Those of the scenario's inputs that it declares
	// as variables are merged under Variables.
	Query     string         `json:"query,omitempty"`
	Variables map[string]any `json:"variables,omitempty"`

	// Path is that of a GET request, with its query: "/repos/{{input.owner}}/…".
	Path string `json:"path,omitempty"`
	// Accept is the media type that is asked for; empty means GitHub's JSON.
	Accept string `json:"accept,omitempty"`
	// Pages is how many pages of a list are read at most; 0 means 1.
	Pages int `json:"pages,omitempty"`

	// From names what was seen of a [CommandTarget].
	From Source `json:"from,omitempty"`

	// JQ makes the value that is looked at out of the answer: the short form's,
	// the data of the query, the body at the path, or what was seen. Empty means
	// all of it.
	JQ string `json:"jq,omitempty"`
}

// Source is something that was seen of a [CommandTarget].
type Source string

// The sources: the snapshots, and what Verify has printed.
const (
	FromBefore Source = "before"
	FromAfter  Source = "after"
	FromVerify Source = "verify"
)
