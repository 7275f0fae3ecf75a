package report

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/agent"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// What agents and pull requests wrote is shown as text; the templates escape it.
const (
	// maxLine is how many characters of such a text are shown in a line, and maxReason
	// those of why a session failed, in a table.
	maxLine   = 300
	maxReason = 160
)

// TextFuncs are what templates make of texts of unknown origin.
func TextFuncs() template.FuncMap {
	return template.FuncMap{
		"line":    func(s string) string { return markdown.Clean(s, maxLine) },
		"visible": markdown.Visible,
		"bytes":   bytesText,
	}
}

// resultOf says what a row came to, in a word, and its colour.
func resultOf(row *bench.Row) (word, tone string) {
	switch {
	case row.Error == nil:
		return "passed", "good"
	case outsideFailed(row):
		return "infrastructure", "quiet"
	default:
		return "failed", "bad"
	}
}

// outsideFailed reports whether something around the agent and its tool failed.
func outsideFailed(row *bench.Row) bool {
	if n := len(row.Attempts); n > 0 && row.Attempts[n-1].Class != "" {
		return row.Attempts[n-1].Class == bench.ClassInfrastructure
	}
	return row.Error.RunnerFailure()
}

// AttemptLine is an attempt as a table has it, in words.
type AttemptLine struct {
	// Word is the outcome: passed, failed or infrastructure. Tone is its colour.
	Word, Tone                                  string
	Active, Total, Calls, Cost, Duration, Tries string
	// Why says why it failed, empty if it did not.
	Why string
}

// NewAttemptLine writes a row in a line.
func NewAttemptLine(row *bench.Row) AttemptLine {
	word, tone := resultOf(row)
	l := AttemptLine{
		Word: word, Tone: tone,
		Active: bench.CountText(float64(row.Tokens.Active())), Total: bench.CountText(float64(row.Tokens.Total)), Calls: bench.CountText(float64(row.ToolCalls)),
		Cost: costText(row), Duration: bench.DurationText(row.LatencyMSWall), Tries: bench.CountText(float64(max(1, len(row.Attempts)))),
	}
	if row.Error != nil {
		l.Why = markdown.Clean(row.Error.Message, maxReason)
		if l.Why == "" {
			l.Why = string(row.Error.Type)
		}
	}
	return l
}

func costText(row *bench.Row) string {
	text := bench.USDText(row.SpentUSD())
	if row.Simulated && text != bench.NoFigure {
		text += " (simulated)"
	}
	return text
}

// Link is a text that leads somewhere.
type Link struct{ Text, URL string }

// Attempt is a row with all that is known of it, to be shown on a page of its own.
type Attempt struct {
	*bench.Row
	// Prefix begins the names of the page's parts, so that two attempts may be on one.
	Prefix     string
	Word, Tone string
	// Facts are its figures, label and figure.
	Facts [][2]string
	// Data is the address of the transcript as JSON, empty if it has none.
	Data string
	// Beside leads to attempts to compare it with.
	Beside  []Link
	Changed []changeLine
	// Unseen says that it cannot be seen what was changed, or which part of it.
	Unseen string
	// Answer is what the agent said last, and Truth what was found of it; other
	// checkpoints are in Others.
	Answer        string
	Truth, Others []bench.CheckpointResult
	// Tries are all attempts, of which the last counts. It is empty if there was one.
	Tries []try
	// Transcript is nil if none was kept, Messages are its messages.
	Transcript *agent.Transcript
	Messages   []messageView
	// Unread is that of [Said].
	Unread string
	// Requests are what the agent asked GitHub for, and Unlisted how many more.
	Requests []requestLine
	Unlisted int
	// Trouble are the calls of tools that failed.
	Trouble []partView
}

// Said is what was kept of what was said in a row's attempts.
type Said struct {
	// Last is the transcript of the attempt that counts, nil if none was kept.
	Last *agent.Transcript
	// Earlier are those of the attempts before it, in order, nil where none was kept.
	Earlier []*agent.Transcript
	// Unread says why what was kept cannot be read, empty if it can be.
	Unread string
}

// try is one of several attempts at a cell.
type try struct {
	bench.Attempt
	// Prefix begins the names of its parts. Messages are empty if none were kept, and
	// of the last one.
	Prefix   string
	Messages []messageView
}

