package toolset

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// The limits of what is collected: counts, and lengths in bytes.
const (
	MaxItems      = 1000
	MaxParameters = 200
	MaxName       = 200
	MaxText       = 256 << 10
)

// Surface is what a mode's tool shows an agent.
type Surface struct {
	Mode bench.Mode `json:"mode"`
	// PromptTokens are those of all that is in every prompt: the texts and the
	// tools, see [Count].
	PromptTokens int `json:"promptTokens"`
	// Texts are instructions and skills, in order.
	Texts []Text `json:"texts"`
	// Items are sorted by kind and name; no two have both in common.
	Items []Item `json:"items"`
	// Answers are those to fixed calls, in order.
	Answers []Answer `json:"answers"`
	// Unknown is what could not be collected, and so cannot be compared: kinds, or
	// single items as "kind name".
	Unknown []string `json:"unknown,omitempty"`
	// Notes say what could not be collected, as sentences without a stop.
	Notes []string `json:"notes,omitempty"`
}

// lacks reports whether items of a kind, or the one of a name, could not be
// collected.
func (s *Surface) lacks(kind Kind, name string) bool {
	return slices.Contains(s.Unknown, string(kind)) || slices.Contains(s.Unknown, string(kind)+" "+name)
}

// Text is what every prompt says.
type Text struct {
	Name string `json:"name"`
	// Of is the kind of what it comes with, empty for the mode's own texts.
	Of     Kind   `json:"of,omitempty"`
	Text   string `json:"text"`
	Tokens int    `json:"tokens"`
}

// Kind is what an item is.
type Kind string

// The kinds.
const (
	// Tool is a tool of an MCP server, which is in every prompt.
	Tool Kind = "tool"
	// Capability is what a command lists as ghx does.
	Capability Kind = "capability"
	// CommandHelp is a program; its description is its text of help, its parameters
	// are the flags that it names.
	CommandHelp Kind = "command"
)

// Item is something that an agent can call.
type Item struct {
	Kind        Kind        `json:"kind"`
	Name        string      `json:"name"`
	Description string      `json:"description"`
	Parameters  []Parameter `json:"parameters"`
	// Schema is the rest of the input's schema as JSON, empty if there is none.
	Schema string `json:"schema,omitempty"`
	// Tokens is what the item takes in every prompt, 0 if it is in none.
	Tokens int `json:"tokens,omitempty"`
}

// Parameter is an input of an item.
type Parameter struct {
	Name     string `json:"name"`
	Required bool   `json:"required,omitempty"`
	// Schema is JSON with sorted keys, without the description; empty if it is
	// not told.
	Schema      string `json:"schema,omitempty"`
	Description string `json:"description,omitempty"`
}

// Answer is what a fixed call returned.
type Answer struct {
	// Item is the name of what was called, empty for a command line.
	Item string `json:"item,omitempty"`
	// Call is the call as a line; Arguments are those of an item, as JSON.
	Call      string `json:"call"`
	Arguments string `json:"arguments,omitempty"`
	// Bytes is the answer's size. Failed is true if it says that the call failed.
	Bytes  int  `json:"bytes"`
	Failed bool `json:"failed,omitempty"`
}

// Finish sorts what was collected, counts its tokens, and so makes it whole.
func (s *Surface) Finish() {
	slices.SortFunc(s.Items, func(a, b Item) int { return strings.Compare(a.key(), b.key()) })
	s.Items = slices.CompactFunc(s.Items, func(a, b Item) bool { return a.key() == b.key() })
	for i := range s.Texts {
		s.Texts[i].Tokens = Count(s.Texts[i].Text)
	}
	s.count()
}

// count adds up the tokens of the parts.
func (s *Surface) count() {
	s.PromptTokens = 0
	for _, t := range s.Texts {
		s.PromptTokens += t.Tokens
	}
	for _, i := range s.Items {
		s.PromptTokens += i.Tokens
	}
}

func (i Item) key() string { return string(i.Kind) + "\x00" + i.Name }

// schema is the part of a JSON Schema that an item is made of.
type schema struct {
	properties map[string]any
	required   []any
	rest       map[string]any
}

// NewTool returns a tool as an MCP server lists it. The schema is that of its
// input, as JSON decodes it.
func NewTool(name, description string, input map[string]any) Item {
	definition, err := json.Marshal(map[string]any{"name": name, "description": description, "input_schema": input})
	if err != nil {
		definition = []byte(name + description) // what was decoded can be encoded
	}
	item := Item{Kind: Tool, Name: Clean(name, MaxName), Description: Clean(description, MaxText), Tokens: Count(Clean(string(definition), MaxText))}
	s := split(input)
	item.Parameters = s.parameters()
	if len(s.rest) > 0 {
		item.Schema = compact(s.rest)
	}
	return item
}

func split(input map[string]any) schema {
	s := schema{rest: maps.Clone(input)}
	s.properties, _ = input["properties"].(map[string]any)
	s.required, _ = input["required"].([]any)
	for _, known := range []string{"properties", "required", "type", "$schema"} {
		delete(s.rest, known)
	}
	return s
}

func (s schema) parameters() []Parameter {
	all := []Parameter{}
	for _, name := range slices.Sorted(maps.Keys(s.properties)) {
		all = append(all, NewParameter(name, slices.Contains(s.required, any(name)), s.properties[name]))
	}
	return all[:min(MaxParameters, len(all))]
}

// NewParameter returns a parameter of which a JSON Schema is known; nil if it is
// not.
func NewParameter(name string, required bool, schema any) Parameter {
	p := Parameter{Name: Clean(name, MaxName), Required: required}
	if fields, is := schema.(map[string]any); is {
		described, _ := fields["description"].(string)
		p.Description = Clean(described, MaxText)
		fields = maps.Clone(fields)
		delete(fields, "description")
		schema = fields
	}
	if schema != nil {
		p.Schema = compact(schema)
	}
	return p
}

// compact writes JSON with sorted keys.
func compact(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	return Clean(string(text), MaxText)
}

// Clean makes a text fit to keep: without what controls a terminal, is not seen,
// or turns the direction of writing around, but for the ends of lines and tabs, and
// cut to that many bytes.
func Clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (r == utf8.RuneError || unicode.IsControl(r) || unicode.Is(unicode.Cf, r)) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text[:min(len(text), 2*most)], ""))
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}
