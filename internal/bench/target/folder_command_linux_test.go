package target_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

func TestN10TheEndOfVerifySaysWhoseFailureItIs(t *testing.T) {
	const checks = `echo '{"checks": [{"name": "first", "passed": true}, {"name": "second", "passed": false, "detail": "it is 3"}]}'`
	cases := map[string]struct {
		verify string
		kind   bench.ErrorType
		want   string
	}{
		"0":                     {`exit 0`, "", "the task was done"},
		"1":                     {`echo first; echo 'the file says 3' >&2; exit 1`, bench.CheckpointFailed, "first the file says 3"},
		"1, and nothing said":   {`exit 1`, bench.CheckpointFailed, "the task was not done"},
		"2":                     {`echo no such table >&2; exit 2`, bench.RunnerError, "target.verify ends with status 2, want 0 if the task was done and 1 if not: no such table"},
		"a command not found":   {`no-such-command`, bench.RunnerError, "ends with status 127"},
		"a signal":              {`kill -9 $$`, bench.RunnerError, "target.verify: signal: killed"},
		"never":                 {`echo waiting; sleep 1000`, bench.RunnerError, "target.verify: it takes longer than 500ms: waiting"},
		"0, behind a daemon":    {`sleep 1000 & exit 0`, "", "the task was done"},
		"0, and a failed check": {checks, bench.CheckpointFailed, "verify: second: it is 3"},
		"1, and a failed check": {checks + `; exit 1`, bench.CheckpointFailed, "verify: second: it is 3"},
		"other JSON":            {`echo '{"check": []}'`, bench.RunnerError, "unknown field"},
		"JSON that breaks off":  {`echo '{"checks": ['`, bench.RunnerError, "prints something else than"},
		"a check without word":  {`echo '{"checks": [{"name": "x"}]}'`, bench.RunnerError, "checks.0 has no name, or does not say whether it passed"},
		"too much":              {`head -c 5000000 /dev/zero`, bench.RunnerError, "prints more than 4 MiB"},
	}
	r := newRig(t)
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			r.scenario.Target.Verify, r.scenario.Target.TimeoutMS = c.verify, 500
			tried := r.try(t, `echo 2 > a.txt`, false)
			if c.kind == "" {
				require.Nil(t, tried.Error, told(t, tried))
			} else {
				require.NotNil(t, tried.Error)
				assert.Equal(t, c.kind, tried.Error.Type)
			}
			assert.Contains(t, told(t, tried), c.want)
		})
	}
}

func TestWhatVerifyIsTold(t *testing.T) {
	r := newRig(t)
	r.scenario.Input = map[string]any{"n": 2}
	r.scenario.Target.Verify = `
		test "$(cat)" = 'I wrote it.'
		test "$(cat "$BENCH_ANSWER")" = 'I wrote it.'
		grep -q '"a.txt":{"sha256":"[0-9a-f]*","size":2,"text":"1\\n"}' "$BENCH_BEFORE"
		grep -q '"text":"2\\n"' "$BENCH_AFTER"
		test "$(cat "$BENCH_STATE/kept") $(cat "$BENCH_FILES/b.txt") $BENCH_INPUT" = 'kept b {"n":2}'
		test ! -e link
		test "$HOME" != "$PWD"`
	r.scenario.Footprint = append(r.scenario.Footprint, bench.Allowance{Change: bench.ChangeCreated, Object: "link", Name: "link", Fields: map[string]any{"to": "a.txt"}})
	tried := r.try(t, `echo 2 > a.txt; ln -s a.txt link; echo 'I wrote it.'`, false)
	assert.Nil(t, tried.Error, told(t, tried))
}

func TestS13WhatIsReportedIsComparedWithWhatWasSeen(t *testing.T) {
	r := newRig(t)
	r.scenario.Type, r.scenario.Task, r.scenario.PromptTemplate, r.scenario.Input = bench.Atomic, "files.read", "Read.", map[string]any{}
	r.scenario.Footprint = nil
	r.scenario.Target.Verify = `echo '{"facts": {"lines": 1}}'`
	r.scenario.Assertions = bench.Assertions{
		ExpectedOutcome: bench.OutcomeSuccess, RequiredDataFields: []string{"lines"},
		ExpectedData: &bench.ExpectedData{Read: bench.Read{From: bench.FromVerify, JQ: ".facts"}, Fields: map[string]string{"lines": ".lines"}},
		Checkpoints: []bench.Checkpoint{{
			Name: "it is there", Read: &bench.Read{From: bench.FromAfter, JQ: `.file["a.txt"].text`}, Condition: bench.ConditionContains, ExpectedValue: "1",
		}},
	}
	const answer = `echo '{"ok":true,"data":{"lines":%},"error":null,"meta":{}}'`
	tried := r.try(t, strings.Replace(answer, "%", "1", 1), false)
	assert.Nil(t, tried.Error, told(t, tried))
	tried = r.try(t, strings.Replace(answer, "%", "2", 1), false)
	require.NotNil(t, tried.Error)
	assert.Equal(t, "The data's lines is 2, the verifier says 1.", tried.Error.Message)
}

