package scenario

import (
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// The timeouts that are usual (rule S11).
const (
	minAtomicTimeout   = 10 * time.Second
	maxAtomicTimeout   = 60 * time.Second
	minWorkflowTimeout = 60 * time.Second
	maxWorkflowTimeout = 180 * time.Second
)

// warnings returns what is unusual about timeouts and retries (rule S11).
func warnings(sources []source) jsondoc.Problems {
	var found jsondoc.Problems
	atomicRetries := mostAtomicRetries(sources)
	for _, s := range sources {
		kind, least, most := "an atomic scenario", minAtomicTimeout, maxAtomicTimeout
		if s.scenario.Type == bench.Workflow {
			kind, least, most = "a workflow", minWorkflowTimeout, maxWorkflowTimeout
		}
		if timeout := s.scenario.Timeout(); timeout < least || timeout > most {
			found = append(found, s.doc.Problem([]string{"timeout_ms"},
				"is %d, but %s usually has %d to %d", s.scenario.TimeoutMS, kind, least.Milliseconds(), most.Milliseconds()))
		}
		if s.scenario.Type == bench.Workflow && s.scenario.AllowedRetries <= atomicRetries {
			found = append(found, s.doc.Problem([]string{"allowed_retries"},
				"is %d, but a workflow usually allows more retries than the atomic scenarios, which allow up to %d", s.scenario.AllowedRetries, atomicRetries))
		}
	}
	return found
}

// mostAtomicRetries returns the most retries that an atomic scenario allows,
// -1 if there is none.
func mostAtomicRetries(sources []source) int {
	most := -1
	for _, s := range sources {
		if s.scenario.Type == bench.Atomic {
			most = max(most, s.scenario.AllowedRetries)
		}
	}
	return most
}
