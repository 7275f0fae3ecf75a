package checkpoint

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/githubschema"
	"github.com/ghx-dev/bench-action/internal/jq"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Doubt is why a read, or what a checkpoint expects of it, cannot be right by
// what GitHub has published of its APIs (rule S17).
type Doubt struct {
	// At is the place below the read or the checkpoint, such as "query" or
	// "variables", "first".
	At      []string
	Message string
	// Certain is false for what may be right all the same.
	Certain bool
}

func doubt(at, format string, args ...any) Doubt {
	return Doubt{[]string{at}, fmt.Sprintf(format, args...), true}
}

// Inputs is what is known of a scenario's input before it is bound.
type Inputs struct {
	// Given are the values in the scenario itself.
	Given map[string]any
	// Bound are examples of those that come from the fixtures.
	Bound map[string]any
}

func (i Inputs) has(name string) bool {
	_, given := i.Given[name]
	_, bound := i.Bound[name]
	return given || bound
}

// Example is an input as it may be.
func (i Inputs) Example() map[string]any {
	all := maps.Clone(i.Bound)
	if all == nil {
		all = map[string]any{}
	}
	maps.Copy(all, i.Given)
	return all
}

// Foresee returns what GitHub answers to a read, whose references are not filled
// in yet, and what is wrong with the read.
func Foresee(read bench.Read, inputs Inputs) (*Foreseen, []Doubt) {
	var answer *Foreseen
	var doubts []Doubt
	switch {
	case read.Task != "":
		answer = foreseenForms()(read.Task)
	case read.Query != "":
		answer, doubts = foreseeQuery(read, inputs)
	default:
		answer, doubts = foreseePath(read)
	}
	if len(doubts) > 0 {
		// What is foreseen of it would only repeat what is wrong.
		return &Foreseen{}, doubts
	}
	if read.JQ == "" {
		return answer, nil
	}
	made, doubts := answer.Try(read.JQ, readVariables(), []any{inputs.Example(), nextExample})
	if len(doubts) == 0 && answer.known && !made.known {
		doubts = []Doubt{{[]string{"jq"}, "gives null on an example of what GitHub answers", false}}
	}
	return made, doubts
}

// foreseeQuery compares a query and its variables with GitHub's schema.
func foreseeQuery(read bench.Read, inputs Inputs) (*Foreseen, []Doubt) {
	var doubts []Doubt
	query := githubschema.CheckQuery(read.Query, githubschema.Reads)
	for _, p := range query.Problems {
		doubts = append(doubts, doubt("query", "would be refused by GitHub: %s", p))
	}
	if len(doubts) > 0 {
		return nil, doubts
	}
	declared := map[string]githubschema.Field{}
	for _, v := range query.Variables {
		declared[v.Name] = v
		if _, given := read.Variables[v.Name]; !given && !v.Optional && !inputs.has(v.Name) {
			doubts = append(doubts, doubt("query", "declares $%s, which is neither among variables nor an input of the scenario", v.Name))
		}
	}
	values := map[string]any{}
	for name, value := range inputs.Given {
		if _, is := declared[name]; is {
			values[name] = value
		}
	}
	for name, value := range read.Variables {
		if _, is := declared[name]; !is {
			doubts = append(doubts, doubt("variables", "has %q, which the query does not declare%s", name, jsondoc.DidYouMean(name, slices.Sorted(maps.Keys(declared)))))
			continue
		}
		values[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if message := misfitOf(name, values[name], declared[name].Shape); message != "" {
			doubts = append(doubts, doubt("query", "gets a value for $%s that GitHub would refuse: %s", name, message))
		}
	}
	if len(doubts) > 0 {
		return nil, doubts
	}
	return foreseen(query.Data), nil
}

// misfitOf says why a value is not one that a variable can have, empty if it is,
// or is known only later.
func misfitOf(name string, value any, shape *githubschema.Shape) string {
	if refers(value) {
		return ""
	}
	if err := shape.Admits(value); err != nil {
		return fault.Public(err)
	}
	if n, _ := value.(int); (name == "first" || name == "last") && n > githubschema.MaxPage {
		return fmt.Sprintf("%d, and a page has at most %d", n, githubschema.MaxPage)
	}
	return ""
}

// refers reports whether a value has references in it, so that it is not known
// yet.
func refers(value any) bool {
	switch value := value.(type) {
	case string:
		return bench.Reference.MatchString(value)
	case []any:
		return slices.ContainsFunc(value, refers)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(value)), refers)
	default:
		return false
	}
}

