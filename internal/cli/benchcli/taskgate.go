package benchcli

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
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

// maxTaskGateReport is the longest line that is reported, in bytes.
const maxTaskGateReport = 16 << 20

// taskGateReport is a line that the process reports, and of those that it is to go on
// with: one field of it is there.
type taskGateReport struct {
	// Done tasks of Total in this step; Total is 0 while it is not known.
	Done  int `json:"done,omitempty"`
	Total int `json:"total,omitempty"`
	// Run is what is run, without its cells. New says that none of the rows counts that
	// were kept before.
	Run *ledger.RunInfo `json:"run,omitempty"`
	New bool            `json:"new,omitempty"`
	Row json.RawMessage `json:"row,omitempty"`
	End *TaskGateEnd    `json:"end,omitempty"`
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

// TaskGateState is what there is to keep of a gate by evidence, for another process to go
// on with. The zero value is that of one that has not begun.
type TaskGateState struct {
	Run  *ledger.RunInfo
	Rows []json.RawMessage
}

// Bytes are what [RunTaskGate] is given in a file.
func (s TaskGateState) Bytes() ([]byte, error) {
	var text bytes.Buffer
	to := json.NewEncoder(&text)
	if s.Run == nil {
		return nil, nil
	}
	if err := to.Encode(taskGateReport{Run: s.Run}); err != nil {
		return nil, fault.Internalf("keep run %s: %w", s.Run.RunID, err)
	}
	for _, row := range s.Rows {
		if err := to.Encode(taskGateReport{Row: row}); err != nil {
			return nil, fault.Internalf("keep a row of run %s: %w", s.Run.RunID, err)
		}
	}
	return text.Bytes(), nil
}

// keeper reads a state, and tells what there is to keep beside it.
func keeper(state io.Reader, tell func(taskGateReport)) (*taskrun.Keeper, error) {
	k := &taskrun.Keeper{}
	for decoder := json.NewDecoder(state); ; {
		var kept taskGateReport
		err := decoder.Decode(&kept)
		if errors.Is(err, io.EOF) {
			break
		}
		var row bench.Row
		if err == nil && kept.Run == nil {
			err = json.Unmarshal(kept.Row, &row)
		}
		switch {
		case err != nil:
			return nil, fault.Infraf("read what the gate goes on with: %w", err)
		case kept.Run != nil:
			k.Info = kept.Run
		default:
			k.Rows = append(k.Rows, row)
		}
	}
	told := false
	k.Save = func(info ledger.RunInfo) {
		tell(taskGateReport{Run: &info, New: !told && k.Info == nil})
		told = true
	}
	k.Row = func(row *bench.Row) {
		// It has just been written as JSON.
		text, _ := json.Marshal(row)
		tell(taskGateReport{Row: text})
	}
	return k, nil
}

// RunTaskGate runs a command line of bench in this process, reports on it to the one that
// has started it, and returns the exit code. The context is one of [StopOnSignal]. State is
// the path of a file with a [TaskGateState], which may be empty; then what there is to
// keep is reported too. Without a path it is not.
func RunTaskGate(ctx context.Context, state string, args []string) int {
	// What the agent's code starts must not have a say in the verdict.
	to := os.NewFile(taskGateReports, "reports")
	platform.CloseOnExec(to)
	defer to.Close()
	var one sync.Mutex
	tell := func(r taskGateReport) {
		one.Lock()
		defer one.Unlock()
		// Who has started this one and is gone needs no reports.
		_ = json.NewEncoder(to).Encode(r)
	}
	w := World{
		Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now, Random: rand.Text, Secrets: redact.New(),
		TaskDone: func(p harness.Progress) { tell(taskGateReport{Done: p.Done, Total: p.Total}) },
	}
	result, err := w.runTaskGate(ctx, state, tell, args)
	end := TaskGateEnd{Code: result.Code, Summary: result.Summary, RunID: result.RunID}
	if err != nil {
		end.Problem = fault.Public(err)
	}
	tell(taskGateReport{End: &end})
	return result.Code
}

func (w World) runTaskGate(ctx context.Context, state string, tell func(taskGateReport), args []string) (Result, error) {
	if state == "" {
		return w.Run(ctx, args...)
	}
	kept, err := os.Open(state)
	if err != nil {
		return Result{Code: exitInfrastructure}, fault.Infraf("read what the gate goes on with: %w", err)
	}
	w.Keeper, err = keeper(kept, tell)
	_ = kept.Close() // it was read alone
	if err != nil {
		return Result{Code: exitInfrastructure}, err
	}
	return w.Run(ctx, args...)
}

// TaskGateListener is told what the process reports. An error ends the reading. Functions
// may be nil.
type TaskGateListener struct {
	// Progress is told how many tasks are done of how many, 0 while that is not known.
	Progress func(done, total int)
	// Run is told what is run, and whether none of the rows counts that were kept before;
	// Row of a row, as its line.
	Run func(info *ledger.RunInfo, anew bool) error
	Row func(line []byte) error
}

// read reports whether a line is one.
func (r *taskGateReport) read(line []byte) bool { return json.Unmarshal(line, r) == nil }

// FollowTaskGate reads what the process reports. It returns the process's end, nil if it
// did not come to that, and the listener's error.
func FollowTaskGate(from io.Reader, to TaskGateListener) (*TaskGateEnd, error) {
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, maxTaskGateReport)
	for lines.Scan() {
		var said taskGateReport
		if !said.read(lines.Bytes()) {
			return nil, nil // it is none of the gate's
		}
		var err error
		switch {
		case said.End != nil:
			return said.End, nil
		case said.Run != nil && to.Run != nil:
			err = to.Run(said.Run, said.New)
		case said.Row != nil && to.Row != nil:
			err = to.Row(said.Row)
		case said.Run == nil && said.Row == nil && to.Progress != nil:
			to.Progress(said.Done, said.Total)
		}
		if err != nil {
			return nil, err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return nil, fault.Invalidf("What was measured cannot be used: a line of it is longer than %d MiB", maxTaskGateReport>>20)
	}
	return nil, nil
}
