package birdinteract_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/harness/birdinteract"
)

// realData are two tasks with solutions: one of a query alone, one with a
// question that follows, whose solution is wrong.
const realData = `{"instance_id": "bench_1", "selected_database": "bench_real", "amb_user_query": "?", "query": "?", "sol_sql": ["SELECT name FROM planets ORDER BY size"], "test_cases": [], "category": "Query", "conditions": {"order": true}, "user_query_ambiguity": {"critical_ambiguity": []}, "knowledge_ambiguity": [], "follow_up": {}}
{"instance_id": "bench_2", "selected_database": "bench_real", "amb_user_query": "?", "query": "?", "sol_sql": ["SELECT count(*) FROM planets"], "test_cases": [], "category": "Query", "conditions": {}, "user_query_ambiguity": {"critical_ambiguity": []}, "knowledge_ambiguity": [], "follow_up": {"query": "?", "sol_sql": ["SELECT no_such_column FROM planets"], "test_cases": [], "category": "Query", "conditions": {}}}
`

// realAgent is an agent's service that has nothing to do: in mode oracle there
// is no agent.
const realAgent = `
from fastapi import FastAPI

app = FastAPI()


@app.get("/health")
async def health():
    return {"status": "healthy", "service": "auto_harness_bird_system_agent"}
`

// BENCH_BIRD_REPO is BIRD-Interact's repository. The Python with the ADK's
// packages is that of its .venv-adk, or BIRD_PYTHON_BIN; PG_HOST, PG_PORT,
// PG_USER and PG_PASSWORD say where a PostgreSQL server is, as a superuser.
func TestRealBirdInteract(t *testing.T) {
	repo := os.Getenv("BENCH_BIRD_REPO")
	if repo == "" {
		t.Skip("BENCH_BIRD_REPO is not set")
	}
	psql := exec.CommandContext(t.Context(), "psql", "--host", os.Getenv("PG_HOST"), "--port", os.Getenv("PG_PORT"), "--username", os.Getenv("PG_USER"), "--dbname", "postgres",
		"-c", "DROP DATABASE IF EXISTS bench_real_template", "-c", "CREATE DATABASE bench_real_template", "-c", `\connect bench_real_template`,
		"-c", "CREATE TABLE planets (name text, size int)", "-c", "INSERT INTO planets VALUES ('venus', 2), ('mars', 1)")
	psql.Env = append(os.Environ(), "PGPASSWORD="+os.Getenv("PG_PASSWORD"))
	out, err := psql.CombinedOutput()
	require.NoError(t, err, string(out))

	r := newRig(t, "")
	require.NoError(t, os.RemoveAll(filepath.Join(r.Host.Dir, "bird_interact_adk")))
	service := filepath.Join(r.Host.Dir, "agent", "helpers", "bird_interact", "bird_service.py")
	require.NoError(t, os.MkdirAll(filepath.Dir(service), 0o755))
	require.NoError(t, os.WriteFile(service, []byte(realAgent), 0o600))
	o := r.Options
	o.BirdRepo, o.Mode, o.Split = repo, "oracle", harness.WholeDataset
	o.DataPath = filepath.Join(r.Host.Dir, "data.jsonl")
	require.NoError(t, os.WriteFile(o.DataPath, []byte(realData), 0o600))
	o.Host.Environ = append(os.Environ(), "TMPDIR="+t.TempDir())
	o.Poll = birdinteract.DefaultPoll
	runner, err := birdinteract.New(o)
	require.NoError(t, err)
	results, err := runner.Run(t.Context(), nil)
	t.Logf("%s%v", r.log, results)
	require.NoError(t, err)
	// Whoever passes both questions of a task is rewarded with 1, the first one
	// alone with 0.7.
	assert.Equal(t, harness.Results{"bench_1": harness.Reward(0.7), "bench_2": harness.Reward(0.7)}, results)
	r.stopped(t)
}
