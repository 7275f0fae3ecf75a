package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// runPath, scenarioPath and sessionPath are the pages of a run, of one of its scenarios,
// and of one of that one's sessions. The links last as long as the run is kept.
func runPath(id string) string { return "/runs/" + url.PathEscape(id) }

func scenarioPath(id, scenario string) string {
	return runPath(id) + "/scenarios/" + url.PathEscape(scenario)
}

func sessionPath(id string, cell bench.Cell) string {
	return scenarioPath(id, cell.ScenarioID) + "/" + url.PathEscape(string(cell.Mode)) + "/" + strconv.Itoa(cell.Iteration)
}

// cellOf returns the cell that a path names; it reports false if that is none.
func cellOf(r *http.Request) (bench.Cell, bool) {
	n, err := strconv.Atoi(r.PathValue("repetition"))
	cell := bench.Cell{ScenarioID: r.PathValue("scenario"), Mode: bench.Mode(r.PathValue("mode")), Iteration: n}
	return cell, err == nil && n > 0 && strconv.Itoa(n) == r.PathValue("repetition")
}

// sessions returns the rows of a scenario of a run, the run's modes in their order and
// the repetitions in theirs.
func (d *pages) sessions(r *http.Request, of Detail, scenario string) ([]bench.Row, error) {
	lines, err := d.Source.Rows(r.Context(), of.ID, scenario)
	if err != nil {
		return nil, err
	}
	rows := make([]bench.Row, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal(line, &rows[i]); err != nil {
			return nil, fault.Internalf("read a row of run %s: %w", of.ID, err)
		}
	}
	order := func(m bench.Mode) int {
		if of.Summary != nil && m == of.Summary.Gate.Baseline {
			return -1
		}
		at := slices.Index(of.Modes, m)
		if at < 0 {
			return len(of.Modes)
		}
		return at
	}
	slices.SortFunc(rows, func(a, b bench.Row) int {
		return cmp.Or(cmp.Compare(order(a.Mode), order(b.Mode)), cmp.Compare(a.Mode, b.Mode), cmp.Compare(a.Iteration, b.Iteration))
	})
	return rows, nil
}

// sessionLine is a session in the table of its scenario.
type sessionLine struct {
	report.AttemptLine
	Path, Mode string
	Repetition int
}

// scenario shows the sessions of a scenario side by side.
func (d *pages) scenario(w http.ResponseWriter, r *http.Request, v visitor) {
	detail, ok := d.find(w, r, v)
	if !ok {
		return
	}
	id := r.PathValue("scenario")
	rows, err := d.sessions(r, detail, id)
	switch {
	case err != nil:
		d.fail(w, err)
		return
	case len(rows) == 0:
		d.missing(w, v)
		return
	}
	page := d.runView(id, v, detail)
	page.Crumbs = append(page.Crumbs, crumb{Text: id})
	for i := range rows {
		cell := rows[i].Cell()
		page.Sessions = append(page.Sessions, sessionLine{report.NewAttemptLine(&rows[i]), sessionPath(detail.ID, cell), string(cell.Mode), cell.Iteration})
	}
	d.render(w, http.StatusOK, "scenario", page)
}

// session shows all that is known of one session.
func (d *pages) session(w http.ResponseWriter, r *http.Request, v visitor) {
	detail, ok := d.find(w, r, v)
	if !ok {
		return
	}
	cell, is := cellOf(r)
	rows, err := d.sessions(r, detail, cell.ScenarioID)
	if err != nil {
		d.fail(w, err)
		return
	}
	at := slices.IndexFunc(rows, func(row bench.Row) bool { return row.Cell() == cell })
	if !is || at < 0 {
		d.missing(w, v)
		return
	}
	transcript, err := d.Source.Transcript(r.Context(), detail.ID, cell)
	if err != nil {
		d.fail(w, err)
		return
	}
	page := d.runView(fmt.Sprintf("%s, %s, repetition %d", cell.ScenarioID, cell.Mode, cell.Iteration), v, detail)
	page.Crumbs = append(page.Crumbs, crumb{cell.ScenarioID, scenarioPath(detail.ID, cell.ScenarioID)}, crumb{Text: fmt.Sprintf("%s, repetition %d", cell.Mode, cell.Iteration)})
	page.Session = report.NewAttempt(&rows[at], report.Said{Last: transcript})
	page.Session.Beside, page.Session.Data = beside(detail.ID, rows, cell), apiPrefix+sessionPath(detail.ID, cell)+"/transcript"
	body := &strings.Builder{}
	if err := page.Session.HTML(body); err != nil {
		d.fail(w, err)
		return
	}
	page.Attempt = template.HTML(body.String()) //nolint:gosec // made by a template of ours
	d.render(w, http.StatusOK, "session", page)
}

// runView is the view of a page below a run's.
func (d *pages) runView(title string, v visitor, of Detail) view {
	return view{Title: title, Visitor: v.login, Detail: of, Line: d.line(of.Run), Crumbs: append(repoCrumbs(of.Repo), crumb{"Run " + of.ID, runPath(of.ID)})}
}

// beside leads to the same repetition in other modes, and to those before and after it.
func beside(id string, rows []bench.Row, cell bench.Cell) []report.Link {
	var links []report.Link
	for i := range rows {
		other := rows[i].Cell()
		switch {
		case other.Mode != cell.Mode && other.Iteration == cell.Iteration:
			links = append(links, report.Link{Text: "in " + string(other.Mode), URL: sessionPath(id, other)})
		case other.Mode == cell.Mode && other.Iteration == cell.Iteration-1:
			links = append(links, report.Link{Text: "repetition before", URL: sessionPath(id, other)})
		case other.Mode == cell.Mode && other.Iteration == cell.Iteration+1:
			links = append(links, report.Link{Text: "next repetition", URL: sessionPath(id, other)})
		}
	}
	return links
}
