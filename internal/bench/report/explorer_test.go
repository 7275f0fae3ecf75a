package report_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/bench/report"
)

// evil is what an agent may write anywhere.
const evil = "</script><script>evil()</script>\u2028<img src=x onerror=evil()>'\"--><!-- {{.Title}} \u202eturned"

// attemptsOf are rows of the failing summary's scenarios, two modes and three repetitions
// of each; what was said in them has whatever agents may write.
func attemptsOf(s bench.Summary) (rows []bench.Row, said []*agent.Transcript) {
	for _, of := range s.Scenarios {
		for _, mode := range []bench.Mode{bench.AgentDirect, bench.GHX} {
			for n := 1; n <= 3; n++ {
				row := rowsFor(s)[0]
				row.ScenarioID, row.Mode, row.Iteration, row.SessionID, row.Attempts = of.ID, mode, n, nil, []bench.Attempt{{}}
				row.ToolUse = []bench.ToolUse{{Name: "gh pr view", Calls: 2}, {Name: evil, Calls: 1}}
				call := agent.Part{Type: agent.PartTool, Start: at(1), End: at(2), Tool: &agent.ToolCall{Name: "bash", Input: json.RawMessage(`{"command":"gh pr view 5"}`), Output: evil}}
				if mode == bench.GHX && n == 2 {
					row.Error = &bench.RowError{Type: bench.CheckpointFailed, Message: "not merged: " + evil}
					row.Success, row.ToolErrors, row.Attempts[0] = false, 1, bench.Attempt{Error: row.Error, Class: bench.ClassTool}
					call.Tool.Error = "exit status 1"
				}
				rows = append(rows, row)
				said = append(said, &agent.Transcript{SchemaVersion: 1, Messages: []agent.Message{
					{Role: agent.User, Parts: []agent.Part{{Type: agent.PartText, Text: "Merge pull request 5."}}},
					{Role: agent.Assistant, Tokens: bench.Tokens{Total: 1234}, Parts: []agent.Part{call, {Type: agent.PartText, Text: "Done. " + evil}}},
				}, Requests: []bench.Request{{At: at(1), What: "GET /repos/o/r/pulls/5", Status: 200}, {At: at(3), What: evil, Status: 422, Lacking: []string{evil}}}})
			}
		}
	}
	return rows, said
}

func at(second int) time.Time { return time.Date(2026, 3, 1, 12, 0, second, 0, time.UTC) }

type explorer interface {
	Write(row *bench.Row, said report.Said) error
	Close(s bench.Summary) error
	Release() error
}

func fill(t testing.TB, e explorer, s bench.Summary) {
	t.Helper()
	rows, said := attemptsOf(s)
	for i := range rows {
		require.NoError(t, e.Write(&rows[i], report.Said{Last: said[i]}))
	}
	require.NoError(t, e.Close(s))
	require.NoError(t, e.Release())
}

// inFolder writes a report to a folder and returns it.
func inFolder(t testing.TB, s bench.Summary) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "report")
	e, err := report.CreateFolder(folder)
	require.NoError(t, err)
	fill(t, e, s)
	return folder
}

func inOnePage(t testing.TB, s bench.Summary) string {
	t.Helper()
	var page bytes.Buffer
	fill(t, report.NewOnePage(&page), s)
	return page.String()
}

// unpacked reads what is in a piece.
func unpacked(t testing.TB, piece string, value any) {
	t.Helper()
	zipped, err := base64.StdEncoding.DecodeString(strings.TrimSpace(piece))
	require.NoError(t, err, "a piece is of letters that nothing can be hidden in")
	reader, err := gzip.NewReader(bytes.NewReader(zipped))
	require.NoError(t, err)
	require.NoError(t, json.NewDecoder(reader).Decode(value))
}

