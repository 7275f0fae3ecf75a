package actions

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/sethvargo/go-githubactions"

	"github.com/ghx-dev/bench-action/internal/redact"
)

// Log writes the log of a step: lines, and the workflow commands that make
// groups, annotations and masks of them. Nothing in it carries a secret, and
// text of others is never a command. It is safe for concurrent use. An error
// of its writer is nobody's to hear, and ignored.
type Log struct {
	secrets *redact.Redactor
	now     func() time.Time
	random  io.Reader

	mu sync.Mutex
	to io.Writer
	// midLine is true if the last line has no end yet.
	midLine bool
	// foreign counts the open sections of foreign output; token ends them, and
	// held are the commands that wait for it.
	foreign int
	token   string
	held    []string
}

// NewLog returns a log. Its writer has to be the standard output, or standard
// error, and nothing else may write there. The random bytes must be ones that
// nobody can foresee.
func NewLog(to io.Writer, secrets *redact.Redactor, now func() time.Time, random io.Reader) *Log {
	return &Log{to: to, secrets: secrets, now: now, random: random}
}

// Position is what an annotation is about. The zero value is about nothing in
// particular.
type Position struct {
	Title string
	// File is relative to the repository; Line counts from 1, 0 is none.
	File string
	Line int
}

func (p Position) fields() githubactions.CommandProperties {
	fields := githubactions.CommandProperties{}
	if p.Title != "" {
		fields["title"] = p.Title
	}
	if p.File != "" {
		fields["file"] = p.File
	}
	if p.File != "" && p.Line > 0 {
		fields["line"] = strconv.Itoa(p.Line)
	}
	return fields
}

// Notice annotates the run with a message.
func (l *Log) Notice(at Position, message string) {
	l.command("notice", at, message)
}

// Warning is [Log.Notice] for what may be wrong.
func (l *Log) Warning(at Position, message string) {
	l.command("warning", at, message)
}

// Error is [Log.Notice] for what is wrong. It does not fail the step.
func (l *Log) Error(at Position, message string) {
	l.command("error", at, message)
}

// command writes a workflow command without secrets, escaped.
func (l *Log) command(name string, at Position, message string) {
	at.Title, at.File = l.secrets.String(at.Title), l.secrets.String(at.File)
	l.issue(&githubactions.Command{Name: name, Properties: at.fields(), Message: l.secrets.String(message)})
}

// issue writes a workflow command as it is, once commands are read.
func (l *Log) issue(command *githubactions.Command) {
	var b strings.Builder
	githubactions.New(githubactions.WithWriter(&b)).IssueCommand(command)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.foreign > 0 {
		l.held = append(l.held, b.String())
		return
	}
	l.write(b.String())
}

// write begins a line if need be.
func (l *Log) write(text string) {
	if text == "" {
		return
	}
	if l.midLine {
		text = "\n" + text
	}
	_, _ = io.WriteString(l.to, text)
	l.midLine = !strings.HasSuffix(text, "\n")
}

// Mask keeps values out of what this log and, from here on, any step of the
// job logs. The runner looks at one line at a time, so each line of a value is
// one. Values and lines shorter than [redact.MinLength] are left out: they
// would be found everywhere.
func (l *Log) Mask(secrets ...string) {
	for _, secret := range secrets {
		l.secrets.Add(secret)
		for _, line := range lines(secret) {
			if line = strings.TrimSpace(line); len(line) >= redact.MinLength {
				l.secrets.Add(line)
				l.issue(&githubactions.Command{Name: "add-mask", Message: line})
			}
		}
	}
}

// Line writes text, each line of it as one that is no command.
func (l *Log) Line(text string) {
	var b strings.Builder
	for _, line := range lines(l.secrets.String(text)) {
		b.WriteString(inert(line) + "\n")
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write(b.String())
}

// Progress writes a line that says how far something is.
func (l *Log) Progress(done, total int, text string) {
	l.Line(fmt.Sprintf("[%d/%d] %s", done, total, text))
}

// Group folds what is logged meanwhile under a title, and then says, where it
// can be seen, how long it took. Groups do not nest: the runner ends the outer
// one with the inner one. The error is that of do.
func (l *Log) Group(title string, do func() error) error {
	title = strings.Join(lines(title), " ")
	start := l.now()
	l.command("group", Position{}, title)
	defer func() {
		l.command("endgroup", Position{}, "")
		const precision = 100 * time.Millisecond
		l.Line(fmt.Sprintf("%s took %v.", title, l.now().Sub(start).Round(precision)))
	}()
	return do()
}

// Foreign passes on output of others, such as a build's, without secrets. In
// the meantime the runner reads no commands, until it is given a token that
// the others cannot know; commands of this log wait for that. This holds too
// if do panics. The error is that of do, or of drawing the token, and then
// nothing was done.
func (l *Log) Foreign(do func(io.Writer) error) error {
	if err := l.stopCommands(); err != nil {
		return err
	}
	defer l.resumeCommands()
	output := l.secrets.Writer(foreign{l})
	defer output.Close()
	return do(output)
}

func (l *Log) stopCommands() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.foreign == 0 {
		token, err := draw(l.random)
		if err != nil {
			return err
		}
		l.token = token
		l.write("::stop-commands::" + token + "\n")
	}
	l.foreign++
	return nil
}

func (l *Log) resumeCommands() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.foreign--
	if l.foreign > 0 {
		return
	}
	l.write("::" + l.token + "::\n")
	for _, command := range l.held {
		l.write(command)
	}
	l.held = nil
}

// foreign is the end of the log that takes output of others as it is.
type foreign struct{ log *Log }

func (f foreign) Write(p []byte) (int, error) {
	f.log.mu.Lock()
	defer f.log.mu.Unlock()
	if len(p) > 0 {
		_, _ = f.log.to.Write(p)
		f.log.midLine = p[len(p)-1] != '\n'
	}
	return len(p), nil
}
