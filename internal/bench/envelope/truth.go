package envelope

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The operators: an expected value that is an object with these fields asks
// for something else than to be equal.
const (
	// opOneOf has a list of values, of which any is right.
	opOneOf = "$one_of"
	// opSubset has a list; the reported list has, without one twice, elements
	// of it alone: as many as opCount says, all of them where that is missing.
	opSubset = "$subset"
	opCount  = "$count"
	// opContains has a text, or a list of texts, that the reported text has in
	// it.
	opContains = "$contains"
)

// Whole is the name of the expectation about data as a whole, for data that is
// no object.
const Whole = "."

// Source is who says what is true, as sentences name it.
type Source string

// The sources: GitHub, and the commands of a task that is not about GitHub.
const (
	GitHub   Source = "GitHub"
	Verifier Source = "the verifier"
)

// Compare is [Source.Compare] with what GitHub says.
func Compare(expected map[string]any, ordered []string, data any) []string {
	return GitHub.Compare(expected, ordered, data)
}

// Compare returns sentences on what is untrue in reported data; none if all of
// it is as expected. Values are those of JSON. What GitHub's APIs write in two ways
// is equal: a state in capitals and in small letters, a text that is empty and one
// that is null, a moment in two forms, line ends. Lists are compared as sets, objects
// by the fields that are expected. Expected are the values of data's fields by name; [Whole]
// stands for all of it. Ordered are the names of those whose lists are in
// order.
func (s Source) Compare(expected map[string]any, ordered []string, data any) []string {
	object, _ := data.(map[string]any)
	var wrong []string
	for _, name := range slices.Sorted(maps.Keys(expected)) {
		reported, what := object[name], fmt.Sprintf("The data's %s", name)
		if name == Whole {
			reported, what = data, "The data"
		}
		c := comparison{source: s, ordered: slices.Contains(ordered, name)}
		if why := c.differs(plain(expected[name]), plain(reported)); why != "" {
			wrong = append(wrong, fmt.Sprintf("%s %s.", what, why))
		}
	}
	return wrong
}

// comparison compares one field.
type comparison struct {
	source  Source
	ordered bool
}

func (c comparison) equal(want, got any) bool { return c.differs(want, got) == "" }

// differs says in what a reported value is not as wanted, nothing if it is.
func (c comparison) differs(want, got any) string {
	if empty(want) && empty(got) {
		return ""
	}
	switch want := want.(type) {
	case []any:
		return c.list(want, got)
	case map[string]any:
		return c.object(want, got)
	case string:
		if text, isText := got.(string); isText && equalTexts(want, text) {
			return ""
		}
	case json.Number:
		// What is no number is an empty text here, which no number equals.
		if number, _ := got.(json.Number); equalNumbers(want, number) {
			return ""
		}
	default:
		if want == got {
			return ""
		}
	}
	return fmt.Sprintf("is %s, %s says %s", shown(got), c.source, shown(want))
}

// list compares lists, in order or as sets.
func (c comparison) list(want []any, got any) string {
	list, isList := got.([]any)
	switch {
	case !isList:
		return fmt.Sprintf("is %s, %s says a list of %d: %s", shown(got), c.source, len(want), shown(want))
	case len(list) != len(want):
		return fmt.Sprintf("has %d elements, %s says %d", len(list), c.source, len(want))
	case c.ordered:
		for i := range want {
			if why := c.differs(want[i], list[i]); why != "" {
				return fmt.Sprintf("at %d %s", i, why)
			}
		}
		return ""
	}
	if lacking, all := c.covers(list, want); !all {
		return fmt.Sprintf("lacks %s", shown(lacking))
	}
	return ""
}

// covers reports whether each of the wanted elements is among the reported
// ones, each of which counts once, and returns one that is not.
func (c comparison) covers(reported, want []any) (lacking any, all bool) {
	left := slices.Clone(reported)
	for _, w := range want {
		at := slices.IndexFunc(left, func(got any) bool { return c.equal(w, got) })
		if at < 0 {
			return w, false
		}
		left = slices.Delete(left, at, at+1)
	}
	return nil, true
}