// Whatever agents wrote, the page has no element but ours, and no script but the one that
// its policy names.
func TestAPageOfAttemptsRunsNothingButItsOwnScript(t *testing.T) {
	for name, page := range map[string]string{"one page": inOnePage(t, hostile()), "folder": read(t, filepath.Join(inFolder(t, hostile()), "index.html"))} {
		policy := html.UnescapeString(regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
		assert.Equal(t, report.ExplorerPolicy(), policy)
		assert.NotContains(t, policy, "unsafe")
		allowed := append(strings.Fields("script noscript nav ol h3 form label select option input datalist button a ins del"), allowedElements...)
		tokens, scripts, kind := html.NewTokenizer(strings.NewReader(page)), 0, ""
		for next := tokens.Next(); next != html.ErrorToken; next = tokens.Next() {
			token := tokens.Token()
			switch {
			case next == html.TextToken && kind != "":
				sum := sha256.Sum256([]byte(token.Data))
				hash := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
				if kind == "script" {
					scripts++
				}
				assert.Contains(t, policy, kind+"-src "+hash, "%s: its own %s", name, kind)
			case next == html.StartTagToken:
				assert.Contains(t, allowed, token.Data, name)
				for _, a := range token.Attr {
					assert.False(t, strings.HasPrefix(a.Key, "on"), a.Key)
					if a.Key == "href" {
						assert.True(t, strings.HasPrefix(a.Val, "#"), "%s leads out of the page", a.Val)
					}
				}
			}
			kind = ""
			if next == html.StartTagToken && (token.Data == "script" && len(token.Attr) == 0 || token.Data == "style") {
				kind = token.Data
			}
		}
		assert.Equal(t, 1, scripts, name)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// Each way to write a report has the same pieces, and these have what agents wrote as
// text.
// Whether to trust that a failure was not the agent's is seen from what was said until then.
func TestAnAttemptShowsWhatWasSaidBeforeItWasTriedAgain(t *testing.T) {
	row := rowsFor(hostile())[0]
	row.Attempts = []bench.Attempt{{Error: &bench.RowError{Type: bench.RunnerError, Message: "the model's API is away"}, Class: bench.ClassInfrastructure}, {}}
	call := agent.Part{Type: agent.PartTool, Tool: &agent.ToolCall{Name: "bash"}}
	turn := func(text string) *agent.Transcript {
		return &agent.Transcript{Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{{Type: agent.PartText, Text: text}, call}}}}
	}
	shown := func(said report.Said) string {
		var page bytes.Buffer
		a := report.NewAttempt(&row, said)
		a.Prefix = "a7-"
		require.NoError(t, a.HTML(&page))
		return page.String()
	}
	page := shown(report.Said{Last: turn("<b>in the end"), Earlier: []*agent.Transcript{turn("<b>at first")}})
	before, after, both := strings.Cut(page, "&lt;b&gt;in the end")
	require.True(t, both)
	assert.Regexp(t, `the model&#39;s API is away.*(?s:.*)What was said until then(?s:.*)&lt;b&gt;at first`, before)
	assert.NotContains(t, after, "at first")
	assert.Equal(t, 1, strings.Count(page, "What was said until then"), "the last one's is the transcript")
	assert.Equal(t, 1, strings.Count(page, `id="a7-call-1"`))
	assert.Equal(t, 1, strings.Count(page, `id="a7-try1-call-1"`))

	page = shown(report.Said{Last: turn("in the end")})
	assert.Contains(t, page, "API is away")
	assert.NotContains(t, page, "What was said until then")
}

// What failed at GitHub is found without reading the transcript, and leads to the call of
// a tool that asked for it.
func TestAnAttemptShowsWhatItAskedGitHubFor(t *testing.T) {
	during := func(call agent.Part, requests ...bench.Request) string {
		row := rowsFor(hostile())[0]
		row.APIRequests = &bench.APIRequests{REST: 700, GraphQL: 3}
		said := &agent.Transcript{Messages: []agent.Message{{Role: agent.Assistant, Parts: []agent.Part{call}}}, Requests: requests}
		var page bytes.Buffer
		require.NoError(t, report.NewAttempt(&row, report.Said{Last: said}).HTML(&page))
		return page.String()
	}
	call := agent.Part{Type: agent.PartTool, Start: at(1), End: at(3), Tool: &agent.ToolCall{Name: "bash"}}
	page := during(call, bench.Request{At: at(2), MS: 12, What: "PUT /repos/o/r/pulls/5/merge", Status: 405, Bytes: 90},
		bench.Request{At: at(4), What: "GET /user", Status: 200})
	assert.Contains(t, page, "2 in the order of their answers<")
	assert.Regexp(t, `<code>PUT /repos/o/r/pulls/5/merge</code></th><td class="figure"><span class="pill bad">405</span></td><td class="figure">12 ms</td><td class="figure">90 bytes</td><td><a href="#call-1">call 1</a>`, page)
	assert.Regexp(t, `<code>GET /user</code></th><td class="figure">200</td>.*<td></td>`, page)
	assert.Contains(t, during(call, make([]bench.Request, bench.MaxRequests)...), "500 in the order of their answers; 203 more were not kept")
	assert.NotContains(t, during(call), "Requests to GitHub</h2>", "nobody has seen them")
}

func TestPiecesHaveEveryAttemptAsText(t *testing.T) {
	s := failing()
	folder, page := inFolder(t, s), inOnePage(t, s)
	embedded := map[string]string{}
	for _, m := range regexp.MustCompile(`<script type="text/plain" id="piece-(\w+)">([A-Za-z0-9+/=]+)</script>`).FindAllStringSubmatch(page, -1) {
		embedded[m[1]] = m[2]
	}
	require.Len(t, embedded, 2, "the index, and a part")
	for name, piece := range embedded {
		assert.Equal(t, fmt.Sprintf("benchPiece(%q,%q)\n", name, piece), read(t, filepath.Join(folder, "data", name+".js")))
	}
	var bodies []string
	unpacked(t, embedded["0"], &bodies)
	require.Len(t, bodies, 6*len(s.Scenarios))
	for _, body := range bodies {
		assert.Contains(t, body, "Merge pull request 5.")
		assert.Contains(t, body, "&lt;img src=x onerror=evil()&gt;")
		assert.NotContains(t, body, "<img")
		assert.NotContains(t, body, "<script")
		assert.NotContains(t, body, "\u2028")
		assert.NotContains(t, body, "\u202e", "directions of writing are not turned round")
	}
	assert.Contains(t, bodies[4], `<a href="#a4-call-1">`, "calls that failed are named first")
	assert.Contains(t, bodies[4], `<details id="a4-call-1" open>`)
	assert.Contains(t, bodies[4], "1 s", "how long the call took")
}

func TestManyAttemptsAreInManyPieces(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "report")
	stale := filepath.Join(folder, "data", "7.js")
	other := filepath.Join(folder, "data", "mine.js")
	require.NoError(t, os.MkdirAll(filepath.Dir(stale), 0o755))
	for _, file := range []string{stale, other} {
		require.NoError(t, os.WriteFile(file, []byte("old"), 0o600))
	}
	e, err := report.CreateFolder(folder)
	require.NoError(t, err)
	row := rowsFor(failing())[0]
	long := &agent.Transcript{Messages: []agent.Message{{Role: agent.User, Parts: []agent.Part{{Type: agent.PartText, Text: strings.Repeat("x", 400<<10)}}}}}
	for n := 1; n <= 5; n++ {
		row.Iteration = n
		require.NoError(t, e.Write(&row, report.Said{Last: long}))
	}
	require.NoError(t, e.Close(failing()))
	require.NoError(t, e.Release())
	for part, want := range []int{2, 2, 1} {
		_, piece, _ := strings.Cut(read(t, filepath.Join(folder, "data", fmt.Sprint(part)+".js")), ",")
		var bodies []string
		unpacked(t, strings.Trim(piece, "\")\n"), &bodies)
		assert.Len(t, bodies, want)
	}
	assert.NoFileExists(t, stale, "what is left of another report is none of this one's")
	assert.FileExists(t, other, "but what is not ours stays")
}

