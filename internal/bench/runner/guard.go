package runner

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
)

// guarded calls f and returns a panic as an error, so that a defect in a
// provider or a target costs an attempt and not the run.
func guarded(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("panic in %s: %v", panicked(), value)
		}
	}()
	return f()
}

// panicked returns the function and line that a panic came from, for a
// deferred function that has recovered it.
func panicked() string {
	const depth = 64
	callers := make([]uintptr, depth)
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
	panicking := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !inRuntime {
			return fmt.Sprintf("%s (%s:%d)", frame.Function, filepath.Base(frame.File), frame.Line)
		}
		panicking = panicking || frame.Function == "runtime.gopanic"
		if !more {
			return "an unknown place"
		}
	}
}
