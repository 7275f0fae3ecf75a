package benchcli_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

// lists is a ghx up to what it does when it is run.
const lists = `#!/bin/sh
case "$1" in
--version) echo 0.9.1; exit ;;
capabilities) echo '[{"capability_id": "repo.view"}]'; exit ;;
esac
`

func TestN9ABrokenSetUpIsNamedBeforeASession(t *testing.T) {
	for name, c := range map[string]struct {
		ghx  string
		code int
		says string
	}{
		"a build that does not start":        {"#!/bin/sh\necho Cannot find module core >&2; exit 1\n", 1, "Cannot find module core"},
		"a build that dies at its first use": {lists + "echo TypeError: x is undefined >&2; exit 1\n", 1, "TypeError: x is undefined"},
		"a ghx that prints nothing":          {lists + "exit 0\n", 2, "the proxy saw no request to GitHub"},
		"a ghx that is no program":           {"", 1, "ask ghx for its version: exit status 127: /etc/hostname"},
		"capabilities that are none":         {"#!/bin/sh\ncase $1 in --version) echo 1.0.0 ;; *) echo '[]' ;; esac\n", 1, "it is empty"},
		"a ghx that lacks what is used":      {lists + "gh api user >/dev/null\n", 2, "does not have what the scenarios use"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(stubmodel.Request) []stubmodel.Step { return nil })
			ghx, skill := filepath.Join(r.dir, "ghx"), filepath.Join(r.dir, "SKILL.md")
			if c.ghx == "" {
				c.ghx = "#!/bin/sh\nexec /etc/hostname\n"
			}
			require.NoError(t, os.WriteFile(ghx, []byte(c.ghx), 0o755)) //nolint:gosec // the agent's user runs it
			require.NoError(t, os.WriteFile(skill, []byte("Run ghx."), 0o600))
			scenario := "repo-view-001"
			if c.says == "does not have what the scenarios use" {
				scenario = "pr-merge-001"
			}
			ran := r.run(t, "verify", "--repetitions", "3", "--scenario", scenario, "--gh-command", realtool.Find(t, realtool.GH()),
				"--ghx-command", ghx, "--ghx-skill", skill)
			assert.Equal(t, c.code, ran.code, ran.stderr)
			assert.Contains(t, ran.stderr, c.says)
			if c.code == 1 {
				assert.Contains(t, ran.stderr, "FAIL: the candidate's tool does not work")
			}
			t.Logf("told after %s", ran.took)
			assert.LessOrEqual(t, len(r.model.Requests()), 1, "the model is tried, and no session begins")
			assert.Empty(t, r.rows(t))
		})
	}
}