func TestWithoutAttemptsAPageIsWhatItWas(t *testing.T) {
	var page bytes.Buffer
	e := report.NewOnePage(&page)
	require.NoError(t, e.Close(bench.Summary{}))
	assert.Equal(t, written(t, report.HTML, bench.Summary{}), page.String())
}

// A cell without a row has a place, too, and cannot be opened.
func TestCellsWithoutARowAreInTheIndex(t *testing.T) {
	var index struct {
		Part     []int
		Outcome  []int
		Outcomes []struct{ Word string }
	}
	page := inOnePage(t, incomplete())
	unpacked(t, regexp.MustCompile(`id="piece-index">([^<]*)<`).FindStringSubmatch(page)[1], &index)
	var missing int
	for i, part := range index.Part {
		if part < 0 {
			missing++
			assert.Equal(t, "not run", index.Outcomes[index.Outcome[i]].Word)
		}
	}
	want := 0
	for _, part := range incomplete().Missing {
		want += len(part.Cells)
	}
	assert.Equal(t, want, missing)
}

func TestAnAttemptAtATaskSaysWhatABenchmarkTells(t *testing.T) {
	for name, of := range map[string]struct {
		reward *bench.Reward
		has    string
		lacks  []string
	}{
		"a task":     {&bench.Reward{Status: "scored"}, "the task is of a split that nobody is to learn from", []string{"Changes", "its workflow uploads none"}},
		"a scenario": {nil, "its workflow uploads none", []string{"nobody is to learn from"}},
	} {
		t.Run(name, func(t *testing.T) {
			var page strings.Builder
			require.NoError(t, report.NewAttempt(&bench.Row{Mode: bench.GHX, ScenarioID: "one", Iteration: 1, Reward: of.reward}, report.Said{}).HTML(&page))
			assert.Contains(t, page.String(), of.has)
			for _, not := range of.lacks {
				assert.NotContains(t, page.String(), not)
			}
		})
	}
}
