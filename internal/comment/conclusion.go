package comment

import (
	"cmp"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// CheckStatus is a check run's status, as GitHub's API names it.
type CheckStatus string

// The statuses.
const (
	StatusQueued     CheckStatus = "queued"
	StatusInProgress CheckStatus = "in_progress"
	StatusCompleted  CheckStatus = "completed"
)

// Conclusion is how a completed check run ended, as GitHub's API names it.
type Conclusion string

// The conclusions. Where a check is required, GitHub lets a pull request be
// merged on success, neutral and skipped.
const (
	Success        Conclusion = "success"
	Failure        Conclusion = "failure"
	Neutral        Conclusion = "neutral"
	Cancelled      Conclusion = "cancelled"
	SkippedCheck   Conclusion = "skipped"
	ActionRequired Conclusion = "action_required"
)

// Status returns the check run's status.
func (r Run) Status() CheckStatus {
	switch r.Phase {
	case Queued:
		return StatusQueued
	case Running:
		return StatusInProgress
	default:
		return StatusCompleted
	}
}

// Conclusion returns how the check run ends; it is empty until it does. It fails
// closed: what is no verdict on the change keeps a pull request from being merged
// where the check is required, unless somebody who may write here has asked for
// nothing to be measured. docs/action.md has the table.
func (r Run) Conclusion() Conclusion {
	switch r.Phase {
	case Queued, Running:
		return ""
	case Stopped:
		return Cancelled
	case Broken:
		switch fault.KindOf(r.Problem) {
		case fault.Invalid:
			return ActionRequired
		case fault.Tool:
			return Failure
		default:
			return r.withoutVerdict()
		}
	case Skipped:
		return r.Skip.conclusion()
	default:
		return r.ofVerdict()
	}
}

// conclusion is success-like only for what people with write permission have said:
// in the settings, by a label, or with the message of a commit that they pushed.
func (s Skip) conclusion() Conclusion {
	switch s {
	case SkipMarker, SkipLabel, SkipTrigger:
		return SkippedCheck
	case SkipPaths:
		return Neutral
	default:
		return ActionRequired
	}
}

func (r Run) ofVerdict() Conclusion {
	s := r.Summary
	switch {
	case s == nil:
		return r.withoutVerdict()
	case r.Unverified, len(r.Contested) > 0:
		return ActionRequired
	case s.Simulated:
		return Neutral
	case s.Gate.Verdict == bench.VerdictPass:
		return Success
	case s.Gate.Verdict == bench.VerdictFail:
		return Failure
	case s.Gate.Verdict == bench.VerdictInconclusive:
		return cmp.Or(r.OnNoVerdict, Neutral)
	default:
		return r.withoutVerdict()
	}
}

// withoutVerdict is the conclusion where nothing was judged, which never lets a
// pull request through.
func (r Run) withoutVerdict() Conclusion {
	if r.OnNoVerdict == Failure {
		return Failure
	}
	return ActionRequired
}
