package report

import (
	"encoding/json"
	"io"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// JSON writes the summary as indented JSON, with the original harness's names
// (rule G12). A nil list is written as an empty one.
func JSON(w io.Writer, s bench.Summary) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(withoutNil(s)); err != nil {
		return fault.Infraf("write JSON report: %w", err)
	}
	return nil
}

// withoutNil spares consumers the difference between null and nothing.
func withoutNil(s bench.Summary) bench.Summary {
	orEmpty(&s.Gate.Checks)
	orEmpty(&s.RunIDs)
	orEmpty(&s.Scenarios)
	orEmpty(&s.Missing)
	orEmpty(&s.Warnings)
	orEmpty(&s.Regressions)
	if s.Modes == nil {
		s.Modes = map[bench.Mode]bench.ModeSummary{}
	}
	if s.Profiling == nil {
		s.Profiling = map[bench.Mode]bench.Profiling{}
	}
	return s
}

func orEmpty[T any](list *[]T) {
	if *list == nil {
		*list = []T{}
	}
}
