package target

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Snapshot is what there is: the fields of each object, by its name and its
// kind.
type Snapshot map[string]map[string]map[string]any

// The kinds of object of a folder's own snapshot.
const (
	kindFile   = "file"
	kindFolder = "folder"
	kindLink   = "link"
	// kindOther is what is neither: a named pipe, a socket, a device.
	kindOther = "special file"
)

func (s Snapshot) add(kind, name string, fields map[string]any) {
	if s[kind] == nil {
		s[kind] = map[string]map[string]any{}
	}
	s[kind][name] = fields
}

// parseSnapshot reads what a snapshot command has printed.
func parseSnapshot(text []byte) (Snapshot, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	var s Snapshot
	if err := decoder.Decode(&s); err != nil {
		return nil, fmt.Errorf("it prints no snapshot, {\"<kind>\": {\"<name>\": {\"<field>\": <value>}}}: %w", err)
	}
	if s == nil || len(bytes.TrimSpace(text[decoder.InputOffset():])) > 0 {
		return nil, fmt.Errorf("it prints something else than one snapshot, {\"<kind>\": {\"<name>\": {\"<field>\": <value>}}}")
	}
	return s, nil
}

// diff returns what became of each object, by kind and name.
func diff(before, after Snapshot) []bench.Change {
	var changes []bench.Change
	for _, kind := range names(before, after) {
		for _, name := range names(before[kind], after[kind]) {
			was, wasThere := before[kind][name]
			is, isThere := after[kind][name]
			c := bench.Change{Kind: bench.ChangeChanged, Object: kind, Name: name, Fields: differing(was, is)}
			switch {
			case !wasThere:
				c.Kind = bench.ChangeCreated
			case !isThere:
				c.Kind, c.Fields = bench.ChangeDeleted, nil
			case len(c.Fields) == 0:
				continue
			}
			if kind == kindFolder && (!wasThere && holdsSome(after, name) || !isThere && holdsSome(before, name)) {
				c.Cause = "what is in it"
			}
			changes = append(changes, c)
		}
	}
	return changes
}

// holdsSome reports whether a snapshot has something in a folder: that is judged
// by itself then.
func holdsSome(s Snapshot, folder string) bool {
	for _, objects := range s {
		for name := range objects {
			if strings.HasPrefix(name, folder+"/") {
				return true
			}
		}
	}
	return false
}

// differing returns the fields that differ. What a text says is told by the
// text, and by the sum where it has none.
func differing(was, is map[string]any) []bench.FieldChange {
	_, textBefore := was[fieldText]
	_, textAfter := is[fieldText]
	var fields []bench.FieldChange
	for _, name := range names(was, is) {
		if name == fieldSum && (textBefore || was == nil) && (textAfter || is == nil) || equal(was[name], is[name]) {
			continue
		}
		fields = append(fields, bench.FieldChange{Name: name, Before: was[name], After: is[name]})
	}
	return fields
}

// equal compares values of JSON.
func equal(a, b any) bool {
	// Both come from JSON or are plain, so they can be written.
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return bytes.Equal(x, y)
}

// names returns the names in either of two objects, sorted.
func names[V any](a, b map[string]V) []string {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.SortFunc(all, cmp.Compare)
	return slices.Compact(all)
}
