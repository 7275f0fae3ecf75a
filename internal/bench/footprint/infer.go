package footprint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// anyText stands for any text in a name.
const anyText = "*"

// inference finds out what values have in common in several samples.
type inference struct {
	samples []Sample
	// references are those that every sample has a value of, the preferred ones
	// first.
	references []string
}

func infer(samples []Sample) inference {
	in := inference{samples: samples}
	for _, text := range sortedNames(samples[0].References) {
		if !slices.ContainsFunc(samples, func(s Sample) bool { return s.References[text] == nil }) {
			in.references = append(in.references, text)
		}
	}
	slices.SortStableFunc(in.references, func(a, b string) int { return cmp.Compare(preference(a), preference(b)) })
	return in
}

// preference orders references: the repository's are plainer than the input's,
// and these than those of the fixtures.
func preference(reference string) int {
	for i, prefix := range []string{"{{repo.", "{{input."} {
		if strings.HasPrefix(reference, prefix) {
			return i
		}
	}
	return 2
}

// name returns a pattern for the names that an object has. Where it is new, its
// number is one that nobody chose, as an id is.
func (in inference) name(changes []bench.Change) string {
	names := make([]string, len(changes))
	for i, c := range changes {
		names[i] = c.Name
		if number, is := assignedNumber(c); is {
			names[i] = strings.TrimSuffix(c.Name, number) + anyText
		}
	}
	pattern, _ := in.text(names, " #/", func(literals []string) (string, bool) {
		return varying(literals, func(i int, word string) bool { return changes[i].ID != 0 && word == fmt.Sprint(changes[i].ID) }), true
	})
	return stars.ReplaceAllString(pattern, anyText)
}

// numberField is the field of issues and pull requests that is in their names.
const numberField = "number"

// assignedNumber returns the number that a new object has been given, if its
// name ends with that.
func assignedNumber(c bench.Change) (number string, is bool) {
	at := slices.IndexFunc(c.Fields, func(f bench.FieldChange) bool { return f.Name == numberField })
	if at < 0 || c.Kind != bench.ChangeCreated {
		return "", false
	}
	number, is = plainText(c.Fields[at].After)
	return number, is && strings.HasSuffix(c.Name, "#"+number)
}

var stars = regexp.MustCompile(`\*+`)

// literally returns what is the same everywhere, and refuses what is not.
func literally(texts []string) (string, bool) {
	for _, text := range texts {
		if text != texts[0] {
			return "", false
		}
	}
	return texts[0], true
}

// text writes the texts of all samples as one, with references. The rest, which
// no reference stands for, is left to a function, which may refuse it; then there
// is no such text. A number stands for something after one of the signs alone.
func (in inference) text(texts []string, signs string, rest func(literals []string) (string, bool)) (string, bool) {
	reference, places := in.longest(texts, signs)
	if places == nil {
		return rest(texts)
	}
	before, after := make([]string, len(texts)), make([]string, len(texts))
	for i, text := range texts {
		before[i], after[i] = text[:places[i].from], text[places[i].to:]
	}
	head, one := in.text(before, signs, rest)
	tail, other := in.text(after, signs, rest)
	return head + reference + tail, one && other
}

// span is a part of a text.
type span struct{ from, to int }

// longest returns the reference that stands for the longest part of the first
// text and for a part of every other one, and these parts; of several the one
// that is called like what stands there, or else the preferred one. No places
// mean that there is none.
func (in inference) longest(texts []string, signs string) (reference string, places []span) {
	best := 0
	for _, r := range in.references {
		found := in.places(r, texts, signs)
		if found == nil {
			continue
		}
		rank := 2 * (found[0].to - found[0].from)
		if named(r, texts[0][:found[0].from]) {
			rank++
		}
		if rank > best {
			reference, places, best = r, found, rank
		}
	}
	return reference, places
}

// things are words for what a number is of that stands after a sign.
var things = map[string][]string{"#": {"issue", "pr"}, "/": {"project"}, ": ": {"run"}}

// named reports whether a reference is called like what stands after a text.
func named(reference, before string) bool {
	for sign, words := range things {
		if strings.HasSuffix(before, sign) {
			called := nameWords.FindAllString(reference, -1)
			return slices.ContainsFunc(called, func(word string) bool { return slices.Contains(words, strings.ToLower(word)) })
		}
	}
	return false
}

// nameWords are the words of a name such as pr_mergeable or prNumber.
var nameWords = regexp.MustCompile(`[A-Z]?[a-z0-9]+`)

// places returns where a reference's value stands in each of the texts, nil if
// it is missing in one of them.
func (in inference) places(reference string, texts []string, signs string) []span {
	places := make([]span, len(texts))
	for i, text := range texts {
		value, is := plainText(in.samples[i].References[reference])
		from := -1
		if is {
			from = wordIn(text, value, signs)
		}
		if from < 0 {
			return nil
		}
		places[i] = span{from, from + len(value)}
	}
	return places
}

// plainText returns a value as it stands in a text, if it can.
func plainText(value any) (string, bool) {
	switch value := value.(type) {
	case string:
		return value, value != ""
	case int, int64:
		return fmt.Sprint(value), true
	case float64:
		return fmt.Sprint(int64(value)), value == float64(int64(value))
	default:
		return "", false
	}
}

// wordIn returns where a text has a value as a word by itself, -1 if nowhere. A
// number is one only after a sign.
func wordIn(text, value, signs string) int {
	number := strings.Trim(value, "0123456789") == ""
	for from := 0; ; {
		at := strings.Index(text[from:], value)
		if at < 0 {
			return -1
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(value):])
		if number && (!strings.ContainsRune(signs, before)) || partOfWord(before) || partOfWord(after) {
			from = at + 1
			continue
		}
		return at
	}
}

func partOfWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

var words = regexp.MustCompile(`[A-Za-z0-9]+`)

// varying writes texts as one: words that are not the same everywhere, and
// those that are ids, become a star. So does everything where the texts are not
// of one form.
func varying(texts []string, isID func(i int, word string) bool) string {
	form := words.Split(texts[0], -1)
	all := make([][]string, len(texts))
	for i, text := range texts {
		if !slices.Equal(words.Split(text, -1), form) {
			return anyText
		}
		all[i] = words.FindAllString(text, -1)
	}
	var out strings.Builder
	for at, separator := range form {
		out.WriteString(separator)
		if at == len(form)-1 {
			break
		}
		word := all[0][at]
		for i := range all {
			if all[i][at] != word || isID(i, all[i][at]) {
				word = anyText
				break
			}
		}
		out.WriteString(word)
	}
	return out.String()
}

// field writes what becomes of a field: a value or, of a list of which something
// stays, what is added or what is removed.
func (in inference) field(field string, changes []bench.Change) any {
	before, after := make([]any, len(changes)), make([]any, len(changes))
	for i, c := range changes {
		if at := slices.IndexFunc(c.Fields, func(f bench.FieldChange) bool { return f.Name == field }); at >= 0 {
			before[i], after[i] = c.Fields[at].Before, c.Fields[at].After
		}
	}
	if whole, is := in.reference(field, after); is {
		return whole
	}
	added, removed := make([]any, len(changes)), make([]any, len(changes))
	adds, removes := true, true
	for i := range changes {
		was, _ := plainList(before[i])
		is, _ := plainList(after[i])
		more, less := without(is, was), without(was, is)
		added[i], removed[i] = more, less
		adds = adds && len(was) > 0 && len(less) == 0
		removes = removes && len(was) > 0 && len(more) == 0
	}
	operator, some := "", added
	switch {
	case adds:
		operator = opAdds
	case removes:
		operator, some = opRemoves, removed
	default:
		return in.value(field, after)
	}
	if written := in.value(field, some); !equal(written, anything()) {
		return map[string]any{operator: written}
	}
	return in.value(field, after)
}

// value writes the values that a field has in the samples as one: a reference,
// a value, a list of such, or that it may be anything.
func (in inference) value(field string, values []any) any {
	if r, is := in.reference(field, values); is {
		return r
	}
	if list, is := in.list(field, values); is {
		return list
	}
	texts, areTexts := allTexts(values)
	switch {
	case areTexts && slices.ContainsFunc(texts, passing):
		return anything()
	case same(values) && (!areTexts || len(texts[0]) < minTemplate):
		return values[0]
	case areTexts:
		if written, is := in.text(texts, "#/", literally); is {
			return written
		}
	}
	return anything()
}

// minTemplate is how long a text that is the same everywhere is before parts of
// it are looked at: a shorter one is a word that stands for itself.
const minTemplate = 20

// reference returns the preferred reference that stands for the values.
// Values of which there are few, such as true, have one only where it is called
// like the field.
func (in inference) reference(field string, values []any) (string, bool) {
	for _, r := range in.references {
		if equal(values[0], nil) || few(values) && lastStep(r) != lastStep(field) {
			continue
		}
		stands := true
		for i, value := range values {
			stands = stands && equal(in.samples[i].References[r], value)
		}
		if stands {
			return r, true
		}
	}
	return "", false
}

func lastStep(path string) string {
	path = strings.TrimSuffix(path, "}}")
	step := path[strings.LastIndexAny(path, ".{")+1:]
	return strings.ToLower(strings.ReplaceAll(step, "_", ""))
}

// few reports whether values are the same everywhere, and of a kind of which
// there are so few that another one may be the same by chance.
func few(values []any) bool {
	switch values[0].(type) {
	case bool, int, int64, float64:
		return same(values)
	default:
		return false
	}
}

func same(values []any) bool {
	return !slices.ContainsFunc(values, func(value any) bool { return !equal(value, values[0]) })
}

func allTexts(values []any) (texts []string, are bool) {
	for _, value := range values {
		text, is := value.(string)
		if !is {
			return nil, false
		}
		texts = append(texts, text)
	}
	return texts, true
}

// list writes lists of one length element by element; it is false where an
// element may be anything.
func (in inference) list(field string, values []any) ([]any, bool) {
	lists := make([][]any, len(values))
	for i, value := range values {
		list, is := plainList(value)
		if !is || i > 0 && len(list) != len(lists[0]) {
			return nil, false
		}
		lists[i] = list
	}
	written := make([]any, len(lists[0]))
	for at := range written {
		elements := make([]any, len(lists))
		for i := range lists {
			elements[i] = lists[i][at]
		}
		if written[at] = in.value(field, elements); equal(written[at], anything()) {
			return nil, false
		}
	}
	return written, true
}

// plainList returns a list as JSON has it.
func plainList(value any) ([]any, bool) {
	if list, is := value.([]any); is {
		return list, true
	}
	text, err := json.Marshal(value)
	var list []any
	if err != nil || json.Unmarshal(text, &list) != nil || list == nil {
		return nil, false
	}
	return list, true
}

var commit = regexp.MustCompile(`^[0-9a-f]{40}$`)

// passing reports whether a text is of a kind that every run has another one of:
// a commit, or a moment.
func passing(text string) bool {
	if commit.MatchString(text) {
		return true
	}
	_, err := time.Parse(time.RFC3339, text)
	return err == nil
}
