package benchcli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"os"
	"strconv"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/platform"
	"github.com/ghx-dev/bench-action/internal/redact"
)

// The gate of a benchmark other than ghx can be a process of its own: it runs proposed
// code, so whoever has secrets has it run by another user, and hears of it by a pipe.

// TaskGate is a gate of a benchmark other than ghx.
type TaskGate struct {
	// Config is the experiment's configuration, in the folder that the gate runs in.
	Config string
	// MaxCostUSD is the most that may be spent, in USD, as far as the benchmark tells; 0
	// is no limit.
	MaxCostUSD float64
	// Evidence is nil where the configuration says how it is decided.
	Evidence *TaskGateEvidence
	// Against is nil where there is no baseline that is given.
	Against *TaskGateCommits
	// Shard is the part that is done, empty for all; without a baseline there are no parts.
	Shard string
}

// TaskGateEvidence says how evidence decides. A margin of 0 is the usual one.
type TaskGateEvidence struct {
	Epochs                                   string
	MarginSuccess, MarginCost, MarginLatency float64
}

// TaskGateCommits are those that are compared: neither folder is a checkout.
type TaskGateCommits struct {
	// Commit and Tree are those of the folder that the gate runs in, BaseCommit and
	// BaseTree those of BaseDir. Trees may be empty.
	Commit, Tree, BaseDir, BaseCommit, BaseTree string
}

// Arguments is the command line of bench that runs the gate.
func (g TaskGate) Arguments() []string {
	args := []string{"harness", "gate", "--config", g.Config}
	add := func(flag, value string) {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	number := func(n float64) string {
		if n <= 0 {
			return ""
		}
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	add("--max-cost-usd", number(g.MaxCostUSD))
	if e := g.Evidence; e != nil {
		add("--policy", string(harness.GateEvidence))
		add("--epochs", e.Epochs)
		add("--margin-success", number(e.MarginSuccess))
		add("--margin-cost", number(e.MarginCost))
		add("--margin-latency", number(e.MarginLatency))
	}
	if a := g.Against; a != nil {
		add("--git-commit", a.Commit)
		add("--base-dir", a.BaseDir)
		add("--base-commit", a.BaseCommit)
		add("--git-tree", a.Tree)
		add("--base-tree", a.BaseTree)
		add("--shard", g.Shard)
	}
	return args
}

// taskGateReports is the file descriptor that the process reports on: the first that is
// handed to it.
const taskGateReports = 3

// taskGateReport is a line that the process reports: a task that is done, or its end.
type taskGateReport struct {
	// Done tasks of Total in this step; Total is 0 while it is not known.
	Done  int          `json:"done,omitempty"`
	Total int          `json:"total,omitempty"`
	End   *TaskGateEnd `json:"end,omitempty"`
}

// TaskGateEnd is what the gate came to.
type TaskGateEnd struct {
	Code    int            `json:"code"`
	Summary *bench.Summary `json:"summary,omitempty"`
	// RunID is that of the run with the rows, empty if there is none.
	RunID string `json:"run_id,omitempty"`
	// Problem is why there is no verdict, empty if there is one.
	Problem string `json:"problem,omitempty"`
}

// Err returns the problem as an error of its kind, nil if there is none.
func (e *TaskGateEnd) Err() error {
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

// RunTaskGate runs a command line of bench in this process, reports on it to the one that
// has started it, and returns the exit code. The context is one of [StopOnSignal].
func RunTaskGate(ctx context.Context, args []string) int {
	// What the agent's code starts must not have a say in the verdict.
	to := os.NewFile(taskGateReports, "reports")
	platform.CloseOnExec(to)
	defer to.Close()
	// Who has started this one and is gone needs no reports.
	tell := func(r taskGateReport) { _ = json.NewEncoder(to).Encode(r) }
	result, err := World{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Random: rand.Text, Secrets: redact.New(),
		TaskDone: func(p harness.Progress) { tell(taskGateReport{Done: p.Done, Total: p.Total}) },
	}.Run(ctx, args...)
	end := TaskGateEnd{Code: result.Code, Summary: result.Summary, RunID: result.RunID}
	if err != nil {
		end.Problem = fault.Public(err)
	}
	tell(taskGateReport{End: &end})
	return result.Code
}

// FollowTaskGate reads what the process reports. Progress is told how many tasks are done
// of how many, 0 while that is not known. It returns the process's end, nil if it did not
// come to that.
func FollowTaskGate(from io.Reader, progress func(done, total int)) *TaskGateEnd {
	for decoder := json.NewDecoder(from); ; {
		var said taskGateReport
		if err := decoder.Decode(&said); err != nil {
			return nil
		}
		if said.End != nil {
			return said.End
		}
		progress(said.Done, said.Total)
	}
}
