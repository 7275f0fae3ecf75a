// Package faults decides which requests to a sandbox go wrong, and how. Its
// rules match requests by route or GraphQL operation, and webhooks by event;
// each holds for some of them by count, or for some at random. Package sandbox
// does what they decide.
package faults

import (
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Kind is what goes wrong.
type Kind string

// The kinds that answer in place of GitHub's rules, by status.
const (
	Unauthorized  Kind = "401"
	Secondary     Kind = "403"
	NotFound      Kind = "404"
	Conflict      Kind = "409"
	Unprocessable Kind = "422"
	TooMany       Kind = "429"
	ServerError   Kind = "500"
	BadGateway    Kind = "502"
	Unavailable   Kind = "503"
)

// The kinds that are about the connection, and about what is read.
const (
	// Slow delays the answer.
	Slow Kind = "slow"
	// Reset cuts the connection before the request is looked at.
	Reset Kind = "reset"
	// LostAnswer cuts the connection after a write was done. It holds for
	// writes alone.
	LostAnswer Kind = "lost-answer"
	// StaleList answers a list, or a GraphQL query, from the state before the
	// last write. It holds for those alone, and not before there was a write.
	StaleList Kind = "stale-list"
)

// The kinds for webhooks.
const (
	// HookLost does not send a delivery; it is recorded as one that could not
	// connect, so that it can be redelivered.
	HookLost Kind = "webhook-lost"
	// HookDoubled sends a delivery twice with the same id.
	HookDoubled Kind = "webhook-doubled"
	// HookLate sends a delivery after the next one to the same address.
	HookLate Kind = "webhook-late"
)

var (
	requestKinds = []Kind{
		Unauthorized, Secondary, NotFound, Conflict, Unprocessable, TooMany, ServerError, BadGateway, Unavailable,
		Slow, Reset, LostAnswer, StaleList,
	}
	hookKinds = []Kind{HookLost, HookDoubled, HookLate}
)

// Kinds returns all kinds.
func Kinds() []Kind { return slices.Concat(requestKinds, hookKinds) }

// Rule says what goes wrong for which requests. A request must meet every
// condition that is given.
type Rule struct {
	Kind Kind
	// Method is of HTTP; empty means any.
	Method string
	// Path is that of the REST API's route, such as
	// "/repos/{owner}/{repo}/issues": a name in braces stands for one part of a
	// path, one that ends in "..." for all that follows. Empty means any path
	// of the API; one that begins with "git:" is of git, as in
	// "git:/{owner}/{repo}/git-receive-pack".
	Path string
	// GraphQL names an operation or a field at its root, "query" or "mutation"
	// for all of a kind, "*" for all. Empty means that rules with a path or
	// method are not about GraphQL.
	GraphQL string
	// Event is a webhook's, such as "check_run" or "check_run.rerequested";
	// empty means any. It is for webhook kinds.
	Event string
	// Token is the credential that was used; empty means any.
	Token string
	// After is how many matching requests are let go first.
	After int
	// Count is for how many the rule holds then; 0 means all.
	Count int
	// Probability is how likely it holds for each of them, between 0 and 1; 0
	// means always.
	Probability float64
	// Delay is how long a slow answer takes.
	Delay time.Duration
	// RetryAfter is what a 403, 429 or 503 asks to wait, in whole seconds; 0
	// means one minute.
	RetryAfter time.Duration
}

// defaultRetryAfter is what GitHub asks to wait where it knows nothing better.
const defaultRetryAfter = time.Minute

// check returns an error of kind invalid for a rule that cannot hold.
func (r Rule) check() error {
	isHook := slices.Contains(hookKinds, r.Kind)
	switch {
	case !isHook && !slices.Contains(requestKinds, r.Kind):
		return fault.Invalidf("fault %q: it is none of %s", r.Kind, join(Kinds()))
	case isHook && r.Method+r.Path+r.GraphQL+r.Token != "":
		return fault.Invalidf("fault %q: it is about webhooks, which are chosen by event alone", r.Kind)
	case !isHook && r.Event != "":
		return fault.Invalidf("fault %q: only webhook faults are chosen by event", r.Kind)
	case r.Kind == Slow && r.Delay <= 0:
		return fault.Invalidf("fault %q: give a delay above 0", r.Kind)
	case r.Path != "" && !strings.HasPrefix(strings.TrimPrefix(r.Path, gitPrefix), "/"):
		return fault.Invalidf("fault %q: path %q must begin with /", r.Kind, r.Path)
	case r.GraphQL != "" && r.Path != "":
		return fault.Invalidf("fault %q: give a path or a GraphQL operation, not both", r.Kind)
	case r.After < 0 || r.Count < 0 || r.Delay < 0 || r.RetryAfter < 0:
		return fault.Invalidf("fault %q: counts and durations must not be negative", r.Kind)
	case !(r.Probability >= 0 && r.Probability <= 1):
		return fault.Invalidf("fault %q: probability %v must be between 0 and 1", r.Kind, r.Probability)
	default:
		return nil
	}
}

func join(kinds []Kind) string {
	texts := make([]string, len(kinds))
	for i, kind := range kinds {
		texts[i] = string(kind)
	}
	return strings.Join(texts, ", ")
}

// gitPrefix begins the paths of git's requests in rules.
const gitPrefix = "git:"

// Call is a request, as far as rules look at it.
type Call struct {
	Method string
	// Path is that of the REST API without the prefix of enterprise servers,
	// or "git:" and that of git's request.
	Path string
	// GraphQL is true for requests of the GraphQL API; Operation is then kind
	// and name, such as "mutation Merge", and Fields are those at its root.
	GraphQL   bool
	Operation string
	Fields    []string
	Token     string
	// Write is true if the request may change something.
	Write bool
	// Lags is true if it is a list or a GraphQL query for which there is a
	// state before the last write.
	Lags bool
}

// about reports whether a rule is about a call.
func (r Rule) about(c Call) bool {
	switch {
	case slices.Contains(hookKinds, r.Kind),
		r.Kind == LostAnswer && !c.Write,
		r.Kind == StaleList && !c.Lags,
		r.Method != "" && !strings.EqualFold(r.Method, c.Method),
		r.Token != "" && r.Token != c.Token:
		return false
	case r.GraphQL != "":
		return c.GraphQL && namesOperation(r.GraphQL, c)
	case r.Path != "" || r.Method != "":
		return !c.GraphQL && (r.Path == "" || MatchPath(r.Path, c.Path))
	default:
		return true
	}
}

func namesOperation(wanted string, c Call) bool {
	kind, name, _ := strings.Cut(c.Operation, " ")
	return wanted == "*" || wanted == kind || wanted == name || slices.Contains(c.Fields, wanted)
}

// aboutHook reports whether a rule is about a webhook.
func (r Rule) aboutHook(event, action string) bool {
	return slices.Contains(hookKinds, r.Kind) && (r.Event == "" || r.Event == event || r.Event == event+"."+action)
}

// MatchPath reports whether a path is one of a pattern, as [Rule.Path]
// describes it.
func MatchPath(pattern, path string) bool {
	wanted, parts := strings.Split(pattern, "/"), strings.Split(path, "/")
	for n, want := range wanted {
		isName := strings.HasPrefix(want, "{") && strings.HasSuffix(want, "}")
		switch {
		case isName && strings.HasSuffix(want, "...}"):
			return n < len(parts)
		case n >= len(parts), !isName && want != parts[n], isName && parts[n] == "":
			return false
		}
	}
	return len(wanted) == len(parts)
}
