package verify

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
)

// facts are what rows and runs say of how they came about.
type facts struct {
	rows      int
	simulated bool
	from, to  string
	runs      map[string]bool
	modes     map[bench.Mode]bool
	// models are "provider/model".
	models    map[string]bool
	scenarios map[string]map[bench.Mode]bool
	// hashes are those of the scenarios' contents, where rows say so.
	hashes map[string]map[string]bool
	// settings are values by name.
	settings map[string]map[string]bool
}

// The settings whose names are not those of tools, in the order in which they
// are told.
var settingNames = []string{
	"simulated", "model", "agent", "target", "commit", "base commit", "scenario set", "repetitions", "order", "fixtures' seed", "fixtures' variations",
	"price (USD per million tokens: input, output, cached, written)",
}

func newFacts(runs []ledger.RunInfo) facts {
	f := facts{
		runs: map[string]bool{}, modes: map[bench.Mode]bool{}, models: map[string]bool{}, scenarios: map[string]map[bench.Mode]bool{},
		hashes: map[string]map[string]bool{}, settings: map[string]map[string]bool{},
	}
	for i := range runs {
		f.addRun(&runs[i])
	}
	return f
}

// addRun notes what rows do not say.
func (f *facts) addRun(run *ledger.RunInfo) {
	target := run.Target
	if target == "" {
		target = "sandbox"
	}
	f.note("target", target)
	f.note("agent", run.Provider)
	r := bench.Repetitions{First: run.Repetitions, Most: run.Repetitions}
	if run.FirstLook > 0 {
		r.First = run.FirstLook
	}
	f.note("repetitions", r.String())
	if p := run.Price; p != nil {
		f.note(settingNames[len(settingNames)-1], fmt.Sprintf("%g, %g, %g, %g", p.Input, p.Output, p.CacheRead, p.CacheWrite))
	}
}

// note records a value; an empty one says nothing.
func (f *facts) note(name, value string) {
	if value == "" {
		return
	}
	addTo(f.settings, name, value)
}

func addTo[K, V comparable](all map[K]map[V]bool, key K, value V) {
	if all[key] == nil {
		all[key] = map[V]bool{}
	}
	all[key][value] = true
}

func (f *facts) add(row *bench.Row) {
	f.rows++
	f.simulated = f.simulated || row.Simulated
	f.runs[row.RunID] = true
	f.modes[row.Mode] = true
	f.models[row.Model.Key()] = true
	addTo(f.scenarios, row.ScenarioID, row.Mode)
	if row.ScenarioHash != "" {
		addTo(f.hashes, row.ScenarioID, row.ScenarioHash)
	}
	if at := row.Timestamp; at != "" {
		if f.from == "" || at < f.from {
			f.from = at
		}
		f.to = max(f.to, at)
	}
	f.note("simulated", map[bool]string{true: "yes", false: "no"}[row.Simulated])
	f.note("model", row.Model.Text())
	if row.Git.Commit != nil {
		f.note(map[bool]string{true: "base commit", false: "commit"}[row.Mode == bench.GHXBase], *row.Git.Commit)
	}
	if row.ScenarioSet != nil {
		f.note("scenario set", *row.ScenarioSet)
	}
	f.note(fileOf(row.Mode), row.ModeHash)
	f.note("fixtures' seed", row.SeedID)
	if row.Variation != nil {
		f.note("fixtures' variations", fmt.Sprintf("of seed %d", row.Variation.Seed))
	}
	if row.Order != nil {
		f.note("order", row.Order.Kind)
	}
	for tool, version := range row.Tools {
		f.note("tool "+tool, version)
	}
}

// fileOf names the content of a mode's file as a setting.
func fileOf(mode bench.Mode) string { return "file of mode " + string(mode) }

// ran reports whether a scenario was run in a mode.
func (f *facts) ran(scenario string, mode bench.Mode) bool { return f.scenarios[scenario][mode] }

// text writes a setting's values.
func (f *facts) text(name string) string {
	values := f.settings[name]
	if len(values) == 0 {
		return bench.NoFigure
	}
	return strings.Join(slices.Sorted(maps.Keys(values)), ", ")
}

// settingsOf returns what is not the same on both sides, and what is.
func settingsOf(a, b *facts) (differences, alike []bench.ComparedSetting) {
	differences, alike = []bench.ComparedSetting{}, []bench.ComparedSetting{}
	others := maps.Clone(a.settings)
	maps.Copy(others, b.settings)
	maps.DeleteFunc(others, func(name string, _ map[string]bool) bool { return slices.Contains(settingNames, name) })
	for _, name := range slices.Concat(settingNames, slices.Sorted(maps.Keys(others))) {
		s := bench.ComparedSetting{Name: name, A: a.text(name), B: b.text(name)}
		switch {
		case s.A == bench.NoFigure && s.B == bench.NoFigure:
		case s.A != s.B:
			differences = append(differences, s)
		default:
			alike = append(alike, s)
		}
	}
	s := scenariosSetting(a, b)
	if s.A != s.B {
		return append(differences, s), alike
	}
	return differences, append(alike, s)
}

// scenariosSetting tells how many scenarios both have, and what each has alone
// or with another content.
func scenariosSetting(a, b *facts) bench.ComparedSetting {
	return bench.ComparedSetting{Name: "scenarios", A: a.scenariosBeside(b), B: b.scenariosBeside(a)}
}

func (f *facts) scenariosBeside(other *facts) string {
	text := fmt.Sprint(len(f.scenarios))
	var alone, changed []string
	for _, id := range slices.Sorted(maps.Keys(f.scenarios)) {
		switch {
		case other.scenarios[id] == nil:
			alone = append(alone, id)
		case !maps.Equal(f.hashes[id], other.hashes[id]):
			changed = append(changed, id)
		}
	}
	if len(alone) > 0 {
		text += "; here alone: " + strings.Join(alone, ", ")
	}
	for _, id := range changed {
		text += fmt.Sprintf("; %s has content %s", id, contentOf(f.hashes[id]))
	}
	return text
}

// contentOf writes hashes so that they can be told apart.
func contentOf(hashes map[string]bool) string {
	const shown = 8
	var short []string
	for _, hash := range slices.Sorted(maps.Keys(hashes)) {
		short = append(short, hash[:min(shown, len(hash))])
	}
	if len(short) == 0 {
		return bench.NoFigure
	}
	return strings.Join(short, ", ")
}
