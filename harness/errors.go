package harness

import "github.com/ghx-dev/bench-action/internal/fault"

// IsInvalid reports whether an error of this package, or of those below, is about
// what was asked for: its author can mend it.
func IsInvalid(err error) bool { return fault.KindOf(err) == fault.Invalid }

// IsInfrastructure reports whether an error is about something around the benchmark
// that failed: the same call may work later.
func IsInfrastructure(err error) bool { return fault.KindOf(err) == fault.Infrastructure }

// Invalidf returns an error of kind invalid, for runners. The format is that of
// [fmt.Errorf].
func Invalidf(format string, args ...any) error { return fault.Invalidf(format, args...) }

// Infraf returns an error of kind infrastructure, for runners. The format is that of
// [fmt.Errorf].
func Infraf(format string, args ...any) error { return fault.Infraf(format, args...) }
