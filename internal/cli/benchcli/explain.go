package benchcli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/cli/taskrun"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
)

func (a *app) explainCommand() *cobra.Command {
	var dir, run string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain CELL",
		Short: "Tell what happened in one cell",
		Long: `explain shows the row of a cell and, where it was kept, the transcript: what the
agent said and did, what GitHub was asked, what was changed there (what the scenario
does not allow first), and why it counts as it does. A cell is written
<scenario>/<mode>/<iteration>.`,
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
			if row == nil {
				return noRow(dir, source.Runs[0].RunID, cell)
			}
			transcripts := verify.TranscriptsFolder(folder, source.Runs[0])
			transcript, err := verify.LoadTranscript(transcripts, row.RunID, cell, max(1, len(row.Attempts)))
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(map[string]any{"row": row, "transcript": transcript})
			}
			a.explain(row, source.Runs[0], transcript)
			if account := taskrun.AccountPath(transcripts, cell); row.Reward != nil && isFile(account) {
				fmt.Fprintf(a.stdout, "\nThe benchmark's own account of the task is in %s\n", account)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "output-dir", verify.DefaultDir, "look for runs below this `DIR`")
	cmd.Flags().StringVar(&run, "run", "", "look into the run of this `ID` (default: the newest)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// rowOf returns the row of a cell, nil if the run has none.
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
	return nil, nil
}

// noRow says that a run has no row of a cell, and which other run has one.
func noRow(dir, run string, cell bench.Cell) error {
	all, err := verify.SourcesIn(dir)
	if err != nil {
		return err
	}
	for _, other := range all {
		if row, err := rowOf(other, cell); err == nil && row != nil {
			return fault.Invalidf("run %s has no row of cell %s, and run %s has one: give --run %s", run, cell, row.RunID, row.RunID)
		}
	}
	return fault.Invalidf("run %s has no row of cell %s, and neither has another run in %s: `bench verify --dry-run` lists the cells of a plan", run, cell, dir)
}

// explain tells of a row. What agents wrote cannot change how the rest is shown.
func (a *app) explain(row *bench.Row, run ledger.RunInfo, t *agent.Transcript) {
	var text strings.Builder
	explainRow(&text, row, run)
	explainTranscript(&text, t)
	fmt.Fprint(a.stdout, changes.Visible(text.String()))
}

func tokens(n int64) string { return bench.CountText(float64(n)) }

func explainRow(out io.Writer, row *bench.Row, run ledger.RunInfo) {
	outcome := "succeeded"
	if row.Error != nil {
		outcome = fmt.Sprintf("failed with %s\n  %s", row.Error.Type, row.Error.Message)
	}
	fmt.Fprintf(out, "%s %s\n", row.Cell(), outcome)
	if row.Simulated {
		fmt.Fprintln(out, simulatedNotice)
	}
	fmt.Fprintf(out, "\nmodel      %s\nlatency    %s\ntokens     %s, of which %s active (input %s, output %s, reasoning %s, cache read %s)\ncost       %s\ntools      %d calls, %d failed, in %d turns\n",
		row.Model.Text(), bench.DurationText(row.LatencyMSWall), tokens(row.Tokens.Total), tokens(row.Tokens.Active()), tokens(row.Tokens.Input), tokens(row.Tokens.Output),
		tokens(row.Tokens.Reasoning), tokens(row.Tokens.CacheRead), bench.USDAmount(row.Cost), row.ToolCalls, row.ToolErrors, row.Turns)
	explainTools(out, row.ToolUse)
	if r := row.APIRequests; r != nil {
		fmt.Fprintf(out, "requests   %d REST, %d GraphQL, %d bytes, counted outside the agent\n", r.REST, r.GraphQL, r.Bytes)
	}
	if w := row.Wire; w != nil {
		fmt.Fprintf(out, "wire       %d calls of the model's API, %d answers, %d tokens, counted outside the agent\n", w.Calls, w.Answers, w.Tokens.Total)
	}
	if _, doubt := row.WireDoubt(); doubt != "" {
		fmt.Fprintf(out, "doubt      %s\n", doubt)
	}
	if len(row.Unsupported) > 0 {
		fmt.Fprintf(out, "lacking    %s: GitHub has it, the sandbox does not\n", strings.Join(row.Unsupported, ", "))
	}
	if v := row.Variation; v != nil {
		fmt.Fprintf(out, "fixtures   variation %s; %s\n", v, hasAgain(row, run))
	}
	fmt.Fprintf(out, "output     %s\n", map[bool]string{true: "valid", false: "not valid"}[row.OutputValid])
	if n := len(row.Attempts); n > 0 && row.Attempts[n-1].Class != "" {
		fmt.Fprintf(out, "laid to    %s\n", row.Attempts[n-1].LaidTo())
	}
	if failure := row.ProviderFailure(); failure != "" {
		fmt.Fprintf(out, "void       as evidence: %s\n", failure)
	}
	explainAttempts(out, row)
	for _, c := range row.Checkpoints {
		fmt.Fprintf(out, "checkpoint %s: %s (%s)\n", map[bool]string{true: "ok", false: "FAILED"}[c.Passed], c.Name, c.Detail)
	}
	explainChanges(out, row)
}

