package footprint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Played is what one right play has changed, once in each of several worlds, so
// that what varies can be told from what does not.
type Played struct {
	// Name is what notes call the play, such as "ghx".
	Name    string
	Samples []Sample
}

// Sample is what a play has changed in one world.
type Sample struct {
	// Seen are the changes in the order in which they were made.
	Seen []bench.Change
	// Agent is the login of who played.
	Agent string
	// References are the values of the references that a scenario may write, by
	// these, such as "{{input.body}}".
	References map[string]any
}

// Proposal is a footprint for a person to review.
type Proposal struct {
	Footprint []bench.Allowance `json:"footprint"`
	// Notes say what to look at, LeftOut what was changed and needs no allowance.
	Notes   []string `json:"notes"`
	LeftOut []string `json:"left_out"`
}

// Propose writes down what right plays have changed as allowances. Names and
// values that come from the fixtures or the input become references; ids, and
// parts of names that vary otherwise, a star; values that vary otherwise, and
// commits and moments, {"any": true}. What the plays differ in is allowed to
// each of them, with a note.
func Propose(plays []Played) Proposal {
	p := proposer{Proposal: Proposal{Footprint: []bench.Allowance{}, Notes: []string{}, LeftOut: []string{}}}
	for _, played := range plays {
		for _, aligned := range p.aligned(played) {
			p.join(aligned)
		}
	}
	p.conclude()
	return p.Proposal
}

// proposer joins plays, one after the other.
type proposer struct {
	Proposal
	// plays are the names of those that were joined, by are the plays that make
	// the change of each allowance.
	plays []string
	by    [][]string
}

func (p *proposer) note(to *[]string, format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(*to, text) {
		*to = append(*to, text)
	}
}

// aligned are a play's changes, with what each was in every sample.
type aligned struct {
	name string
	in   inference
	// changes has, for each change, what it was in each sample.
	changes [][]bench.Change
}

// aligned puts together what belongs together in the samples of a play. Where
// they do not do the same, each stands for itself.
func (p *proposer) aligned(played Played) []aligned {
	var asked [][]bench.Change
	for _, s := range played.Samples {
		asked = append(asked, p.asked(s))
	}
	together := aligned{name: played.Name, in: infer(played.Samples)}
	for i, changes := range asked {
		if !slices.EqualFunc(asked[0], changes, sameKind) {
			p.note(&p.Notes, "%s does not change the same in every variation: see that its plan and the fixtures are right", played.Name)
			return apart(played, asked)
		}
		for at, c := range changes {
			if i == 0 {
				together.changes = append(together.changes, nil)
			}
			together.changes[at] = append(together.changes[at], c)
		}
	}
	return []aligned{together}
}

func sameKind(a, b bench.Change) bool { return a.Kind == b.Kind && a.Object == b.Object }

// apart has each sample stand for itself.
func apart(played Played, asked [][]bench.Change) []aligned {
	var all []aligned
	for i, changes := range asked {
		one := aligned{name: played.Name, in: infer(played.Samples[i : i+1])}
		for _, c := range changes {
			one.changes = append(one.changes, []bench.Change{c})
		}
		all = append(all, one)
	}
	return all
}

// asked returns the net changes that an allowance is needed for, and notes what
// is not.
func (p *proposer) asked(s Sample) []bench.Change {
	var asked []bench.Change
	for _, c := range Net(s.Seen) {
		switch {
		case c.Cause != "":
			p.note(&p.LeftOut, "%s %s follows from: %s", c.Kind, c.Object, c.Cause)
			continue
		case s.Agent != "" && c.Actor != "" && !strings.EqualFold(c.Actor, s.Agent):
			p.note(&p.Notes, "%s %s was done by %s, not by the agent: no footprint allows that", c.Kind, c.Object, c.Actor)
		}
		asked = append(asked, c)
	}
	return asked
}

// allowance writes down what a change is in all samples.
func (p *proposer) allowance(in inference, changes []bench.Change) bench.Allowance {
	first := changes[0]
	a := bench.Allowance{Change: first.Kind, Object: first.Object, Name: in.name(changes)}
	for _, field := range fieldNames(changes) {
		if Implied(first.Object, field) {
			p.note(&p.LeftOut, "%s of %s is implied", field, withArticle(first.Object))
			continue
		}
		if a.Fields == nil {
			a.Fields = map[string]any{}
		}
		a.Fields[field] = in.field(field, changes)
	}
	return a
}

