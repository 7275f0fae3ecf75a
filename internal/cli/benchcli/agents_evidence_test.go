package benchcli_test

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

var (
	evidenceRuns = flag.Int("evidence-runs", 0, "run so many suites with a real agent whose time and tokens vary, of an unchanged build and of one that is 25 % dearer")
	evidenceSeed = flag.Uint64("evidence-seed", 0, "the seed of the first of them")
)

// variedScenarios are read with one command of ghx each.
var variedScenarios = []string{
	"issue-view-001", "issue-list-001", "pr-view-001", "pr-list-001", "release-list-001", "repo-view-001", "workflow-list-001", "workflow-view-001",
}

// variedThinking is how long the model takes for a usual answer.
const variedThinking = 200 * time.Millisecond

// dearer is in the skill text of a build that costs more.
const dearer = "This one is dearer."

// variedModel thinks and charges as much as published rows do, whose latencies
// have coefficients of variation from 0.09 to 0.45 within a scenario.
type variedModel struct {
	mu     sync.Mutex
	random *rand.Rand
	// sessions have the factor of their time and that of their tokens.
	sessions map[string][2]float64
}

func (m *variedModel) plan(r stubmodel.Request) []stubmodel.Step {
	m.mu.Lock()
	defer m.mu.Unlock()
	factors, known := m.sessions[r.Session()]
	if !known {
		cv := 0.09 + 0.36*m.random.Float64()
		sigma := math.Sqrt(math.Log1p(cv * cv))
		factors = [2]float64{math.Exp(sigma * m.random.NormFloat64()), math.Exp(sigma * m.random.NormFloat64())}
		if strings.Contains(r.System(), dearer) {
			factors[1] *= 1.25
		}
		m.sessions[r.Session()] = factors
	}
	steps := withGHX(r)
	for i := range steps {
		steps[i].Latency = time.Duration(factors[0] * float64(variedThinking))
		u := &steps[i].Usage
		for _, tokens := range []*int64{&u.Prompt, &u.Cached, &u.Completion} {
			*tokens = int64(factors[1] * float64(*tokens))
		}
	}
	return steps
}

// What the operating characteristics say holds through a real agent too: an
// unchanged build passes, and one that is 25 % dearer fails.
func TestEvidenceTellsBuildsApartThroughARealAgent(t *testing.T) {
	if *evidenceRuns == 0 {
		t.Skip("a soak, for -evidence-runs")
	}
	for _, build := range []struct {
		name, skill string
		code        int
	}{{"unchanged", "", 0}, {"25 % dearer", dearer, 1}} {
		t.Run(build.name, func(t *testing.T) {
			ended := map[int]int{}
			for i := range *evidenceRuns {
				model := &variedModel{random: rand.New(rand.NewPCG(*evidenceSeed+uint64(i), 15)), sessions: map[string][2]float64{}}
				r := newRig(t, model.plan)
				skill := "Run `ghx run CAPABILITY --input -`. "
				base, head := filepath.Join(r.dir, "base.md"), filepath.Join(r.dir, "head.md")
				require.NoError(t, os.WriteFile(base, []byte(skill), 0o600))
				require.NoError(t, os.WriteFile(head, []byte(skill+build.skill), 0o600))
				ghx := realtool.Find(t, realtool.GHX())
				args := []string{
					"verify", "--gate-profile", "regression", "--modes", "ghx@base,ghx", "--baseline-mode", "ghx@base", "--concurrency", "2",
					"--ghx-command", ghx, "--ghx-skill", head, "--base-ghx", ghx, "--base-ghx-skill", base, "--base-commit", strings.Repeat("b", 40),
				}
				for _, id := range variedScenarios {
					args = append(args, "--scenario", id)
				}
				ran := r.run(t, args...)
				ended[ran.code]++
				rows := r.rows(t)
				t.Logf("run %d: exit %d after %s, %d sessions: %s", i, ran.code, ran.took.Round(time.Second), len(rows["ghx"])+len(rows["ghx@base"]), verdictLine(ran.stdout))
				if ran.code != 0 && ran.code != 1 && ran.code != 4 {
					t.Fatal(ran.stderr)
				}
			}
			// V13 has at least 90 % of either; 20 runs come to fewer than 16 with a
			// probability of 4 %.
			assert.GreaterOrEqual(t, ended[build.code]*5, *evidenceRuns*4, "exit codes and how often: %v", ended)
		})
	}
}

// verdictLine returns the line that has the verdict's word.
func verdictLine(report string) string {
	for line := range strings.Lines(report) {
		for _, word := range []string{"PASS", "FAIL", "CAN'T TELL", "can't tell"} {
			if strings.Contains(line, word) {
				return strings.TrimSpace(line)
			}
		}
	}
	return report
}
