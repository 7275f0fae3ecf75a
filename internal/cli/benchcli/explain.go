package benchcli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

func (a *app) explainCommand() *cobra.Command {
	var dir, run string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain CELL",
		Short: "Tell what happened in one cell",
		Long: `explain shows the row of a cell and, where it was kept, the transcript: what the
agent said and did, what GitHub was asked, and why it counts as it does. A cell
is written <scenario>/<mode>/<iteration>.`,
		Example: "  bench explain pr-merge-001/ghx/1",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cell, err := bench.ParseCell(args[0])
			if err != nil {
				return fault.Wrap(fault.Invalid, err)
			}
			folder := filepath.Join(dir, run)
			if run == "" {
				if folder, err = ledger.NewestRun(dir); err != nil {
					return err
				}
			}
			source, err := verify.SourceOf(folder)
			if err != nil {
				return err
			}
			row, err := rowOf(source, cell)
			if err != nil {
				return err
			}
			transcripts := verify.TranscriptsFolder(folder, source.Runs[0])
			transcript, err := verify.LoadTranscript(transcripts, row.RunID, cell, max(1, len(row.Attempts)))
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(map[string]any{"row": row, "transcript": transcript})
			}
			a.explain(row, transcript)
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "output-dir", verify.DefaultDir, "look for runs below this `DIR`")
	cmd.Flags().StringVar(&run, "run", "", "look into the run of this `ID` (default: the newest)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func rowOf(source verify.Source, cell bench.Cell) (*bench.Row, error) {
	rows, _, err := ledger.Read(source.Files)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		if rows[i].Cell() == cell && rows[i].RunID == source.Runs[0].RunID {
			return &rows[i], nil
		}
	}
	return nil, fault.Invalidf("run %s has no row of cell %s: `bench verify --dry-run` lists the cells of a plan", source.Runs[0].RunID, cell)
}

func (a *app) explain(row *bench.Row, t *agent.Transcript) {
	outcome := "succeeded"
	if row.Error != nil {
		outcome = fmt.Sprintf("failed with %s\n  %s", row.Error.Type, row.Error.Message)
	}
	fmt.Fprintf(a.stdout, "%s %s\n", row.Cell(), outcome)
	if row.Simulated {
		fmt.Fprintln(a.stdout, simulatedNotice)
	}
	fmt.Fprintf(a.stdout, "\nmodel      %s\nlatency    %.0f ms\ntokens     %d, of which %d active (input %d, output %d, reasoning %d, cache read %d)\ncost       %.6f USD\ntools      %d calls, %d failed, in %d turns\n",
		row.Model.Signature(), row.LatencyMSWall, row.Tokens.Total, row.Tokens.Active(), row.Tokens.Input, row.Tokens.Output,
		row.Tokens.Reasoning, row.Tokens.CacheRead, row.Cost, row.ToolCalls, row.ToolErrors, row.Turns)
	if r := row.APIRequests; r != nil {
		fmt.Fprintf(a.stdout, "requests   %d REST, %d GraphQL, %d bytes, counted outside the agent\n", r.REST, r.GraphQL, r.Bytes)
	}
	if v := row.Variation; v != nil {
		fmt.Fprintf(a.stdout, "fixtures   variation %s; `bench run %s 1 --scenario %s %s` has them again\n", v, row.Mode, row.ScenarioID, again(v))
	}
	fmt.Fprintf(a.stdout, "output     %s\n", map[bool]string{true: "valid", false: "not valid"}[row.OutputValid])
	a.explainAttempts(row)
	for _, c := range row.Checkpoints {
		fmt.Fprintf(a.stdout, "checkpoint %s: %s (%s)\n", map[bool]string{true: "ok", false: "FAILED"}[c.Passed], c.Name, c.Detail)
	}
	if t == nil {
		fmt.Fprintln(a.stdout, "\nNo transcript was kept.")
		return
	}
	fmt.Fprintln(a.stdout, "\nTranscript")
	for _, m := range t.Messages {
		a.explainMessage(m)
	}
}

func (a *app) explainAttempts(row *bench.Row) {
	if len(row.Attempts) < 2 {
		return
	}
	for i, attempt := range row.Attempts {
		result := "succeeded"
		if attempt.Error != nil {
			result = string(attempt.Error.Type) + ": " + attempt.Error.Message
		}
		fmt.Fprintf(a.stdout, "attempt %d  %s\n", i+1, result)
	}
}

// shownOutput is how much of a tool's output is shown.
const shownOutput = 600

func (a *app) explainMessage(m agent.Message) {
	fmt.Fprintf(a.stdout, "\n%s", m.Role)
	if m.Role == agent.Assistant {
		fmt.Fprintf(a.stdout, " (%d tokens, %.0f ms)", m.Tokens.Total, float64(m.End.Sub(m.Start).Microseconds())/1000)
	}
	fmt.Fprintln(a.stdout)
	for _, p := range m.Parts {
		switch {
		case p.Tool != nil:
			fmt.Fprintf(a.stdout, "  %s %s\n", p.Tool.Name, compact(p.Tool.Input))
			if p.Tool.Error != "" {
				fmt.Fprintf(a.stdout, "    failed: %s\n", p.Tool.Error)
			}
			fmt.Fprintf(a.stdout, "    %s\n", strings.ReplaceAll(cut(p.Tool.Output), "\n", "\n    "))
		case p.Type == agent.PartReasoning:
			fmt.Fprintf(a.stdout, "  (thinks) %s\n", p.Text)
		default:
			fmt.Fprintln(a.stdout, indent(p.Text))
		}
	}
	if m.Error != "" {
		fmt.Fprintf(a.stdout, "  broke off: %s\n", m.Error)
	}
}

func compact(input json.RawMessage) string {
	var fields map[string]any
	if err := json.Unmarshal(input, &fields); err == nil {
		if command, ok := fields["command"].(string); ok && len(fields) == 1 {
			return command
		}
	}
	return string(input)
}

func cut(text string) string {
	text = strings.TrimSpace(text)
	if len(text) <= shownOutput {
		return text
	}
	return strings.ToValidUTF8(text[:shownOutput], "") + fmt.Sprintf(" … (%d bytes)", len(text))
}
