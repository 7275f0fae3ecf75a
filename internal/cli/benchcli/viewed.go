package benchcli

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/bench/verify"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// viewed is a report that is served, and written anew when there are more rows.
type viewed struct {
	find func() (verify.Source, error)
	how  verify.JudgeOptions
	now  func() time.Time
	// word begins the path of all that is served, host is the only name that it is served
	// by: pages of others cannot have a browser read it.
	word, host string

	// folder has a report for each generation, of which the last two are kept: a page
	// that was shown before is whole until it asks.
	folder string

	mu sync.Mutex
	// written and took are when the newest report was begun, and how long it took.
	generation int
	written    time.Time
	took       time.Duration
	// sizes are those of the ledgers that it was made from.
	sizes   map[string]int64
	summary bench.Summary
	// problem is why there is no newer report, empty if there is.
	problem string
}

// restBetween is how many times as long as it took to write a report it is left as it is.
const restBetween = 4

// open writes the first report.
func (v *viewed) open() error {
	folder, err := os.MkdirTemp("", "bench-view-")
	if err != nil {
		return fault.Infraf("make a folder for the report: %w", err)
	}
	v.folder = folder
	if err := v.write(); err != nil {
		return errors.Join(err, v.close())
	}
	return nil
}

func (v *viewed) close() error {
	if err := os.RemoveAll(v.folder); err != nil {
		return fault.Infraf("remove the report's folder: %w", err)
	}
	return nil
}

func (v *viewed) at(generation int) string { return filepath.Join(v.folder, strconv.Itoa(generation)) }

// write writes a report of the rows that there are.
func (v *viewed) write() error {
	begun := v.now()
	source, err := v.find()
	if err != nil {
		return err
	}
	sizes := sizesOf(source.Files)
	how, next := v.how, v.generation+1
	how.GeneratedAt, how.Outputs = bench.FormatTime(begun), verify.Outputs{HTML: v.at(next), Live: true}
	reported, err := verify.Report(source, how)
	if err != nil {
		return errors.Join(err, os.RemoveAll(v.at(next)))
	}
	v.generation, v.sizes, v.summary, v.written, v.took = next, sizes, reported.Summary, begun, v.now().Sub(begun)
	return os.RemoveAll(v.at(next - 2))
}

func sizesOf(files []string) map[string]int64 {
	sizes := map[string]int64{}
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			sizes[file] = info.Size()
		}
	}
	return sizes
}

// grown reports whether there is more than the report has.
func (v *viewed) grown() bool {
	source, err := v.find()
	if err != nil {
		return false
	}
	now := sizesOf(source.Files)
	if len(now) != len(v.sizes) {
		return true
	}
	for file, size := range now {
		if v.sizes[file] != size {
			return true
		}
	}
	return false
}

// refresh writes a new report if there are more rows, and the last one is not too young.
func (v *viewed) refresh() {
	if v.now().Sub(v.written) < restBetween*v.took || !v.grown() {
		return
	}
	v.problem = ""
	if err := v.write(); err != nil {
		v.problem = err.Error()
	}
}

// ServeHTTP serves the report and, as data/live.js, how the run goes.
func (v *viewed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", report.ExplorerPolicy()+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	path, ours := strings.CutPrefix(r.URL.Path, "/"+v.word+"/")
	if !ours || r.Host != v.host {
		http.NotFound(w, r)
		return
	}
	if path == report.LivePiece {
		v.live(w)
		return
	}
	v.mu.Lock()
	generation := v.generation
	v.mu.Unlock()
	if asked, err := strconv.Atoi(r.URL.RawQuery); err == nil && asked == generation-1 {
		generation = asked
	}
	http.StripPrefix("/"+v.word, http.FileServer(http.Dir(v.at(generation)))).ServeHTTP(w, r)
}

// live tells how the run goes.
func (v *viewed) live(w http.ResponseWriter) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.refresh()
	text, done, total := v.progress()
	told := report.Live{Generation: "?" + strconv.Itoa(v.generation), Text: text, Done: done, Total: total, Over: done >= total}
	w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
	piece, err := told.Piece()
	if err != nil {
		http.Error(w, "Something went wrong.", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(piece) // who asked may be gone
}

// progress says how many attempts of those that are planned are done.
func (v *viewed) progress() (text string, done, total int) {
	for _, mode := range v.summary.Modes {
		done += mode.Runs
	}
	total = done
	for _, part := range v.summary.Missing {
		total += len(part.Cells)
	}
	text = fmt.Sprintf("%s of %s attempts are done", bench.CountText(float64(done)), bench.CountText(float64(total)))
	if cost := bench.USDAmount(v.summary.CostUSD); cost != bench.NoFigure {
		text += ", for " + cost
		if v.summary.Simulated {
			text += " (simulated)"
		}
	}
	if done < total {
		text += ". The verdict is not the last one."
	}
	if v.problem != "" {
		text += " The newest rows are not shown: " + v.problem
	}
	return text, done, total
}
