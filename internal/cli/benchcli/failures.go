package benchcli

import (
	"fmt"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// tellFailures warns where every row failed. That no attempt could even be made
// is an error of kind infrastructure: nothing was measured.
func (a *app) tellFailures(files []string) error {
	var rows, failed, made int
	var last bench.RowError
	_, err := ledger.Scan(files, func(row *bench.Row) error {
		rows++
		if row.Error == nil {
			made++
			return nil
		}
		failed++
		last = *row.Error
		if row.Error.Type != bench.RunnerError || row.Tokens.Total > 0 || row.ToolCalls > 0 {
			made++
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case rows > 0 && made == 0:
		return fault.Infraf("no attempt could be made, so nothing was measured: %d rows are all %s, the last: %s", rows, bench.RunnerError, last.Message)
	case rows > 0 && failed == rows:
		fmt.Fprintf(a.stderr, "bench: every one of %d rows failed, the last with %s: %s\n", rows, last.Type, last.Message)
	}
	return nil
}
