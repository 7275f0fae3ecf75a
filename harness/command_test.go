package harness_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// shell returns a benchmark that is a script, and its log.
func shell(t *testing.T, script string) (harness.CommandOptions, *testkit.SyncBuffer) {
	t.Helper()
	testkit.NeedShell(t)
	l := new(testkit.SyncBuffer)
	return harness.CommandOptions{
		Host: harness.Host{
			Dir: t.TempDir(), Log: l,
			Environ: []string{"PATH=" + os.Getenv("PATH"), "OPENAI_API_KEY=sk-model-key", "GITHUB_TOKEN=ghp_secret", "AGENT_REASONING_EFFORT=low"},
		},
		Command: []string{"/bin/sh", "-c", script}, Split: "train", MaxConcurrency: 3, Agent: harness.Agent{Model: "gpt-5.4", SaveTrace: true},
	}, l
}

func run(t *testing.T, o harness.CommandOptions, ids []string) (harness.Results, error) {
	t.Helper()
	r, err := harness.NewCommand(o)
	require.NoError(t, err)
	return r.Run(t.Context(), ids)
}

func TestRun(t *testing.T) {
	t.Run("results are lines among others", func(t *testing.T) {
		o, l := shell(t, `echo starting; echo '{"a": 1}'; echo '{"b": 0.25, "c": null}'; echo '{"d": {"reward": null, "status": "timeout", "reason": "slow"}}'; echo '{"a": 1}'; echo '{"level": "info", "msg": "one more"}'; echo '{broken'; echo done >&2`)
		var seen []harness.Progress
		o.Host.Observe = func(p harness.Progress) { seen = append(seen, p) }
		results, err := run(t, o, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["a"])
		assert.Equal(t, harness.Reward(0.25), results["b"])
		assert.Equal(t, harness.Infrastructure, results["c"].Status)
		assert.Equal(t, harness.NoReward(harness.Timeout, "slow"), results["d"])
		assert.Len(t, results, 4)
		assert.Equal(t, "a b c d", strings.Join(ids(seen), " "))
		for _, line := range []string{"[command] starting\n", "[command] {broken\n", "[command] {\"level\": \"info\", \"msg\": \"one more\"}\n", "[command] done\n"} {
			assert.Contains(t, l.String(), line)
		}
	})
	t.Run("the program is told what to run", func(t *testing.T) {
		o, _ := shell(t, `cat > request; echo '{"a": 1}'`)
		o.PerTaskTimeout = 90 * time.Second
		_, err := run(t, o, []string{"a", "b|c"})
		require.NoError(t, err)
		told, err := os.ReadFile(filepath.Join(o.Host.Dir, "request"))
		require.NoError(t, err)
		assert.JSONEq(t, `{"task_ids": ["a", "b|c"], "split": "train", "max_concurrency": 3, "per_task_timeout": 90}`, string(told))
		o.Split = harness.WholeDataset
		_, err = run(t, o, nil)
		require.NoError(t, err)
		told, err = os.ReadFile(filepath.Join(o.Host.Dir, "request"))
		require.NoError(t, err)
		assert.Contains(t, string(told), `"task_ids":null,"split":null`)
	})
	t.Run("every task that was asked for is in the results, and no other", func(t *testing.T) {
		o, _ := shell(t, `echo '{"a": 1, "x": 1}'`)
		results, err := run(t, o, []string{"a", "b"})
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, results.IDs())
		assert.Equal(t, harness.Missing, results["b"].Status)
	})
	t.Run("an empty list runs nothing", func(t *testing.T) {
		o, _ := shell(t, `touch ran`)
		results, err := run(t, o, []string{})
		require.NoError(t, err)
		assert.Equal(t, harness.Results{}, results)
		assert.NoFileExists(t, filepath.Join(o.Host.Dir, "ran"))
	})
	t.Run("what is known beside a reward is told", func(t *testing.T) {
		o, _ := shell(t, `echo '{"task_ids": ["a", "b"]}'; echo '{"a": {"reward": 0.5, "duration_s": 1.5, "input_tokens": 9, "cached_tokens": 4, "output_tokens": 2, "cost_usd": 0.01, "messages": [{"role": "assistant", "text": "hi"}], "result": {"n": 1}}}'; echo '{"msg": 0.5}'`)
		var seen []harness.Progress
		var planned []string
		o.Host.Observe = func(p harness.Progress) { seen = append(seen, p) }
		o.Host.Planned = func(ids []string) { planned = ids }
		results, err := run(t, o, nil)
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "b"}, planned)
		assert.Equal(t, harness.Reward(0.5), results["a"])
		assert.Equal(t, harness.Missing, results["b"].Status, "the program has said that there is one")
		assert.Len(t, results, 2, "what is no task of the plan is a line of the log")
		assert.Equal(t, harness.Measured{
			Duration: 1500 * time.Millisecond, InputTokens: 9, CachedTokens: 4, OutputTokens: 2, CostUSD: 0.01,
			Messages: []harness.Message{{Role: "assistant", Text: "hi"}}, Result: []byte(`{"n": 1}`),
		}, seen[0].Measured)
	})
	t.Run("the program's environment is that of an agent", func(t *testing.T) {
		o, l := shell(t, `env >&2; echo '{"a": 1}'`)
		_, err := run(t, o, nil)
		require.NoError(t, err)
		for _, want := range []string{"AGENT_MODEL=gpt-5.4", "AGENT_REASONING_EFFORT=low", "HARNESS_SAVE_TRACE=1", "OPENAI_API_KEY=[redacted]"} {
			assert.Contains(t, l.String(), "[command] "+want+"\n")
		}
		assert.NotContains(t, l.String(), "GITHUB_TOKEN")
		assert.NotContains(t, l.String(), "sk-model-key")
	})
	t.Run("a program is a file of the experiment", func(t *testing.T) {
		o, _ := shell(t, "")
		require.NoError(t, os.WriteFile(filepath.Join(o.Host.Dir, "bench"), []byte("#!/bin/sh\necho '{\"a\": 1}'\n"), 0o700))
		o.Command = []string{"./bench"}
		results, err := run(t, o, nil)
		require.NoError(t, err)
		assert.Len(t, results, 1)
	})
}

