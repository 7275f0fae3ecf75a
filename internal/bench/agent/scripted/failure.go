package scripted

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

// failure is a request that GitHub, or the way to it, refused. It fails the
// tool call, not the agent.
type failure struct {
	// status is the HTTP status, 0 where no response came.
	status int
	// kind is the type of a GraphQL error, empty if there is none.
	kind    string
	message string
}

// Error says it as a client would.
func (f *failure) Error() string {
	switch {
	case f.status >= http.StatusBadRequest:
		return fmt.Sprintf("HTTP %d: %s", f.status, f.message)
	case f.status != 0:
		return "GraphQL: " + f.message
	default:
		return f.message
	}
}

// code returns the one of ghx's codes that the failure comes to, in all modes.
// Where ghx goes by the words of the message alone, status and type go first.
func (f *failure) code() string {
	message := strings.ToLower(f.message)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(message, word) })
	}
	switch {
	case f.status == http.StatusTooManyRequests, f.kind == "RATE_LIMITED", has("rate limit", "too many requests"):
		return envelope.CodeRateLimit
	case f.status == http.StatusNotFound, f.kind == "NOT_FOUND", has("could not resolve to"):
		return envelope.CodeNotFound
	case f.status >= http.StatusInternalServerError:
		return envelope.CodeServer
	case f.status == 0:
		return envelope.CodeNetwork
	case f.status == http.StatusUnauthorized, f.status == http.StatusForbidden, f.kind == "FORBIDDEN", f.kind == "INSUFFICIENT_SCOPES":
		return envelope.CodeAuth
	case f.status == http.StatusBadRequest, f.status == http.StatusUnprocessableEntity, f.kind == "UNPROCESSABLE",
		has("validation", "invalid", "required"):
		return envelope.CodeValidation
	default:
		return envelope.CodeUnknown
	}
}

func (f *failure) retryable() bool {
	return slices.Contains([]string{envelope.CodeRateLimit, envelope.CodeNetwork, envelope.CodeServer}, f.code())
}

// envelope is the answer of an agent whose tool call failed.
func (f *failure) envelope(route any) map[string]any {
	meta := map[string]any{}
	if route != nil {
		meta["route_used"] = route
	}
	return map[string]any{
		"ok": false, "data": nil, "meta": meta,
		"error": map[string]any{
			"code": f.code(), "message": f.message, "retryable": f.retryable(), "details": map[string]any{},
		},
	}
}
