package scenario

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// routeField is the field of the envelope's meta in which ghx tells its route.
const routeField = "route_used"

// AssertionsFor returns the assertions that apply in a mode: without those on
// ghx's route where the agent does not work through ghx (rule S4).
func AssertionsFor(a bench.Assertions, mode bench.Mode) bench.Assertions {
	if mode.UsesGHX() {
		return a
	}
	a.ExpectedRouteUsed = ""
	a.RequiredMetaFields = slices.DeleteFunc(slices.Clone(a.RequiredMetaFields), func(field string) bool {
		return field == routeField
	})
	return a
}
