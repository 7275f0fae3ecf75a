package bench

import (
	"fmt"
	"strings"
)

// SurfaceChange is how what the candidate's tool shows an agent differs from what
// the baseline's does, found without a model. Names in it are of unknown origin.
type SurfaceChange struct {
	Baseline  Mode `json:"baseline"`
	Candidate Mode `json:"candidate"`
	// PromptTokens are those of the tool's part of every prompt.
	PromptTokens Sizes `json:"promptTokens"`
	// Edits are at most [MaxSurfaceEdits]; MoreEdits counts those beyond.
	Edits     []SurfaceEdit `json:"edits"`
	MoreEdits int           `json:"moreEdits,omitempty"`
	// Answers are the sizes, in bytes, of the answers to calls that both were
	// given, where they differ; AllAnswers are the sums of all that both gave.
	Answers    []AnswerSize `json:"answers,omitempty"`
	AllAnswers Sizes        `json:"allAnswers"`
	// Calls counts the calls that both answered.
	Calls int `json:"calls"`
	// Notes say what could not be compared, as sentences without a stop.
	Notes []string `json:"notes,omitempty"`
}

// MaxSurfaceEdits is how many differences a [SurfaceChange] names.
const MaxSurfaceEdits = 200

// Sizes are those of two modes.
type Sizes struct {
	Baseline  int `json:"baseline"`
	Candidate int `json:"candidate"`
}

// AnswerSize is how large, in bytes, the answers to one call are.
type AnswerSize struct {
	// Call is the candidate's call, as a line.
	Call string `json:"call"`
	Sizes
}

// SurfaceEditKind is what became of a part of a tool's surface.
type SurfaceEditKind string

// The kinds, in the order in which they are told.
const (
	SurfaceRenamed SurfaceEditKind = "renamed"
	SurfaceRemoved SurfaceEditKind = "removed"
	SurfaceAdded   SurfaceEditKind = "added"
	// ParameterRenamed and the next ones are of the parameters of a tool, a
	// capability or a command.
	ParameterRenamed  SurfaceEditKind = "parameter_renamed"
	ParameterDropped  SurfaceEditKind = "parameter_dropped"
	ParameterAdded    SurfaceEditKind = "parameter_added"
	ParameterRequired SurfaceEditKind = "parameter_required"
	ParameterOptional SurfaceEditKind = "parameter_optional"
	ParameterChanged  SurfaceEditKind = "parameter_changed"
	// SurfaceSchema is a change of an input's schema beyond its parameters.
	SurfaceSchema SurfaceEditKind = "schema"
	// SurfaceDescribed is another description, or another text of help.
	SurfaceDescribed SurfaceEditKind = "described"
	// SurfaceText is a change of instructions or of a skill's text.
	SurfaceText SurfaceEditKind = "text"
)

// SurfaceEdit is one difference.
type SurfaceEdit struct {
	Kind SurfaceEditKind `json:"kind"`
	// Name is that of the tool, capability, command or text; the candidate's
	// where that has it.
	Name string `json:"name"`
	// Was is the baseline's name of what was renamed.
	Was string `json:"was,omitempty"`
	// Parameter is empty where the edit is about none.
	Parameter string `json:"parameter,omitempty"`
	// Tokens is how many more the part takes in every prompt.
	Tokens int `json:"tokens,omitempty"`
	// LinesAdded and LinesRemoved are of texts.
	LinesAdded   int `json:"linesAdded,omitempty"`
	LinesRemoved int `json:"linesRemoved,omitempty"`
}

// maxNamed is how many names a sentence has.
const maxNamed = 5

// Sentences say the change, the weightiest first, without stops. Names are
// written by code, which is given texts of unknown origin. Without a difference
// there is one sentence that says so.
func (c *SurfaceChange) Sentences(code func(string) string) []string {
	var all []string
	if more := c.PromptTokens.Candidate - c.PromptTokens.Baseline; more != 0 {
		all = append(all, fmt.Sprintf("in every prompt %s (%s → %s)", signed(more, "token"), CountText(float64(c.PromptTokens.Baseline)), CountText(float64(c.PromptTokens.Candidate))))
	}
	all = append(all, c.editSentences(code)...)
	if c.MoreEdits > 0 {
		all = append(all, fmt.Sprintf("%s more", counted(c.MoreEdits, "difference")))
	}
	for _, a := range c.Answers[:min(maxNamed, len(c.Answers))] {
		all = append(all, fmt.Sprintf("%s in answer to %s", a.text(), code(a.Call)))
	}
	if more := len(c.Answers) - maxNamed; more > 0 {
		all = append(all, fmt.Sprintf("%s of another size too; all %d together %s", counted(more, "answer"), c.Calls, c.AllAnswers.text()))
	}
	if len(all) == 0 {
		all = append(all, "no difference in names, parameters, descriptions, texts and sizes of answers")
	}
	return all
}

