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

// ReadResources reads what a script has told of what it made, in lines
// <name>.<field>=<value>, a whole number where the value is one. Makes are the
// fields that it promises by resource; all of them must be told, and no others.
// Errors are of kind invalid and begin with who told it.
func ReadResources(who, text string, makes map[string][]string) (map[string]map[string]any, error) {
	told := map[string]map[string]any{}
	for n, line := range strings.Split(strings.TrimSpace(text), "\n") {
		if line == "" {
			continue
		}
		found := resourceLine.FindStringSubmatch(line)
		if found == nil {
			return nil, fault.Invalidf("%s tells in line %d: %q: want <name>.<field>=<value>", who, n+1, line[:min(len(line), maxShownLine)])
		}
		name, field := found[1], found[2]
		if !slices.Contains(makes[name], field) {
			return nil, fault.Invalidf("%s tells of %s.%s, which makes does not name", who, name, field)
		}
		if told[name] == nil {
			told[name] = map[string]any{}
		}
		told[name][field] = plainValue(found[3])
	}
	for _, name := range slices.Sorted(maps.Keys(makes)) {
		for _, field := range makes[name] {
			if told[name][field] == nil {
				return nil, fault.Invalidf("%s does not tell of %s.%s, which makes names: have it write a line %s.%s=… into the file of resources", who, name, field, name, field)
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
