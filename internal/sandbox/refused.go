package sandbox

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox/rest"
)

// refusal is what GitHub has against a request.
type refusal int

// The refusals.
const (
	notRefused refusal = iota
	// refusedOtherwise is for what is not allowed, not valid, or there already.
	refusedOtherwise
	// refusedAsMissing is for what is not there, or cannot be seen.
	refusedAsMissing
)

// nameless reports whether a request to the API does not say what client it is
// from.
func (x *exchange) nameless() bool {
	return x.logged.Part == PartAPI && x.in.UserAgent() == ""
}

// refusalBy reads an answer. That the sandbox lacks something, that a credential
// is no good, or that there were too many requests refuses nothing that was
// asked for; nor does that the client has no name, which is looked at before.
func (x *exchange) refusalBy(response rest.Response) refusal {
	switch {
	case x.nameless(), len(response.Lacking) > 0 || response.Status == http.StatusUnauthorized || response.Status == http.StatusTooManyRequests:
		return notRefused
	case response.Status == http.StatusNotFound || response.Status == http.StatusGone:
		return refusedAsMissing
	case response.Status >= http.StatusBadRequest && response.Status < http.StatusInternalServerError:
		return refusedOtherwise
	case !x.logged.GraphQL || !bytes.Contains(response.Body, []byte(`"errors":`)):
		return notRefused
	}
	var answer struct {
		Errors []struct{ Type string }
	}
	if json.Unmarshal(response.Body, &answer) != nil || len(answer.Errors) == 0 {
		return notRefused
	}
	if slices.ContainsFunc(answer.Errors, func(e struct{ Type string }) bool { return e.Type == "NOT_FOUND" }) {
		return refusedAsMissing
	}
	return refusedOtherwise
}

// tries reports whether a request asked for something to be written.
func (e Entry) tries() bool {
	if e.GraphQL {
		return strings.HasPrefix(e.Operation, "mutation")
	}
	return e.Method != http.MethodGet && e.Method != http.MethodHead
}

// Refused reports whether GitHub has refused a request of a token that names
// each of some things, as [World.Asked] has it, by any of its names. Missing asks
// for one, to read or to write, that was answered that there is no such thing;
// else it is one that was to write, whatever GitHub had against it.
func (w *World) Refused(token string, things [][]string, missing bool) bool {
	w.audit.mu.Lock()
	defer w.audit.mu.Unlock()
	return slices.ContainsFunc(w.audit.entries, func(e Entry) bool {
		if e.Token != token || e.refusal == notRefused || missing && e.refusal != refusedAsMissing || !missing && !e.tries() {
			return false
		}
		return !slices.ContainsFunc(things, func(thing []string) bool {
			return !slices.ContainsFunc(thing, func(name string) bool { return names(e.asked, name) })
		})
	})
}