const pageParameter, sizeParameter = "page", "per_page"

// foreseePath compares a path and its query with GitHub's operations.
func foreseePath(read bench.Read) (*Foreseen, []Doubt) {
	path, query, _ := strings.Cut(read.Path, "?")
	op, known := githubschema.Find(http.MethodGet, path)
	if !known {
		return nil, []Doubt{doubt("path", "is no path that GitHub's REST API answers%s", nearPath(path))}
	}
	parameters := map[string]*githubschema.Shape{}
	for _, p := range op.Parameters {
		if p.In == "query" {
			parameters[p.Name] = p.Shape
		}
	}
	var doubts []Doubt
	for part := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		shape, has := parameters[name]
		switch {
		case part == "":
		case !has:
			doubts = append(doubts, doubt("path", "has the parameter %q, which %s does not take%s", name, op, jsondoc.DidYouMean(name, slices.Sorted(maps.Keys(parameters)))))
		default:
			if message := unfit(name, value, shape); message != "" {
				doubts = append(doubts, doubt("path", "has %s=%s: %s", name, value, message))
			}
		}
	}
	if _, pages := parameters[pageParameter]; read.Pages > 1 && !pages {
		doubts = append(doubts, doubt("pages", "%s has no pages: leave it out", op))
	}
	switch {
	case len(doubts) > 0:
		return nil, doubts
	case op.Status == http.StatusFound, read.Accept != "" && !strings.HasSuffix(read.Accept, "json"):
		// What is elsewhere is a file.
		return foreseen(&githubschema.Shape{Kind: githubschema.String}), nil
	default:
		return foreseen(op.Answer), nil
	}
}

// unfit says why a parameter cannot have a value, empty if it can.
func unfit(name, value string, shape *githubschema.Shape) string {
	if refers(value) {
		return ""
	}
	// Of a number that is too large for it, Atoi gives the largest there is.
	if n, _ := strconv.Atoi(value); name == sizeParameter && n > githubschema.MaxPage {
		return fmt.Sprintf("a page has at most %d", githubschema.MaxPage)
	}
	plain, err := url.QueryUnescape(value)
	if err != nil {
		return err.Error()
	}
	if shape.Enum != nil {
		if err := shape.Admits(plain); err != nil {
			return "it is " + fault.Public(err)
		}
	}
	return ""
}

// nearPath suggests a path like the given one.
func nearPath(path string) string {
	parts := strings.Split(path, "/")
	var near []string
	for _, op := range githubschema.Operations() {
		template := strings.Split(op.Path, "/")
		if op.Method != http.MethodGet || len(template) != len(parts) {
			continue
		}
		for i, part := range template {
			if strings.HasPrefix(part, "{") {
				template[i] = parts[i]
			}
		}
		near = append(near, strings.Join(template, "/"))
	}
	return jsondoc.DidYouMean(path, near)
}

// foreseenForms returns what GitHub answers to a read that ships with the
// program; each is found out once.
var foreseenForms = sync.OnceValue(func() func(task string) *Foreseen {
	found := map[string]func() *Foreseen{}
	for task, f := range forms() {
		found[task] = sync.OnceValue(f.foresee)
	}
	return func(task string) *Foreseen {
		if find, known := found[task]; known {
			return find()
		}
		return &Foreseen{}
	}
})

// nextExample is the number of a next page.
const nextExample = 2

// formInput is an input of which answers repeat a part.
var formInput = map[string]any{"jobId": 1}

