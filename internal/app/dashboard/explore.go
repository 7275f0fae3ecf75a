package dashboard

import (
	"encoding/json"
	"net/http"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// explore shows a run's report with every attempt, as `bench report --html` writes it: one
// page that can be kept. Its script is the only one of the dashboard.
func (d *pages) explore(w http.ResponseWriter, r *http.Request, v visitor) {
	detail, ok := d.find(w, r, v)
	switch {
	case !ok:
		return
	case detail.Summary == nil:
		d.missing(w, v)
		return
	}
	page := report.NewOnePage(w)
	defer func() {
		if err := page.Release(); err != nil {
			d.Failed(err)
		}
	}()
	if err := d.attempts(r, detail, page); err != nil {
		d.fail(w, err)
		return
	}
	w.Header().Set("Content-Security-Policy", report.ExplorerPolicy()+"; frame-ancestors 'none'")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := page.Close(*detail.Summary); err != nil { // it has begun; who asked may be gone
		d.Failed(err)
	}
}

// attempts adds a run's rows to its report, with what was said as far as that was kept.
func (d *pages) attempts(r *http.Request, of Detail, page *report.OnePage) error {
	lines, err := d.Source.Rows(r.Context(), of.ID, "")
	if err != nil {
		return err
	}
	for _, line := range lines {
		var row bench.Row
		if err := json.Unmarshal(line, &row); err != nil {
			return fault.Internalf("read a row of run %s: %w", of.ID, err)
		}
		transcript, err := d.Source.Transcript(r.Context(), of.ID, row.Cell())
		if err != nil {
			return err
		}
		if err := page.Write(&row, report.Said{Last: transcript}); err != nil {
			return err
		}
	}
	return nil
}
