package dashboard

import (
	"fmt"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/github"
)

// levels returns GitHub's levels of permissions, the least first.
func levels() []string { return []string{"", "read", "write", "admin"} }

// Lacks says, a sentence each, which of these permissions and events an App has not.
func Lacks(facts github.AppFacts, permissions map[string]string, events []string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(permissions)) {
		if want := permissions[name]; slices.Index(levels(), facts.Permissions[name]) < slices.Index(levels(), want) {
			all = append(all, fmt.Sprintf("the App lacks the permission %s: %s; grant it on the App's settings page, and accept it in its installations", name, want))
		}
	}
	for _, name := range events {
		if !slices.Contains(facts.Events, name) {
			all = append(all, fmt.Sprintf("the App is not subscribed to the event %s: tick it on the App's settings page", name))
		}
	}
	return all
}
