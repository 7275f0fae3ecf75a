// Package command reads the /bench commands that people write in comments on
// pull requests.
//
// A comment is a command if its very first line begins with /bench; nothing
// before it, nothing quoted, no other line. The grammar is strict, and what
// comes of it is typed, so that no text of a comment reaches a shell. Whether
// somebody may give a command is not decided here.
package command

import (
	"github.com/ghx-dev/bench-action/internal/bench"
)

// Name is what a command does.
type Name string

// The commands.
const (
	// Run measures the pull request's head commit.
	Run Name = "run"
	// Retry runs what is missing or failed for infrastructure.
	Retry Name = "retry"
	// Cancel stops the run.
	Cancel Name = "cancel"
	// Status tells how far the run is.
	Status Name = "status"
	// Explain tells why a scenario or a cell came out as it did.
	Explain Name = "explain"
	// Approve lets one commit of a fork be measured.
	Approve Name = "approve"
	// Help lists the commands.
	Help Name = "help"
)

// Names lists all commands, in the order in which help shows them.
func Names() []Name {
	names := make([]Name, len(table))
	for i, verb := range table {
		names[i] = verb.name
	}
	return names
}

// Command is what a comment asks for. Fields that the command does not have
// or the comment does not set are zero, and the repository's settings hold.
type Command struct {
	Name Name

	// The fields below are those of Run.

	Profile bench.GateProfile
	// Set names a scenario set, Scenarios are ids; one of the two at most.
	Set       string
	Scenarios []string
	// Modes are without repetition, in the order given.
	Modes []bench.Mode
	// Repetitions are from 1 to [MaxRepetitions], or a range of them.
	Repetitions bench.Repetitions
	// Model is "provider/model".
	Model string

	// Cell is what Explain is about. Its Mode is empty and its Iteration 0 if
	// a scenario is meant.
	Cell bench.Cell

	// Commit is what Approve is about: 40 hexadecimal digits, lower case.
	Commit string
}

const (
	// MaxRepetitions is the most that can be asked for with a command.
	MaxRepetitions = bench.MaxRepetitions
	// MaxScenarios is the greatest number of scenarios that a command lists.
	MaxScenarios = 50
	// MaxLine is the greatest length of a command in bytes.
	MaxLine = 2000
)
