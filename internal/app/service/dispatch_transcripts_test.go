package service_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/runs"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
)

// What a workflow leaves of its sessions is somebody else's: what fits a row is kept,
// whatever the rest is, and the rows count in any case.
func TestTranscriptsOfAWorkflowAreKeptBesideItsRows(t *testing.T) {
	said := func(mode bench.Mode, attempt int, text string) verify.KeptTranscript {
		return verify.KeptTranscript{RunID: "x", Cell: bench.Cell{ScenarioID: "a", Mode: mode, Iteration: 1}, Attempt: attempt, Transcript: agent.Transcript{
			SchemaVersion: 1, Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: text}}}},
		}}
	}
	again := rowOf(bench.GHX)
	again.Attempts = make([]bench.Attempt, 2)
	newer := said(bench.AgentDirect, 1, "of another version")
	newer.SchemaVersion = agent.TranscriptSchemaVersion + 1
	other := said(bench.MCP, 1, "of a cell without a row")
	for name, c := range map[string]struct {
		transcripts []byte
		want        map[string]string
		log         string
	}{
		"those of the rows": {archive(t,
			file{"a/agent_direct-1-1.json", said(bench.AgentDirect, 1, "done")}, file{"a/ghx-1-1.json", said(bench.GHX, 1, "the first try")}, file{"../../ghx-1-2.json", said(bench.GHX, 2, "the second")},
			file{"a/mcp-1-1.json", other}, file{"a/mcp-1-0.json", said(bench.MCP, 0, "of no attempt")}, file{"b.json", "{"}, file{"c.json", `"` + strings.Repeat("x", 9<<20) + `"`},
		), map[string]string{"a/agent_direct/1": "done", "a/ghx/1": "the second"}, ""},
		"one of a newer version":  {archive(t, file{"n.json", newer}), map[string]string{}, ""},
		"as many files as may be": {large(t, 19_999, 0, file{"n.json", said(bench.AgentDirect, 1, "done")}), map[string]string{"a/agent_direct/1": "done"}, ""},
		"too many files":          {large(t, 20_001, 0), map[string]string{}, "has more than 20000 files"},
		"too much":                {large(t, 32, 8<<20), map[string]string{}, "they are larger than 256 MiB together"},
		"no archive":              {[]byte("nothing"), map[string]string{}, "Its transcripts are not kept: "},
		"none":                    {nil, map[string]string{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := newDispatchRig(t)
			got, rows := map[string]string{}, 0
			r.work.Keep = func(bench.Cell, []byte) { rows++ }
			r.work.KeepTranscript = func(cell bench.Cell, t agent.Transcript) { got[cell.String()] = t.Answer() }
			require.ErrorIs(t, r.execute(0), service.ErrElsewhere)
			ended := own(9)
			ended.Status, ended.Conclusion = "completed", "success"
			r.shown, r.transcripts = []workflowRun{ended}, c.transcripts
			r.artifact = archive(t, file{"summary.json", summary()}, file{"rows-suite.jsonl", lines(t, rowOf(bench.AgentDirect), again)})
			r.now = r.now.Add(time.Minute)
			outcome, err := r.Execute(t.Context(), r.work)
			require.NoError(t, err)
			require.NotNil(t, outcome.Summary)
			assert.Equal(t, 2, rows)
			assert.Equal(t, c.want, got)
			assert.Equal(t, c.log != "", strings.Contains(outcome.Log, "transcripts"), outcome.Log)
			assert.Contains(t, outcome.Log, c.log)
		})
	}
}

