package terminalbench

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The files of a job's folder, and of those of its trials.
const (
	resultFile = "result.json"
	configFile = "config.json"
	lockFile   = "lock.json"
)

// job is the folder of a job while harbor is at it.
type job struct {
	host harness.Host
	dir  string
	// wanted are the tasks that were asked for, nil for all.
	wanted []string
	// asked has them too.
	asked map[string]bool
	// last is the job's result file when it was last looked at.
	last []byte
	// trials are the tasks by the names of the trials that were read.
	trials map[string]string
	// read is what is known of tasks.
	read map[string]trial
}

// follow reads trials as they are done, until harbor has ended.
func (j *job) follow(ended <-chan struct{}, poll time.Duration) {
	j.trials, j.read, j.asked = map[string]string{}, map[string]trial{}, map[string]bool{}
	for _, id := range j.wanted {
		j.asked[id] = true
	}
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if progress, err := os.ReadFile(filepath.Join(j.dir, resultFile)); err == nil && !bytes.Equal(progress, j.last) {
				j.last = progress
				j.scan(false)
			}
		case <-ended:
			// A job that was broken off has no result file, and trials all
			// the same.
			j.last, _ = os.ReadFile(filepath.Join(j.dir, resultFile))
			j.scan(true)
			return
		}
	}
}

// scan reads the trials that were not read yet. Before the end those that are
// not whole are left for later.
func (j *job) scan(end bool) {
	entries, err := os.ReadDir(j.dir)
	if err != nil {
		return
	}
	redact := j.host.Redactor()
	for _, e := range entries {
		if _, has := j.trials[e.Name()]; has || !e.IsDir() {
			continue
		}
		t, ok := readTrial(filepath.Join(j.dir, e.Name()), end)
		if !ok {
			continue
		}
		t.outcome.Reason = redact(t.outcome.Reason)
		id, asked := t.task.in(j.asked)
		j.trials[e.Name()] = id
		if j.wanted != nil && !asked {
			continue
		}
		if known, has := j.read[id]; has && known.finished > t.finished {
			continue
		}
		j.read[id] = t
		j.host.Done(harness.Progress{TaskID: id, Outcome: t.outcome, Measured: t.measured, Done: len(j.read), Total: j.total()})
	}
}

// total is how many trials the job has, 0 while it is not known.
func (j *job) total() int {
	if j.wanted != nil {
		return len(j.wanted)
	}
	var progress struct {
		Total int `json:"n_total_trials"`
	}
	// It may be half written.
	_ = json.Unmarshal(j.last, &progress)
	return progress.Total
}

// results returns what became of the tasks of a job that has ended with err.
func (j *job) results(err error) (harness.Results, error) {
	outcomes := harness.Results{}
	for id, t := range j.read {
		outcomes[id] = t.outcome
		if t.cancelled && !t.outcome.Rewarded() && errors.Is(err, child.ErrDeadline) {
			outcomes[id] = harness.NoReward(harness.Timeout, fault.Public(err))
		}
	}
	ids := j.wanted
	if ids == nil {
		ids = j.locked()
		for id := range outcomes {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	some := len(outcomes) > 0
	for _, id := range ids {
		if _, has := outcomes[id]; has {
			continue
		}
		switch {
		case errors.Is(err, child.ErrDeadline):
			outcomes[id] = harness.NoReward(harness.Timeout, fault.Public(err))
		case err != nil && some:
			outcomes[id] = harness.NoReward(harness.Missing, fmt.Sprintf("harbor ended without a trial of this task: %v", err))
		}
	}
	return harness.Complete(ids, outcomes)
}

// locked returns the tasks that harbor has planned for the job.
func (j *job) locked() []string {
	data, err := os.ReadFile(filepath.Join(j.dir, lockFile))
	if err != nil {
		return nil
	}
	var lock struct {
		Trials []struct {
			Task taskID `json:"task"`
		} `json:"trials"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		j.host.Logf("[harbor] warning: the job's %s cannot be read: tasks that were not begun are not known: %v", lockFile, err)
		return nil
	}
	var ids []string
	for _, t := range lock.Trials {
		if id, _ := t.Task.in(nil); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}