// object compares the expected fields of an object, or applies an operator.
func (c comparison) object(want map[string]any, got any) string {
	if options, is := want[opOneOf].([]any); is {
		if slices.ContainsFunc(options, func(option any) bool { return c.equal(option, got) }) {
			return ""
		}
		return fmt.Sprintf("is %s, %s says one of %s", shown(got), c.source, shown(options))
	}
	if from, is := want[opSubset].([]any); is {
		return c.subset(from, want[opCount], got)
	}
	if parts, is := want[opContains]; is {
		return contains(parts, got)
	}
	object, isObject := got.(map[string]any)
	if !isObject {
		return fmt.Sprintf("is %s, %s says %s", shown(got), c.source, shown(want))
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if why := c.differs(want[name], object[name]); why != "" {
			return fmt.Sprintf("in %s %s", name, why)
		}
	}
	return ""
}

func (c comparison) subset(from []any, count, got any) string {
	list, isList := got.([]any)
	number, _ := count.(json.Number)
	wanted, err := number.Int64()
	if err != nil {
		wanted = int64(len(from))
	}
	switch {
	case !isList:
		return fmt.Sprintf("is %s, %s says a list", shown(got), c.source)
	case int64(len(list)) != wanted:
		return fmt.Sprintf("has %d elements, %s says %d", len(list), c.source, wanted)
	}
	left := slices.Clone(from)
	for _, element := range list {
		at := slices.IndexFunc(left, func(one any) bool { return c.equal(one, element) })
		if at < 0 {
			return fmt.Sprintf("has %s, which %s does not have, or has it twice", shown(element), c.source)
		}
		left = slices.Delete(left, at, at+1)
	}
	return ""
}

// around is how many characters may be around a text that is to be contained, as a
// time or a number of a line is: who passes on everything has found nothing.
const around = 100

func contains(parts, got any) string {
	// What is no text contains nothing, and is contained in nothing.
	text, _ := got.(string)
	list, isList := parts.([]any)
	if !isList {
		list = []any{parts}
	}
	most := around
	for _, part := range list {
		if wanted, _ := part.(string); wanted == "" || !strings.Contains(lineEnds(text), lineEnds(wanted)) {
			return fmt.Sprintf("is %s, which does not contain %s", shown(got), shown(part))
		}
		most += around + utf8.RuneCountInString(fmt.Sprint(part))
	}
	if length := utf8.RuneCountInString(text); length > most {
		return fmt.Sprintf("has %d characters, and at most %d are about %s", length, most, shown(parts))
	}
	return ""
}

func empty(value any) bool {
	switch value := value.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(value) == ""
	case []any:
		return len(value) == 0
	default:
		return false
	}
}

func equalTexts(a, b string) bool {
	if a, b = lineEnds(a), lineEnds(b); a == b {
		return true
	}
	if isWord(a) && isWord(b) {
		return strings.EqualFold(a, b)
	}
	at, errA := time.Parse(time.RFC3339, a)
	bt, errB := time.Parse(time.RFC3339, b)
	return errA == nil && errB == nil && at.Equal(bt)
}

// lineEnds returns a text with one form of line ends, and none at its end.
func lineEnds(text string) string {
	return strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), " \t\n")
}

// isWord reports whether a text is a single word, as the names of states are,
// in which GitHub's APIs do not agree on capitals.
func isWord(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

func equalNumbers(a, b json.Number) bool {
	wholeA, errA := a.Int64()
	wholeB, errB := b.Int64()
	if errA == nil && errB == nil {
		return wholeA == wholeB
	}
	// One that is too large is infinite, and no other one is.
	floatA, _ := a.Float64()
	floatB, errB := b.Float64()
	return errB == nil && floatA == floatB
}

// plain returns a value as JSON has it, with numbers as texts. What cannot be
// written as JSON is its own text, which nothing equals.
func plain(value any) any {
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%v, which is no JSON", value)
	}
	decoder := json.NewDecoder(strings.NewReader(string(encoded)))
	decoder.UseNumber()
	var decoded any
	// What was just written can be read.
	_ = decoder.Decode(&decoded)
	return decoded
}

// maxShown is how many characters of a value a sentence has.
const maxShown = 120

func shown(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	// A plain value can be written.
	_ = encoder.Encode(value)
	runes := []rune(strings.TrimSuffix(text.String(), "\n"))
	if len(runes) > maxShown {
		runes = append(runes[:maxShown-1], '…')
	}
	return string(runes)
}
