package appcli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/s2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/queue"
	"github.com/ghx-dev/bench-action/internal/sandbox/gitstore"
	"github.com/ghx-dev/bench-action/internal/sandbox/model"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

const (
	// modelKey is what the stub of the model takes as its key.
	modelKey = "sk-the-real-key-of-the-model"
	// real are settings of two short scenarios with a model.
	real = "model: stub/m\nexecutor: local\nscenarios: [pr-view-001, pr-merge-001]\nrepetitions: 2\nmodes: [agent_direct, ghx]\n"
	// rules are what a model costs and what the gate wants of its agents. How
	// long they take is not up to them on a machine that does other work.
	rules = `{"default_model": "stub/m",
		"expectations": {"stub/m": {"verify_pr": {
			"maxSuccessRateDropPct": 0, "minOutputValidityRatePct": 100, "maxRunnerFailureRatePct": 0, "maxTimeoutStallRatePct": 0,
			"maxRetryRatePct": 0, "minSamplesPerScenarioPerMode": 2, "minEfficiencyCoveragePct": 100, "minTokensActiveReductionPct": 20,
			"minLatencyReductionPct": -100, "minToolCallReductionPct": 20, "minCostReductionPct": 20}}},
		"pricing": {"stub/m": {"input": 2, "output": 10, "cache_read": 0.2, "cache_write": 0}}}`
	// patience is how long agents with a model may take.
	patience = 4 * time.Minute
)

// withModel is a world whose servers have a model and the programs of agents.
type withModel struct {
	*world
	model *stubmodel.Server
	more  []string
	// tools is the PATH of the server.
	tools string
}

// newWithModel returns one without a server. The files are those of the
// repository.
func newWithModel(t *testing.T, config string, plan func(stubmodel.Request) []stubmodel.Step, files ...gitstore.Change) *withModel {
	t.Helper()
	tools := t.TempDir()
	for name, tool := range map[string]realtool.Tool{
		"opencode": {Name: "opencode", Variable: "BENCH_OPENCODE", Mend: "npm install -g opencode-ai@" + opencode.Version},
		"gh":       realtool.GH(),
	} {
		path, err := filepath.Abs(realtool.Find(t, tool))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(path, filepath.Join(tools, name)))
	}
	m := &withModel{world: newWorld(t, config, files...), model: &stubmodel.Server{Plan: plan, Key: modelKey}}
	endpoint, err := m.model.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	prices := filepath.Join(t.TempDir(), "prices.json")
	require.NoError(t, os.WriteFile(prices, []byte(rules), 0o600))
	m.tools = tools + string(os.PathListSeparator) + os.Getenv("PATH")
	m.more = []string{
		"PATH=" + m.tools, "BENCH_MODEL_API_KEY=" + modelKey, "BENCH_APP_MODEL_BASE_URL=" + endpoint.URL, "BENCH_APP_EXPECTATIONS=" + prices,
		"BENCH_APP_CLIENT_ID=Iv1.bench", "BENCH_APP_CLIENT_SECRET=a-client-secret",
	}
	m.Change(func(s *model.State, _ *model.Repo) {
		s.Apps.Get(m.app).CallbackURLs = []string{"http://bench.example/login/callback"}
	})
	return m
}

// judged waits for the end of a run of agents with a model.
func (m *withModel) judged() model.CheckRun {
	m.t.Helper()
	late := time.Now().Add(patience)
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for c := m.last(); c == nil || c.Status != model.Completed; c = m.last() {
		<-ticker.C
		require.True(m.t, time.Now().Before(late), "it never ended: %+v\n%s", c, m.servers[0].out)
	}
	return *m.last()
}

