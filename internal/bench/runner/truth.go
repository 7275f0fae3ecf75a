package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// TruthName is the name of the check that what an agent reports is true.
const TruthName = "the answer is true"

// told compares the data that the agent reports with what GitHub says (rule
// S13), which are the values. Readable is false if GitHub cannot be asked. An
// answer without data has no result: its form is judged elsewhere.
func (w work) told(ctx context.Context, poll checkpoint.Poll) (results []bench.CheckpointResult, values map[string]any, readable bool) {
	expected := w.scenario.Scenario.Assertions.ExpectedData
	env, found := envelope.Extract(w.answer)
	reported := env.Value("data")
	if expected == nil || !found || reported == nil {
		return nil, nil, true
	}
	source := SourceOf(w.scenario.Scenario)
	var wrong []string
	var err error
	poll.Until(ctx, func() bool {
		if values, err = w.truth(ctx, *expected); err == nil {
			wrong = source.Compare(values, expected.Ordered, reported)
		}
		return err == nil && len(wrong) == 0
	})
	if err != nil {
		// It is no fault of the answer, so it is told as a state that cannot be read.
		return []bench.CheckpointResult{{Name: TruthName, Detail: "cannot be read: " + fault.Public(err)}}, nil, false
	}
	result := bench.CheckpointResult{Name: TruthName, Kind: bench.CheckAnswer, Passed: len(wrong) == 0, Detail: fmt.Sprintf("as %s says", source)}
	if !result.Passed {
		result.Detail = strings.Join(wrong, " ")
	}
	return []bench.CheckpointResult{result}, values, true
}

// SourceOf returns who says what is true.
func SourceOf(s bench.Scenario) envelope.Source {
	if s.Target != nil {
		return envelope.Verifier
	}
	return envelope.GitHub
}

// truth returns the true values of the fields of data.
func (w work) truth(ctx context.Context, e bench.ExpectedData) (map[string]any, error) {
	read, err := w.reader.Read(ctx, e.Read)
	if err != nil {
		return nil, err
	}
	// The first is what expressions are applied to, the others their variables.
	var plain []any
	for _, value := range []any{read, w.scenario.Input, w.place.Manifest.Repo, w.place.Manifest.Resources, w.place.Agent} {
		one, err := jq.Plain(value)
		if err != nil {
			return nil, err
		}
		plain = append(plain, one)
	}
	values := map[string]any{}
	for field, source := range e.Fields {
		program, err := jq.Compile(source, scenario.TruthVariables()...)
		if err == nil {
			values[field], err = program.Run(ctx, plain[0], plain[1:]...)
		}
		if err != nil {
			return nil, fault.Invalidf("expected_data.fields.%s: %w", field, err)
		}
	}
	return values, nil
}
