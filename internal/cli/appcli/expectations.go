package appcli

import (
	"os"

	"github.com/ghx-dev/bench-action/internal/bench/gate"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/queue"
)

// expectationsVariable is the setting that names the file of the operator.
const expectationsVariable = "BENCH_APP_EXPECTATIONS"

// checkExpectations reads the operator's file with thresholds and prices, if
// there is one. A mistake in it is nothing that who opens a pull request can
// mend, so it is not of kind invalid, and the file's place is not told.
func checkExpectations(path string) error {
	if path == "" {
		return nil
	}
	const mend = "The App's operator has to mend the file of " + expectationsVariable
	data, err := os.ReadFile(path)
	if err != nil {
		return queue.Permanent(fault.Because(fault.Infrastructure, err, mend+": it cannot be read"))
	}
	if _, err := gate.ParseExpectations(expectationsVariable, data); err != nil {
		return queue.Permanent(fault.Infraf(mend+": %w", err))
	}
	return nil
}
