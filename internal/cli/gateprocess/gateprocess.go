// Package gateprocess is the gate of a benchmark other than ghx in a process of its own:
// it runs proposed code, so whoever has secrets has it run by another user, and hears of
// it by a pipe.
package gateprocess

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// reports is the file descriptor that the process reports on: the first that is handed
// to it.
const reports = 3

// report is a line that the process reports: a task that is done, or its end.
type report struct {
	// Done tasks of Total in this step; Total is 0 while it is not known.
	Done  int  `json:"done,omitempty"`
	Total int  `json:"total,omitempty"`
	End   *End `json:"end,omitempty"`
}

// End is what the gate came to.
type End struct {
	Code    int            `json:"code"`
	Summary *bench.Summary `json:"summary,omitempty"`
	// RunID is that of the run with the rows, empty if there is none.
	RunID string `json:"run_id,omitempty"`
	// Problem is why there is no verdict, empty if there is one.
	Problem string `json:"problem,omitempty"`
}

// The exit codes of rule G16 that name the kind of a problem.
const (
	exitGateFailed = 1
	exitInvalid    = 2
)

// Err returns the problem as an error of its kind, nil if there is none.
func (e *End) Err() error {
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

// Run runs a command line of bench in this process, reports on it to the one that has
// started it, and returns the exit code. The context is one of [benchcli.StopOnSignal].
func Run(ctx context.Context, args []string) int {
	// What the agent's code starts must not have a say in the verdict.
	syscall.CloseOnExec(reports)
	to := os.NewFile(reports, "reports")
	defer to.Close()
	// Who has started this one and is gone needs no reports.
	tell := func(r report) { _ = json.NewEncoder(to).Encode(r) }
	result, err := benchcli.World{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Random: rand.Text, Secrets: redact.New(),
		TaskDone: func(p harness.Progress) { tell(report{Done: p.Done, Total: p.Total}) },
	}.Run(ctx, args...)
	end := End{Code: result.Code, Summary: result.Summary, RunID: result.RunID}
	if err != nil {
		end.Problem = fault.Public(err)
	}
	tell(report{End: &end})
	return result.Code
}

// Follow reads what the process reports. Progress is told how many tasks are done of
// how many, 0 while that is not known. It returns the process's end, nil if it did not
// come to that.
func Follow(from io.Reader, progress func(done, total int)) *End {
	for decoder := json.NewDecoder(from); ; {
		var said report
		if err := decoder.Decode(&said); err != nil {
			return nil
		}
		if said.End != nil {
			return said.End
		}
		progress(said.Done, said.Total)
	}
}
