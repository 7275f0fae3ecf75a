package talk

import (
	"cmp"
	"net/http"
	"regexp"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/bench/agent"
)

// Failure is why a turn failed.
type Failure struct {
	// Status is the HTTP status of the model's API, 0 if it is not known.
	Status int
	Text   string
}

// Final reports whether an HTTP status of the model's API is the same for every
// request: the key is refused, the account has no money, the model is not
// there.
func Final(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound:
		return true
	default:
		return false
	}
}

func (f *Failure) err(o Options) error {
	return agent.ModelFailure(o.Model, o.ModelKeyFrom, f.Status, shorten(cmp.Or(f.Text, "it gave no reason")))
}

var statusInText = regexp.MustCompile(`\bstatus(?: code)?:? (\d{3})\b|\bAPI Error:? (\d{3})\b`)

// StatusIn returns the HTTP status that a text tells, 0 if it tells none.
func StatusIn(text string) int {
	found := statusInText.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	status, err := strconv.Atoi(cmp.Or(found[1], found[2]))
	if err != nil {
		return 0
	}
	return status
}
