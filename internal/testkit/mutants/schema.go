package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// instrument writes the sources of a target with all of the given mutants in
// them, by their names. A mutant that does not compile there loses its form
// for that, and is left out.
func (p *program) instrument(t *target, mutants []*mutant) (map[string][]byte, error) {
	for {
		written := map[string][]byte{}
		places := map[string][]span{}
		for _, source := range t.files {
			written[source.name], places[source.name] = p.weave(source, mutants)
		}
		wrong := p.check(t, written)
		if len(wrong) == 0 {
			for _, source := range t.files {
				if len(places[source.name]) == 0 {
					delete(written, source.name)
				}
			}
			return written, nil
		}
		blamed := false
		for _, e := range wrong {
			at := e.Fset.Position(e.Pos)
			// The innermost one begins last.
			for _, place := range slices.Backward(places[at.Filename]) {
				if place.start <= at.Offset && at.Offset < place.end {
					place.mutant.prefix, place.mutant.suffix = "", ""
					blamed = true
					break
				}
			}
		}
		if !blamed {
			return nil, fmt.Errorf("the code with mutants in it does not compile: %w", wrong[0])
		}
	}
}

// span is where a mutant is in a written source.
type span struct {
	start, end int
	mutant     *mutant
}

// weave writes a source with mutants in it. The places are sorted by start.
func (p *program) weave(source *source, mutants []*mutant) ([]byte, []span) {
	var within []*mutant
	for _, m := range mutants {
		if m.source == source && m.prefix != "" {
			within = append(within, m)
		}
	}
	w := weaver{source: source.text}
	if len(within) == 0 {
		return source.text, nil
	}
	slices.SortStableFunc(within, outerFirst)
	// The import is on the line of the package clause, so that lines keep their
	// numbers.
	clause := p.set.Position(source.syntax.Name.End()).Offset
	w.out.Write(source.text[:clause])
	fmt.Fprintf(&w.out, "; import %s %q", chosenName, p.chosenPath())
	w.write(within, clause, len(source.text))
	slices.SortFunc(w.places, func(a, b span) int { return a.start - b.start })
	return w.out.Bytes(), w.places
}

// outerFirst orders mutants by where they begin, and one before those inside
// it. What is put in at a place comes before what begins there.
func outerFirst(a, b *mutant) int {
	if order := cmp.Compare(a.start, b.start); order != 0 {
		return order
	}
	if a.start == a.end || b.start == b.end {
		return cmp.Compare(a.end, b.end)
	}
	return cmp.Compare(b.end, a.end)
}

// weaver writes mutants around what they change.
type weaver struct {
	source []byte
	out    bytes.Buffer
	places []span
}

// write writes the source from an offset to another with the mutants there,
// which are sorted so that one comes before those inside it.
func (w *weaver) write(mutants []*mutant, from, to int) {
	for len(mutants) > 0 {
		m := mutants[0]
		inside := 1
		for inside < len(mutants) && mutants[inside].start < m.end {
			inside++
		}
		w.out.Write(w.source[from:m.start])
		start := w.out.Len()
		w.out.WriteString(strings.ReplaceAll(m.prefix, numberMark, strconv.Itoa(m.number)))
		w.write(mutants[1:inside], m.start, m.end)
		w.out.WriteString(m.suffix)
		w.places = append(w.places, span{start: start, end: w.out.Len(), mutant: m})
		from, mutants = m.end, mutants[inside:]
	}
	w.out.Write(w.source[from:to])
}

// check type-checks a target with the given text of its sources.
func (p *program) check(t *target, written map[string][]byte) []types.Error {
	var wrong []types.Error
	var files []*ast.File
	for _, source := range t.files {
		text, is := written[source.name]
		if !is {
			text = source.text
		}
		file, err := parser.ParseFile(p.set, source.name, text, parser.SkipObjectResolution)
		if err != nil {
			return []types.Error{{Fset: p.set, Pos: source.syntax.Pos(), Msg: err.Error()}}
		}
		files = append(files, file)
	}
	config := types.Config{Importer: p, Error: func(err error) {
		var e types.Error
		if errors.As(err, &e) {
			wrong = append(wrong, e)
		}
	}}
	// Every error was told to the function above.
	_, _ = config.Check(t.path, p.set, files, nil)
	return wrong
}

// rewrite writes the source of a mutant with nothing else changed. It reports
// false if that does not compile.
func (p *program) rewrite(m *mutant) ([]byte, bool) {
	text := slices.Concat(m.source.text[:m.start], []byte(m.mutated), m.source.text[m.end:])
	return text, len(p.check(m.target, map[string][]byte{m.source.name: text})) == 0
}
