package harness_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
)

// sums is a benchmark of sums.
type sums struct{}

// Tasks lists them, so that a run which is ended goes on with the rest.
func (sums) Tasks(context.Context, string) ([]string, error) { return []string{"1+1", "2+2"}, nil }

func (s sums) Run(ctx context.Context, taskIDs []string) (harness.Results, error) {
	if taskIDs == nil {
		taskIDs, _ = s.Tasks(ctx, harness.RequestOf(ctx).Split)
	}
	results := harness.Results{}
	for _, id := range taskIDs {
		results[id] = harness.Reward(float64(strings.Count(id, "1")) / 2) // an agent that knows one sum
		harness.Tell(ctx, harness.Progress{TaskID: id, Outcome: results[id], Measured: harness.Measured{OutputTokens: 3}})
	}
	return harness.Complete(taskIDs, results)
}

// A program whose main function is os.Exit(harness.Main(sums{})) is a benchmark of
// `bench harness`. This is what it answers when it is asked for all tasks.
func ExampleServe() {
	request := strings.NewReader(`{"task_ids": null, "split": "train", "max_concurrency": 3}`)
	if err := harness.Serve(context.Background(), sums{}, request, os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"task_ids":["1+1","2+2"]}
	// {"1+1":{"output_tokens":3,"reward":1,"status":"scored"}}
	// {"2+2":{"output_tokens":3,"reward":0,"status":"scored"}}
}

// A task without a reward counts as 0.
func ExampleValScore() {
	results := harness.Results{
		"a": harness.Reward(1), "b": harness.Reward(0.5),
		"c": harness.NoReward(harness.Timeout, "no answer in 600 s"),
	}
	fmt.Println(harness.ValScore(results), results.Passed())
	// Output: 0.5 2
}

// A run says of every task that was asked for what became of it.
func ExampleComplete() {
	results, err := harness.Complete([]string{"a", "b"}, harness.Results{"a": harness.Reward(1)})
	fmt.Println(results["b"].Status, err)
	_, err = harness.Complete([]string{"a"}, nil)
	fmt.Println(harness.IsInfrastructure(err), err)
	// Output:
	// missing <nil>
	// true the run produced no result for any task
}
