// Package fault gives an error its kind, a text that may be shown to anyone,
// and its cause.
//
// The kind decides the exit code of a command and the conclusion of a check
// run; the public text is what people read; the cause is for logs. An error of
// another origin counts as [Internal].
package fault

import (
	"errors"
	"fmt"
)

// Kind says who can mend an error.
type Kind int

const (
	// Internal is a defect of ours. It is the kind of every error that does
	// not say otherwise.
	Internal Kind = iota
	// Invalid is input that its author can mend: a flag, a file, a setting.
	Invalid
	// Infrastructure is something around us that failed: disk, network, a
	// process that we depend on. The same call may work later.
	Infrastructure
	// Tool is the tool that is measured: it does not work where another does, so
	// that there is a verdict on it without a session (rule N9).
	Tool
)

// String returns the kind's name as it appears in logs and JSON.
func (k Kind) String() string {
	switch k {
	case Invalid:
		return "invalid"
	case Infrastructure:
		return "infrastructure"
	case Tool:
		return "tool"
	default:
		return "internal"
	}
}

// Error is an error with a kind.
type Error struct {
	Kind Kind
	// Message may be shown to anyone: one sentence that names the thing, what
	// is wrong with it and, where there is one, the mend. It holds no secret.
	Message string
	// Cause is what went wrong below, for logs and for errors.Is; it may be
	// nil.
	Cause error

	// whole says that Message has the cause's text in it already.
	whole bool
}

// Error returns the message and the cause.
func (e *Error) Error() string {
	if e.Cause == nil || e.whole {
		return e.Message
	}
	return e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Invalidf returns an [Invalid] error. The format is that of [fmt.Errorf]; an
// error given with %w becomes the cause, and its text is public too.
func Invalidf(format string, args ...any) error { return build(Invalid, format, args) }

// Infraf is [Invalidf] for [Infrastructure] errors.
func Infraf(format string, args ...any) error { return build(Infrastructure, format, args) }

// Internalf is [Invalidf] for [Internal] errors.
func Internalf(format string, args ...any) error { return build(Internal, format, args) }

// Toolf is [Invalidf] for [Tool] errors.
func Toolf(format string, args ...any) error { return build(Tool, format, args) }

func build(kind Kind, format string, args []any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Cause: err, whole: true}
}

// Because returns an error whose message is public and whose cause is not:
// for causes that come from outside and may say more than people should read.
func Because(kind Kind, cause error, message string) error {
	return &Error{Kind: kind, Message: message, Cause: cause}
}

// Wrap gives err a kind unless it has one already. A nil err stays nil.
func Wrap(kind Kind, err error) error {
	if err == nil {
		return nil
	}
	var known *Error
	if errors.As(err, &known) {
		return err
	}
	return &Error{Kind: kind, Message: err.Error(), Cause: err, whole: true}
}

// KindOf returns the kind of the outermost [Error] in err's chain, [Internal]
// if there is none. Of joined errors the first one with a kind counts.
func KindOf(err error) Kind {
	var known *Error
	if errors.As(err, &known) {
		return known.Kind
	}
	return Internal
}

// Public returns what may be shown of err: the message of the outermost
// [Error], or "internal error" if there is none.
func Public(err error) string {
	var known *Error
	if errors.As(err, &known) {
		return known.Message
	}
	return "internal error"
}
