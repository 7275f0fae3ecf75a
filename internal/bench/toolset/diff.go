package toolset

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Diff returns how the candidate's surface differs from the baseline's. What one of
// them could not tell is not compared.
func Diff(baseline, candidate Surface) *bench.SurfaceChange {
	was, now := knownOf(baseline, candidate), knownOf(candidate, baseline)
	change := &bench.SurfaceChange{
		Baseline: was.Mode, Candidate: now.Mode,
		PromptTokens: bench.Sizes{Baseline: was.PromptTokens, Candidate: now.PromptTokens},
		Edits:        []bench.SurfaceEdit{},
	}
	pairs := pair(was.Items, now.Items)
	for _, p := range pairs {
		change.Edits = append(change.Edits, p.edits()...)
	}
	change.Edits = append(change.Edits, diffTexts(was.Texts, now.Texts)...)
	slices.SortStableFunc(change.Edits, func(a, b bench.SurfaceEdit) int { return cmp.Compare(rank(a.Kind), rank(b.Kind)) })
	if more := len(change.Edits) - bench.MaxSurfaceEdits; more > 0 {
		change.Edits, change.MoreEdits = change.Edits[:bench.MaxSurfaceEdits], more
	}
	diffAnswers(change, was.Answers, now.Answers, pairs)
	for _, s := range []Surface{was, now} {
		for _, note := range s.Notes {
			change.Notes = append(change.Notes, string(s.Mode)+": "+note)
		}
	}
	return change
}

// knownOf returns what is known of a surface and of another one.
func knownOf(s, other Surface) Surface {
	known := s
	known.Items, known.Texts = nil, nil
	for _, i := range s.Items {
		if !s.lacks(i.Kind, i.Name) && !other.lacks(i.Kind, i.Name) {
			known.Items = append(known.Items, i)
		}
	}
	for _, t := range s.Texts {
		if t.Of == "" || !s.lacks(t.Of, "") && !other.lacks(t.Of, "") {
			known.Texts = append(known.Texts, t)
		}
	}
	known.count()
	return known
}

// rank orders kinds as they are told.
func rank(k bench.SurfaceEditKind) int {
	return slices.Index([]bench.SurfaceEditKind{
		bench.SurfaceRenamed, bench.SurfaceRemoved, bench.SurfaceAdded, bench.ParameterRenamed, bench.ParameterDropped, bench.ParameterAdded,
		bench.ParameterRequired, bench.ParameterOptional, bench.ParameterChanged, bench.SurfaceSchema, bench.SurfaceText, bench.SurfaceDescribed,
	}, k)
}

// edits are the differences of an item.
func (p items) edits() []bench.SurfaceEdit {
	switch {
	case p.now == nil:
		return []bench.SurfaceEdit{{Kind: bench.SurfaceRemoved, Name: p.was.Name, Tokens: -p.was.Tokens}}
	case p.was == nil:
		return []bench.SurfaceEdit{{Kind: bench.SurfaceAdded, Name: p.now.Name, Tokens: p.now.Tokens}}
	}
	var all []bench.SurfaceEdit
	if p.was.Name != p.now.Name {
		all = append(all, bench.SurfaceEdit{Kind: bench.SurfaceRenamed, Name: p.now.Name, Was: p.was.Name})
	}
	changed, described := diffParameters(p.now.Name, p.was.Parameters, p.now.Parameters)
	all = append(all, changed...)
	if p.was.Schema != p.now.Schema {
		all = append(all, bench.SurfaceEdit{Kind: bench.SurfaceSchema, Name: p.now.Name})
	}
	if described || p.was.Description != p.now.Description {
		e := bench.SurfaceEdit{Kind: bench.SurfaceDescribed, Name: p.now.Name, Tokens: p.now.Tokens - p.was.Tokens}
		e.LinesAdded, e.LinesRemoved = diffLines(p.was.Description, p.now.Description)
		all = append(all, e)
	}
	return all
}