func ids(seen []harness.Progress) (ids []string) {
	for _, p := range seen {
		ids = append(ids, p.TaskID)
	}
	return ids
}

func TestRunsThatAreErrors(t *testing.T) {
	for name, script := range map[string]string{
		"a program that prints no result":                     `echo hello`,
		"a program that fails, whatever it prints":            `echo '{"a": 1}'; echo boom >&2; exit 3`,
		"a program that prints nothing of what was asked for": `echo '{"x": 1}'`,
	} {
		t.Run(name, func(t *testing.T) {
			o, _ := shell(t, script)
			_, err := run(t, o, []string{"a"})
			require.Error(t, err)
			assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
			if strings.Contains(script, "boom") {
				assert.ErrorContains(t, err, "boom")
			}
		})
	}
	for name, test := range map[string]struct{ line, want string }{
		"a text":                      {`{"a": 1, "b": "n/a"}`, `line 3 of its standard output: task "b": the reward is "n/a"`},
		"a number over 1":             {`{"b": 7}`, `task "b": the reward is 7, want a number from 0 to 1`},
		"NaN":                         {`{"b": NaN}`, `line 3 of its standard output: task "b": the reward is "NaN"`},
		"minus infinity in an object": {`{"b": {"reward": -Infinity}}`, `task "b": the reward is "-Infinity"`},
		"an unknown status":           {`{"b": {"reward": 1, "status": "fine"}}`, `task "b": status is "fine"`},
		"a reward beside a timeout":   {`{"b": {"reward": 1, "status": "timeout"}}`, `task "b": it has a reward and status "timeout"`},
		"a cost below 0":              {`{"b": {"reward": 1, "cost_usd": -1}}`, `task "b": cost_usd is -1`},
		"another result of a task":    {`{"a": 0.5}`, `line 3 of its standard output: task "a" has another result than in line 2`},
		"a log with a number in it":   {`{"level": "info", "epoch": 1}`, `logs are for standard error`},
	} {
		t.Run(name+" is an error, with its line, and ends the program", func(t *testing.T) {
			o, _ := shell(t, `echo starting; echo '{"a": 1}'; echo '`+test.line+`'; while :; do sleep 1; done`)
			o.Grace = time.Nanosecond
			var seen []harness.Progress
			o.Host.Observe = func(p harness.Progress) { seen = append(seen, p) }
			_, err := run(t, o, nil)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Len(t, seen, 1, "nothing is told of such a line")
		})
	}
	t.Run("a run that is stopped", func(t *testing.T) {
		o, _ := shell(t, `echo '{"a": 1}'; while :; do sleep 1; done`)
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		o.Host.Observe = func(harness.Progress) { cancel(why) }
		r, err := harness.NewCommand(o)
		require.NoError(t, err)
		_, err = r.Run(ctx, nil)
		require.ErrorIs(t, err, why)
	})
	t.Run("options that cannot be", func(t *testing.T) {
		for _, o := range []harness.CommandOptions{{MaxConcurrency: 1}, {Command: []string{""}, MaxConcurrency: 1}, {Command: []string{"x"}}} {
			_, err := harness.NewCommand(o)
			require.Error(t, err)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		}
	})
}

func TestDeadline(t *testing.T) {
	o, _ := shell(t, `echo '{"a": 1}'; while :; do sleep 1; done`)
	o.PerTaskTimeout, o.MaxConcurrency = 100*time.Second, 2
	over := make(chan time.Time, 1)
	o.After = func(d time.Duration) <-chan time.Time {
		if d == 2*100*time.Second+300*time.Second {
			return over
		}
		return nil
	}
	o.Host.Observe = func(harness.Progress) { over <- time.Time{} }
	results, err := run(t, o, []string{"a", "b", "c"})
	require.NoError(t, err)
	assert.Equal(t, harness.Reward(1), results["a"], "what is there when the time is over counts")
	for _, id := range []string{"b", "c"} {
		assert.Equal(t, harness.Timeout, results[id].Status)
		assert.Contains(t, results[id].Reason, "after 8m20s")
	}
}

// The overhead around a run of 1,000 tasks is to be less than 200 ms and
// 50 MB; see docs/runners.md.
func BenchmarkThousandTasks(b *testing.B) {
	dir := b.TempDir()
	var lines strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&lines, "{\"[mobile_data]a|b:%d\": 1.0}\n", i)
	}
	require.NoError(b, os.WriteFile(filepath.Join(dir, "results"), []byte(lines.String()), 0o600))
	r, err := harness.NewCommand(harness.CommandOptions{
		Host: harness.Host{Dir: dir, Environ: os.Environ()}, Command: []string{"cat", "results"}, MaxConcurrency: 1,
	})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		results, err := r.Run(b.Context(), nil)
		if err != nil || len(results) != 1000 {
			b.Fatal(err, len(results))
		}
	}
}
