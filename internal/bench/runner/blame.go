package runner

import (
	"errors"
	"regexp"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// blame lays an attempt's failure to the agent, the tool or a part of the
// infrastructure, by the error of what was done and by what was seen of the
// calls of the model's API (rule N10).
func (a *attempt) blame(err error) {
	a.providerFailure = a.providerFailed()
	switch {
	case a.Error == nil:
	case a.providerFailure != "":
		a.class, a.part = bench.ClassInfrastructure, bench.PartProvider
	case errors.Is(err, agent.ErrTool):
		a.class = bench.ClassTool
	case a.Error.RunnerFailure() && !a.Error.TimeoutOrStall(), a.Error.Type == bench.TimeoutNoFirstAnswer:
		a.class, a.part = bench.ClassInfrastructure, bench.PartHarness
		if a.sandbox {
			a.part = bench.PartSandbox
		}
	default:
		a.class = bench.ClassAgent
	}
}

func (a *attempt) providerFailed() string {
	if a.usage == nil || a.usage.Model == nil {
		return a.Error.ProviderFailure()
	}
	seen := a.usage.Model
	if len(seen.Failures) > 0 {
		return seen.Failures[0]
	}
	if seen.Calls > 0 && a.Error != nil && a.Error.Type == bench.TimeoutNoFirstAnswer {
		return a.Error.ProviderFailure()
	}
	return ""
}

// report returns the attempt as the row's list has it.
func (a *attempt) report() bench.Attempt {
	tried := a.Attempt(a.latencyMS)
	tried.Class, tried.Part, tried.ProviderFailure = a.class, a.part, a.providerFailure
	tried.UnreportedUSD = a.unreported
	return tried
}

// enoughAlike is how many attempts in a row may fail alike by the
// infrastructure's doing before the run ends (rule N11).
const enoughAlike = 3

// numbers differ between failures that are alike: ports, times, ids.
var numbers = regexp.MustCompile(`[0-9]+`)

// breaker counts attempts in a row that fail alike by the infrastructure's doing.
type breaker struct {
	alike string
	count int
}

// add takes an attempt in, and returns an error after the last one that may fail
// so.
func (b *breaker) add(a *attempt) error {
	if a.class != bench.ClassInfrastructure {
		*b = breaker{}
		return nil
	}
	reason := a.Error.Message
	if a.part == bench.PartProvider {
		reason = a.providerFailure
	}
	alike := string(a.part) + numbers.ReplaceAllString(reason, "0")
	if alike != b.alike {
		*b = breaker{alike: alike}
	}
	if b.count++; b.count < enoughAlike {
		return nil
	}
	return fault.Infraf("%d attempts in a row failed alike, and not by the agent's doing (%s): %s", b.count, a.part, reason)
}
