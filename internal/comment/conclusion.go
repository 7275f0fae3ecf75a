package comment

import (
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

// Conclusion returns how the check run ends; it is empty until it does.
//
//	verdict pass                            success
//	verdict fail                            failure
//	it cannot be told (rule V6)             neutral
//	no verdict, or simulated (rule G15)     neutral
//	stopped                                 cancelled
//	error around us, or of ours             neutral
//	the measured tool does not work (N9)    failure
//	error in the settings                   action_required
//	skipped                                 skipped
//	a fork's commit waits for approval      action_required
//
// An error around us says nothing about the change, so it does not fail the
// check; it is the job's exit code that tells of it, and a repository that
// wants it to block a merge requires the job as well. What only a person can
// mend asks for one, and blocks where the check is required.
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
			return Neutral
		}
	case Skipped:
		if r.Skip == SkipApproval {
			return ActionRequired
		}
		return SkippedCheck
	default:
		return ofVerdict(r.Summary)
	}
}

func ofVerdict(s *bench.Summary) Conclusion {
	switch {
	case s == nil || s.Simulated:
		return Neutral
	case s.Gate.Verdict == bench.VerdictPass:
		return Success
	case s.Gate.Verdict == bench.VerdictFail:
		return Failure
	default:
		return Neutral
	}
}
