package target

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jq"
	"github.com/ghx-dev/bench-action/internal/platform"
)

// VerifyName is the name of the check that is the task's own command, and begins
// the names of those that the command tells of.
const VerifyName = "verify"

// begin lays what set-up has made into the agent's folder.
func (p *place) begin(_ context.Context, input map[string]any) (err error) {
	if p.input, err = json.Marshal(input); err != nil {
		return fault.Infraf("write the input of scenario %q: %w", p.task.ScenarioID, err)
	}
	laid, err := p.lay()
	switch {
	case err != nil:
		return fault.Infraf("lay out the task's folder: %w", err)
	case laid.beyond != "":
		return fault.Invalidf("scenario %q: target.setup makes too much: %s", p.task.ScenarioID, laid.beyond)
	case p.task.Commands.Snapshot == "":
		p.before = laid.seen
	}
	return nil
}

func (p *place) lay() (*copier, error) {
	from, err := os.OpenRoot(p.in(workFolder))
	if err != nil {
		return nil, err
	}
	defer from.Close()
	to, err := os.OpenRoot(p.task.Folder)
	if err != nil {
		return nil, err
	}
	defer to.Close()
	info, err := to.Stat(".")
	if err != nil {
		return nil, err
	}
	user, group, known := platform.Owner(info)
	if !known {
		return nil, fmt.Errorf("the owner of %s is not known", p.task.Folder)
	}
	p.writer, p.began = &account{user, group}, true
	return copyTree(from, to, p.writer, nil)
}

// end takes back what the agent has left, and has the task's own commands look at
// that.
func (p *place) end(ctx context.Context, answer string) ([]bench.CheckpointResult, error) {
	left, err := p.takeBack()
	if err != nil {
		return nil, fault.Infraf("take back the task's folder: %w", err)
	}
	if left.beyond != "" {
		p.after = left.seen
		return []bench.CheckpointResult{{Name: "the folder can be read", Detail: left.beyond}}, nil
	}
	if p.after = left.seen; p.task.Commands.Snapshot != "" {
		if p.after, err = p.snapshot(ctx, afterFolder); err != nil {
			return nil, fmt.Errorf("after the agent's turn: %w", err)
		}
	}
	if p.task.Commands.Verify == "" {
		return nil, nil
	}
	return p.verify(ctx, answer)
}

// changes are what the snapshots differ in, none where one is not there.
func (p *place) changes() []bench.Change {
	if p.before == nil || p.after == nil {
		return nil
	}
	return diff(p.before, p.after)
}

// openFolder opens a folder of the agent's; it is nil if it is not there any
// more.
func openFolder(folder string) (*os.Root, error) {
	info, err := os.Lstat(folder)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return os.OpenRoot(folder)
}

func (p *place) takeBack() (*copier, error) {
	from, err := openFolder(p.task.Folder)
	if err != nil || from == nil {
		return &copier{seen: Snapshot{}}, err
	}
	defer from.Close()
	to, err := os.OpenRoot(p.in(afterFolder))
	if err != nil {
		return nil, err
	}
	defer to.Close()
	return copyTree(from, to, nil, p.writer)
}

// snapshot has the task's command say what there is.
func (p *place) snapshot(ctx context.Context, folder string) (Snapshot, error) {
	ended, err := p.run(ctx, "target.snapshot", p.task.Commands.Snapshot, p.in(folder), nil)
	if err != nil {
		return nil, err
	}
	if ended.status != 0 {
		return nil, fault.Infraf("target.snapshot ends with status %d: %s", ended.status, ended.said)
	}
	s, err := parseSnapshot(ended.output)
	if err != nil {
		return nil, fault.Infraf("target.snapshot: %w", err)
	}
	return s, nil
}

// The files that verify is told of, in the folder of the state.
const (
	answerFile = "answer"
	beforeFile = "before.json"
	afterFile  = "after.json"
)