// NewAttempt returns a row with what was said.
func NewAttempt(row *bench.Row, said Said) *Attempt {
	t := said.Last
	if t != nil && row.SessionID != nil && t.SessionID != "" && *row.SessionID != t.SessionID {
		t = nil // the cell was run again, and the other one's was not kept
	}
	a := &Attempt{Row: row, Facts: facts(row), Transcript: t, Unread: said.Unread}
	a.Word, a.Tone = resultOf(row)
	for _, c := range row.ChangeList() {
		a.Changed = append(a.Changed, newChangeLine(c))
	}
	switch {
	case row.FootprintUnjudged != "":
		a.Unseen = "Of what was changed, " + row.FootprintUnjudged + "."
	case row.FootprintJudged != nil && !*row.FootprintJudged:
		a.Unseen = "What was changed was not judged: it cannot be seen here."
	case row.FootprintJudged == nil && len(a.Changed) == 0:
		a.Unseen = "The row does not say what was changed."
	}
	for _, c := range row.Checkpoints {
		if c.Kind == bench.CheckAnswer {
			a.Truth = append(a.Truth, c)
		} else {
			a.Others = append(a.Others, c)
		}
	}
	if t != nil {
		a.Answer = t.Answer()
		a.Messages = messageViews(t.Messages)
		a.Trouble = troubleIn(a.Messages)
		a.addRequests(t.Requests)
	}
	if len(row.Attempts) > 1 {
		a.addTries(said.Earlier)
	}
	return a
}

func (a *Attempt) addTries(earlier []*agent.Transcript) {
	for i, of := range a.Attempts {
		one := try{Attempt: of}
		if i < len(earlier) && earlier[i] != nil {
			one.Messages = messageViews(earlier[i].Messages)
		}
		a.Tries = append(a.Tries, one)
	}
}

// messageViews are messages with their tool calls numbered.
func messageViews(messages []agent.Message) (all []messageView) {
	calls := 0
	for _, m := range messages {
		view := newMessageView(m)
		for i := range view.Parts {
			if part := &view.Parts[i]; part.Tool != "" {
				calls++
				part.Number = calls
			}
		}
		all = append(all, view)
	}
	return all
}

// troubleIn are the calls of tools that failed.
func troubleIn(messages []messageView) (failed []partView) {
	for _, m := range messages {
		for _, part := range m.Parts {
			if part.Tool != "" && part.Error != "" {
				failed = append(failed, part)
			}
		}
	}
	return failed
}

// requestLine is a request to GitHub.
type requestLine struct {
	What, Took, Size, Lacking string
	Status                    int
	Refused                   bool
	// Call is the number of the tool call in whose time it fell, 0 if that is not known.
	Call int
}

func (a *Attempt) addRequests(all []bench.Request) {
	for _, r := range all {
		a.Requests = append(a.Requests, requestLine{
			What: r.What, Took: bench.DurationText(r.MS), Size: bytesText(r.Bytes), Lacking: strings.Join(r.Lacking, ", "),
			Status: r.Status, Refused: r.Status >= http.StatusBadRequest, Call: a.callAt(r.At),
		})
	}
	if counted := a.APIRequests; counted != nil && len(all) == bench.MaxRequests {
		a.Unlisted = max(0, counted.REST+counted.GraphQL-len(all))
	}
}

// callAt returns the number of the tool call that went on at a time, 0 if there is
// none, or more than one.
func (a *Attempt) callAt(t time.Time) (number int) {
	for _, m := range a.Messages {
		for _, p := range m.Parts {
			if p.Tool == "" || p.start.IsZero() || t.Before(p.start) || t.After(p.end) {
				continue
			}
			if number != 0 {
				return 0
			}
			number = p.Number
		}
	}
	return number
}

//go:embed attempt.html
var attemptHTML string

//go:embed attempt.css
var attemptCSS string

var attemptTemplate = template.Must(template.New("attempt").Funcs(TextFuncs()).Parse(attemptHTML))

// HTML writes the attempt as a part of a page that has [Style] and [AttemptStyle].
func (a *Attempt) HTML(w io.Writer) error {
	for i := range a.Tries {
		a.Tries[i].Prefix = fmt.Sprintf("%stry%d-", a.Prefix, i+1)
	}
	if err := attemptTemplate.Execute(w, a); err != nil {
		return fault.Infraf("write the page of an attempt: %w", err)
	}
	return nil
}

