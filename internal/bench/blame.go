package bench

import "regexp"

// Class says whom a failed attempt is laid to (rule N10).
type Class string

// The classes.
const (
	// ClassAgent: the agent did not do what was asked.
	ClassAgent Class = "agent"
	// ClassTool: the measured tool does not work.
	ClassTool Class = "tool"
	// ClassInfrastructure: something around agent and tool failed; the attempt's
	// part tells what.
	ClassInfrastructure Class = "infrastructure"
)

// Part is a part of the infrastructure.
type Part string

// The parts.
const (
	// PartProvider is the API of the agent's model.
	PartProvider Part = "provider"
	// PartSandbox is what stands in for GitHub, or GitHub itself on a live target.
	PartSandbox Part = "sandbox"
	// PartHarness is the agent's program and what runs it.
	PartHarness Part = "harness"
)

// providerStatus is how an agent's turn ends that the model's provider broke
// off: with an HTTP status that says that it cannot now.
var providerStatus = regexp.MustCompile(`\((408|409|425|429|5\d\d)\)$`)

// ProviderFailure says how the model's provider failed, as far as the error of
// an attempt tells whose calls of the model were not seen; empty if it did not.
func (e *RowError) ProviderFailure() string {
	switch {
	case e == nil:
	case e.Type == TimeoutNoFirstAnswer:
		return "the model gave no first answer"
	case e.Type == RunnerError:
		if status := providerStatus.FindStringSubmatch(e.Message); status != nil {
			return "the model's provider answered " + status[1]
		}
	}
	return ""
}

// ProviderFailure says how the model's provider failed in one of the row's
// attempts, whether the row is a success or not; empty if it did not. The row's
// block is void then. Rows that have no classes are judged by their errors.
func (r *Row) ProviderFailure() string {
	for _, a := range r.Attempts {
		switch {
		case a.ProviderFailure != "":
			return a.ProviderFailure
		case a.Class == "" && a.Error.ProviderFailure() != "":
			return a.Error.ProviderFailure()
		}
	}
	if len(r.Attempts) > 0 {
		return ""
	}
	return r.Error.ProviderFailure()
}

// Blame takes over from an attempt whom its failure is laid to, for the same
// attempt measured anew.
func (a *Attempt) Blame(before Attempt) {
	a.ProviderFailure = before.ProviderFailure
	switch {
	case a.Error == nil:
		a.Class, a.Part = "", ""
	case before.Error != nil:
		a.Class, a.Part = before.Class, before.Part
	default:
		a.Class = ClassAgent
	}
}

// LaidTo names the class of the attempt's failure with its part, such as
// "infrastructure (provider)".
func (a *Attempt) LaidTo() string {
	if a.Part == "" {
		return string(a.Class)
	}
	return string(a.Class) + " (" + string(a.Part) + ")"
}
