package benchcli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/sandbox"
	"github.com/ghx-dev/bench-action/internal/sandbox/changes"
)

// execReport is what a command did in a world.
type execReport struct {
	ExitCode int `json:"exit_code"`
	// Changes are what is not as it was, Events how that came about.
	Changes []changes.Change `json:"changes"`
	Events  []changes.Event  `json:"events"`
	// Accounts are those that made requests, in order of their first one.
	Accounts []*accountUse `json:"accounts"`
	Requests []requestLog  `json:"requests"`
	// RefusedHosts are those that the command was kept from.
	RefusedHosts []string `json:"refused_hosts"`
	// Unsupported names what was asked for that GitHub has and the sandbox
	// lacks.
	Unsupported []string `json:"unsupported"`
}

// accountUse is what an account asked for. Refused are the answers of 400 and
// more.
type accountUse struct {
	Login     string `json:"login"`
	REST      int    `json:"rest"`
	GraphQL   int    `json:"graphql"`
	Git       int    `json:"git"`
	Downloads int    `json:"downloads"`
	Writes    int    `json:"writes"`
	Refused   int    `json:"refused"`
}

// requestLog is one request.
type requestLog struct {
	Time      time.Time `json:"time"`
	Login     string    `json:"login"`
	Method    string    `json:"method"`
	Path      string    `json:"path"`
	Operation string    `json:"operation,omitempty"`
	// Status is 0 where the connection was cut.
	Status int  `json:"status"`
	Write  bool `json:"write"`
	// Objects are what it changed or, where it changed nothing, what it names.
	Objects []string `json:"objects,omitempty"`
}

// nobody is who shows no token that is known.
const nobody = "(nobody)"

// newExecReport tells what was done in a world since its log had so many events.
func newExecReport(w *localWorld, before int, job *execution) execReport {
	told := execReport{ExitCode: job.code, Changes: []changes.Change{}, Events: w.Changes()[before:], Accounts: []*accountUse{}, Requests: []requestLog{}, RefusedHosts: []string{}, Unsupported: []string{}}
	told.RefusedHosts = append(told.RefusedHosts, job.refused...)
	told.Changes = append(told.Changes, changes.Net(told.Events)...)
	tokens := w.Tokens()
	by := map[string]*accountUse{}
	for _, e := range w.Audit() {
		login := nobody
		if t, known := tokens[e.Token]; known && e.Token != "" {
			login = t.User
		}
		if by[login] == nil {
			by[login] = &accountUse{Login: login}
			told.Accounts = append(told.Accounts, by[login])
		}
		by[login].count(e)
		for _, name := range e.Unsupported {
			if !slices.Contains(told.Unsupported, name) {
				told.Unsupported = append(told.Unsupported, name)
			}
		}
		told.Requests = append(told.Requests, requestLog{
			Time: e.Time, Login: login, Method: e.Method, Path: e.Path, Operation: e.Operation, Status: e.Status, Write: e.Write, Objects: e.Objects,
		})
	}
	return told
}

func (u *accountUse) count(e sandbox.Entry) {
	switch {
	case e.Part == sandbox.PartGit:
		u.Git++
	case e.Part == sandbox.PartDownload:
		u.Downloads++
	case e.GraphQL:
		u.GraphQL++
	default:
		u.REST++
	}
	if e.Write {
		u.Writes++
	}
	if e.Status >= 400 {
		u.Refused++
	}
}

// print tells a person. What agents wrote cannot change how the rest is shown.
func (r execReport) print(out io.Writer) {
	fmt.Fprintln(out, "\nbench: what it changed")
	if len(r.Changes) == 0 {
		fmt.Fprintln(out, "  nothing")
	}
	for _, c := range r.Changes {
		title := ""
		if c.Title != "" {
			title = ": " + c.Title
		}
		fmt.Fprintf(out, "  %s %s%s\n", c.Kind, oneLine(c.Object.String()), oneLine(title))
		for _, f := range c.Fields {
			if c.Kind != changes.Deleted {
				fmt.Fprintf(out, "    %s: %s\n", oneLine(f.Name), fieldText(c.Kind, f))
			}
		}
	}
	r.printTold(out)
	fmt.Fprintln(out, "bench: what it asked for")
	for _, u := range r.Accounts {
		fmt.Fprintf(out, "  %s: %d REST, %d GraphQL, %d git, %d downloads; %d wrote, %d were refused\n",
			oneLine(u.Login), u.REST, u.GraphQL, u.Git, u.Downloads, u.Writes, u.Refused)
	}
	if len(r.Accounts) == 0 {
		fmt.Fprintln(out, "  nothing")
	}
	for _, name := range r.Unsupported {
		fmt.Fprintf(out, "  GitHub has it, this sandbox does not: %s\n", oneLine(name))
	}
	for _, host := range r.RefusedHosts {
		fmt.Fprintf(out, "  refused: %s (--allow-host lets it through)\n", oneLine(host))
	}
}

// printTold tells who was sent a notification, if anybody was.
func (r execReport) printTold(out io.Writer) {
	heading := "bench: whom it told\n"
	for _, e := range r.Events {
		for _, t := range e.Told {
			fmt.Fprintf(out, "%s  %s of %s (%s)\n", heading, oneLine(t.Login), oneLine(e.Object.String()), t.Reason)
			heading = ""
		}
	}
}

func fieldText(kind changes.Kind, f changes.Field) string {
	before, after := f.Texts()
	if kind == changes.Created {
		return oneLine(after)
	}
	return oneLine(orNothing(before)) + " → " + oneLine(orNothing(after))
}

func orNothing(text string) string { return cmp.Or(text, "(nothing)") }

// maxLine is the most of a text that is printed, in characters.
const maxLine = 160

// oneLine is the beginning of a text on one line, which a terminal does not
// obey.
func oneLine(text string) string {
	if runes := []rune(text); len(runes) > maxLine {
		text = string(runes[:maxLine]) + "…"
	}
	return strings.NewReplacer("\n", " ⏎ ", "\t", " ").Replace(changes.Visible(text))
}
