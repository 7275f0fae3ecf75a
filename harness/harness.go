// Package harness runs benchmarks whose tasks are rewarded with a number from
// 0 to 1: tau-bench, Terminal-Bench, BIRD-Interact, or one of your own.
//
// A benchmark is a [Runner]. Its [Results] say of every task that was asked
// for how it was rewarded or why it was not; [ValScore] is their mean. The
// packages below are runners; [CommandRunner]
// runs any program that prints rewards.
//
// The package is for programs outside of this module too. It reads no
// environment by itself: a [Host] brings it along.
package harness

import (
	"context"
	"maps"
	"math/big"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// Runner is a benchmark.
type Runner interface {
	// Run runs tasks: the whole benchmark if taskIDs is nil, nothing at all,
	// at once, if it is empty. The results have every task that was asked
	// for; see [Complete]. An error means that there are none to rely on: a
	// run that produced nothing is an error.
	Run(ctx context.Context, taskIDs []string) (Results, error)
}

// PassReward is the least reward with which a task counts as passed.
const PassReward = 0.5

// Status says what became of a task.
type Status string

const (
	// Scored tasks have a reward; all others have none.
	Scored Status = "scored"
	// Timeout is a task that did not end in time.
	Timeout Status = "timeout"
	// Crashed is a task in which the agent's own code raised an error: the
	// agent has failed, under every [TimeoutPolicy].
	Crashed Status = "crashed"
	// Infrastructure is a task that something around the agent kept from
	// being scored, as far as the benchmark can tell.
	Infrastructure Status = "infrastructure"
	// Missing is a task that nothing was heard of. It counts as failed under
	// every [TimeoutPolicy]: a run must not gain by what it leaves out.
	Missing Status = "missing"
)

// Statuses lists all statuses.
func Statuses() []Status { return []Status{Scored, Timeout, Crashed, Infrastructure, Missing} }

// Outcome is what became of one task. Make one of a reward with [Reward], of
// none with [NoReward].
type Outcome struct {
	Status Status
	// Score is the reward, from 0 to 1, and 0 unless Status is [Scored].
	Score float64
	// Reason says in a sentence why there is no reward, or what else is to be
	// known about it; it may be empty if there is one.
	Reason string
}

// Reward returns the outcome of a task with this reward. A reward that is no
// number from 0 to 1 is none, with status [Infrastructure].
func Reward(score float64) Outcome {
	if !(score >= 0 && score <= 1) {
		return NoReward(Infrastructure, "the reward is "+strconv.FormatFloat(score, 'g', -1, 64)+", want a number from 0 to 1")
	}
	return Outcome{Status: Scored, Score: score}
}

// NoReward returns the outcome of a task without a reward.
func NoReward(status Status, reason string) Outcome {
	return Outcome{Status: status, Reason: reason}
}

// Rewarded reports whether the task has a reward.
func (o Outcome) Rewarded() bool { return o.Status == Scored }

// Passed reports whether the task has a reward of [PassReward] or more.
func (o Outcome) Passed() bool { return o.Rewarded() && o.Score >= PassReward }

// Results are outcomes by the tasks' ids.
type Results map[string]Outcome

// IDs returns the tasks' ids as people expect them: numbers by value, then
// the others by text.
func (r Results) IDs() []string { return slices.SortedFunc(maps.Keys(r), CompareIDs) }

// Passed returns how many tasks passed.
func (r Results) Passed() int {
	passed := 0
	for _, o := range r {
		if o.Passed() {
			passed++
		}
	}
	return passed
}

// Count returns how many tasks have the status.
func (r Results) Count(status Status) int {
	count := 0
	for _, o := range r {
		if o.Status == status {
			count++
		}
	}
	return count
}

// CompareIDs orders ids of tasks: numbers by value, then the others by text.
func CompareIDs(a, b string) int {
	x, xErr := strconv.ParseUint(a, 10, 64)
	y, yErr := strconv.ParseUint(b, 10, 64)
	switch {
	case xErr == nil && yErr == nil && x != y:
		if x < y {
			return -1
		}
		return 1
	case xErr == nil && yErr != nil:
		return -1
	case xErr != nil && yErr == nil:
		return 1
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

// ValScore returns the mean reward. A task without a reward counts as 0.0;
// without results the mean is 0.0.
func ValScore(results Results) float64 { return ChargeAgent.ValScore(results) }

// mean returns the mean of the scores, 0 for none. The sum is exact, so that
// the order of the tasks does not count and equal rewards give equal means.
func mean(scores []float64) float64 {
	if len(scores) == 0 {
		return 0
	}
	// A number from 0 to 1 needs no more than 1,074 bits; the rest is for as
	// many of them as fit into memory.
	const exact = 1140
	sum := new(big.Float).SetPrec(exact)
	for _, s := range scores {
		sum.Add(sum, big.NewFloat(s))
	}
	total, _ := sum.Float64()
	return total / float64(len(scores))
}

// TimeoutPolicy says what tasks without a reward count.
type TimeoutPolicy string

const (
	// ChargeAgent counts a task without a reward as 0.0. It is the default:
	// an agent whose code crashes must not raise its score.
	ChargeAgent TimeoutPolicy = "agent"
	// BlameInfrastructure leaves out tasks of status [Timeout] and
	// [Infrastructure].
	BlameInfrastructure TimeoutPolicy = "infra"
)

// Counted returns the results that count under the policy; it may be results
// itself.
func (p TimeoutPolicy) Counted(results Results) Results {
	if p != BlameInfrastructure {
		return results
	}
	counted := maps.Clone(results)
	maps.DeleteFunc(counted, func(_ string, o Outcome) bool { return o.Status == Timeout || o.Status == Infrastructure })
	return counted
}

// ValScore returns the mean reward of the results that count.
func (p TimeoutPolicy) ValScore(results Results) float64 {
	var scores []float64
	for _, o := range p.Counted(results) {
		scores = append(scores, o.Score)
	}
	return mean(scores)
}

// Outage returns an error of kind infrastructure, with the cause of the first
// task, if not one task was tried to its end, with a reward, out of time or in a
// crash of the agent: such a run is no score of 0.0. An empty run is none.
func (r Results) Outage() error {
	tried := r.Count(Scored) + r.Count(Timeout) + r.Count(Crashed)
	if len(r) == 0 || tried > 0 {
		return nil
	}
	first := r.IDs()[0]
	for _, id := range r.IDs() {
		if r[id].Status == Infrastructure {
			first = id
			break
		}
	}
	return fault.Infraf("the run gave none of %d tasks a reward; task %s: %s", len(r), first, r[first].Reason)
}

// Complete returns the results of the tasks that were asked for, each of them:
// one that nothing was heard of is [Missing]. Runners call it at their end.
//
// taskIDs is what was given to Run, or all ids of the benchmark where they are
// known; if it is nil, all of results are asked for. If nothing was heard of
// any task although one was asked for, there is nothing to rely on, which the
// error, of kind infrastructure, says. results is not changed.
func Complete(taskIDs []string, results Results) (Results, error) {
	if taskIDs == nil {
		taskIDs = results.IDs()
	} else if len(taskIDs) == 0 {
		return Results{}, nil
	}
	complete := make(Results, len(taskIDs))
	for _, id := range taskIDs {
		complete[id] = NoReward(Missing, "the run ended without a result for this task")
		if o, has := results[id]; has {
			complete[id] = o
		}
	}
	if complete.Count(Missing) == len(complete) {
		return nil, fault.Infraf("the run produced no result for any task")
	}
	return complete, nil
}
