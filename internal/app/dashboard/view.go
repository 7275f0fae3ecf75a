package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
)

//go:embed pages.html sessions.html
var templateFiles embed.FS

var templates = template.Must(template.New("").Funcs(report.TextFuncs()).ParseFS(templateFiles, "*.html"))

// view is what the templates show.
type view struct {
	Title   string
	Visitor string
	// Crumbs lead to the pages above this one.
	Crumbs []crumb
	// Fault says whose fault it is that there is nothing to show.
	Fault string
	// Next is where a login leads back to.
	Next string
	// Alive is true where something goes on, so that the page is soon of yesterday; Live
	// has it come again by itself, which a visitor asks for at the address Toggle, since it
	// disturbs who reads slowly. AsOf is when it was made.
	Alive, Live  bool
	Toggle, AsOf string
	Runs         []line
	// Older is where the runs before these are, empty if there are none; Paged says that
	// there are later ones.
	Older  string
	Paged  bool
	Filter form
	// Accounts lead to those whose repositories the visitor sees.
	Accounts []crumb
	Repos    []repoLine
	Line     line
	Detail   Detail
	Report   template.HTML
	Charts   []chart
	// Shifts are the changes of all charts, the latest first.
	Shifts []shift
	// Series are all of a repository, Chosen the name of the one that is shown.
	Series []Series
	Chosen string
	Heads  []string
	Course []courseRow
	// Scenarios lead to those of a run that has no report.
	Scenarios []crumb
	// Sessions are those of a scenario, Session is the one that is shown.
	Sessions []sessionLine
	Session  *report.Attempt
	Attempt  template.HTML
}

// goesOn says that the page shows what goes on.
func (d *pages) goesOn(v *view, r *http.Request) {
	query := r.URL.Query()
	v.Alive, v.Live, v.AsOf = true, query.Get("live") != "", d.Now().UTC().Format("15:04:05")+" UTC"
	if query.Del("live"); !v.Live {
		query.Set("live", "1")
	}
	v.Toggle = "?" + query.Encode()
}

// crumb is a link, without an address for the page that it is on.
type crumb struct{ Text, URL string }

// repoCrumbs lead to the account and the repository.
func repoCrumbs(repo string) []crumb {
	owner, name, _ := strings.Cut(repo, "/")
	return []crumb{{owner, accountPath(owner)}, {name, repoPath(repo)}}
}

// scenarioLinks lead to the scenarios that cells are of.
func scenarioLinks(id string, cells []bench.Cell) []crumb {
	count := map[string]int{}
	for _, cell := range cells {
		count[cell.ScenarioID]++
	}
	var links []crumb
	for _, scenario := range slices.Sorted(maps.Keys(count)) {
		links = append(links, crumb{fmt.Sprintf("%s (%d)", scenario, count[scenario]), scenarioPath(id, scenario)})
	}
	return links
}

// line is a run in words.
type line struct {
	Run
	Word, Tone string
	// Since says when it was asked for, Took how long it ran.
	Since, Took string
	Cost        string
	Short       string
	// How says in one line who asked for what, and how it went.
	How string
	// PullURL and CommitURL are pages of GitHub's, empty if there is no such thing.
	PullURL     string
	CommitURL   string
	ModesText   string
	PercentDone int
}

func (d *pages) line(run Run) line {
	word, tone := wordOf(run)
	l := line{Run: run, Word: word, Tone: tone, Since: since(d.Now(), run.Created), Short: short(run.Commit), ModesText: bench.JoinModes(run.Modes, ", ")}
	if run.CostUSD > 0 {
		l.Cost = bench.USDText(run.CostUSD) + " USD"
		if run.Simulated {
			l.Cost += " (simulated)"
		}
	}
	if !run.Started.IsZero() {
		end := run.Ended
		if end.IsZero() {
			end = d.Now()
		}
		l.Took = bench.DurationText(float64(end.Sub(run.Started).Milliseconds()))
	}
	if run.Cells > 0 {
		l.PercentDone = 100 * run.Done / run.Cells
	}
	if run.Pull > 0 {
		l.PullURL = fmt.Sprintf("%s/%s/pull/%d", d.Login.ServerURL, run.Repo, run.Pull)
	}
	if run.Commit != "" {
		l.CommitURL = d.Login.ServerURL + "/" + run.Repo + "/commit/" + run.Commit
	}
	l.How = l.how()
	return l
}

func (l line) how() string {
	parts := []string{l.Asked, l.Set, l.Model, l.Took, l.Cost}
	if l.State == Running && l.Cells > 0 { // those of a benchmark's tasks are not known
		parts = append(parts, fmt.Sprintf("%d of %d cells", l.Done, l.Cells))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), " · ")
}

// wordOf returns a run's state in a word, and its colour: good, bad, busy or
// quiet. A simulated verdict is for show, and has no colour.
func wordOf(run Run) (word, tone string) {
	switch {
	case run.State != Finished:
		tone := "quiet"
		if run.State == Running || run.State == Queued {
			tone = "busy"
		}
		return string(run.State), tone
	case run.Simulated:
		return string(run.Verdict) + " (simulated)", "quiet"
	case run.Verdict == bench.VerdictPass:
		return "pass", "good"
	case run.Verdict == bench.VerdictFail:
		return "fail", "bad"
	default:
		return "no verdict", "quiet"
	}
}

// span is a piece of a text.
type span struct {
	Text string
	Code bool
}

// Reason is why the run was stopped or never began, in pieces.
func (v view) Reason() []span {
	var spans []span
	for i, piece := range strings.Split(v.Detail.Reason, "`") {
		if piece != "" {
			spans = append(spans, span{Text: piece, Code: i%2 == 1})
		}
	}
	return spans
}

// since says how long ago something was, roughly, or when, where that is longer ago.
func since(now, at time.Time) string {
	switch d := now.Sub(at); {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 7*24*time.Hour:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	default:
		return at.UTC().Format("2 Jan 2006")
	}
}

const shortCommit = 7

func short(commit string) string {
	if len(commit) > shortCommit {
		return commit[:shortCommit]
	}
	return commit
}

// reportBody is the report as a part of a page. The report escapes what it
// shows. Scenario returns where the page of a scenario is.
func reportBody(s bench.Summary, scenario func(id string) string) (template.HTML, error) {
	var body bytes.Buffer
	if err := report.HTMLBody(&body, s, scenario); err != nil {
		return "", err
	}
	return template.HTML(body.String()), nil //nolint:gosec // made by a template of ours
}

// render writes a page whole, or an error.
func (d *pages) render(w http.ResponseWriter, status int, name string, v view) {
	var page bytes.Buffer
	if err := templates.ExecuteTemplate(&page, name, v); err != nil {
		d.Failed(fmt.Errorf("render page %s: %w", name, err))
		http.Error(w, "Something went wrong.", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// A visitor who has left cannot be told anything.
	_, _ = page.WriteTo(w)
}
