package report

import (
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// rewardMetric is a line for summaries of tasks of another system's benchmark.
var rewardMetric = metric{"Reward, mean", func(m bench.ModeSummary) string { return rewardText(m.MeanReward) }, nil, nil}

func rewardText(mean *float64) string {
	if mean == nil {
		return bench.NoFigure
	}
	const decimals = 4
	return bench.NumberText(*mean, decimals)
}

// withReward adds the mean reward of a task to its successes, where these do not tell it.
func withReward(text string, m bench.ScenarioModeSummary) string {
	if m.MeanReward == nil || rewardText(m.MeanReward) == rewardText(new(float64(m.Successes)/float64(m.Runs))) {
		return text
	}
	return text + ", reward " + rewardText(m.MeanReward)
}

// taskWords says "task" where we say "scenario".
var taskWords = strings.NewReplacer("Scenario", "Task", "scenario", "task")

// worded returns a table with the words of what a summary is of.
func (t table) worded(s bench.Summary) table {
	if !ofBenchmark(s) {
		return t
	}
	t.title, t.about, t.head = taskWords.Replace(t.title), taskWords.Replace(t.about), slices.Clone(t.head)
	if len(t.head) > 0 {
		t.head[0] = taskWords.Replace(t.head[0])
	}
	return t
}

// noun is what a summary's tasks are called.
type noun string

func nounOf(s bench.Summary) noun {
	if ofBenchmark(s) {
		return "task"
	}
	return "scenario"
}

// Title is the noun where a sentence begins with it.
func (n noun) Title() string { return strings.ToUpper(string(n[:1])) + string(n[1:]) }

// ofBenchmark reports whether a summary is of tasks of another system's benchmark.
func ofBenchmark(s bench.Summary) bool {
	for _, m := range s.Modes {
		if m.MeanReward != nil {
			return true
		}
	}
	return false
}
