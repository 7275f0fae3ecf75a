package benchcli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
)

// tryReport is what one attempt at a scenario came to.
type tryReport struct {
	Scenario string     `json:"scenario"`
	Mode     bench.Mode `json:"mode"`
	Play     string     `json:"play"`
	// Variation is the one that was asked for; fixtures of a manifest do not vary.
	Variation bench.Variation `json:"variation"`

	Success bool `json:"success"`
	// Error is nil where it succeeded.
	Error       *bench.RowError `json:"error"`
	OutputValid bool            `json:"output_valid"`

	Prompt string         `json:"prompt"`
	Input  map[string]any `json:"input"`
	Answer string         `json:"answer"`
	// ToolErrors are what tools failed with: a script that did not end well.
	ToolErrors []string `json:"tool_errors,omitempty"`
	// Requests is nil where they were not counted.
	Requests     *bench.APIRequests       `json:"requests"`
	RefusedHosts []string                 `json:"refused_hosts,omitempty"`
	Unsupported  []string                 `json:"unsupported,omitempty"`
	Checks       []bench.CheckpointResult `json:"checks"`
	// Changes are those that are left at the end, what is not allowed first.
	Changes []bench.Change `json:"changes"`
	// Data compares what was reported with what GitHub says, field by field; empty
	// where they were not compared.
	Data []dataField `json:"data"`
}

// dataField is a field of the data of an answer.
type dataField struct {
	Field    string `json:"field"`
	Reported any    `json:"reported"`
	GitHub   any    `json:"github"`
	True     bool   `json:"true"`
	// Why says in what they differ, empty if they do not.
	Why string `json:"why,omitempty"`
	// source is who says what is true.
	source envelope.Source
}

func newTryReport(t *trial, play rightPlay, variation int, tried runner.Tried) tryReport {
	r := tryReport{
		Scenario: t.scenario.ID, Mode: play.mode, Play: play.name, Variation: *t.of(variation).Of(0),
		Success: tried.Succeeded(), Error: tried.Error, OutputValid: tried.OutputValid,
		Prompt: scenario.FirstPrompt(tried.Scenario, ""), Input: tried.Scenario.Input, Answer: tried.Answer,
		Unsupported: tried.Unsupported, Checks: tried.Checkpoints, Changes: tried.Changes,
		Data: compared(tried),
	}
	for _, m := range tried.Transcript.Messages {
		for _, p := range m.Parts {
			if p.Tool != nil && p.Tool.Error != "" {
				r.ToolErrors = append(r.ToolErrors, p.Tool.Error)
			}
		}
	}
	if tried.Usage != nil {
		r.Requests, r.RefusedHosts = &tried.Usage.Requests, tried.Usage.RefusedHosts
	}
	return r
}

// compared compares the data of an answer with the truth, field by field.
func compared(tried runner.Tried) []dataField {
	fields := []dataField{}
	env, _ := envelope.Extract(tried.Answer)
	data := env.Value("data")
	object, _ := data.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(tried.Truth)) {
		f := dataField{Field: name, Reported: object[name], GitHub: tried.Truth[name]}
		if name == envelope.Whole {
			f.Reported = data
		}
		f.source = runner.SourceOf(tried.Scenario.Scenario)
		wrong := f.source.Compare(map[string]any{name: f.GitHub}, tried.Scenario.Scenario.Assertions.ExpectedData.Ordered, data)
		f.True, f.Why = len(wrong) == 0, strings.Join(wrong, " ")
		fields = append(fields, f)
	}
	return fields
}

// print tells a person. What agents wrote cannot change how the rest is shown.
func (r tryReport) print(out io.Writer) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s as %s, played by %s, on variation %s\n", r.Scenario, r.Mode, r.Play, r.Variation)
	fmt.Fprintf(&text, "\nPrompt\n%s\n", indent(r.Prompt))
	fmt.Fprintf(&text, "\nAnswer\n%s\n", indent(orNothing(r.Answer)))
	for _, failure := range r.ToolErrors {
		fmt.Fprintf(&text, "  (a tool failed: %s)\n", oneLine(failure))
	}
	r.printAsked(&text)
	r.printChecks(&text)
	fmt.Fprintln(&text, "\nChanges")
	printChanges(&text, r.Changes)
	r.printData(&text)
	if r.Success {
		fmt.Fprintln(&text, "\nSUCCESS")
	} else {
		fmt.Fprintf(&text, "\nFAILED with %s\n%s\n  The same fixtures again: %s\n", r.Error.Type, indent(r.Error.Message), again(&r.Variation))
	}
	_, err := io.WriteString(out, changes.Visible(text.String()))
	return err
}

func (r tryReport) printAsked(out io.Writer) {
	if r.Requests == nil && len(r.RefusedHosts)+len(r.Unsupported) == 0 {
		return
	}
	fmt.Fprintln(out, "\nRequests")
	if r.Requests != nil {
		fmt.Fprintf(out, "  %d REST, %d GraphQL, %d bytes\n", r.Requests.REST, r.Requests.GraphQL, r.Requests.Bytes)
	}
	for _, host := range r.RefusedHosts {
		fmt.Fprintf(out, "  refused: %s\n", oneLine(host))
	}
	for _, operation := range r.Unsupported {
		fmt.Fprintf(out, "  the sandbox lacks: %s\n", oneLine(operation))
	}
}

func (r tryReport) printChecks(out io.Writer) {
	fmt.Fprintln(out, "\nChecks")
	if len(r.Checks) == 0 {
		fmt.Fprintln(out, "  none")
	}
	for _, c := range r.Checks {
		fmt.Fprintf(out, "  %s %s\n", map[bool]string{true: "ok    ", false: "FAILED"}[c.Passed], oneLine(c.Name))
		if c.Detail != "" {
			fmt.Fprintf(out, "           %s\n", strings.ReplaceAll(c.Detail, "\n", " ⏎ "))
		}
	}
}

func (r tryReport) printData(out io.Writer) {
	if len(r.Data) == 0 {
		return
	}
	fmt.Fprintln(out, "\nData")
	for _, f := range r.Data {
		if f.True {
			fmt.Fprintf(out, "  ok     %s: %s\n", oneLine(f.Field), oneLine(valueText(f.Reported)))
			continue
		}
		fmt.Fprintf(out, "  FALSE  %s\n           reported: %s\n           %-9s %s\n           %s\n",
			oneLine(f.Field), oneLine(valueText(f.Reported)), strings.TrimPrefix(string(f.source), "the ")+":", oneLine(valueText(f.GitHub)), oneLine(f.Why))
	}
}
