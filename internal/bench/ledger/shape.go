package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// required is a set of the fields without which a line is no row.
type required uint16

const (
	hasRunID required = 1 << iota
	hasMode
	hasScenarioID
	hasIteration
	hasSuccess
	hasOutputValid
	hasLatency
	hasTokens
	hasCost
	hasToolCalls
	hasModel

	hasAll = 1<<iota - 1
)

// String lists the fields of the set by their names in JSON.
func (r required) String() string {
	var names []string
	for i, name := range []string{
		"run_id", "mode", "scenario_id", "iteration", "success", "output_valid",
		"latency_ms_wall", "tokens", "cost", "tool_calls", "model",
	} {
		if r&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// checkShape returns why a line that is JSON is no row, nil if it is one.
func checkShape(row *bench.Row, has required) error {
	if lacks := hasAll &^ has; lacks != 0 {
		return fmt.Errorf("it lacks %s", lacks)
	}
	if _, err := bench.ParseMode(string(row.Mode)); err != nil {
		return fmt.Errorf(`field "mode": %w`, err)
	}
	if row.RunID == "" || row.ScenarioID == "" {
		return errors.New("run_id or scenario_id is empty")
	}
	if row.Iteration < 1 {
		return fmt.Errorf(`field "iteration" is %d, but iterations count from 1`, row.Iteration)
	}
	// What is far beyond any session would make sums of it infinite.
	const most = 1e15
	if row.Cost > most || row.LatencyMSWall > most {
		return fmt.Errorf(`fields "cost" and "latency_ms_wall" are %g USD and %g ms, and no session takes %g`, row.Cost, row.LatencyMSWall, most)
	}
	return nil
}

// explain puts an error of decoding into words, with the place in the line
// where it is known.
func explain(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("column %d: %v", syntax.Offset, err)
	case errors.As(err, &kind) && kind.Field == "":
		return fmt.Sprintf("it is a JSON %s, not an object", kind.Value)
	case errors.As(err, &kind) && kind.Type.Kind() == reflect.Float64 && strings.HasPrefix(kind.Value, "number "):
		return fmt.Sprintf("column %d: field %q is %s, which is out of range", kind.Offset, kind.Field, strings.TrimPrefix(kind.Value, "number "))
	case errors.As(err, &kind):
		return fmt.Sprintf("column %d: field %q must be %s, not a JSON %s", kind.Offset, kind.Field, wanted(kind.Type.Kind()), kind.Value)
	default:
		return err.Error()
	}
}

// wanted returns what JSON calls a type of ours.
func wanted(kind reflect.Kind) string {
	switch kind {
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}
