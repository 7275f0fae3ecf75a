package actioncli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"os"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// suiteReports is the file descriptor that the process of a gate reports on.
const suiteReports = 3

// suiteReport is a line that the process of a gate reports: a task that is
// done, or its end.
type suiteReport struct {
	// Done tasks of Total in this step; Total is 0 while it is not known.
	Done  int       `json:"done,omitempty"`
	Total int       `json:"total,omitempty"`
	End   *suiteEnd `json:"end,omitempty"`
}

// suiteEnd is what the gate came to.
type suiteEnd struct {
	Code    int            `json:"code"`
	Summary *bench.Summary `json:"summary,omitempty"`
	// RunID is that of the run with the rows, empty if there is none.
	RunID string `json:"run_id,omitempty"`
	// Problem is why there is no verdict, empty if there is one.
	Problem string `json:"problem,omitempty"`
}

// err returns the problem as an error of its kind, nil if there is none.
func (e *suiteEnd) err() error {
	switch {
	case e.Problem == "":
		return nil
	case e.Code == exitInvalid:
		return fault.Invalidf("%s", e.Problem)
	case e.Code == exitGateFailed:
		return fault.Toolf("%s", e.Problem)
	default:
		return fault.Infraf("%s", e.Problem)
	}
}

// runSuite runs a command line of bench and reports on it to the process that
// has started this one.
func runSuite(ctx context.Context, args []string) int {
	// What the agent's code starts must not have a say in the verdict.
	syscall.CloseOnExec(suiteReports)
	reports := os.NewFile(suiteReports, "reports")
	defer reports.Close()
	// A main step that is gone needs no reports.
	report := func(r suiteReport) { _ = json.NewEncoder(reports).Encode(r) }
	result, err := benchcli.World{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Random: rand.Text, Secrets: redact.New(),
		TaskDone: func(p harness.Progress) { report(suiteReport{Done: p.Done, Total: p.Total}) },
	}.Run(ctx, args...)
	end := suiteEnd{Code: result.Code, Summary: result.Summary, RunID: result.RunID}
	if err != nil {
		end.Problem = fault.Public(err)
	}
	report(suiteReport{End: &end})
	return result.Code
}
