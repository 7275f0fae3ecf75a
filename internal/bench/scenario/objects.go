package scenario

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// objectKinds are the fields of each kind of object that changes are told of.
type objectKinds map[string]map[string]Field

//go:embed objects.json
var objectsFile []byte

// gitHubObjects are those of the log of a sandbox.
var gitHubObjects = sync.OnceValue(func() objectKinds {
	var types map[string]map[string]string
	if err := json.Unmarshal(objectsFile, &types); err != nil {
		panic(fmt.Sprintf("scenario: read objects.json: %v", err))
	}
	kinds := objectKinds{}
	for kind, fields := range types {
		kinds[kind] = map[string]Field{}
		for name, written := range fields {
			items, isArray := strings.CutPrefix(written, "array of ")
			field := Field{Types: []string{"array"}, Items: items}
			if !isArray {
				field = Field{Types: strings.Split(written, " or ")}
			}
			kinds[kind][name] = field
		}
	}
	return kinds
})

// folderObjects are those of the snapshot of a folder.
func folderObjects() objectKinds {
	text := Field{Types: []string{"string"}}
	return objectKinds{
		"file":   {"text": text, "sha256": text, "mode": text, "size": {Types: []string{"integer"}}},
		"folder": {}, "link": {"to": text}, "special file": {},
	}
}

// objects returns what a scenario's footprint can name, nil where its target
// prints snapshots of its own.
func objects(s bench.Scenario) objectKinds {
	switch {
	case s.Target == nil:
		return gitHubObjects()
	case s.Target.Snapshot == "":
		return folderObjects()
	default:
		return nil
	}
}

// has reports whether a field may have values of a JSON type, as one of which
// nothing is known may.
func (f *Field) has(jsonType string) bool { return f == nil || slices.Contains(f.Types, jsonType) }

// anyField is the end of a name that stands for all that begin alike: a board's
// fields have the names that people gave them.
const anyField = "*"

// fieldOf returns the field of a name, nil with a message if there is none. One
// whose name a reference stands for is not known: it is nil, without a message.
func fieldOf(kind, name string, fields map[string]Field) (f *Field, message string) {
	if field, known := fields[name]; known {
		return &field, ""
	}
	for pattern, field := range fields {
		if prefix, open := strings.CutSuffix(pattern, anyField); open && strings.HasPrefix(name, prefix) && name != prefix {
			return &field, ""
		}
	}
	if strings.Contains(name, referenceOpening) {
		return nil, ""
	}
	return nil, fmt.Sprintf("%s has no field %q%s", kind, name, orAll(name, fields))
}

// orAll says what was probably meant by a word that is not known, or else what
// there is.
func orAll[V any](word string, known map[string]V) string {
	all := slices.Sorted(maps.Keys(known))
	if suggestion := jsondoc.DidYouMean(word, all); suggestion != "" {
		return suggestion
	}
	if len(all) == 0 {
		return ": it has none"
	}
	return ": want one of " + strings.Join(all, ", ")
}
