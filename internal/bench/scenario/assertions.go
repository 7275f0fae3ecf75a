package scenario

import (
	"slices"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// routeField is the field of the envelope's meta in which ghx tells its route.
const routeField = "route_used"

// WithoutRoute returns the assertions that decide about an answer: those on
// ghx's route do not, in any mode (rules S4 and S13).
func WithoutRoute(a bench.Assertions) bench.Assertions {
	a.ExpectedRouteUsed = ""
	a.RequiredMetaFields = slices.DeleteFunc(slices.Clone(a.RequiredMetaFields), func(field string) bool {
		return field == routeField
	})
	return a
}

// Route returns the assertions on the tool's route alone; some is false if there
// are none. They hold in modes whose tool tells its route (rule S4).
func Route(a bench.Assertions) (route bench.Assertions, some bool) {
	route.ExpectedRouteUsed = a.ExpectedRouteUsed
	if slices.Contains(a.RequiredMetaFields, routeField) {
		route.RequiredMetaFields = []string{routeField}
	}
	return route, route.ExpectedRouteUsed != "" || route.RequiredMetaFields != nil
}
