package verify

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// RowChange is what measuring anew has changed in a row.
type RowChange struct {
	RunID string `json:"run_id"`
	// Cell is that of the row, as [bench.Cell.String] writes it.
	Cell   string        `json:"cell"`
	Fields []FieldChange `json:"fields"`
}

// String is one line on the change.
func (c RowChange) String() string {
	fields := make([]string, 0, len(c.Fields))
	for _, f := range c.Fields {
		fields = append(fields, f.String())
	}
	return c.Cell + "  " + strings.Join(fields, ", ")
}

// FieldChange is a field of a row that has another value.
type FieldChange struct {
	// Field is dotted, with indexes: attempts.0.cost.
	Field string `json:"field"`
	// Old and New are JSON values; nil means that the field was not there.
	Old json.RawMessage `json:"old"`
	New json.RawMessage `json:"new"`
}

// String is "field: old → new", long values shortened.
func (f FieldChange) String() string {
	return fmt.Sprintf("%s: %s → %s", f.Field, shown(f.Old), shown(f.New))
}

// maxShown is how many characters of a value are shown.
const maxShown = 60

func shown(value json.RawMessage) string {
	if value == nil {
		return "none"
	}
	runes := []rune(string(value))
	if len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	return string(runes)
}

// changeOf compares two rows of one cell as ledgers have them.
func changeOf(before, after *bench.Row) (RowChange, error) {
	change := RowChange{RunID: before.RunID, Cell: before.Cell().String()}
	was, err := fieldsOf(before)
	if err != nil {
		return RowChange{}, err
	}
	is, err := fieldsOf(after)
	if err != nil {
		return RowChange{}, err
	}
	all := maps.Clone(was)
	maps.Copy(all, is)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !bytes.Equal(was[name], is[name]) {
			change.Fields = append(change.Fields, FieldChange{Field: name, Old: was[name], New: is[name]})
		}
	}
	return change, nil
}

// fieldsOf returns the values in a row by their dotted paths.
func fieldsOf(row *bench.Row) (map[string]json.RawMessage, error) {
	text, err := json.Marshal(row)
	if err != nil {
		return nil, fmt.Errorf("encode row of %s: %w", row.Cell(), err)
	}
	fields := map[string]json.RawMessage{}
	return fields, flatten(fields, "", text)
}

func flatten(fields map[string]json.RawMessage, path string, value json.RawMessage) error {
	children := map[string]json.RawMessage{}
	switch value[0] {
	case '{':
		if err := json.Unmarshal(value, &children); err != nil {
			return err
		}
	case '[':
		var items []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return err
		}
		for i, item := range items {
			children[strconv.Itoa(i)] = item
		}
	default:
		fields[path] = value
		return nil
	}
	if path != "" {
		path += "."
	}
	for name, child := range children {
		if err := flatten(fields, path+name, child); err != nil {
			return err
		}
	}
	return nil
}
