package service

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/app/settings"
	"github.com/ghx-dev/bench-action/internal/comment"
	"github.com/ghx-dev/bench-action/internal/ghevent"
)

// facts are what a decision on a pull request depends on besides its settings.
type facts struct {
	ghevent.Head
	// action is the event's; empty where the event is no pull request's own.
	action string
	// label is the one that was just added, for the action labeled.
	label string
	// approved is true if somebody approved this head commit of a fork.
	approved bool
	// stranger is true if the event is the doing of a person who may not write.
	stranger bool
}

// asksWho reports whether it matters who is behind an event: others than those
// who may write can do these things with a branch of the repository. Only they
// can push, and what comes from forks is approved.
func asksWho(e ghevent.Event, p ghevent.Pull) bool {
	return !p.Fork && !e.Sender.Bot && slices.Contains([]string{"reopened", "labeled", "ready_for_review", "edited"}, e.Action)
}

// outcome is what a decision comes to.
type outcome string

// The outcomes.
const (
	// run has the head commit measured.
	run outcome = "run"
	// leave does nothing and says nothing on GitHub.
	leave outcome = "leave"
	// skip concludes the check without a run, so that it does not hang where
	// it is required.
	skip outcome = "skip"
)

// decision is what comes of a pull request that was considered.
type decision struct {
	outcome outcome
	// why is the reason of a skip.
	why comment.Skip
}

// consider says whether a pull request is measured by itself. Besides the rules
// that the action has too there are those of the App alone: which events are
// triggers, which for the action the workflow says; who is behind an event and
// what is approved of a fork. A workflow of a fork has no secrets and is held
// back by GitHub itself, but the App measures with its own.
func consider(s settings.Settings, f facts) decision {
	if f.Pull.Closed || !wanted(s, f) {
		return decision{outcome: leave}
	}
	switch why := s.Rules().Skip(f.Head); {
	case why != "":
		return decision{skip, why}
	case f.stranger:
		return decision{skip, comment.SkipPermission}
	default:
		return forked(s, f)
	}
}

// forked decides on forks, for commands too: nobody may have a commit of a
// fork run that was not approved.
func forked(s settings.Settings, f facts) decision {
	switch {
	case f.Pull.Fork && s.Forks == settings.ForksNever:
		return decision{skip, comment.SkipForks}
	case f.Pull.Fork && !f.approved:
		return decision{skip, comment.SkipApproval}
	default:
		return decision{outcome: run}
	}
}

// wanted reports whether the settings name the event as a trigger.
func wanted(s settings.Settings, f facts) bool {
	switch f.action {
	case "", "edited": // as a push: it is another way to hear of one, or has the same effect
		return slices.Contains(s.Triggers.PullRequest, "synchronize")
	case "labeled":
		return slices.Contains(s.Triggers.PullRequest, f.action) && strings.EqualFold(f.label, s.Labels.Run)
	default:
		return slices.Contains(s.Triggers.PullRequest, f.action)
	}
}