// facts are a row's figures; what it does not have is left out.
func facts(row *bench.Row) [][2]string {
	count := func(n int) string { return bench.CountText(float64(n)) }
	tokens := fmt.Sprintf("%s (%s input, %s output, %s reasoning, %s from the cache)", bench.CountText(float64(row.Tokens.Total)),
		bench.CountText(float64(row.Tokens.Input)), bench.CountText(float64(row.Tokens.Output)), bench.CountText(float64(row.Tokens.Reasoning)), bench.CountText(float64(row.Tokens.CacheRead)))
	all := [][2]string{
		{"Model", row.Model.Text()},
		{"Duration", bench.DurationText(row.LatencyMSWall)},
		{"Active tokens", bench.CountText(float64(row.Tokens.Active()))},
		{"All tokens", tokens},
		{"Cost, USD", costText(row)},
		{"Tool calls", fmt.Sprintf("%s, %s failed", count(row.ToolCalls), count(row.ToolErrors))},
	}
	add := func(label, text string) { all = append(all, [2]string{label, text}) }
	if row.Turns > 0 {
		add("Turns", count(row.Turns))
	}
	if q := row.APIRequests; q != nil {
		add("Requests to GitHub", fmt.Sprintf("%s REST, %s GraphQL, %s", count(q.REST), count(q.GraphQL), bytesText(q.Bytes)))
	}
	if n := len(row.Attempts); n > 0 && row.Attempts[n-1].Class != "" {
		add("Laid to", row.Attempts[n-1].LaidTo())
	}
	if failure := row.ProviderFailure(); failure != "" {
		add("Void as evidence", failure)
	}
	if _, doubt := row.WireDoubt(); doubt != "" {
		add("In doubt", doubt)
	}
	if len(row.Unsupported) > 0 {
		add("The sandbox lacks", strings.Join(row.Unsupported, ", "))
	}
	if len(row.RefusedHosts) > 0 {
		add("Refused hosts", strings.Join(row.RefusedHosts, ", "))
	}
	if v := row.Variation; v != nil {
		add("Fixtures", "variation "+v.String())
	}
	return append(all, [2]string{"Begun", row.Timestamp})
}

// bytesText writes a size.
func bytesText(n int64) string {
	const kilo = 1000
	switch {
	case n < kilo:
		return fmt.Sprintf("%d bytes", n)
	case n < kilo*kilo:
		return bench.NumberText(float64(n)/kilo, 1) + " kB"
	default:
		return bench.NumberText(float64(n)/(kilo*kilo), 1) + " MB"
	}
}

// changeLine is what became of an object on GitHub.
type changeLine struct {
	Text, Title, Unallowed, Who string
	Fields                      []fieldLine
}

// fieldLine is a part of an object, before and after.
type fieldLine struct{ Name, Before, After string }

func newChangeLine(c bench.Change) changeLine {
	l := changeLine{Text: c.String(), Title: c.Title, Unallowed: c.Unallowed}
	var who []string
	if c.Actor != "" {
		who = append(who, "by "+c.Actor)
	}
	if c.Cause != "" {
		who = append(who, "follows from: "+c.Cause)
	}
	for _, t := range c.Told {
		who = append(who, fmt.Sprintf("told %s (%s)", t.Login, t.Reason))
	}
	l.Who = strings.Join(who, ", ")
	for _, f := range c.Fields {
		l.Fields = append(l.Fields, fieldLine{f.Name, valueText(f.Before), valueText(f.After)})
	}
	return l
}

// valueText is a field's value for people: a text as it is, others as JSON.
func valueText(value any) string {
	switch value := value.(type) {
	case nil:
		return ""
	case string:
		return value
	}
	return string(compactJSON(value))
}

func compactJSON(value any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Append(nil, value)
	}
	return bytes.TrimSpace(text.Bytes())
}

// messageView is a message of a transcript.
type messageView struct {
	Who, About, Error string
	Parts             []partView
}

// partView is a text, or a tool's use.
type partView struct {
	Reasoning bool
	Text      string
	// Tool is empty for a text. Long says that a line does not show all of Input, Took
	// how long it took, empty if that is not known. Number counts the calls from 1.
	Tool, Input, Output, Error, Took string
	Long                             bool
	Number                           int
	start, end                       time.Time
}

func newMessageView(m agent.Message) messageView {
	v := messageView{Who: string(m.Role), Error: m.Error}
	if m.Role == agent.Assistant && m.Tokens.Total > 0 {
		v.About = bench.CountText(float64(m.Tokens.Total)) + " tokens"
	}
	if took := m.End.Sub(m.Start); m.Role == agent.Assistant && !m.Start.IsZero() && took > 0 {
		v.About = strings.TrimPrefix(v.About+", "+bench.DurationText(float64(took)/float64(time.Millisecond)), ", ")
	}
	for _, p := range m.Parts {
		part := partView{Reasoning: p.Type == agent.PartReasoning, Text: p.Text}
		if c := p.Tool; c != nil {
			part = partView{Tool: c.Name, Input: inputText(c.Input), Output: strings.TrimSpace(c.Output), Error: c.Error, start: p.Start, end: p.End}
			part.Long = part.Input != markdown.Clean(part.Input, maxLine)
			if took := p.End.Sub(p.Start); !p.Start.IsZero() && took > 0 {
				part.Took = bench.DurationText(float64(took) / float64(time.Millisecond))
			}
		}
		v.Parts = append(v.Parts, part)
	}
	return v
}

// inputText is what a tool was given: a command as it is, anything else as JSON.
func inputText(input json.RawMessage) string {
	var text string
	if json.Unmarshal(input, &text) == nil {
		return text
	}
	var fields map[string]any
	if json.Unmarshal(input, &fields) == nil {
		if command, is := fields["command"].(string); is {
			return command
		}
		return string(compactJSON(fields))
	}
	return string(input)
}
