package birdinteract_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/birdinteract"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestServices(t *testing.T) {
	testkit.NeedComplete(t)
	for name, test := range map[string]struct {
		file, text, want string
		kind             fault.Kind
	}{
		"one that ends at once":                   {userModule + ".exit", "no module pydantic", "no module pydantic", fault.Infrastructure},
		"an agent that cannot be imported":        {agentModule + ".health", `503 {"detail": "ADK runtime unavailable: SyntaxError"}`, "system_agent cannot run: ADK runtime unavailable: SyntaxError", fault.Invalid},
		"one that is another":                     {dbModule + ".health", `200 {"service": "user_simulator"}`, `answered by "user_simulator", not by BIRD-Interact's db_environment`, fault.Invalid},
		"one that is never well":                  {dbModule + ".health", `500 {}`, "did not begin in time", fault.Infrastructure},
		"one that says what it is in no good way": {dbModule + ".health", `200 hello`, "did not begin in time", fault.Infrastructure},
	} {
		t.Run(name+" is an error", func(t *testing.T) {
			r := newRig(t, script)
			r.write(t, "fake/"+test.file, test.text)
			if strings.Contains(test.want, "in time") {
				r.HealthTime = 300 * time.Millisecond
			}
			_, err := r.run(t, nil)
			require.ErrorContains(t, err, test.want)
			assert.Equal(t, test.kind, fault.KindOf(err))
			assert.NoFileExists(t, filepath.Join(r.adk, "fake", "orchestrator.told"))
			r.stopped(t)
		})
	}
	t.Run("a port that somebody has is an error", func(t *testing.T) {
		r := newRig(t, script)
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", r.DBEnvPort))
		require.NoError(t, err)
		defer listener.Close()
		_, err = r.run(t, nil)
		require.ErrorContains(t, err, "say another one with db_env_port")
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	})
	t.Run("one that ends while tasks are run ends the run", func(t *testing.T) {
		r := newRig(t, `echo '{"results": [{"task_id": "alien_1", "total_reward": 1.0}]}' >"$OUTPUT"; touch fake/`+dbModule+`.die; while :; do sleep 1; done`)
		r.Grace = time.Nanosecond
		results, err := r.run(t, nil)
		require.NoError(t, err)
		assert.Equal(t, harness.Reward(1), results["alien_1"])
		assert.Equal(t, harness.Infrastructure, results["alien_2"].Status)
		assert.Contains(t, results["alien_2"].Reason, "a service has ended while tasks were run: db_environment")
		r.stopped(t)
	})
	t.Run("logs are kept in training, and in no other split", func(t *testing.T) {
		r := newRig(t, script)
		r.write(t, "fake/"+dbModule+".log", "grading pg-of-ours\n")
		_, err := r.run(t, nil)
		require.NoError(t, err)
		logs := filepath.Join(r.Host.Dir, r.JobsDir, "service_logs")
		assert.Equal(t, "grading [redacted]\n", r.file(t, logs, "db_environment.log"))
		assert.FileExists(t, filepath.Join(logs, "system_agent.log"))
		assert.FileExists(t, filepath.Join(logs, "user_simulator.log"))
		r.Split = "test"
		_, err = r.run(t, nil)
		require.NoError(t, err)
		assert.NoDirExists(t, logs)
	})
}

func TestOneRunAtATimeHasThePortsAndTheDatabases(t *testing.T) {
	r := newRig(t, `touch fake/running; while [ ! -e fake/go ]; do sleep 0.01; done; `+script)
	first, err := birdinteract.New(r.Options)
	require.NoError(t, err)
	done := make(chan error, 1)
	go func() {
		_, err := first.Run(t.Context(), nil)
		done <- err
	}()
	running := filepath.Join(r.adk, "fake", "running")
	require.Eventually(t, func() bool { _, err := os.Stat(running); return err == nil }, 10*time.Second, time.Millisecond)
	other := r.Options
	ports := freePorts(t)
	other.SystemAgentPort, other.UserSimPort, other.DBEnvPort = ports[0], ports[1], ports[2]
	for name, spoil := range map[string]func(*birdinteract.Options){
		"the same databases":              func(*birdinteract.Options) {},
		"the same databases, by name":     func(o *birdinteract.Options) { o.PGHost, o.PGPort = "localhost", 5432 },
		"the same port, another database": func(o *birdinteract.Options) { o.PGPort, o.UserSimPort = 5433, r.UserSimPort },
	} {
		t.Run(name, func(t *testing.T) {
			o := other
			spoil(&o)
			runner, err := birdinteract.New(o)
			require.NoError(t, err)
			_, err = runner.Run(t.Context(), nil)
			require.ErrorContains(t, err, "in use by a run of BIRD-Interact in "+r.Host.Dir)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
	require.NoError(t, os.WriteFile(filepath.Join(r.adk, "fake", "go"), nil, 0o600))
	require.NoError(t, <-done)
	_, err = r.run(t, nil)
	require.NoError(t, err, "it is free afterwards")
}