func (s Sizes) text() string {
	return fmt.Sprintf("%s → %s bytes", CountText(float64(s.Baseline)), CountText(float64(s.Candidate)))
}

// editSentences has a sentence for all edits of one kind, and of one parameter.
func (c *SurfaceChange) editSentences(code func(string) string) []string {
	var order []SurfaceEdit
	members := map[SurfaceEdit][]SurfaceEdit{}
	for _, e := range c.Edits {
		like := SurfaceEdit{Kind: e.Kind, Parameter: e.Parameter}
		if e.Kind == SurfaceRenamed || e.Kind == SurfaceText {
			like.Name = e.Name
		}
		if e.Kind == ParameterRenamed {
			like.Was = e.Was
		}
		if members[like] == nil {
			order = append(order, like)
		}
		members[like] = append(members[like], e)
	}
	all := make([]string, 0, len(order))
	for _, like := range order {
		all = append(all, sentenceOf(members[like], code))
	}
	return all
}

// sentenceOf says edits of one kind, which are of one parameter if of any.
func sentenceOf(edits []SurfaceEdit, code func(string) string) string {
	e := edits[0]
	names := namesOf(edits, code)
	parameter := "parameter " + code(e.Parameter)
	switch e.Kind {
	case SurfaceRenamed:
		return "renamed " + code(e.Was) + " to " + names
	case SurfaceRemoved:
		return "removed " + names + tokensOf(edits)
	case SurfaceAdded:
		return "added " + names + tokensOf(edits)
	case ParameterRenamed:
		return names + ": parameter " + code(e.Was) + " is now " + code(e.Parameter)
	case ParameterDropped:
		return names + ": " + parameter + " dropped"
	case ParameterAdded:
		return names + ": " + parameter + " added"
	case ParameterRequired:
		return names + ": " + parameter + " is now required"
	case ParameterOptional:
		return names + ": " + parameter + " is no longer required"
	case ParameterChanged:
		return names + ": " + parameter + " changed"
	case SurfaceSchema:
		return names + ": the schema of the input changed"
	case SurfaceDescribed:
		return names + " " + map[bool]string{true: "is", false: "are"}[len(edits) == 1] + " described otherwise" + described(edits)
	default:
		return names + " changed: " + e.lines() + tokensOf(edits)
	}
}

// described says how much of descriptions changed: tokens of those that are in every
// prompt, lines of a text of help.
func described(edits []SurfaceEdit) string {
	if e := edits[0]; len(edits) == 1 && e.Tokens == 0 && e.LinesAdded+e.LinesRemoved > 0 {
		return " (" + e.lines() + ")"
	}
	return tokensOf(edits)
}

func (e SurfaceEdit) lines() string {
	return fmt.Sprintf("+ %s, − %s", counted(e.LinesAdded, "line"), counted(e.LinesRemoved, "line"))
}

// tokensOf says what edits cost in every prompt, nothing where they cost nothing.
func tokensOf(edits []SurfaceEdit) string {
	sum := 0
	for _, e := range edits {
		sum += e.Tokens
	}
	if sum == 0 {
		return ""
	}
	return " (" + signed(sum, "token") + ")"
}

// namesOf lists the names of edits.
func namesOf(edits []SurfaceEdit, code func(string) string) string {
	var names []string
	for _, e := range edits[:min(maxNamed, len(edits))] {
		names = append(names, code(e.Name))
	}
	list := strings.Join(names, ", ")
	if more := len(edits) - len(names); more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	return list
}

// signed writes a difference: "+ 2,000 tokens".
func signed(n int, noun string) string {
	if n < 0 {
		return "− " + counted(-n, noun)
	}
	return "+ " + counted(n, noun)
}

func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return CountText(float64(n)) + " " + noun
}
