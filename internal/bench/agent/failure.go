package agent

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// ModelFailure is the error of a turn that the API of its model has ended with
// an HTTP status, 0 if that is not known; text says what happened. What no
// other attempt can change is of kind invalid and [ErrStopSuite]: a key that is
// refused, an account that has no money, a model that is not there. keyFrom
// says where people set the key; it may be empty.
func ModelFailure(model bench.ModelRef, keyFrom string, status int, text string) error {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return fault.Invalidf("the provider of model %s refuses the API key: check that %s is right and may use the model: %w",
			model.Key(), cmp.Or(keyFrom, "the key"), ErrStopSuite)
	case http.StatusPaymentRequired:
		return fault.Invalidf("the provider of model %s answers no more: %s: %w", model.Key(), text, ErrStopSuite)
	case http.StatusNotFound:
		return fault.Invalidf("the provider has no model %s: check its name: %w", model.Key(), ErrStopSuite)
	default:
		return fmt.Errorf("the agent's turn failed: %s", text)
	}
}
