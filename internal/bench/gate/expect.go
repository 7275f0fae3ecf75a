package gate

import (
	_ "embed"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

//go:embed expectations.schema.json
var schema []byte

// Expectations is a checked expectations file.
type Expectations struct {
	// DefaultModel is the "provider/model" to use where nothing else names
	// one.
	DefaultModel string

	thresholds map[string]map[bench.GateProfile]bench.Thresholds
	prices     map[string]bench.Price
}

// ParseExpectations reads an expectations file, of which name is only shown. All that is
// wrong with it is reported at once, with file, line, column, path and what
// would be right, in one error of kind [fault.Invalid] that holds
// [jsondoc.Problems].
func ParseExpectations(name string, data []byte) (*Expectations, error) {
	compiled, err := jsondoc.CompileSchema("expectations.schema.json", schema)
	if err != nil {
		return nil, err
	}
	document, problems := jsondoc.Parse(name, data)
	if document != nil {
		problems = append(problems, check(compiled, document)...)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return build(document)
}

// modelKey is what a model is called by in expectations and prices; it is the
// schema's pattern.
var modelKey = regexp.MustCompile(`^[^/\s]+/\S+$`)

// check returns what is wrong with the document. About the name of a model it
// says more than the schema can.
func check(compiled *jsondoc.Schema, document *jsondoc.Document) jsondoc.Problems {
	var names jsondoc.Problems
	for _, section := range []string{"expectations", "pricing"} {
		root, _ := document.Value().(map[string]any)
		models, _ := root[section].(map[string]any)
		for _, model := range slices.Sorted(maps.Keys(models)) {
			if !modelKey.MatchString(model) {
				names = append(names, document.KeyProblem([]string{section, model},
					`a model is named "<provider>/<model>", for example "openai/gpt-5.3-codex"`))
			}
		}
	}
	problems := slices.DeleteFunc(compiled.Validate(document), func(p jsondoc.Problem) bool {
		return slices.ContainsFunc(names, func(name jsondoc.Problem) bool { return name.Path == p.Path })
	})
	return append(names, problems...)
}

// file is the file's shape. Thresholds are raw, since they go on top of
// defaults that depend on their profile.
type file struct {
	DefaultModel string                                           `json:"default_model"`
	Expectations map[string]map[bench.GateProfile]json.RawMessage `json:"expectations"`
	Pricing      map[string]bench.Price                           `json:"pricing"`
}

// build makes expectations of a document that fits the schema. It goes by the
// document's values rather than its text, in which a whole number may be
// written as 3.0.
func build(document *jsondoc.Document) (*Expectations, error) {
	data, err := json.Marshal(document.Value())
	if err != nil {
		return nil, fault.Internalf("read expectations %q: %w", document.File(), err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, fault.Internalf("read expectations %q: %w", document.File(), err)
	}
	e := &Expectations{
		DefaultModel: f.DefaultModel,
		thresholds:   make(map[string]map[bench.GateProfile]bench.Thresholds, len(f.Expectations)),
		prices:       f.Pricing,
	}
	for model, profiles := range f.Expectations {
		e.thresholds[model] = make(map[bench.GateProfile]bench.Thresholds, len(profiles))
		for profile, given := range profiles {
			t := bench.DefaultThresholds(profile)
			if err := json.Unmarshal(given, &t); err != nil {
				return nil, fault.Internalf("read expectations %q of %s: %w", document.File(), model, err)
			}
			e.thresholds[model][profile] = t
		}
	}
	return e, nil
}

// Thresholds returns the model's thresholds. Those that its entry leaves out
// are the defaults, and so are all of a model that has no entry for the
// profile, for which own is false (rule G8). Profiles by evidence have no entry: what a
// claim is to save is what verify_pr asks for.
func (e *Expectations) Thresholds(model string, profile bench.GateProfile) (t bench.Thresholds, own bool) {
	if profile.ByEvidence() {
		profile = bench.VerifyPR
	}
	if t, own = e.thresholds[model][profile]; own {
		return t, true
	}
	return bench.DefaultThresholds(profile), false
}

// Price returns what the model's tokens cost; ok is false if the file does not
// say (rule G9).
func (e *Expectations) Price(model string) (price bench.Price, ok bool) {
	price, ok = e.prices[model]
	return price, ok
}

// ResolveModel returns the "provider/model" whose thresholds apply: the given
// one unless it is empty, else the one that the rows are of, else the default
// model (rule G8). A given name that is none, and rows of several models, are
// errors of kind [fault.Invalid].
func (e *Expectations) ResolveModel(given string, inRows []string) (string, error) {
	if given != "" {
		if !modelKey.MatchString(given) {
			return "", fault.Invalidf(`model %q: want "<provider>/<model>", for example %q`, given, e.DefaultModel)
		}
		return given, nil
	}
	models := slices.Compact(slices.Sorted(slices.Values(inRows)))
	switch len(models) {
	case 0:
		return e.DefaultModel, nil
	case 1:
		return models[0], nil
	default:
		return "", fault.Invalidf("the rows are of %d models, %s: report them apart, or name the model whose expectations apply",
			len(models), strings.Join(models, ", "))
	}
}
