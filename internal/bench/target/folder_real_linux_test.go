package target_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/agent/opencode"
	"github.com/ghx-dev/bench-action/internal/bench/runner"
	"github.com/ghx-dev/bench-action/internal/bench/scenario"
	"github.com/ghx-dev/bench-action/internal/bench/target"
	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/ghx-dev/bench-action/internal/testkit/fake"
	"github.com/ghx-dev/bench-action/internal/testkit/realtool"
	"github.com/ghx-dev/bench-action/internal/testkit/stubmodel"
)

var correction = regexp.MustCompile(`In the file "([^"]+)" the total is wrong: it is (\d+)\.`)

// correcting plays an agent that reads an invoice and writes its total, with the
// tools that it has.
func correcting(r stubmodel.Request) []stubmodel.Step {
	found := correction.FindStringSubmatch(r.Prompt())
	if found == nil {
		return []stubmodel.Step{{Text: "I was not told what to correct."}}
	}
	file, total := "invoices/"+found[1], found[2]
	for _, tool := range r.Tools {
		if tool == "bash" {
			return []stubmodel.Step{
				{Calls: []stubmodel.Call{{Name: "bash", Arguments: map[string]string{
					"command": "sed -i 's/^total: .*/total: " + total + "/' " + file, "description": "correct it",
				}}}},
				{Text: "Done."},
			}
		}
	}
	said := r.Messages[len(r.Messages)-1].Text
	return []stubmodel.Step{
		{Calls: []stubmodel.Call{{Name: "files_read_text_file", Arguments: map[string]any{"path": file}}}},
		{Calls: []stubmodel.Call{{Name: "files_edit_file", Arguments: map[string]any{
			"path": file, "edits": []any{map[string]any{"oldText": regexp.MustCompile(`total: \d+`).FindString(said), "newText": "total: " + total}},
		}}}},
		{Text: "Done."},
	}
}

// inFolder has agents work in a host's folder, as stations have it.
type inFolder struct {
	target.Target
	hosts map[bench.Mode]agent.Host
}

// Prepare prepares a place there.
func (f inFolder) Prepare(ctx context.Context, n target.Needs) (*target.Place, error) {
	if n.Mode == "" {
		return f.Target.Prepare(ctx, n)
	}
	task := *n.Task
	task.Folder = f.hosts[n.Mode].Folders().Work
	n.Task = &task
	made, err := f.Target.Prepare(ctx, n)
	if err == nil {
		made.Env = []string{"PATH=" + os.Getenv("PATH")}
	}
	return made, err
}

// A tool that has nothing to do with GitHub, the MCP server of files, is measured
// beside a shell by real agents, on the example of the documentation.
func TestAnMCPServerOfFilesIsMeasuredBesideAShell(t *testing.T) {
	testkit.NeedComplete(t)
	testkit.NeedShell(t)
	bin := realtool.Find(t, realtool.Tool{Name: "opencode", Variable: "BENCH_OPENCODE", Mend: "make clients"})
	server, node := realtool.Find(t, realtool.FilesystemMCP()), realtool.Find(t, realtool.Node())
	library, err := scenario.Load(os.DirFS("../../../docs/examples/invoices"))
	require.NoError(t, err)
	s, err := library.Scenario("invoices-correct-wf-001")
	require.NoError(t, err)

	const shell, files = bench.AgentDirect, bench.MCP
	hosts := map[bench.Mode]agent.Host{}
	for _, mode := range []bench.Mode{shell, files} {
		hosts[mode], err = agent.NewLocal(t.TempDir())
		require.NoError(t, err)
	}
	model := &stubmodel.Server{Plan: correcting}
	endpoint, err := model.Listen(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, endpoint.Close()) })
	provider, err := opencode.New(opencode.Options{
		Bin: bin, Model: bench.ModelRef{ProviderID: "stub", ModelID: "m"}, ModelBaseURL: endpoint.URL, ModelKey: "placeholder",
		Hosts: func(mode bench.Mode, _ int) (agent.Host, error) { return hosts[mode], nil },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, provider.Close()) })

	var ledger fake.Ledger
	cfg := runner.Config{
		Scenarios: map[string]bench.Scenario{s.ID: s}, Order: runner.Sequential, Concurrency: 1, SkipWarmup: true,
		FirstAnswer: time.Minute, Stall: time.Minute, RunID: "run-1", Variations: bench.Variations{Seed: 5},
	}
	cfg.Plan = runner.Plan(runner.PlanOptions{ScenarioIDs: []string{s.ID}, Modes: []bench.Mode{shell, files}, Repetitions: 2, Order: runner.Sequential})
	cfg.Cells = cfg.Plan
	outcome, err := runner.Run(t.Context(), cfg, runner.Deps{
		Target:   inFolder{target.NewFolder(target.FolderOptions{Files: library.Files(), Env: []string{"PATH=/usr/bin:/bin"}, Base: t.TempDir()}, nil), hosts},
		Provider: provider, Ledger: &ledger, Now: time.Now, Wait: fake.Sleep,
		Setups: map[bench.Mode]agent.Setup{
			shell: {Shell: true},
			files: {MCP: map[string]agent.MCPServer{"files": {Command: []string{node, server, "."}}}},
		},
	})
	require.NoError(t, err)
	require.Empty(t, outcome.Left)
	rows := ledger.Rows()
	require.Len(t, rows, 4)
	for _, row := range rows {
		assert.Nil(t, row.Error, "%s: %+v", row.Mode, row.Error)
		assert.True(t, row.Success)
		assert.True(t, *row.FootprintJudged)
		assert.Zero(t, row.ToolErrors)
		assert.Equal(t, map[bench.Mode]int{shell: 1, files: 2}[row.Mode], row.ToolCalls)
	}
	assert.Equal(t, rows[0].Variation, rows[2].Variation, "an iteration is the same in both modes")
	assert.NotEqual(t, rows[0].Variation, rows[1].Variation)
	for _, host := range hosts {
		left, err := filepath.Glob(filepath.Join(host.Folders().Work, "*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	}
}