// lookAround is a command that looks for what is the server's, and says what it
// finds. What it looks for is not in it, so that nobody finds that.
func lookAround(s *server, folder string) string {
	return fmt.Sprintf(`env; echo "I am user $(id -u)"
for f in environ mem maps; do head -c 1 /proc/%[1]d/$f >/dev/null 2>&1 && echo "LEAK: read $f"; done
for f in fd cwd root; do ls /proc/%[1]d/$f/ >/dev/null 2>&1 && echo "LEAK: open $f"; done
cat /proc/%[1]d/status >/dev/null && echo "the server was looked at"
ls -la %[2]s && echo "the data folder was looked at"
find %[2]s -type f 2>/dev/null | while read f; do head -c 1 "$f" >/dev/null 2>&1 && echo "LEAK: read $f"; done
find %[2]s -type d 2>/dev/null | while read d; do touch $d/agent 2>/dev/null && echo "LEAK: wrote in $d"; done
for f in $(cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' '\n' | grep -c -e 'sk-the-rea[l]' -e 'a-webhook-secre[t]' -e 'BEGIN RS[A]' -e 'gh[s]_'); do echo "secrets found: $f"; done
curl -s -m 3 --noproxy '*' -o /dev/null http://%[3]s/healthz && echo "the server answers"
echo searched`, s.cmd.Process.Pid, folder, s.address)
}

// requireNowhere fails if a secret is in what the server keeps, has printed or
// said, or in what an agent has told its model.
func (m *withModel) requireNowhere(s *server, log string) {
	m.t.Helper()
	texts := map[string]string{"output": s.out.String(), "log": log, "comments": strings.Join(m.comments(), "\n")}
	for _, c := range m.checks() {
		text, err := json.Marshal(c)
		require.NoError(m.t, err)
		texts["check run "+fmt.Sprint(c.ID)] = string(text)
	}
	for i, r := range m.model.Requests() {
		texts[fmt.Sprint("request to the model ", i)] = string(r.Body)
	}
	require.NoError(m.t, filepath.WalkDir(m.folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		texts[path] = string(data)
		return err
	}))
	for table, text := range m.tables() {
		texts["table "+table] = text
	}
	secrets := []string{modelKey, secret, "a-client-secret", strings.Split(m.private, "\n")[1]}
	for _, entry := range m.Audit() {
		if strings.HasPrefix(entry.Token, "ghs_") {
			secrets = append(secrets, entry.Token)
		}
	}
	require.Greater(m.t, len(secrets), 4, "tokens of the installation")
	for _, hidden := range secrets {
		for name, text := range texts {
			assert.False(m.t, strings.Contains(text, hidden), "%s has %q", name, hidden)
		}
	}
}

// tables returns what is in the tables of the server's database, unpacked.
func (m *withModel) tables() map[string]string {
	m.t.Helper()
	ctx := m.t.Context()
	db, err := queue.OpenDB(ctx, m.database)
	require.NoError(m.t, err)
	defer db.Close()
	found := map[string]string{}
	names, err := db.Query(ctx, "SELECT name FROM sqlite_master WHERE type = 'table'")
	require.NoError(m.t, err)
	defer names.Close()
	for names.Next() {
		var table string
		require.NoError(m.t, names.Scan(&table))
		rows, err := db.Query(ctx, "SELECT * FROM "+table)
		require.NoError(m.t, err)
		columns, err := rows.Columns()
		require.NoError(m.t, err)
		for rows.Next() {
			values := make([][]byte, len(columns))
			targets := make([]any, len(columns))
			for i := range values {
				targets[i] = &values[i]
			}
			require.NoError(m.t, rows.Scan(targets...))
			for i, value := range values {
				if plain, err := s2.Decode(nil, value); err == nil {
					value = plain
				}
				found[table+"."+columns[i]] += string(value) + "\n"
			}
		}
		require.NoError(m.t, rows.Err())
	}
	require.NoError(m.t, names.Err())
	require.Contains(m.t, found["delivery.event"], "pull_request")
	return found
}

