package verify

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Outputs are the files that a report is written to; empty means not.
type Outputs struct {
	SummaryJSON, SummaryMarkdown, CSV, JUnit string
	// HTML is a page, or a folder with one, see [Outputs.InFolder].
	HTML string
	// OnePage has HTML be one page whatever it is called.
	OnePage bool
	// Live has the report be of a run that is not over, and its page ask how that goes.
	Live bool
}

// InFolder reports whether HTML is a folder with a page and what that takes up, rather
// than one page: unless it is called one, or is a file already.
func (o Outputs) InFolder() bool {
	ending := strings.ToLower(filepath.Ext(o.HTML))
	if o.HTML == "" || o.OnePage || ending == ".html" || ending == ".htm" {
		return false
	}
	info, err := os.Stat(o.HTML)
	return err != nil || info.IsDir()
}

// Page is the page of HTML, empty if there is none.
func (o Outputs) Page() string {
	if o.InFolder() {
		return filepath.Join(o.HTML, report.PageFile)
	}
	return o.HTML
}

// OutputsIn returns outputs of all kinds in a folder.
func OutputsIn(folder string) Outputs {
	return Outputs{
		SummaryJSON: filepath.Join(folder, "summary.json"), SummaryMarkdown: filepath.Join(folder, "summary.md"),
		CSV: filepath.Join(folder, "rows.csv"), HTML: filepath.Join(folder, "report.html"),
		JUnit: filepath.Join(folder, "junit.xml"),
	}
}

// output is a part of a report in the making.
type output struct {
	row func(*bench.Row) error
	// end writes what is left, but closes nothing.
	end   func(bench.Summary) error
	close func() error
}

// outputs are all parts of a report; its rows go by, and then its summary.
type outputs []output

// openOutputs creates the files, so that one that cannot be written is known
// before anything is read.
func openOutputs(paths Outputs, source Source) (all outputs, err error) {
	for _, kind := range []struct {
		path  string
		begin func(path string) (output, error)
	}{
		{paths.CSV, inFile(func(f *os.File) output {
			rows := report.NewRowsCSV(f)
			return output{row: rows.Write, end: func(bench.Summary) error { return rows.Close() }}
		})},
		{paths.JUnit, inFile(func(f *os.File) output {
			cases := report.NewJUnit(f)
			return output{row: cases.Write, end: cases.Close}
		})},
		{paths.SummaryJSON, inFile(ofSummary(report.JSON))},
		{paths.SummaryMarkdown, inFile(ofSummary(report.Markdown))},
		{paths.HTML, func(path string) (output, error) {
			if !paths.InFolder() {
				return inFile(func(f *os.File) output { return onePage(f, source) })(path)
			}
			folder, err := report.CreateFolder(path)
			if err != nil {
				return output{}, err
			}
			folder.Live = paths.Live
			return output{row: attempts(folder.Explorer, source), end: folder.Close, close: folder.Release}, nil
		}},
	} {
		if kind.path == "" {
			continue
		}
		made, err := kind.begin(kind.path)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all = append(all, made)
	}
	return all, nil
}

// inFile begins what goes to a file.
func inFile(begin func(*os.File) output) func(path string) (output, error) {
	return func(path string) (output, error) {
		file, err := create(path)
		if err != nil {
			return output{}, err
		}
		o, release := begin(file), func() error { return nil }
		if o.close != nil {
			release = o.close
		}
		o.close = func() error {
			err := file.Close()
			if err != nil {
				err = fault.Infraf("write report: %w", err)
			}
			return errors.Join(err, release())
		}
		return o, nil
	}
}

func onePage(f *os.File, source Source) output {
	page := report.NewOnePage(f)
	return output{row: attempts(page.Explorer, source), end: page.Close, close: page.Release}
}

// attempts adds rows to a page with what was said, as far as that was kept.
func attempts(page *report.Explorer, source Source) func(*bench.Row) error {
	return func(row *bench.Row) error { return page.Write(row, source.Said(row)) }
}

// ofSummary makes outputs of what needs no rows.
func ofSummary(write func(io.Writer, bench.Summary) error) func(*os.File) output {
	return func(f *os.File) output {
		return output{row: func(*bench.Row) error { return nil }, end: func(s bench.Summary) error { return write(f, s) }}
	}
}

func create(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fault.Infraf("write report %s: %w", path, err)
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, fault.Infraf("write report: %w", err)
	}
	return file, nil
}

func (all outputs) write(row *bench.Row) error {
	for _, o := range all {
		if err := o.row(row); err != nil {
			return err
		}
	}
	return nil
}

// finish writes what is left.
func (all outputs) finish(s bench.Summary) error {
	for _, o := range all {
		if err := o.end(s); err != nil {
			return err
		}
	}
	return nil
}

// close closes all files.
func (all outputs) close() error {
	var problems []error
	for _, o := range all {
		problems = append(problems, o.close())
	}
	return errors.Join(problems...)
}
