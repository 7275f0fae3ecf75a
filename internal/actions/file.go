package actions

import (
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"
)

// The variables that name the files which the runner reads when a step ends.
const (
	outputVariable  = "GITHUB_OUTPUT"
	stateVariable   = "GITHUB_STATE"
	summaryVariable = "GITHUB_STEP_SUMMARY"
)

// Files writes the files that the runner reads when a step ends. What cannot
// be written is told in the log as a notice: a benchmark is not lost for a
// file. Files are not safe for concurrent use.
type Files struct {
	getenv func(string) string
	random io.Reader
	log    *Log
}

// NewFiles returns the files that the environment names. The random bytes must
// be ones that nobody can foresee.
func NewFiles(getenv func(string) string, random io.Reader, log *Log) *Files {
	return &Files{getenv: getenv, random: random, log: log}
}

// SetOutputs sets outputs of the step, all or none. Where that is not
// possible, they are told in the log.
func (f *Files) SetOutputs(values []Value) {
	err := f.set(outputVariable, values)
	if err == nil {
		return
	}
	var lines []string
	for _, v := range values {
		lines = append(lines, v.Name+"="+v.Text)
	}
	f.log.Notice(Position{}, fmt.Sprintf("The outputs are here only: %v\n%s", err, strings.Join(lines, "\n")))
}

// SaveState keeps a value for the post step, where [State] reads it.
func (f *Files) SaveState(name, value string) {
	if err := f.set(stateVariable, []Value{{name, value}}); err != nil {
		f.log.Notice(Position{}, fmt.Sprintf("The post step is not told of %s: %v", name, err))
	}
}

// State returns what the main step saved under a name, in the post step.
func State(getenv func(string) string, name string) string { return getenv("STATE_" + name) }

// set appends values to a file in the runner's format for several lines. Each
// has a delimiter of its own that cannot be foreseen: values hold what agents
// wrote, and with a constant delimiter, as go-githubactions has, one could end
// the value and set another output (CVE-2022-35954).
func (f *Files) set(variable string, values []Value) error {
	var b strings.Builder
	for _, v := range values {
		delimiter, err := f.delimiter(v)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", v.Name, delimiter, v.Text, delimiter)
	}
	return f.append(variable, b.String())
}

// delimiter draws one that the value does not hold. That it does is no chance:
// the random bytes are bad, and a second draw tells whether for good.
func (f *Files) delimiter(v Value) (string, error) {
	const draws = 3
	for range draws {
		token, err := draw(f.random)
		if err != nil {
			return "", err
		}
		if delimiter := "bench_" + token; !strings.Contains(v.Text, delimiter) && !strings.Contains(v.Name, delimiter) {
			return delimiter, nil
		}
	}
	return "", fmt.Errorf("the value of %s holds every delimiter drawn for it", v.Name)
}

// draw returns 128 random bits in hexadecimal digits.
func draw(random io.Reader) (string, error) {
	var bits [16]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", fmt.Errorf("draw random bytes: %w", err)
	}
	return hex.EncodeToString(bits[:]), nil
}

// maxSummary is what a step's summary may have, in bytes, with a margin for
// masks that are longer than what they stand for: of one that is too long, the
// runner drops everything.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions#step-isolation-and-limits
const maxSummary = 1<<20 - 64<<10

// leastSummary is the room, in bytes, below which a part of a summary is not
// worth to be shown.
const leastSummary = 1 << 10

// summaryCut ends a summary that had to be cut.
const summaryCut = "\n\n_The rest is longer than a job summary may be; the files of the run have it._\n"

// AddSummary appends Markdown to the job summary. What is over the limit is
// cut off between two lines: callers who want to choose what goes make it
// shorter themselves. AddStepSummary of go-githubactions knows no limit, and
// panics where the file cannot be written.
func (f *Files) AddSummary(markdown string) {
	err := f.addSummary(markdown)
	if err != nil {
		f.log.Notice(Position{}, fmt.Sprintf("There is no job summary: %v", err))
	}
}

func (f *Files) addSummary(markdown string) error {
	if !strings.HasSuffix(markdown, "\n") {
		markdown += "\n"
	}
	room := maxSummary
	if info, err := os.Stat(f.getenv(summaryVariable)); err == nil {
		room -= int(min(info.Size(), maxSummary))
	}
	if len(markdown) > room {
		if room < leastSummary {
			return fmt.Errorf("the file in %s is full", summaryVariable)
		}
		markdown = cutLines(markdown, room-len(summaryCut)) + summaryCut
	}
	return f.append(summaryVariable, markdown)
}

// cutLines returns the lines at the beginning of a text that have so many
// bytes at most, or a part of the first line if it alone has more.
func cutLines(text string, most int) string {
	if end := strings.LastIndexByte(text[:most], '\n'); end > 0 {
		return text[:end]
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// append adds a text to the file that a variable names, in one write, so that
// the file holds all of it or, on most file systems, nothing.
func (f *Files) append(variable, text string) (err error) {
	path := f.getenv(variable)
	if path == "" {
		return fmt.Errorf("%s is not set", variable)
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open the file in %s: %w", variable, err)
	}
	if _, err := file.WriteString(text); err != nil {
		_ = file.Close()
		return fmt.Errorf("write the file in %s: %w", variable, err)
	}
	if err := file.Close(); err != nil {
		return fmt.Errorf("write the file in %s: %w", variable, err)
	}
	return nil
}
