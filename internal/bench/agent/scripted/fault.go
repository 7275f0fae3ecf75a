package scripted

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Kind is a way to misbehave.
type Kind string

// The kinds.
const (
	// NoFirstAnswer never says a word.
	NoFirstAnswer Kind = "no_first_answer"
	// Stall begins to answer, and then falls silent for good.
	Stall Kind = "stall"
	// NoFinalAnswer does everything, and then gives signs of life for ever
	// instead of an answer.
	NoFinalAnswer Kind = "no_final_answer"
	// Crash begins to answer, and then its process is dead.
	Crash Kind = "crash"
	// Slow pauses [SlowFactor] times as long.
	Slow Kind = "slow"

	// WrongRoute tells another route than the one that ghx took. Agents that do
	// not work through ghx tell none, so it changes nothing in their modes.
	WrongRoute Kind = "wrong_route"
	// InvalidJSON breaks the answer's JSON off, also when it is asked again.
	InvalidJSON Kind = "invalid_json"
	// NoEnvelope answers in words alone, also when it is asked again.
	NoEnvelope Kind = "no_envelope"
	// LateEnvelope answers in words, and with the envelope when it is asked
	// again.
	LateEnvelope Kind = "late_envelope"

	// Idle makes the tool calls, but breaks each off before the first request
	// that writes, and claims success.
	Idle Kind = "idle"
	// WrongObject acts on another object of the same kind, as if it were the
	// right one. The plan says how to find it; one that does not, cannot be
	// played.
	WrongObject Kind = "wrong_object"

	// Verbose thinks [VerboseFactor] times as much, and repeats its answer in
	// words.
	Verbose Kind = "verbose"
	// Chatty makes every tool call [ChattyFactor] times. All but the last
	// break off before the first request that writes.
	Chatty Kind = "chatty"
)

// How much slow, verbose and chatty agents overdo it.
const (
	SlowFactor    = 10
	VerboseFactor = 100
	ChattyFactor  = 3
)

// Kinds returns every kind, in the order in which they are documented.
func Kinds() []Kind {
	return []Kind{
		NoFirstAnswer, Stall, NoFinalAnswer, Crash, Slow, WrongRoute, InvalidJSON, NoEnvelope, LateEnvelope,
		Idle, WrongObject, Verbose, Chatty,
	}
}

func kindNames() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return names
}

// WarmUp is the iteration of a fault that is to hit warm-ups, which have the
// iteration 0 in an [agent.Play].
const WarmUp = -1

// Fault tells the agent to misbehave in some attempts: those that fit all of
// its fields, of which the zero value fits all, except that no warm-up is hit
// whose iteration is not named as [WarmUp].
type Fault struct {
	Mode bench.Mode
	// Scenario is an id.
	Scenario string
	// Iteration and Attempt count from 1.
	Iteration, Attempt int
	Kind               Kind
}

const (
	wildcard    = "*"
	warmUpText  = "0"
	faultFormat = `want <mode>/<scenario>[/<iteration>[/<attempt>]]=<kind>, for example "ghx/pr-merge-001=stall" or "ghx/*/2=slow"`
)

// String returns the fault in the form that [ParseFault] reads.
func (f Fault) String() string {
	where := orWildcard(string(f.Mode)) + "/" + orWildcard(f.Scenario)
	iteration, attempt := "", ""
	switch {
	case f.Iteration == WarmUp:
		iteration = warmUpText
	case f.Iteration != 0:
		iteration = strconv.Itoa(f.Iteration)
	}
	if f.Attempt != 0 {
		attempt = "/" + strconv.Itoa(f.Attempt)
	}
	if iteration+attempt != "" {
		where += "/" + orWildcard(iteration) + attempt
	}
	return where + "=" + string(f.Kind)
}

func orWildcard(selector string) string {
	if selector == "" {
		return wildcard
	}
	return selector
}

// ParseFault reads a fault, written as
//
//	<mode>/<scenario>[/<iteration>[/<attempt>]]=<kind>
//
// with "*" for all modes, scenarios, iterations or attempts, and 0 for the
// iteration of warm-ups. Errors are of kind invalid.
func ParseFault(text string) (Fault, error) {
	where, kind, found := strings.Cut(text, "=")
	parts := strings.Split(where, "/")
	if !found || len(parts) < 2 || len(parts) > 4 || slices.Contains(parts, "") {
		return Fault{}, fault.Invalidf("fault %q: %s", text, faultFormat)
	}
	parts = append(parts, wildcard, wildcard)
	for i, part := range parts {
		if part == wildcard {
			parts[i] = ""
		}
	}
	f := Fault{Mode: bench.Mode(parts[0]), Scenario: parts[1], Kind: Kind(kind)}
	var err error
	if f.Iteration, err = faultNumber("iteration", parts[2], 0); err != nil {
		return Fault{}, fault.Invalidf("fault %q: %w", text, err)
	}
	if parts[2] == warmUpText {
		f.Iteration = WarmUp
	}
	if f.Attempt, err = faultNumber("attempt", parts[3], 1); err != nil {
		return Fault{}, fault.Invalidf("fault %q: %w", text, err)
	}
	return f, f.check()
}

// faultNumber reads a number that is not below the least one; no text is 0.
func faultNumber(name, text string, least int) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least {
		return 0, fmt.Errorf("%s %q is neither %q nor a whole number of %d or more", name, text, wildcard, least)
	}
	return n, nil
}

// check returns an error of kind invalid if mode or kind is unknown.
func (f Fault) check() error {
	if !slices.Contains(Kinds(), f.Kind) {
		suggestion := jsondoc.DidYouMean(string(f.Kind), kindNames())
		if suggestion == "" {
			suggestion = ": use one of " + strings.Join(kindNames(), ", ")
		}
		return fault.Invalidf("fault %q: unknown kind %q%s", f, f.Kind, suggestion)
	}
	if f.Mode == "" {
		return nil
	}
	if _, err := bench.ParseMode(string(f.Mode)); err != nil {
		return fault.Invalidf("fault %q: %w", f, err)
	}
	return nil
}

// fits reports whether the fault hits an attempt.
func (f Fault) fits(mode bench.Mode, scenario string, iteration, attempt int) bool {
	return (f.Mode == "" || f.Mode == mode) &&
		(f.Scenario == "" || f.Scenario == scenario) &&
		f.fitsIteration(iteration) &&
		(f.Attempt == 0 || f.Attempt == attempt)
}

func (f Fault) fitsIteration(iteration int) bool {
	if iteration == 0 {
		return f.Iteration == WarmUp
	}
	return f.Iteration == 0 || f.Iteration == iteration
}

// misbehaviour is the set of what the agent does wrong in an attempt.
type misbehaviour map[Kind]bool
