package suite

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// The columns of results.tsv.
const (
	columnIteration, columnScore, columns = 0, 1, 6

	header = "iteration\tval_score\tcommit\tevals_passed\tevals_total\ttimestamp"
)

// BaselineCommit stands for a commit in the row of the baseline, iteration 0.
const BaselineCommit = "baseline"

// Record is a row of results.tsv: what an iteration came to.
type Record struct {
	Iteration int `json:"iteration"`
	// ValScore is kept to its last digit: what is rounded up could not be
	// reached again.
	ValScore    float64 `json:"val_score"`
	Commit      string  `json:"commit"`
	EvalsPassed int     `json:"evals_passed"`
	EvalsTotal  int     `json:"evals_total"`
	// Timestamp is RFC 3339 in UTC.
	Timestamp string `json:"timestamp"`
}

// FormatScore writes a score such that it can be read back exactly.
func FormatScore(score float64) string { return strconv.FormatFloat(score, 'f', -1, 64) }

func (r Record) line() string {
	return strings.Join([]string{
		strconv.Itoa(r.Iteration), FormatScore(r.ValScore), r.Commit,
		strconv.Itoa(r.EvalsPassed), strconv.Itoa(r.EvalsTotal), r.Timestamp,
	}, "\t")
}

func (r Record) check() error {
	switch {
	case !(r.ValScore >= 0 && r.ValScore <= 1):
		return fault.Invalidf("val_score is %g, want a number from 0 to 1", r.ValScore)
	case r.EvalsPassed < 0 || r.EvalsTotal < r.EvalsPassed:
		return fault.Invalidf("evals are %d of %d, want 0 or more, and no more than all", r.EvalsPassed, r.EvalsTotal)
	case r.Commit == "" || strings.ContainsAny(r.Commit, "\t\r\n"):
		return fault.Invalidf("commit is %q, want a name without tabs and line breaks", r.Commit)
	default:
		return nil
	}
}

// Records returns the rows of results.tsv, none without the file. The error is
// of kind invalid and names the line.
func (w Workspace) Records() ([]Record, error) {
	records, _, err := w.read()
	return records, err
}

// read returns the rows and the file's content.
func (w Workspace) read() (records []Record, content []byte, err error) {
	path := w.path(resultsFile)
	content, err = os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, nil
	case err != nil:
		return nil, nil, fault.Infraf("read %s: %w", path, err)
	}
	number := 0
	for line := range strings.Lines(string(content)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "iteration\t") {
			continue
		}
		r, ok := parseRecord(line)
		if !ok {
			return nil, nil, fault.Invalidf("%s:%d: want %s, divided by tabs", path, number, strings.ReplaceAll(header, "\t", ", "))
		}
		records = append(records, r)
	}
	return records, content, nil
}

func parseRecord(line string) (r Record, ok bool) {
	fields := strings.Split(line, "\t")
	if len(fields) != columns {
		return Record{}, false
	}
	numbers := map[int]*int{columnIteration: &r.Iteration, 3: &r.EvalsPassed, 4: &r.EvalsTotal}
	for column, to := range numbers {
		n, err := strconv.Atoi(fields[column])
		if err != nil || n < 0 {
			return Record{}, false
		}
		*to = n
	}
	score, err := strconv.ParseFloat(fields[columnScore], 64)
	if err != nil || math.IsNaN(score) {
		return Record{}, false
	}
	r.ValScore, r.Commit, r.Timestamp = score, fields[2], fields[5]
	return r, true
}

// Best returns the highest val_score so far, nil if there is none.
func (w Workspace) Best() (*float64, error) {
	records, err := w.Records()
	if err != nil || len(records) == 0 {
		return nil, err
	}
	best := records[0].ValScore
	for _, r := range records {
		best = max(best, r.ValScore)
	}
	return &best, nil
}

// Add adds a row to results.tsv. Its time is now, and its iteration, unless it
// is that of the baseline, the next one. It returns the row.
func (w Workspace) Add(r Record) (Record, error) {
	records, content, err := w.read()
	if err != nil {
		return Record{}, err
	}
	r.Timestamp, r.Iteration = w.timestamp(), 0
	if r.Commit != BaselineCommit {
		r.Iteration = 1
		for _, other := range records {
			r.Iteration = max(r.Iteration, other.Iteration+1)
		}
	}
	if err := r.check(); err != nil {
		return Record{}, err
	}
	if len(content) == 0 {
		content = []byte(header + "\n")
	}
	if !bytes.HasSuffix(content, []byte("\n")) {
		content = append(content, '\n')
	}
	return r, state.Write(w.path(resultsFile), append(content, r.line()+"\n"...))
}