// large returns an archive that takes little to pack, with files of so many zeros and some more.
func large(t *testing.T, files, length int, more ...file) []byte {
	t.Helper()
	zeros := make([]byte, length)
	var packed, out bytes.Buffer
	packer, err := flate.NewWriter(&packed, flate.BestSpeed)
	require.NoError(t, err)
	_, err = packer.Write(zeros)
	require.NoError(t, errors.Join(err, packer.Close()))
	writer, sum := zip.NewWriter(&out), crc32.ChecksumIEEE(zeros)
	for range files {
		w, err := writer.CreateRaw(&zip.FileHeader{
			Name: "x.json", Method: zip.Deflate, CRC32: sum, CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(length),
		})
		require.NoError(t, err)
		_, err = w.Write(packed.Bytes())
		require.NoError(t, err)
	}
	for _, f := range more {
		data, err := json.Marshal(f.content)
		require.NoError(t, err)
		w, err := writer.Create(f.name)
		require.NoError(t, err)
		_, err = w.Write(data)
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return out.Bytes()
}

// A transcript is what an agent said, which may have seen anything.
func TestATranscriptIsKeptWithoutSecrets(t *testing.T) {
	t.Parallel()
	r := newRig(t, config)
	cell := cellOf("pr-view-001", 1)
	r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
		w.Keep(cell, []byte(`{"scenario_id":"pr-view-001","mode":"ghx","iteration":1}`))
		w.KeepTranscript(cell, agent.Transcript{Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{
			{Type: agent.PartTool, Tool: &agent.ToolCall{Name: "bash", Input: json.RawMessage(`{"command":"echo hunter2"}`), Output: "hunter2"}},
		}}}})
		return passes(ctx, w)
	})
	r.pullEvent("opened")
	r.wait(1)
	kept, err := r.table.Transcript(t.Context(), "run-1", cell)
	require.NoError(t, err)
	require.NotNil(t, kept)
	call := kept.Messages[0].Parts[0].Tool
	assert.JSONEq(t, `{"command":"echo [redacted]"}`, string(call.Input))
	assert.Equal(t, "[redacted]", call.Output)

	r.comment("writer", "/bench retry")
	r.wait(1)
	taken, err := r.table.Transcript(t.Context(), "run-2", cell)
	require.NoError(t, err)
	assert.Equal(t, kept, taken, "what is taken over is told of too")
}

// A run goes on without a transcript; what may have a secret in it is not kept.
func TestATranscriptThatCannotBeKeptIsSaid(t *testing.T) {
	t.Parallel()
	said := func(part agent.Part) agent.Transcript {
		return agent.Transcript{Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{part}}}}
	}
	const nothing = "DELETE FROM run_transcript"
	secret := said(agent.Part{Type: agent.PartText, Text: "hunter2"})
	cell := cellOf("pr-view-001", 1)
	for name, c := range map[string]struct {
		said   agent.Transcript
		redact func(string) string
		// change is done in the database while it is kept, and undo after that.
		change, undo string
		says         string
	}{
		"the table is away":        {secret, redact, "ALTER TABLE run_transcript RENAME TO away", "ALTER TABLE away RENAME TO run_transcript", "add up transcripts of run run-1"},
		"there is no room for it":  {secret, redact, "INSERT INTO run_transcript (run, cell, size, transcript) VALUES ('run-1', 'other', 67108864, '')", nothing, "those of the run take as much as they may"},
		"it is nothing without it": {secret, func(s string) string { return strings.ReplaceAll(s, "hunter2", `"`) }, nothing, nothing, "store a transcript without its secrets"},
		"it cannot be written":     {said(agent.Part{Type: agent.PartTool, Tool: &agent.ToolCall{Input: json.RawMessage("{")}}), redact, nothing, nothing, "store a transcript: json: "},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, config, func(o *service.Options) { o.Redact = c.redact })
			r.executor.set(func(ctx context.Context, w service.Work) (runs.Outcome, error) {
				r.does(c.change)
				w.KeepTranscript(cell, c.said)
				r.does(c.undo)
				return passes(ctx, w)
			})
			r.pullEvent("opened")
			r.wait(1)
			assert.Equal(t, "success", string(r.check().Conclusion))
			assert.NotEmpty(t, r.logged("a transcript is not kept", c.says, "run-1"))
			kept, err := r.table.Transcript(t.Context(), "run-1", cell)
			require.NoError(t, err)
			assert.Nil(t, kept)
		})
	}
}