// explainTools has a line for each tool that the attempt used.
func explainTools(out io.Writer, uses []bench.ToolUse) {
	for _, u := range uses {
		line := fmt.Sprintf("  %s: %d times, %d bytes", u.Name, u.Calls, u.Bytes)
		if u.Errors > 0 {
			line += fmt.Sprintf(", %d failed", u.Errors)
		}
		if u.BadArguments > 0 {
			line += fmt.Sprintf(", %d of them written wrongly", u.BadArguments)
		}
		fmt.Fprintln(out, line)
	}
}

// explainChanges tells what the attempt changed; nothing for older rows, which
// do not have it.
func explainChanges(out io.Writer, row *bench.Row) {
	switch {
	case row.FootprintJudged == nil:
	case row.FootprintUnjudged != "":
		fmt.Fprintln(out, "\nChanges")
		printChanges(out, row.ChangeList())
		fmt.Fprintf(out, "Of what was changed, %s.\n", row.FootprintUnjudged)
	case !*row.FootprintJudged:
		fmt.Fprintln(out, "\nWhat was changed was not judged: it cannot be seen here.")
	default:
		fmt.Fprintln(out, "\nChanges")
		printChanges(out, row.ChangeList())
	}
}

func explainTranscript(out io.Writer, t *agent.Transcript) {
	if t == nil {
		fmt.Fprintln(out, "\nNo transcript was kept.")
		return
	}
	fmt.Fprintln(out, "\nTranscript")
	for _, m := range t.Messages {
		explainMessage(out, m)
	}
}

func explainAttempts(out io.Writer, row *bench.Row) {
	if len(row.Attempts) < 2 {
		return
	}
	for i, attempt := range row.Attempts {
		result := "succeeded"
		if attempt.Error != nil {
			result = string(attempt.Error.Type) + ": " + attempt.Error.Message
		}
		fmt.Fprintf(out, "attempt %d  %s\n", i+1, result)
	}
}

// shownOutput is how much of a tool's output is shown.
const shownOutput = 600

func explainMessage(out io.Writer, m agent.Message) {
	fmt.Fprintf(out, "\n%s", m.Role)
	if m.Role == agent.Assistant {
		fmt.Fprintf(out, " (%s tokens, %s)", tokens(m.Tokens.Total), bench.DurationText(float64(m.End.Sub(m.Start).Microseconds())/1000))
	}
	fmt.Fprintln(out)
	for _, p := range m.Parts {
		switch {
		case p.Tool != nil:
			fmt.Fprintf(out, "  %s %s\n", p.Tool.Name, compact(p.Tool.Input))
			if p.Tool.Error != "" {
				fmt.Fprintf(out, "    failed: %s\n", p.Tool.Error)
			}
			fmt.Fprintf(out, "    %s\n", strings.ReplaceAll(cut(p.Tool.Output), "\n", "\n    "))
		case p.Type == agent.PartReasoning:
			fmt.Fprintf(out, "  (thinks) %s\n", p.Text)
		default:
			fmt.Fprintln(out, indent(p.Text))
		}
	}
	if m.Error != "" {
		fmt.Fprintf(out, "  broke off: %s\n", m.Error)
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
