package comment

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Reasons why a run was stopped: sentences for [Run.Reason].
const (
	// Replaced: somebody asked for the same commit again.
	Replaced = "A newer run of the same commit took its place."
	// Superseded: another commit is the head now.
	Superseded = "There was a newer push, which is measured instead."
	// TimedOut: the settings allow no more time.
	TimedOut = "It took longer than timeout_minutes in the settings allows."
	// FellSilent: nothing has worked on it for too long.
	FellSilent = "It was silent for longer than it may take, so it was taken for dead."
	// ShutOut: the App was uninstalled or suspended, or lost the repository.
	ShutOut = "The App has no access to the repository any more."
)

// CancelledBy is the reason of a run that somebody cancelled.
func CancelledBy(login string) string { return "It was cancelled by " + login + "." }

// UsedUp is the reason of a run that is not begun because nothing may be spent
// any more. The path is that of the settings.
func UsedUp(path string) string {
	return "The budget of the pull request or of the day is used up, or held by runs that go on. Raise it in " + path + ", wait for those runs, or wait until tomorrow."
}

// TooDear is the reason of a run that is not begun because its estimate is
// above what may be spent, in USD. The path is that of the settings.
func TooDear(estimate, left float64, path string) string {
	return fmt.Sprintf("It is thought to cost %s USD, and %s may be spent. Name fewer scenarios or repetitions, or raise the budget in %s.",
		bench.USDText(estimate), bench.USDText(left), path)
}
