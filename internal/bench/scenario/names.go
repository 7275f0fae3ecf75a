package scenario

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Names says what an installed ghx calls capabilities, by the names that
// scenarios have. A capability that it does not have keeps its name, so nil
// changes nothing.
type Names map[string]string

// NamesIn returns what a ghx that lists these capabilities calls the wanted
// ones, and those of them that it lists under none of their names.
func NamesIn(listed, wanted []string) (names Names, missing []string) {
	names = Names{}
	older := olderNames()
	for _, id := range wanted {
		if slices.Contains(listed, id) {
			continue
		}
		at := slices.IndexFunc(older[id], func(name string) bool { return slices.Contains(listed, name) })
		if at < 0 {
			missing = append(missing, id)
			continue
		}
		names[id] = older[id][at]
	}
	return names, missing
}

// Of returns the name of a capability.
func (n Names) Of(id string) string {
	if name, other := n[id]; other {
		return name
	}
	return id
}

// Resolve is [Resolve] for an agent whose ghx has these names: what the agent
// is told, the task and the expected capabilities have them.
func (n Names) Resolve(s bench.Scenario, m bench.Manifest) (Resolved, error) {
	resolved, err := resolve(s, m, n)
	if err != nil {
		return Resolved{}, unbound(s, err)
	}
	expected := slices.Clone(s.ExpectedCapabilities)
	for i, id := range expected {
		expected[i] = n.Of(id)
	}
	resolved.Scenario.ExpectedCapabilities = expected
	resolved.Scenario.Task = n.Of(s.Task)
	return resolved, nil
}

//go:embed oldernames.json
var olderNamesFile []byte

// olderNames are the names that capabilities had in older versions of ghx, back
// to 0.1, the newest first. A capability is left out if what it does was done by
// several.
var olderNames = sync.OnceValue(func() map[string][]string {
	var names map[string][]string
	if err := json.Unmarshal(olderNamesFile, &names); err != nil {
		panic(fmt.Sprintf("scenario: read oldernames.json: %v", err))
	}
	return names
})
