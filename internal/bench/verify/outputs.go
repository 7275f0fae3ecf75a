package verify

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/report"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Outputs are the files that a report is written to; empty means not.
type Outputs struct {
	SummaryJSON, SummaryMarkdown, CSV, HTML, JUnit string
}

// OutputsIn returns outputs of all kinds in a folder.
func OutputsIn(folder string) Outputs {
	return Outputs{
		SummaryJSON: filepath.Join(folder, "summary.json"), SummaryMarkdown: filepath.Join(folder, "summary.md"),
		CSV: filepath.Join(folder, "rows.csv"), HTML: filepath.Join(folder, "report.html"),
		JUnit: filepath.Join(folder, "junit.xml"),
	}
}

// output is one file of a report in the making.
type output struct {
	file *os.File
	row  func(*bench.Row) error
	// end writes what is left, but does not close the file.
	end func(bench.Summary) error
}

// outputs are all files of a report; its rows go by, and then its summary.
type outputs []output

// openOutputs creates the files, so that one that cannot be written is known
// before anything is read.
func openOutputs(paths Outputs) (all outputs, err error) {
	for _, kind := range []struct {
		path  string
		begin func(*os.File) output
	}{
		{paths.CSV, func(f *os.File) output {
			rows := report.NewRowsCSV(f)
			return output{f, rows.Write, func(bench.Summary) error { return rows.Close() }}
		}},
		{paths.JUnit, func(f *os.File) output {
			cases := report.NewJUnit(f)
			return output{f, cases.Write, cases.Close}
		}},
		{paths.SummaryJSON, ofSummary(report.JSON)},
		{paths.SummaryMarkdown, ofSummary(report.Markdown)},
		{paths.HTML, ofSummary(report.HTML)},
	} {
		if kind.path == "" {
			continue
		}
		file, err := create(kind.path)
		if err != nil {
			return nil, errors.Join(err, all.close())
		}
		all = append(all, kind.begin(file))
	}
	return all, nil
}

// ofSummary makes outputs of what needs no rows.
func ofSummary(write func(io.Writer, bench.Summary) error) func(*os.File) output {
	return func(f *os.File) output {
		return output{f, func(*bench.Row) error { return nil }, func(s bench.Summary) error { return write(f, s) }}
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

// finish writes what is left and closes the files.
func (all outputs) finish(s bench.Summary) error {
	for _, o := range all {
		if err := o.end(s); err != nil {
			return err
		}
	}
	return all.close()
}

// close closes all files. Those that are closed already are no error.
func (all outputs) close() error {
	var problems []error
	for _, o := range all {
		if err := o.file.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			problems = append(problems, fault.Infraf("write report: %w", err))
		}
	}
	return errors.Join(problems...)
}