func TestARealAgentGetsItsVerdict(t *testing.T) {
	testkit.NeedComplete(t)
	for name, ghx := range map[string]struct {
		env func(t *testing.T) []string
		log string
	}{
		"with the ghx that the commit builds": {func(*testing.T) []string {
			return []string{"BENCH_APP_BUILD_COMMAND=" + proposedBuild, "BENCH_APP_GHX_COMMAND=out/ghx", "BENCH_APP_GHX_SKILL=SKILL.md"}
		}, "was built"},
		"with the ghx that is installed": {func(t *testing.T) []string {
			program, skill := realtool.Find(t, realtool.GHX()), filepath.Join(t.TempDir(), "SKILL.md")
			require.NoError(t, os.WriteFile(skill, []byte(proposedSkill), 0o600))
			return []string{"BENCH_APP_BUILD_COMMAND=none", "BENCH_APP_GHX_COMMAND=" + program, "BENCH_APP_GHX_SKILL=" + skill}
		}, "--ghx-command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := ghx.env(t)
			var m *withModel
			var s *server
			m = newWithModel(t, real, agents(func() string { return lookAround(s, m.folder) }),
				gitstore.Change{Path: "ghx.sh", Content: []byte(proposedGHX)}, gitstore.Change{Path: "SKILL.md", Content: []byte(proposedSkill)})
			s = m.serveBuilding(append(m.more, env...)...)
			opened := time.Now()
			m.open()
			check := m.judged()
			t.Logf("from opened to the verdict: %s; the server took %d MB at most", time.Since(opened).Round(time.Millisecond), s.memory(t))
			browser := m.browser("owner", s)
			page(t, browser, "/login?next=/")
			_, log := page(t, browser, "/runs/"+check.ExternalID+"/log")
			require.Equal(t, model.Conclusion("success"), check.Conclusion, "%s\n%s\n%s", check.Output.Summary, check.Output.Text, log)
			assert.Contains(t, log, ghx.log)
			m.said("Cost 0.")
			assert.Zero(t, s.stop(t), s.out)
			m.requireRows(check.ExternalID)
			m.requireHeld()
			m.requireNowhere(s, log)
		})
	}
}

// requireRows fails unless the rows of a run are those of real sessions.
func (m *withModel) requireRows(run string) {
	m.t.Helper()
	rows := m.ledgers(m.folder)[run]
	require.Len(m.t, rows, 8)
	require.Len(m.t, m.stored()[run], 8)
	for _, row := range rows {
		assert.True(m.t, row.Success, "%s: %+v", row.Cell(), row.Error)
		assert.False(m.t, row.Simulated)
		assert.Positive(m.t, row.Cost)
		assert.Equal(m.t, "opencode "+opencode.Version, row.Tools["agent"])
		require.NotNil(m.t, row.SessionID)
		charged := m.model.Charged(func(r stubmodel.Request) bool { return r.Session() == *row.SessionID })
		assert.Positive(m.t, charged.Total())
		assert.Equal(m.t, charged.Total(), row.Tokens.Total, row.Cell())
		require.NotNil(m.t, row.APIRequests)
		assert.Positive(m.t, row.APIRequests.REST+row.APIRequests.GraphQL)
		m.t.Logf("%s: %.0f ms, %d tokens, %.4f USD, %s", row.Cell(), row.LatencyMSWall, row.Tokens.Total, row.Cost, row.Tools["egress"])
	}
}

// requireHeld fails if an agent has found something of the server's.
func (m *withModel) requireHeld() {
	m.t.Helper()
	looked := 0
	for _, r := range m.model.Requests() {
		for _, text := range heard(r) {
			if !strings.Contains(text, "I am user") {
				continue
			}
			looked++
			assert.Contains(m.t, text, "searched")
			assert.Contains(m.t, text, "the server was looked at")
			assert.Contains(m.t, text, "secrets found: 0")
			assert.NotContains(m.t, text, "BENCH_APP_")
			if os.Geteuid() == 0 {
				assert.Regexp(m.t, `I am user 58\d\d\d`, text)
				assert.Contains(m.t, text, "the data folder was looked at")
				assert.NotContains(m.t, text, "LEAK")
				assert.NotContains(m.t, text, "the server answers")
			}
		}
	}
	assert.GreaterOrEqual(m.t, looked, 2)
}
