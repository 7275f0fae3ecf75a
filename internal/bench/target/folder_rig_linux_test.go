package target_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/confine"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
)

// rig is a task whose agent is a shell script, held as agents are.
type rig struct {
	// base is the folder in which places have theirs, and the agent has its.
	base     string
	space    *confine.Space
	target   *target.FolderTarget
	scenario bench.Scenario
	// environment is the agent's.
	environment []string
}

// newRig returns a rig of a task in which a file is to be changed: a.txt.
func newRig(t *testing.T) *rig {
	t.Helper()
	testkit.NeedShell(t)
	base := t.TempDir()
	// As folders are in which agents work: their users can enter them.
	require.NoError(t, os.Chmod(filepath.Dir(base), 0o755))
	require.NoError(t, os.Chmod(base, 0o755))
	space, err := confine.Open(confine.Options{Name: "agent", Base: base, Network: confine.Advisory})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, space.Close()) })
	files := fstest.MapFS{"files/kit/b.txt": {Data: []byte("b\n"), Mode: 0o644}}
	r := &rig{
		base: base, space: space,
		target:      target.NewFolder(target.FolderOptions{Files: files, Env: []string{"PATH=/usr/bin:/bin"}, Base: base}, nil),
		environment: []string{"PATH=/usr/bin:/bin", "BASE=" + base},
		scenario: bench.Scenario{
			Type: bench.Workflow, ID: "edit-wf", Prompt: "Write 2 into a.txt.", TimeoutMS: 20_000,
			Target: &bench.CommandTarget{
				Type: bench.TargetCommand, Files: "kit",
				Setup:  `echo 1 > a.txt; mkdir sub; cp "$BENCH_FILES/b.txt" sub; echo kept > "$BENCH_STATE/kept"`,
				Verify: `grep -qx 2 a.txt`,
			},
			Assertions: bench.Assertions{ExpectedOutcome: bench.OutcomeSuccess},
			Footprint:  []bench.Allowance{{Change: bench.ChangeChanged, Object: "file", Name: "a.txt", Fields: map[string]any{"text": "2\n"}}},
		},
	}
	t.Cleanup(func() { require.NoError(t, r.target.Close()) })
	return r
}

// Prepare has the agent work in its space, as stations have it.
func (r *rig) Prepare(ctx context.Context, n target.Needs) (*target.Place, error) {
	task := *n.Task
	task.Folder = r.space.Work()
	n.Task = &task
	return r.target.Prepare(ctx, n)
}

// Close leaves the target to the test's end.
func (r *rig) Close() error { return nil }

// try has the agent run a script, and judges what that has left. What the script
// leaves running is ended unless it is spared.
func (r *rig) try(t *testing.T, script string, spared bool) runner.Tried {
	t.Helper()
	provider := &fake.Provider{OnPrompt: func(ctx context.Context, s *fake.Session, p agent.Prompt) (agent.Turn, error) {
		p.Notify(agent.EventAnswer)
		p.Notify(agent.EventToolStart)
		var said bytes.Buffer
		process, err := r.space.Start(ctx, confine.Command{
			Path: "/bin/sh", Args: []string{"-c", script}, Env: r.environment, Stdout: &said, Stderr: &said,
		})
		if err != nil {
			return agent.Turn{}, err
		}
		err = process.Wait()
		p.Notify(agent.EventToolEnd)
		if err == nil && !spared {
			err = r.space.Kill(ctx)
		}
		return s.Answer(p, said.String()), err
	}}
	return r.judged(t, provider)
}

// judged makes an attempt.
func (r *rig) judged(t *testing.T, provider agent.Provider) runner.Tried {
	t.Helper()
	return r.judgedIn(t.Context(), t, provider)
}

func (r *rig) judgedIn(ctx context.Context, t *testing.T, provider agent.Provider) runner.Tried {
	t.Helper()
	cell := bench.Cell{ScenarioID: r.scenario.ID, Mode: bench.AgentDirect, Iteration: 1}
	tried := runner.Once(ctx, runner.Config{
		Scenarios:  map[string]bench.Scenario{r.scenario.ID: r.scenario},
		Variations: bench.Variations{Seed: 7},
	}, runner.Deps{
		Target: r, Provider: provider, Now: time.Now, Wait: fake.Sleep,
		Reader: func(target.Access) (checkpoint.Reader, error) { return nil, assert.AnError },
		Observe: func(e runner.Event) {
			assert.NotEqual(t, runner.EventLeftover, e.Kind, e.Reason)
		},
	}, cell)
	left, err := os.ReadDir(r.space.Work())
	require.NoError(t, err)
	assert.Empty(t, left, "the agent's folder is not emptied")
	places, err := filepath.Glob(filepath.Join(r.base, "bench-task-*"))
	require.NoError(t, err)
	assert.Empty(t, places, "the place is not given back")
	return tried
}

// own is true where agents have a user of their own.
func (r *rig) own() bool { return r.space.Isolation().User == confine.OwnUser }

// told is all that an attempt says of what it found.
func told(t *testing.T, tried runner.Tried) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"error": tried.Error, "checks": tried.Checkpoints, "changes": tried.Changes})
	require.NoError(t, err)
	return string(text)
}
