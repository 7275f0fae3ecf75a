package benchcli_test

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASandboxTellsTheTimeByTheClockThatIsAskedFor(t *testing.T) {
	opened := func(s *served) time.Time {
		status, text := s.ask("POST", fixtures+"/issues", `{"title": "x"}`)
		require.Equal(t, http.StatusCreated, status, text)
		var issue struct {
			At time.Time `json:"created_at"`
		}
		require.NoError(t, json.Unmarshal([]byte(text), &issue))
		return issue.At
	}
	assert.Equal(t, opened(serve(t)), opened(serve(t, "--clock", "frozen")), "the same commands make the same times")
	for _, flags := range [][]string{{"--clock", "wall"}, {"--enforce-limits"}} {
		began := time.Now().Truncate(time.Second)
		at := opened(serve(t, flags...))
		assert.False(t, at.Before(began) || at.After(time.Now()), "%s: %s", flags, at)
	}
	for want, flags := range map[string][]string{
		`--clock is "sun", want frozen or wall`:                  {"--clock", "sun"},
		"--clock frozen and --enforce-limits exclude each other": {"--clock", "frozen", "--enforce-limits"},
		"--clock frozen and --app exclude each other":            {"--clock", "frozen", "--app", "http://127.0.0.1:1"},
	} {
		out, err := exec.Command("bench", append([]string{"sandbox", "serve"}, flags...)...).CombinedOutput()
		assert.Error(t, err)
		assert.Contains(t, string(out), want)
	}
}
