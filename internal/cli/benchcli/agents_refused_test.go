package benchcli_test

import (
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
)

// futureName is the name of futureOpenCode.
const futureName = "opencode-of-the-future"

// futureOpenCode is a program that serves as OpenCode does, and tells another
// version.
func futureOpenCode() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		os.Exit(1)
	}
	_, _ = os.Stdout.WriteString("opencode server listening on http://" + listener.Addr().String() + "\n")
	_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"healthy": true, "version": "99.1.0"}`))
	}))
}

// requireComplaint fails unless a command ended with that code and one line on
// stderr, which has the texts.
func requireComplaint(t *testing.T, e ended, code int, texts ...string) {
	t.Helper()
	assert.Equal(t, code, e.code)
	var lines []string
	for line := range strings.Lines(e.stderr) {
		if strings.HasPrefix(line, "bench: ") && !strings.Contains(line, "held less than they could be") {
			lines = append(lines, line)
		}
	}
	require.Len(t, lines, 1, e.stderr)
	for _, text := range texts {
		assert.Contains(t, lines[0], text)
	}
}

func TestG16AnOpenCodeThatCannotRunIsToldOfBeforeAnythingRuns(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, bin string
		code      int
		says      []string
	}{
		{"one that is missing", "no-such-opencode", 2, []string{"OpenCode is not there", "npm install -g opencode-ai@" + opencode.Version}},
		{"one of an unknown version", futureName, 2, []string{"OpenCode 99.1.0 cannot be used", "npm install -g opencode-ai@" + opencode.Version}},
		{"one that ends at once", "false", 3, []string{"OpenCode has ended"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			ran := r.run(t, "run", "agent_direct", "1", "--gh-command", realtool.Find(t, realtool.GH()), "--opencode-bin", c.bin)
			requireComplaint(t, ran, c.code, c.says...)
			assert.Empty(t, r.rows(t))
			for _, asked := range r.model.Requests() {
				assert.NotEmpty(t, asked.Choice, "the model was only tried")
			}
			assert.Empty(t, running(t, r.temp))
		})
	}
}

func TestARefusedKeyStopsTheSuiteAndTheRightOneGoesOn(t *testing.T) {
	t.Parallel()
	s := newStage(t, []deed{
		{id: "first-001", steps: runs("gh api user --jq .login"), row: succeeds},
		{id: "second-001", steps: runs("gh api user --jq .login"), row: succeeds},
	})
	s.env = append(s.env, "STUB_KEY=sk-the-key-that-is-not-right")
	s.perform(t, "--concurrency", "2", "--skip-canary")
	requireComplaint(t, s.ended, 2, "refuses the API key", "STUB_KEY")
	assert.Empty(t, s.rows)
	assert.LessOrEqual(t, s.model.Refused(), 2, "the one that was refused, and at most one more")
	s.requireNowhere(t, "sk-the-key-that-is-not-right", modelKey)
	s.requireNothingLeft(t)

	s.env = slices.DeleteFunc(s.env, func(entry string) bool { return strings.HasSuffix(entry, "not-right") })
	s.ended = s.run(t, "run", "agent_direct", "1", "--resume", "--scenarios", s.dir+"/scenarios", "--skip-warmup",
		"--gh-command", realtool.Find(t, realtool.GH()))
	for _, row := range s.rig.rows(t)[bench.AgentDirect] {
		s.rows[row.ScenarioID] = row
	}
	s.check(t)
	s.requireNothingLeft(t)
}

func TestDoctorAsksTheModel(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	ask := func(key string) string {
		cmd := benchIn(r.dir, "doctor", "--model", "stub/m", "--model-base-url", r.flag("--model-base-url"), "--model-api-key-env", "STUB_KEY")
		cmd.Env = append(r.env, "STUB_KEY="+key)
		out, _ := cmd.CombinedOutput() // it fails where anything is missing here
		return string(out)
	}
	assert.Regexp(t, `ok +model +stub/m answers, and calls tools`, ask(modelKey))
	assert.Regexp(t, `PROBLEM +model +the model's API at .* refuses the API key \(401`, ask("sk-wrong-key-of-the-doctor"))
}
