package bench

// ChangeKind is what became of an object.
type ChangeKind string

// The kinds of change.
const (
	ChangeCreated ChangeKind = "created"
	ChangeChanged ChangeKind = "changed"
	ChangeDeleted ChangeKind = "deleted"
)

// Change is what became of one object of GitHub's during an attempt, as it was
// seen from outside the agent.
type Change struct {
	Kind ChangeKind `json:"change"`
	// Object is a noun such as "pull request" or "branch", Name tells it from
	// others of its kind, such as "octocat/hello#5".
	Object string `json:"object"`
	Name   string `json:"name"`
	// Title is what it is called or how its text begins; possibly empty.
	Title string `json:"title,omitempty"`
	// ID is its database id, 0 for a ref.
	ID int64 `json:"id,omitempty"`
	// Fields are those that differ; of a new object those that are not empty,
	// of one that is gone none.
	Fields []FieldChange `json:"fields,omitempty"`
	// Partial is true where it is known that the object was made, and its fields
	// are not.
	Partial bool `json:"partial,omitempty"`
	// Actor is the login of who did it, empty for GitHub itself.
	Actor string `json:"actor,omitempty"`
	// Cause is empty for what was asked for, else names that from which it
	// follows by GitHub's own rules, such as "merge".
	Cause string `json:"cause,omitempty"`
	// Act is the number, from 1, of the act that it is a part of: what has a
	// cause follows from what its act was asked for. 0 where that is not known.
	Act int `json:"-"`
	// Told are those whom GitHub has sent a notification of it.
	Told []Told `json:"told,omitempty"`
	// Unallowed says why the scenario's footprint does not allow it; empty
	// where it does, and where it was not judged.
	Unallowed string `json:"unallowed,omitempty"`
}

// String is the change in words without its fields.
func (c Change) String() string { return string(c.Kind) + " " + c.Object + " " + c.Name }

// Told is somebody who was sent a notification, which nothing takes back.
type Told struct {
	Login string `json:"login"`
	// Reason is GitHub's name of why, such as "assign".
	Reason string `json:"reason"`
}

// FieldChange is a part of an object that was changed. Values are those of
// JSON; nil means that there was, or is, none.
type FieldChange struct {
	Name   string `json:"name"`
	Before any    `json:"before,omitempty"`
	After  any    `json:"after,omitempty"`
}

// Allowance is something that an attempt may change (rule S12). What a
// footprint does not allow, nobody may change; what it allows need not be: that
// something has to be done is what checkpoints are for.
type Allowance struct {
	Change ChangeKind `json:"change"`
	// Object is the kind of object, as [Change] has it. Name is the object's,
	// with references to the fixtures and the input; a * stands for any text,
	// as in "* on {{repo.full_name}}#{{input.prNumber}}".
	Object string `json:"object"`
	Name   string `json:"name"`
	// Fields are those that may differ, each with the value that it must have
	// then, or with a condition: {"any": "why"}, {"one_of": […]},
	// {"contains": "…"}, {"matches": "…"} and, of lists, {"adds": […]} and
	// {"removes": […]}. A new object must have each value that is named. Lists
	// are compared as sets. Names may have references, too.
	Fields map[string]any `json:"fields,omitempty"`
	// Times is how many objects may be changed so; 0 means 1.
	Times int `json:"times,omitempty"`
}