// verify has the task's command judge what the agent has left and answered.
func (p *place) verify(ctx context.Context, answer string) ([]bench.CheckpointResult, error) {
	before, err := json.Marshal(p.before)
	if err != nil {
		return nil, fault.Infraf("write a snapshot: %w", err)
	}
	after, err := json.Marshal(p.after)
	if err != nil {
		return nil, fault.Infraf("write a snapshot: %w", err)
	}
	variables := []string{"BENCH_INPUT=" + string(p.input)}
	for _, f := range []struct {
		variable, name string
		text           []byte
	}{{"BENCH_ANSWER", answerFile, []byte(answer)}, {"BENCH_BEFORE", beforeFile, before}, {"BENCH_AFTER", afterFile, after}} {
		at := p.in(path.Join(stateFolder, f.name))
		if err := os.WriteFile(at, f.text, 0o600); err != nil {
			return nil, fault.Infraf("write what target.verify is told: %w", err)
		}
		variables = append(variables, f.variable+"="+at)
	}
	ended, err := p.run(ctx, "target.verify", p.task.Commands.Verify, p.in(afterFolder), strings.NewReader(answer), variables...)
	if err != nil {
		return nil, err
	}
	return p.judged(ended)
}

// verdict is what verify may print.
type verdict struct {
	Checks []struct {
		Name   string `json:"name"`
		Passed *bool  `json:"passed"`
		Detail string `json:"detail"`
	} `json:"checks"`
	// Facts are for the scenario's expressions.
	Facts any `json:"facts"`
}

// notDone is the status by which verify says that the task was not done.
const notDone = 1

// judged says what the end of verify means.
func (p *place) judged(ended exit) (results []bench.CheckpointResult, err error) {
	if ended.status != 0 && ended.status != notDone {
		return nil, fault.Infraf("target.verify ends with status %d, want 0 if the task was done and 1 if not: %s", ended.status, ended.said)
	}
	failed := false
	if isObject(ended.output) {
		var v verdict
		decoder := json.NewDecoder(bytes.NewReader(ended.output))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&v); err != nil {
			return nil, fault.Infraf("target.verify prints something else than {\"checks\": [{\"name\", \"passed\", \"detail\"}], \"facts\": …}: %w", err)
		}
		for i, check := range v.Checks {
			if check.Name == "" || check.Passed == nil {
				return nil, fault.Infraf("target.verify: checks.%d has no name, or does not say whether it passed", i)
			}
			failed = failed || !*check.Passed
			results = append(results, bench.CheckpointResult{Name: VerifyName + ": " + check.Name, Passed: *check.Passed, Detail: check.Detail})
		}
		p.told = map[string]any{"checks": v.Checks, "facts": v.Facts}
	}
	switch {
	case ended.status == notDone && !failed:
		reason := ended.said
		if reason == "" {
			reason = "the task was not done"
		}
		results = append(results, bench.CheckpointResult{Name: VerifyName, Detail: reason})
	case len(results) == 0:
		results = append(results, bench.CheckpointResult{Name: VerifyName, Passed: true, Detail: "the task was done"})
	}
	return results, nil
}

// read answers a read of what was seen.
func (p *place) read(ctx context.Context, read bench.Read) (any, error) {
	seen := map[bench.Source]any{bench.FromBefore: p.before, bench.FromAfter: p.after, bench.FromVerify: p.told}
	value, known := seen[read.From]
	if !known {
		return nil, fault.Invalidf("a task that is not about GitHub reads from before, after or verify, not from %q", read.From)
	}
	answer, err := jq.Plain(value)
	if err != nil || read.JQ == "" {
		return answer, err
	}
	program, err := jq.Compile(read.JQ, "$input")
	if err != nil {
		return nil, err
	}
	input, err := jq.Plain(read.Input)
	if err != nil {
		return nil, err
	}
	return program.Run(ctx, answer, input)
}
