package runner

import (
	"fmt"
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
)

// AskedName is the name of the check that an answer comes from GitHub.
const AskedName = "GitHub was asked"

// asked finds fault with an answer that was made without asking GitHub; with an
// error that is expected, without asking for what the task is about, or, of a
// write, without having been refused it (rule S14).
// It finds none where what the agent asks cannot be seen, nor with a workflow,
// which is judged by what it did, nor with a task that is not about GitHub.
func (w work) asked() []bench.CheckpointResult {
	place, s := w.place, w.scenario
	if s.Scenario.Type == bench.Workflow || s.Scenario.Target != nil || place.Usage == nil {
		return nil
	}
	fault := func(format string, args ...any) []bench.CheckpointResult {
		return []bench.CheckpointResult{{Name: AskedName, Kind: bench.CheckAnswer, Detail: fmt.Sprintf(format, args...)}}
	}
	if requests := place.Usage().Requests; requests.REST+requests.GraphQL == 0 {
		return fault("The agent answered without asking GitHub.")
	}
	if s.Scenario.Assertions.Outcome() != bench.OutcomeError || place.Asked == nil {
		return nil
	}
	for _, names := range s.Named {
		if !slices.ContainsFunc(names, place.Asked) {
			return fault("The agent did not ask GitHub for %s.", names[0])
		}
	}
	if a := s.Scenario.Assertions; scenario.Mutates(s.Scenario) && !a.MayBeForeseen && place.Refused != nil && !slices.ContainsFunc(a.ExpectedErrorCode, func(code string) bool {
		return place.Refused(s.Named, code == envelope.CodeNotFound)
	}) {
		return fault("GitHub has not refused the agent what the task asks for.")
	}
	return nil
}