func withArticle(noun string) string {
	if strings.ContainsAny(noun[:1], "aeiouAEIOU") {
		return "an " + noun
	}
	return "a " + noun
}

// fieldNames returns the fields that differ in any of the samples, in order.
func fieldNames(changes []bench.Change) []string {
	var names []string
	for _, c := range changes {
		for _, f := range c.Fields {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}

// join adds a play's changes to the proposal.
func (p *proposer) join(a aligned) {
	var own []bench.Allowance
	for _, changes := range a.changes {
		one := p.allowance(a.in, changes)
		if at := slices.IndexFunc(own, func(o bench.Allowance) bool { return sameObject(o, one) && equal(o.Fields, one.Fields) }); at >= 0 {
			own[at].Times = max(1, own[at].Times) + 1
		} else {
			own = append(own, one)
		}
	}
	taken := map[int]bool{}
	for _, one := range own {
		at := p.counterpart(one, taken)
		if at < 0 {
			at = len(p.Footprint)
			p.Footprint, p.by = append(p.Footprint, one), append(p.by, nil)
		} else {
			p.merge(&p.Footprint[at], one)
		}
		taken[at] = true
		if !slices.Contains(p.by[at], a.name) {
			p.by[at] = append(p.by[at], a.name)
		}
	}
	if !slices.Contains(p.plays, a.name) {
		p.plays = append(p.plays, a.name)
	}
}

func sameObject(a, b bench.Allowance) bool {
	return a.Change == b.Change && a.Object == b.Object && a.Name == b.Name
}

// counterpart finds the allowance of the plays before that a play's own is
// another form of: preferably an equal one, -1 if there is none.
func (p *proposer) counterpart(own bench.Allowance, taken map[int]bool) int {
	like := -1
	for i, a := range p.Footprint {
		if taken[i] || !sameObject(a, own) {
			continue
		}
		if equal(a.Fields, own.Fields) {
			return i
		}
		if like < 0 {
			like = i
		}
	}
	return like
}

// merge has an allowance allow what another one does too.
func (p *proposer) merge(a *bench.Allowance, b bench.Allowance) {
	a.Times = max(a.Times, b.Times)
	names := map[string]any{}
	maps.Copy(names, a.Fields)
	maps.Copy(names, b.Fields)
	for _, field := range sortedNames(names) {
		one, inOne := a.Fields[field]
		other, inOther := b.Fields[field]
		if inOne && inOther && equal(one, other) {
			continue
		}
		if a.Fields == nil {
			a.Fields = map[string]any{}
		}
		switch {
		case a.Change != bench.ChangeCreated && !inOne:
			a.Fields[field] = other
		case a.Change != bench.ChangeCreated && !inOther:
		default:
			a.Fields[field] = either(one, other)
		}
		p.note(&p.Notes, "the plays differ in %s of %s %s: %s", field, a.Change, a.Object, shown(a.Fields[field]))
	}
}

// either returns a condition that two values or conditions meet.
func either(one, other any) any {
	var options []any
	for _, value := range []any{one, other} {
		object, _ := value.(map[string]any)
		list, is := object[opOneOf].([]any)
		switch {
		case is:
		case len(object) == 1 && (object[OpAny] != nil || object[opAdds] != nil || object[opRemoves] != nil):
			// No condition holds one of several others.
			return anything()
		default:
			list = []any{value}
		}
		for _, option := range list {
			if !slices.ContainsFunc(options, func(known any) bool { return equal(known, option) }) {
				options = append(options, option)
			}
		}
	}
	return map[string]any{opOneOf: options}
}

func anything() map[string]any { return map[string]any{OpAny: true} }

// conclude notes what a person should look at.
func (p *proposer) conclude() {
	for i, a := range p.Footprint {
		what := fmt.Sprintf("%s %s %s", a.Change, a.Object, a.Name)
		if len(p.by[i]) < len(p.plays) {
			p.note(&p.Notes, "%s: not every play does this, but %s: a footprint only allows, checkpoints demand", what, strings.Join(p.by[i], ", "))
		}
		for _, field := range sortedNames(a.Fields) {
			if equal(a.Fields[field], anything()) {
				p.note(&p.Notes, "%s: its %s may be anything, which guards nothing: name a value where the task asks for one", what, field)
			}
		}
	}
	if i, why := GuardsNothing(p.Footprint); why != "" {
		p.note(&p.Notes, "allowance %d %s", i, why)
	}
}
