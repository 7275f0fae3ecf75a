package audit

import (
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/envelope"
	"github.com/ghx-dev/bench-action/internal/jq"
)

// The fields of an envelope.
const (
	fieldOK    = "ok"
	fieldData  = "data"
	fieldError = "error"
	fieldCode  = "code"
)

// answered does what the right play does, or asks less, and answers something
// wrong.
func answered(right recording, s scene) []mutant {
	env, found := envelope.Extract(right.answer)
	value, err := jq.Decode(env.Raw)
	object, is := value.(map[string]any)
	if !found || err != nil || !is {
		return nil
	}
	say := func(kind Kind, what, words string, answer map[string]any) mutant {
		does := right
		does.answer = encode(answer)
		return mutant{kind: kind, name: strings.TrimSpace(string(kind) + " " + what), words: words, does: does}
	}
	silent := right
	silent.requests = nil
	made := []mutant{{kind: Unasked, name: string(Unasked), words: "answers without asking GitHub", does: silent}}
	if s.failing {
		return slices.Concat(made, failing(right, s, object, say))
	}
	return slices.Concat(made, succeeding(object, say))
}

// saying makes an agent that answers something else.
type saying func(kind Kind, what, words string, answer map[string]any) mutant

// succeeding answers what is wrong where success is right.
func succeeding(right map[string]any, say saying) []mutant {
	with := func(field string, value any) map[string]any {
		answer := maps.Clone(right)
		answer[field] = value
		return answer
	}
	failed := with(fieldError, map[string]any{fieldCode: envelope.CodeUnknown, "message": "It failed.", "retryable": false, "details": map[string]any{}})
	failed[fieldOK], failed[fieldData] = false, nil
	madeUp := edited(right[fieldData], nil, func(data any) (any, bool) { return allOther(data), true })
	made := []mutant{
		say(OtherOutcome, "error", "answers that it failed", failed),
		say(OtherOutcome, "ok = false", "answers ok: false", with(fieldOK, false)),
		say(MadeUp, "", "answers in the right form with no right value: "+brief(encode(madeUp)), with(fieldData, madeUp)),
		say(MadeUp, "empty", "answers with empty data", with(fieldData, emptied(right[fieldData]))),
		say(MadeUp, "null", "answers without data", with(fieldData, nil)),
	}
	for _, d := range details(right[fieldData]) {
		m := say(OtherAnswer, d.name, "answers with "+d.name, with(fieldData, d.value))
		m.at = d.at
		made = append(made, m)
	}
	return made
}

// emptied returns a value of the same type with nothing in it.
func emptied(data any) any {
	if _, is := data.([]any); is {
		return []any{}
	}
	return map[string]any{}
}

// allOther returns a value of the same form in which everything is other than
// it was.
func allOther(value any) any {
	switch value := value.(type) {
	case map[string]any:
		other := map[string]any{}
		for name, inner := range value {
			other[name] = allOther(inner)
		}
		return other
	case []any:
		if len(value) == 0 {
			return another(value)
		}
		other := make([]any, 0, len(value))
		for _, inner := range value {
			other = append(other, allOther(inner))
		}
		return other
	default:
		return another(value)
	}
}

// What the names of mutants end in that have another value in a place, or none.
const (
	suffixOther   = " other"
	suffixLeftOut = " left out"
)

// detail is data with something wrong at a place.
type detail struct {
	named
	at place
}

// details returns data with one place wrong: another value, a field or element
// left out that has something, an element twice. Of places that are alike, in several elements of
// a list, it takes the first that has something, and the last.
func details(data any) []detail {
	var all []detail
	add := func(at place, how string, value any) {
		all = append(all, detail{named{strings.TrimSpace(at.alike() + how), value}, at})
	}
	first, last := map[string]place{}, map[string]place{}
	var order []string
	walk(data, nil, func(at place, value any) {
		key := at.alike()
		known, seen := first[key]
		if !seen {
			order = append(order, key)
		}
		if !seen || isEmpty(valueAt(data, known)) && !isEmpty(value) {
			first[key] = at
		}
		if !isEmpty(value) {
			last[key] = at
		}
	})
	for _, key := range order {
		at := first[key]
		value := valueAt(data, at)
		if isLeaf(value) {
			add(at, suffixOther, changed(data, at, another(value)))
			if end := last[key]; end != nil && end.String() != at.String() {
				add(end, " other, last", changed(data, end, another(valueAt(data, end))))
			}
		}
		if len(at) > 0 && !isEmpty(value) {
			if _, isField := at[len(at)-1].(string); isField {
				add(at, suffixLeftOut, without(data, at))
			}
		}
		if list, is := value.([]any); is && len(list) > 0 {
			add(at, " first left out", changed(data, at, slices.Clone(list[1:])))
			add(at, " last left out", changed(data, at, slices.Clone(list[:len(list)-1])))
			add(at, " one more", changed(data, at, append(slices.Clone(list), allOther(list[0]))))
			add(at, " first twice", changed(data, at, append(slices.Clone(list), list[0])))
		}
	}
	return all
}

