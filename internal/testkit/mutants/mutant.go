package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// mutant is one way in which the code of a target is broken: the text from
// start to end becomes another one.
type mutant struct {
	target *target
	source *source
	// start and end are offsets in the source.
	start, end int
	// position is that of start; lastLine that of end.
	position token.Position
	lastLine int
	// function is the declaration that it is in, such as "Reader.Next".
	function string
	// what says what was done. before and after are on one line; together with
	// the function, and nth (from 1) among equals there, they name the mutant.
	what, before, after string
	nth                 int
	// mutated takes the place of the text in a build of the mutant's own.
	mutated string
	// prefix and suffix, put around the text, make both of it: the mutant if it
	// acts, and else the original. Both are empty where there is no such form.
	// The first has the mutant's number where numberMark stands.
	prefix, suffix string

	// number is the mutant's in the build.
	number int
	verdict
	// equivalent is why no test can tell the mutant from the original; empty if
	// one can.
	equivalent string
}

// numberMark stands for the number of a mutant.
const numberMark = "\x00"

// verdict is what became of a mutant.
type verdict int

const (
	notTried verdict = iota
	killed
	timedOut
	survived
	notCovered
)

// name is what the list of equivalent mutants calls it.
func (m *mutant) name() string {
	return fmt.Sprintf("%s %s: %s → %s%s", m.target.folder, m.function, m.before, m.after, m.among())
}

func (m *mutant) String() string {
	place := fmt.Sprintf("%s:%d:%d", m.position.Filename, m.position.Line, m.position.Column)
	return fmt.Sprintf("%s: %s in %s (%s → %s%s)", place, m.what, m.function, m.before, m.after, m.among())
}

// among tells the mutant from others of its name, and is empty for the first.
func (m *mutant) among() string {
	if m.nth <= 1 {
		return ""
	}
	return " #" + strconv.Itoa(m.nth)
}

// maxShown is how many characters of a changed text are shown.
const maxShown = 100

// onOneLine shortens in the middle, so that what differs at an end is seen.
func onOneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	runes := []rune(text)
	return string(runes[:maxShown/2]) + "…" + string(runes[len(runes)-maxShown/2:])
}

// finder finds the mutants of one file.
type finder struct {
	*program
	target   *target
	source   *source
	function string
	// results are those of the function, or function literal, around.
	results *ast.FieldList
	// left are literals that have no mutants of their own, or have them already.
	left  map[ast.Expr]bool
	found []*mutant
}

// mutants returns all mutants of a target, by their places.
func (p *program) mutants(t *target) []*mutant {
	var all []*mutant
	for _, source := range t.files {
		if ast.IsGenerated(source.syntax) {
			continue
		}
		f := &finder{program: p, target: t, source: source}
		for _, declaration := range source.syntax.Decls {
			f.declaration(declaration)
		}
		slices.SortStableFunc(f.found, func(a, b *mutant) int { return a.start - b.start })
		all = append(all, f.found...)
	}
	times := map[string]int{}
	for _, m := range all {
		key := m.name()
		times[key]++
		m.nth = times[key]
	}
	return all
}

// add adds a mutant that makes another text of a node's.
func (f *finder) add(n ast.Node, what, mutated, prefix, suffix string) {
	f.addRange(n.Pos(), n.End(), what, mutated, prefix, suffix).before = onOneLine(f.text(n))
}

func (f *finder) addRange(start, end token.Pos, what, mutated, prefix, suffix string) *mutant {
	m := &mutant{
		target: f.target, source: f.source, function: f.function,
		start: f.set.Position(start).Offset, end: f.set.Position(end).Offset,
		position: f.set.Position(start), lastLine: f.set.Position(end).Line,
		what: what, after: onOneLine(mutated), mutated: mutated, prefix: prefix, suffix: suffix,
	}
	if m.after == "" {
		m.after = "nothing"
	}
	f.found = append(f.found, m)
	return m
}

// Conditions of the two builds in one: on is true if the mutant acts.
const (
	on  = chosenName + ".On(" + numberMark + ")"
	off = "!" + on
)

// replaceExpression adds a mutant of an expression whose value is of type t.
func (f *finder) replaceExpression(e ast.Expr, t types.Type, what, mutated string) {
	prefix, suffix := "", ""
	if name, can := f.typeName(t); can {
		prefix, suffix = "func() "+name+" { if "+on+" { return "+mutated+" }; return (", ") }()"
	}
	f.add(e, what, mutated, prefix, suffix)
}

// pick adds a mutant of a constant.
func (f *finder) pick(e ast.Expr, what, mutated string) {
	prefix, suffix := "", ""
	if name, can := f.typeName(f.target.info.Types[e].Type); can {
		prefix, suffix = chosenName+".Pick["+name+"]("+numberMark+", "+mutated+", ", ")"
	}
	f.add(e, what, mutated, prefix, suffix)
}

// replaceStatement adds a mutant that does something else.
func (f *finder) replaceStatement(s ast.Stmt, what, mutated string) {
	f.add(s, what, mutated, "if "+on+" { "+mutated+" } else { ", " }")
}

func (f *finder) remove(s ast.Stmt) {
	f.add(s, "statement removed", "", "if "+off+" { ", " }")
}

// text returns the source of a node.
func (f *finder) text(n ast.Node) string {
	return string(f.source.text[f.set.Position(n.Pos()).Offset:f.set.Position(n.End()).Offset])
}

// typeName writes a type as the file may; it reports false for one that the
// file has no name for.
func (f *finder) typeName(t types.Type) (string, bool) {
	if t == nil {
		return "", false
	}
	if basic, is := t.(*types.Basic); is && basic.Info()&types.IsUntyped != 0 {
		return "", false
	}
	known := true
	name := types.TypeString(t, func(of *types.Package) string {
		if of == f.target.types {
			return ""
		}
		imported, is := f.importName(of.Path())
		known = known && is
		return imported
	})
	return name, known
}

// importName returns the name under which the file imports a package.
func (f *finder) importName(of string) (string, bool) {
	for _, spec := range f.source.syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || imported != of {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name, spec.Name.Name != "_" && spec.Name.Name != "."
		}
		object, is := f.target.info.Implicits[spec].(*types.PkgName)
		if !is {
			return path.Base(of), true
		}
		return object.Name(), true
	}
	return "", false
}

// zero writes the zero value of a type whose name the file writes as given.
func zero(t types.Type, name string) string {
	switch under := t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature:
		return "nil"
	case *types.Interface:
		if _, is := t.(*types.TypeParam); !is {
			return "nil"
		}
	case *types.Basic:
		switch {
		case under.Info()&types.IsString != 0:
			return `""`
		case under.Info()&types.IsNumeric != 0:
			return "0"
		case under.Info()&types.IsBoolean != 0:
			return "false"
		}
	}
	return "*new(" + name + ")"
}
