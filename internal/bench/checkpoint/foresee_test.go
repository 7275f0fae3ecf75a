package checkpoint_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
)

// nulls returns the places of an example where there is nothing.
func nulls(value any, at string) []string {
	var places []string
	switch value := value.(type) {
	case nil:
		return []string{at}
	case []any:
		if len(value) == 0 {
			return []string{at + "[]"}
		}
		places = append(places, nulls(value[0], at+".0")...)
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			places = append(places, nulls(value[name], at+"."+name)...)
		}
	}
	return places
}

func TestS17TheReadsThatShipAskForWhatGitHubHas(t *testing.T) {
	for _, task := range checkpoint.Tasks() {
		wrong, example := checkpoint.CheckForm(task)
		assert.Empty(t, wrong, task)
		assert.NotNil(t, example, task)
		assert.Empty(t, nulls(example, ""), "%s: %v", task, fmt.Sprint(example))
	}
}