// foresee puts the answer together of what GitHub answers to the steps. Tests
// hold that nothing is wrong with those.
func (f *form) foresee() *Foreseen {
	answers := map[string]any{}
	out := &Foreseen{known: true, texts: map[string][]string{}, jq: f.JQ}
	var whole any = answers
	for _, s := range f.Steps {
		answer, _ := s.foresee()
		if s.As == "" {
			whole = answer.value
		}
		answers[s.As] = answer.value
		for text, others := range answer.texts {
			out.texts[text] = append(out.texts[text], others...)
		}
	}
	out.value, _, _ = f.trial(func(map[string]any, string) {}).Run(context.Background(), whole)
	out.marked = out.marking(nil, out.value, "")
	return out
}

// foresee returns what GitHub answers to a step. The inputs that its query
// declares are there.
func (s step) foresee() (*Foreseen, []Doubt) {
	if s.Path != "" {
		return foreseePath(s.read())
	}
	declared := Inputs{Bound: map[string]any{}}
	for _, v := range githubschema.CheckQuery(s.Query, githubschema.Reads).Variables {
		declared.Bound[v.Name] = nil
	}
	return foreseeQuery(s.read(), declared)
}

// trial makes the answer of a form of examples.
func (f *form) trial(missing func(map[string]any, string)) jq.Trial {
	return jq.Trial{
		Definitions: f.defs, Source: orNull(f.JQ), Missing: missing,
		Variables: readVariables(), Values: []any{maps.Clone(formInput), nextExample},
	}
}

// dependent finds what takes apart what a text says, of which an example says
// something else, and resources, whose values have no example.
var dependent = regexp.MustCompile(`\b(tonumber|fromjson|strptime|fromdate\w*|mktime|capture|match|scan|splits?|indices|index|rindex|error|base64d)\b|\$resources`)

// Try returns what jq makes of an answer. The values of its variables are
// examples.
func (f *Foreseen) Try(source string, variables []string, values []any) (*Foreseen, []Doubt) {
	if _, err := jq.Compile(source, variables...); err != nil {
		return &Foreseen{}, []Doubt{doubt("jq", "%s", fault.Public(err))}
	}
	if !f.known {
		return &Foreseen{}, nil
	}
	var doubts []Doubt
	trial := jq.Trial{Source: source, Variables: variables, Values: values, Missing: func(object map[string]any, field string) {
		if d, is := lacking(object, field); is && !slices.ContainsFunc(doubts, func(other Doubt) bool { return other.Message == d.Message }) {
			doubts = append(doubts, d)
		}
	}}
	// Objects that say what they are may be in the way of what counts fields, so
	// that what the expression gives is found without them.
	trial.Values = markingInput(variables, values)
	_, _, _ = trial.Run(context.Background(), f.marked)
	if len(doubts) > 0 {
		return &Foreseen{}, doubts
	}
	trial.Missing, trial.Values = func(map[string]any, string) {}, values
	value, _, err := trial.Run(context.Background(), f.value)
	if err != nil {
		return &Foreseen{}, []Doubt{{[]string{"jq"}, "fails on an example of what GitHub answers: " + fault.Public(err), !dependent.MatchString(source)}}
	}
	made := &Foreseen{value: value, known: value != nil, texts: maps.Clone(f.texts), jq: source}
	made.marked = made.marking(nil, value, "")
	return made, nil
}

// markingInput returns the values of variables with an input that says what it
// is.
func markingInput(variables []string, values []any) []any {
	marking := slices.Clone(values)
	for i, name := range variables {
		if input, is := values[i].(map[string]any); is && name == inputVariable {
			input = maps.Clone(input)
			input[mark], marking[i] = name, input
		}
	}
	return marking
}

// lacking is the doubt about a field of an object that says what it is.
func lacking(object map[string]any, field string) (Doubt, bool) {
	where, is := object[mark].(string)
	if !is {
		return Doubt{}, false
	}
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(name string) bool { return name == mark })
	if where == "" {
		where = "the answer"
	}
	return doubt("jq", "asks for %q, which %s does not have%s", field, where, suggest(field, names)), true
}
