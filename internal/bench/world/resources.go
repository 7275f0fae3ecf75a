package world

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// resourceLine is a line of what a script tells: <name>.<field>=<value>.
var resourceLine = regexp.MustCompile(`^([a-z][a-z0-9_]*)\.([A-Za-z][A-Za-z0-9_]*)=(.*)$`)

// Teller is a script that tells what it has made, for errors: what it is called,
// the place of its promise, and the variable that names the file it writes to.
type Teller struct{ Name, Promise, Variable string }

// Resources reads what was told: lines <name>.<field>=<value>, a whole number
// where the value is one. Makes are the fields that are promised, by resource;
// all of them must be told, and no others. Errors are of kind invalid.
func (t Teller) Resources(text string, makes map[string][]string) (map[string]map[string]any, error) {
	told := map[string]map[string]any{}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		found := resourceLine.FindStringSubmatch(line)
		if found == nil {
			return nil, fault.Invalidf("%s tells in line %d: %q: want <name>.<field>=<value>", t.Name, n+1, line[:min(len(line), maxShownLine)])
		}
		name, field := found[1], found[2]
		if !slices.Contains(makes[name], field) {
			return nil, fault.Invalidf("%s tells of %s.%s, which %s does not name", t.Name, name, field, t.Promise)
		}
		if told[name] == nil {
			told[name] = map[string]any{}
		}
		told[name][field] = plainValue(found[3])
	}
	for _, name := range slices.Sorted(maps.Keys(makes)) {
		for _, field := range makes[name] {
			if told[name][field] == nil {
				return nil, fault.Invalidf("%s does not tell of %s.%s, which %s names: write a line %s.%s=… into $%s", t.Name, name, field, t.Promise, name, field, t.Variable)
			}
		}
	}
	return told, nil
}

const maxShownLine = 60

// plainValue is a whole number where a text is one.
func plainValue(text string) any {
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return text
}
