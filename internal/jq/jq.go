// Package jq runs jq expressions that others wrote, within limits of time, of
// steps and of memory: one that never ends, or whose values grow beyond reason,
// ends with a sentence. An expression sees nothing but its input and its
// variables: no environment, no files, no further inputs.
package jq

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/itchyny/gojq"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// The limits of one run.
const (
	// MaxTime bounds the time, also where steps take long; a machine that is busy
	// does not reach it with an expression that ends.
	MaxTime = 10 * time.Second
	// MaxSteps bounds the work, so that what never ends ends alike on every
	// machine: a page of a hundred things is gone through in less than a
	// hundredth of it.
	MaxSteps = 10_000_000
	// MaxOutput bounds the value that a run gives, in bytes of JSON, about.
	MaxOutput = 4 << 20
	// MaxValue bounds each value on the way, in the same measure.
	MaxValue = 16 << 20
	// MaxDepth is how deep lists and objects may lie in each other.
	MaxDepth = 1000
)

// Program is an expression that can be run, by several at the same time.
type Program struct {
	source string
	code   *gojq.Code
}

// Compile reads an expression that may use variables of these names, such as
// "$data". The error is of kind invalid.
func Compile(source string, variables ...string) (*Program, error) {
	return CompileWith("", source, variables...)
}

// CompileWith is [Compile] for an expression that may use what definitions, which
// are jq too, define.
func CompileWith(definitions, source string, variables ...string) (*Program, error) {
	query, err := parse(definitions, source)
	if err != nil {
		return nil, err
	}
	return compile(source, guarded(query), variables)
}

func parse(definitions, source string) (*gojq.Query, error) {
	query, err := gojq.Parse(definitions + source)
	if err != nil {
		return nil, fault.Invalidf("%w in %s", err, quoted(source))
	}
	return query, nil
}

func compile(source string, query *gojq.Query, variables []string, more ...gojq.CompilerOption) (*Program, error) {
	options := append(functions(), gojq.WithVariables(variables))
	code, err := gojq.Compile(query, append(options, more...)...)
	if err != nil {
		return nil, fault.Invalidf("%w in %s", err, quoted(source))
	}
	return &Program{source, code}, nil
}

// Run applies the program to a value, with the values of its variables in their
// order, and returns the one value that it gives. Values are those that [Decode]
// and [Plain] make; Run may write into them, and what it returns may share parts
// with them.
//
// No value, more than one, an error of the expression, and a limit that is
// reached are errors of kind invalid. When ctx ends, the error is its cause.
func (p *Program) Run(ctx context.Context, input any, variables ...any) (any, error) {
	value, more, err := p.first(ctx, input, variables)
	switch {
	case err != nil:
		return nil, err
	case value == none:
		return nil, p.failed("gives no value")
	case more:
		return nil, p.failed("gives more than one value")
	}
	if over := weigh(value, MaxOutput); over != "" {
		return nil, p.failed("gives %s", over)
	}
	return value, nil
}

// none stands for no value.
var none any = new(struct{ _ byte })

// first returns the first value, or [none], and whether there are more.
func (p *Program) first(ctx context.Context, input any, variables []any) (value any, more bool, err error) {
	run := newRun(ctx)
	defer run.end()
	defer func() {
		if fallen := recover(); fallen != nil {
			value, more, err = nil, false, p.failed("cannot be run: %v", fallen)
		}
	}()
	values := p.code.RunWithContext(run, input, variables...)
	value, err = p.next(run, values)
	if err != nil || value == none {
		return value, false, err
	}
	second, err := p.next(run, values)
	return value, second != none, err
}

// next returns the next value of a run, or [none].
func (p *Program) next(run *run, values gojq.Iter) (any, error) {
	value, is := values.Next()
	if !is {
		return none, nil
	}
	err, failed := value.(error)
	if !failed {
		return value, nil
	}
	if run.Err() != nil {
		return nil, p.stopped(run)
	}
	if halt, is := errors.AsType[*gojq.HaltError](err); is {
		return nil, p.failed("halts with %s", gojq.Preview(halt.Value()))
	}
	return nil, fault.Invalidf("jq %s: %w", quoted(p.source), err)
}

// stopped says why a run did not go on to its end.
func (p *Program) stopped(run *run) error {
	switch cause := context.Cause(run.Context); {
	case cause == nil:
		return p.failed("takes more than %d steps: does it ever end?", MaxSteps)
	case errors.Is(cause, errTime):
		return p.failed("takes longer than %v: does it ever end?", MaxTime)
	default:
		return cause
	}
}

func (p *Program) failed(format string, args ...any) error {
	return fault.Invalidf("jq %s %s", quoted(p.source), fmt.Sprintf(format, args...))
}

// Show writes a value: a text as it is, anything else as JSON.
func Show(value any) (string, error) {
	if text, is := value.(string); is {
		return text, nil
	}
	data, err := Marshal(value)
	return string(data), err
}

// Marshal writes a value as JSON.
func Marshal(value any) ([]byte, error) { return gojq.Marshal(value) }

// Equal reports whether two values are the same.
func Equal(a, b any) bool { return gojq.Compare(a, b) == 0 }

// Preview writes a value as short JSON, for errors.
func Preview(value any) string { return gojq.Preview(value) }

// maxQuoted is how many characters of an expression an error repeats.
const maxQuoted = 80

func quoted(source string) string {
	runes := []rune(strings.TrimSpace(source))
	if len(runes) > maxQuoted {
		runes = append(runes[:maxQuoted], '…')
	}
	return fmt.Sprintf("%q", string(runes))
}