func isEmpty(value any) bool { return value == nil || value == "" || isLeaf(value) && !isScalar(value) }

func isScalar(value any) bool {
	switch value.(type) {
	case map[string]any, []any:
		return false
	default:
		return true
	}
}

func valueAt(value any, at place) any {
	for _, step := range at {
		switch step := step.(type) {
		case int:
			value = value.([]any)[step]
		default:
			value = value.(map[string]any)[step.(string)]
		}
	}
	return value
}

// failing answers what is wrong where an error is right.
func failing(play recording, s scene, right map[string]any, say saying) []mutant {
	succeeded := maps.Clone(right)
	succeeded[fieldOK], succeeded[fieldData], succeeded[fieldError] = true, map[string]any{"result": somethingElse}, nil
	made := []mutant{say(OtherOutcome, "success", "answers that it succeeded", succeeded)}
	problem, _ := right[fieldError].(map[string]any)
	for _, code := range envelope.Codes() {
		if !slices.Contains(s.codes, code.Name) {
			answer, other := maps.Clone(right), maps.Clone(problem)
			other[fieldCode] = code.Name
			answer[fieldError] = other
			made = append(made, say(OtherAnswer, "error.code "+code.Name, "answers with the code "+code.Name, answer))
		}
	}
	irrelevant := play
	irrelevant.requests = []request{(act{operation: "GET /user"}).request()}
	made = append(made, mutant{kind: Unasked, name: string(Unasked) + " irrelevant", words: "asks GitHub who it is, and answers", does: irrelevant})
	if s.refused {
		var names []string
		for _, sought := range s.sought {
			names = append(names, sought[0])
		}
		looking := play
		looking.requests = []request{(act{operation: "GET /search/issues"}).request()}
		looking.requests[0].uri += "?q=" + url.QueryEscape(strings.Join(names, " "))
		made = append(made, mutant{kind: Unasked, name: string(Unasked) + " untried", words: "looks for what the input names, and answers", does: looking})
	}
	for i, sought := range s.sought {
		elsewhere, other := play, s.otherThan(sought[0])
		for _, name := range sought {
			elsewhere.requests = asking(elsewhere.requests, name, s.otherThan(name))
		}
		made = append(made, mutant{
			kind: Unasked, name: fmt.Sprintf("%s elsewhere %d", Unasked, i+1),
			words: fmt.Sprintf("asks for %s in the place of %s", other, sought[0]), does: elsewhere,
		})
	}
	return made
}

// otherThan returns what an agent may ask for in the place of a text: of a
// number, an issue that there is.
func (s scene) otherThan(sought string) string {
	if _, err := strconv.Atoi(sought); err == nil {
		for _, o := range s.census {
			if number := fmt.Sprint(o[fieldNumber]); o[fieldNumber] != nil && number != sought {
				return number
			}
		}
	}
	return sought + "-x"
}

// asking returns requests that name a text in the place of another one.
func asking(requests []request, sought, other string) []request {
	named := regexp.MustCompile(`(?i)(^|[^a-z0-9])` + regexp.QuoteMeta(sought) + `($|[^a-z0-9])`)
	replaced := func(text string) string { return named.ReplaceAllString(text, "${1}"+other+"${2}") }
	var asked []request
	for _, r := range requests {
		r.uri, r.body = replaced(r.uri), []byte(replaced(string(r.body)))
		asked = append(asked, r)
	}
	return asked
}
