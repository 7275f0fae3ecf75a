// Package jsondoc reads JSON files that people write, and says what is wrong
// with them and where: syntax, duplicate fields, and whatever a JSON Schema
// finds, each with file, line, column, path and a sentence.
//
// It reads whole documents into memory. It is not for JSON that only programs
// write; encoding/json serves there.
package jsondoc

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Problem is one defect of a file.
type Problem struct {
	File string
	// Line and Column count from 1; a column is a character (Unicode code
	// point), not a byte.
	Line, Column int
	// Path is the place in the document, for example
	// "assertions.checkpoints[0].condition"; empty for the document itself.
	Path string
	// Message goes on from the path: "must be at least 1, is 0".
	Message string
}

// String returns "file:line:column: path: message", the form that editors and
// build logs turn into links.
func (p Problem) String() string {
	var text strings.Builder
	text.WriteString(p.File + ":" + strconv.Itoa(p.Line) + ":" + strconv.Itoa(p.Column) + ": ")
	if p.Path != "" {
		text.WriteString(p.Path + ": ")
	}
	text.WriteString(p.Message)
	return text.String()
}

// Problems are the defects of one or more files. As an error they list
// themselves, one a line.
type Problems []Problem

// Error returns the problems, one a line.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// Sorted returns the problems by file, line and column, each once.
func (ps Problems) Sorted() Problems {
	sorted := slices.Clone(ps)
	slices.SortFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Message, b.Message),
		)
	})
	return slices.Compact(sorted)
}

// Err returns nil if there are no problems, else one error of kind
// [fault.Invalid] that lists all of them, sorted. The problems can be had back
// from it with [errors.As].
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	return fault.Wrap(fault.Invalid, ps.Sorted())
}
