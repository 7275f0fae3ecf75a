package access

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// levels returns GitHub's levels of permissions, the least first.
func levels() []string { return []string{"", "read", "write", "admin"} }

// Lacks asks GitHub about the App, and says, a sentence each, which of these
// permissions and events it has not. An error is of kind invalid if GitHub does
// not accept the App's key.
func (a *Access) Lacks(ctx context.Context, permissions map[string]string, events []string) ([]string, error) {
	c := a.opts.Credentials()
	if c.Empty() {
		return nil, fault.Infraf("the App is not set up: see /setup")
	}
	app, err := a.app(c, 0)
	if err != nil {
		return nil, err
	}
	facts, err := app.Facts(ctx)
	if err != nil {
		return nil, err
	}
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
	return all, nil
}