func TestASnapshotIsWhatTheTasksCommandSays(t *testing.T) {
	r := newRig(t)
	r.scenario.Target.Verify = ""
	r.scenario.Target.Snapshot = `printf '{"row": {"a": {"value": %s}}}' "$(cat a.txt)"`
	r.scenario.Footprint = []bench.Allowance{{Change: bench.ChangeChanged, Object: "row", Name: "a", Fields: map[string]any{"value": 2}}}
	tried := r.try(t, `echo 2 > a.txt; touch what-no-row-tells`, false)
	assert.Nil(t, tried.Error, told(t, tried))
	tried = r.try(t, `echo 3 > a.txt`, false)
	assert.Contains(t, told(t, tried), "its value is 3, may become 2 alone")
	tried = r.try(t, `echo nonsense > a.txt`, false)
	require.NotNil(t, tried.Error)
	assert.Equal(t, bench.RunnerError, tried.Error.Type)
	assert.Contains(t, tried.Error.Message, "after the agent's turn: target.snapshot: it prints no snapshot")
}

func TestS15VariationsAreTheSameInEveryModeAndOthersInOtherIterations(t *testing.T) {
	r := newRig(t)
	task := target.Task{ScenarioID: "draw-wf", Commands: bench.CommandTarget{
		Setup: `echo "drawn.number=$BENCH_SEED" >> "$BENCH_RESOURCES"; echo "drawn.word=two words" >> "$BENCH_RESOURCES"`,
		Makes: map[string][]string{"drawn": {"number", "word"}},
	}}
	drawn := func(v *bench.Variation) any {
		place, err := r.target.Prepare(t.Context(), target.Needs{Task: &task, Variation: v})
		require.NoError(t, err)
		assert.Equal(t, v, place.Variation)
		assert.Equal(t, "two words", place.Manifest.Resources["drawn"]["word"])
		require.NoError(t, place.Close())
		return place.Manifest.Resources["drawn"]["number"]
	}
	first := drawn(&bench.Variation{Seed: 1, Number: 1})
	assert.IsType(t, 0, first)
	assert.Equal(t, first, drawn(&bench.Variation{Seed: 1, Number: 1}))
	assert.NotEqual(t, first, drawn(&bench.Variation{Seed: 1, Number: 2}))
	assert.NotEqual(t, first, drawn(&bench.Variation{Seed: 2, Number: 1}))
	drawn(nil)
}

func TestASetUpThatFailsIsTold(t *testing.T) {
	r := newRig(t)
	for name, c := range map[string]struct {
		commands bench.CommandTarget
		want     string
	}{
		"ends with a status": {bench.CommandTarget{Setup: "echo broken; exit 3"}, "target.setup ends with status 3: broken"},
		"takes too long":     {bench.CommandTarget{Setup: "sleep 1000", TimeoutMS: 100}, "target.setup: it takes longer than 100ms"},
		"tells nothing":      {bench.CommandTarget{Setup: "true", Makes: map[string][]string{"a": {"b"}}}, "target.setup does not tell of a.b"},
		"tells of more":      {bench.CommandTarget{Setup: `echo a.b=1 > "$BENCH_RESOURCES"`}, "target.setup tells of a.b, which target.makes does not name"},
		"has no files":       {bench.CommandTarget{Files: "none"}, "target.files: copy the folder files/none"},
		"has no snapshot":    {bench.CommandTarget{Snapshot: "echo []"}, "before the agent's turn: target.snapshot: it prints no snapshot"},
		"has two snapshots":  {bench.CommandTarget{Snapshot: "echo '{}{}'"}, "something else than one snapshot"},
	} {
		t.Run(name, func(t *testing.T) {
			cleaned := filepath.Join(t.TempDir(), "cleaned")
			c.commands.Cleanup = "touch " + cleaned
			_, err := r.target.Prepare(t.Context(), target.Needs{Task: &target.Task{ScenarioID: "it-wf", Commands: c.commands}})
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, `scenario "it-wf": `)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.FileExists(t, cleaned)
		})
	}
}

func TestCleanUpRunsHoweverAnAttemptEnds(t *testing.T) {
	ends := map[string]func(cancel context.CancelFunc) error{
		"well":             func(context.CancelFunc) error { return nil },
		"by an error":      func(context.CancelFunc) error { return errors.New("the agent is gone") },
		"by a panic":       func(context.CancelFunc) error { panic("defect") },
		"by the run's end": func(cancel context.CancelFunc) error { cancel(); return context.Canceled },
		"by the target's":  nil,
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			cleaned := filepath.Join(t.TempDir(), "cleaned")
			r.scenario.Target.Cleanup = `echo "$(cat "$BENCH_STATE/kept")" >> ` + cleaned
			if end == nil {
				task := target.Task{ScenarioID: "it-wf", Commands: *r.scenario.Target}
				place, err := r.target.Prepare(t.Context(), target.Needs{Task: &task})
				require.NoError(t, err)
				require.NoError(t, r.target.Close())
				require.NoError(t, place.Close(), "it may be closed twice")
				_, err = r.target.Prepare(t.Context(), target.Needs{Task: &task})
				require.ErrorContains(t, err, "is closed")
			} else {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r.judgedIn(ctx, t, &fake.Provider{OnPrompt: func(_ context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
					return s.Answer(p, ""), end(cancel)
				}})
			}
			text, err := os.ReadFile(cleaned)
			require.NoError(t, err)
			assert.Equal(t, "kept\n", string(text), "clean-up runs once, with what set-up has kept")
		})
	}
}

func TestOtherTasksAreTheNextTargets(t *testing.T) {
	next := &fake.Target{}
	both := target.NewFolder(target.FolderOptions{}, next)
	_, err := both.Prepare(t.Context(), target.Needs{World: "shop"})
	require.NoError(t, err)
	assert.Equal(t, []target.Needs{{World: "shop"}}, next.Needs())
	require.NoError(t, both.Close())

	_, err = target.NewFolder(target.FolderOptions{}, nil).Prepare(t.Context(), target.Needs{})
	assert.ErrorContains(t, err, "no scenario is about GitHub")
}
