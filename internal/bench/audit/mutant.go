package audit

import "slices"

// Kind is a way in which an agent may be wrong.
type Kind string

// The kinds.
const (
	// LeaveOutAll writes nothing, and claims to have done it all.
	LeaveOutAll Kind = "leave-out-all"
	// LeaveOut leaves one of several writes out.
	LeaveOut Kind = "leave-out"
	// Twice does a write twice.
	Twice Kind = "twice"
	// OtherObject acts on another object of the same kind.
	OtherObject Kind = "other-object"
	// OtherValue writes another value in one place.
	OtherValue Kind = "other-value"
	// OtherMethod does it in another way, such as by another kind of merge.
	OtherMethod Kind = "other-method"
	// ExtraWrite does something else besides.
	ExtraWrite Kind = "extra-write"
	// Detour does something and takes it back, besides.
	Detour Kind = "detour"
	// MadeUp answers in the right form, with no right value.
	MadeUp Kind = "made-up"
	// OtherOutcome answers that it failed where success is right, or that it
	// succeeded where an error is.
	OtherOutcome Kind = "other-outcome"
	// Unasked gives the right answer without asking GitHub for what the task is
	// about.
	Unasked Kind = "unasked"
	// OtherVariation does and answers what is right in another variation.
	OtherVariation Kind = "other-variation"
	// OtherAnswer has one place of the answer wrong.
	OtherAnswer Kind = "other-answer"
)

// Kinds returns every kind, in the order in which they are documented.
func Kinds() []Kind {
	return []Kind{
		LeaveOutAll, LeaveOut, Twice, OtherObject, OtherValue, OtherMethod, ExtraWrite, Detour, MadeUp, OtherOutcome, Unasked, OtherVariation, OtherAnswer,
	}
}

// Whole reports whether an agent of the kind is wrong as a whole, so that it
// may never pass. One of another kind is wrong in a detail, and there may be a
// reason why that is right.
func (k Kind) Whole() bool {
	return !slices.Contains([]Kind{LeaveOut, OtherValue, OtherMethod, OtherAnswer}, k)
}

// mutant is a wrong agent.
type mutant struct {
	kind Kind
	// name tells it from the others of its play; it is the same in every
	// variation.
	name string
	// words say what the agent does wrong.
	words string
	// at is where in the data it answers something else; nil for the whole.
	at place
	// does is what it asks and answers.
	does recording
	// same is true if it is not wrong where it changes and answers the same as
	// the right play; steps that the single changes count then, and not what they
	// come to.
	same, steps bool
}

// scene is what mutants are made of.
type scene struct {
	census census
	// world is what expressions of tables are applied to.
	world map[string]any
	// named are the objects that the task and the right play name.
	named census
	// sought are the texts by any of which an agent asks for each thing that the
	// task is about.
	sought [][]string
	// failing is true if an error is what the scenario expects, with one of
	// the codes.
	failing bool
	codes   []string
	// refused is true if GitHub must have refused it to the agent.
	refused bool
	// workflow is true if the answer is not judged.
	workflow bool
}

// mutants makes wrong agents out of a right play.
func mutants(right recording, s scene) []mutant {
	all := slices.Concat(leftOut(right), twice(right), onOthers(right, s), valued(right, s), methods(right), extras(right, s), detours(right, s))
	if !s.workflow {
		all = slices.Concat(all, answered(right, s))
	}
	return all
}