// diffParameters returns the differences of an item's parameters, and whether any
// is described otherwise.
func diffParameters(item string, was, now []Parameter) (all []bench.SurfaceEdit, described bool) {
	edit := func(kind bench.SurfaceEditKind, parameter, was string) {
		all = append(all, bench.SurfaceEdit{Kind: kind, Name: item, Parameter: parameter, Was: was})
	}
	dropped, added := without(was, now), without(now, was)
	if len(dropped) == 1 && len(added) == 1 && dropped[0].Schema == added[0].Schema && dropped[0].Required == added[0].Required {
		edit(bench.ParameterRenamed, added[0].Name, dropped[0].Name)
		described = dropped[0].Description != added[0].Description
		dropped, added = nil, nil
	}
	for _, p := range dropped {
		edit(bench.ParameterDropped, p.Name, "")
	}
	for _, p := range added {
		edit(bench.ParameterAdded, p.Name, "")
		if p.Required {
			edit(bench.ParameterRequired, p.Name, "")
		}
	}
	for _, p := range now {
		i := slices.IndexFunc(was, func(q Parameter) bool { return q.Name == p.Name })
		if i < 0 {
			continue
		}
		q := was[i]
		switch {
		case p.Required && !q.Required:
			edit(bench.ParameterRequired, p.Name, "")
		case !p.Required && q.Required:
			edit(bench.ParameterOptional, p.Name, "")
		}
		// A schema that only one of them tells says nothing of the parameter.
		if p.Schema != q.Schema && p.Schema != "" && q.Schema != "" {
			edit(bench.ParameterChanged, p.Name, "")
		}
		described = described || p.Description != q.Description
	}
	return all, described
}

// without returns the parameters whose names the others do not have.
func without(all, others []Parameter) (left []Parameter) {
	for _, p := range all {
		if !slices.ContainsFunc(others, func(q Parameter) bool { return q.Name == p.Name }) {
			left = append(left, p)
		}
	}
	return left
}

func byName(a, b Parameter) int { return strings.Compare(a.Name, b.Name) }

// diffTexts compares texts of the same name.
func diffTexts(was, now []Text) (all []bench.SurfaceEdit) {
	find := func(in []Text, name string) Text {
		if i := slices.IndexFunc(in, func(t Text) bool { return t.Name == name }); i >= 0 {
			return in[i]
		}
		return Text{Name: name}
	}
	var names []string
	for _, t := range slices.Concat(was, now) {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	for _, name := range names {
		before, after := find(was, name), find(now, name)
		if before.Text == after.Text {
			continue
		}
		e := bench.SurfaceEdit{Kind: bench.SurfaceText, Name: name, Tokens: after.Tokens - before.Tokens}
		e.LinesAdded, e.LinesRemoved = diffLines(before.Text, after.Text)
		all = append(all, e)
	}
	return all
}

// diffLines counts the lines that one text has and the other has not.
func diffLines(was, now string) (added, removed int) {
	count := map[string]int{}
	for line := range strings.Lines(now) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(was) {
		count[strings.TrimSpace(line)]--
	}
	for _, n := range count {
		added += max(n, 0)
		removed += max(-n, 0)
	}
	return added, removed
}

// Answers of sizes that are as near as this, in bytes or as a share, are the same:
// what took how long is told by many.
const (
	sameBytes = 16
	sameShare = 0.02
)

// diffAnswers compares the answers to calls that both were given.
func diffAnswers(change *bench.SurfaceChange, was, now []Answer, pairs []items) {
	old := map[string]string{} // by the candidate's name
	for _, p := range pairs {
		if p.was != nil && p.now != nil {
			old[p.now.Name] = p.was.Name
		}
	}
	for _, after := range now {
		i := slices.IndexFunc(was, func(before Answer) bool {
			if after.Item == "" {
				return before.Item == "" && before.Call == after.Call
			}
			return before.Item == old[after.Item] && before.Arguments == after.Arguments
		})
		if i < 0 {
			continue
		}
		before := was[i]
		if before.Failed != after.Failed {
			how := map[bool]string{true: "fails, which it did not", false: "succeeds, which it did not"}[after.Failed]
			change.Notes = append(change.Notes, "the call `"+after.Call+"` "+how)
			continue
		}
		sizes := bench.Sizes{Baseline: before.Bytes, Candidate: after.Bytes}
		change.Calls++
		change.AllAnswers.Baseline += before.Bytes
		change.AllAnswers.Candidate += after.Bytes
		if off := abs(after.Bytes - before.Bytes); off > sameBytes && float64(off) > sameShare*float64(before.Bytes) {
			change.Answers = append(change.Answers, bench.AnswerSize{Call: after.Call, Sizes: sizes})
		}
	}
	slices.SortStableFunc(change.Answers, func(a, b bench.AnswerSize) int {
		return cmp.Compare(abs(b.Candidate-b.Baseline), abs(a.Candidate-a.Baseline))
	})
}

func abs(n int) int { return max(n, -n) }
