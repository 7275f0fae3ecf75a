package harness

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/ghx-dev/bench-action/harness/child"
	"github.com/ghx-dev/bench-action/internal/fault"
)

// Checker is a runner that can tell whether it would run, before anything is started
// that costs.
type Checker interface {
	// Check looks at what a run of the tasks needs, nil for all of them, until something
	// is missing. Unless it is to be thorough it leaves out what takes long and Run
	// refuses by itself before anything is paid.
	Check(ctx context.Context, taskIDs []string, thorough bool) []Check
}

// Check is what was found of a thing that a benchmark needs.
type Check struct {
	Name string
	// Detail says what was found, or why it was not looked at.
	Detail string
	// Err is what is wrong, in one sentence with the mend; its kind is invalid, or
	// infrastructure for what may work later. Nil is nothing.
	Err error
}

// FirstProblem returns the first check's that has one, nil if none has.
func FirstProblem(checks []Check) error {
	for _, c := range checks {
		if c.Err != nil {
			return c.Err
		}
	}
	return nil
}

// CheckProgram checks that a program can be run; key is what names it in the
// configuration.
func (Host) CheckProgram(name, path, key string) Check {
	if isProgram(path) {
		if missing := noInterpreter(path); missing != "" {
			return Check{Name: name, Err: fault.Invalidf("%s begins with #!%s, which is not there: install it, or name another one with %s", path, missing, key)}
		}
		return Check{Name: name, Detail: path}
	}
	if _, err := os.Stat(path); err == nil {
		return Check{Name: name, Err: fault.Invalidf("%s is no program that can be run: name one with %s", path, key)}
	}
	return Check{Name: name, Err: fault.Invalidf("%s is not there: install it, or name another one with %s", path, key)}
}

// noInterpreter returns the program that runs a script, as its first line names it, if that
// is not there.
func noInterpreter(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	const longest = 256 // of a first line that Linux reads
	line, _ := bufio.NewReader(io.LimitReader(file, longest)).ReadString('\n')
	words := strings.Fields(strings.TrimPrefix(line, "#!"))
	if !strings.HasPrefix(line, "#!") || len(words) == 0 || !filepath.IsAbs(words[0]) {
		return ""
	}
	if _, err := os.Stat(words[0]); errors.Is(err, fs.ErrNotExist) {
		return words[0]
	}
	return ""
}

// Key checks that a key of a model is there that is needed; of models whose provider is
// not known nothing is. A benchmark's own file of variables, as .env, may have it.
func (h Host) Key(whose, model, variable string, files ...string) Check {
	if variable == "" {
		if variable = knownKey(model); variable == "" {
			return Check{Name: whose, Detail: "which key the model " + model + " needs is not known"}
		}
	}
	if h.Getenv(variable) != "" {
		return Check{Name: whose, Detail: "the key of the model " + model + " is in " + variable}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains("\n"+string(text), "\n"+variable+"=") {
			return Check{Name: whose, Detail: "the key of the model " + model + " is in " + file}
		}
	}
	return Check{Name: whose, Err: fault.Invalidf("the model %s of %s needs a key, and the environment variable %s is not set: set it, or name the variable that has it with model_key_env", model, whose, variable)}
}

// AgentKey checks that the key of an agent's model is there.
func (h Host) AgentKey(a Agent, files ...string) Check {
	variable := ""
	if len(a.KeyVariables) == 1 && a.KeyVariables[0] != KeyVariable(a.Model) {
		variable = a.KeyVariables[0]
	}
	return h.Key("the agent", a.Model, variable, files...)
}

// knownKey returns the variable with the key of a model whose provider is known, empty
// for others.
func knownKey(model string) string {
	provider, _, qualified := strings.Cut(model, "/")
	if qualified && !strings.EqualFold(KeyVariable(model), provider+keySuffix) && provider != "google" && provider != "together_ai" {
		return ""
	}
	return KeyVariable(model)
}

// Probe asks a program of the benchmark what it finds, most often a Python that is given
// a script: Request is its standard input, as JSON, and on file descriptor 3 it tells
// of its checks, a JSON object a line.
type Probe struct {
	// Name is what the checks are about.
	Name string
	Path string
	Args []string
	Env  []string
	Dir  string
	// Request may be nil.
	Request any
	// Secrets are further ones, which no message has.
	Secrets []string
}

// probed is a line of a probe.
type probed struct {
	Name    string `json:"name"`
	Detail  string `json:"detail"`
	Problem string `json:"problem"`
	// Infrastructure says that the problem may be gone later.
	Infrastructure bool `json:"infrastructure"`
}

// maxProbed is how long a line of a probe may be, in bytes.
const maxProbed = 1 << 20

// Probe returns what the program tells. That it cannot tell is a check with an error.
func (h Host) Probe(ctx context.Context, p Probe) []Check {
	checks, err := h.probe(ctx, p)
	if err != nil && FirstProblem(checks) == nil {
		checks = append(checks, Check{Name: p.Name, Err: err})
	}
	return checks
}

func (h Host) probe(ctx context.Context, p Probe) ([]Check, error) {
	request, err := json.Marshal(p.Request)
	if err != nil {
		return nil, fault.Internalf("ask %s: %w", p.Path, err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fault.Infraf("run %s: %w", p.Path, err)
	}
	defer read.Close()
	log := Host{Environ: h.Environ, Hidden: h.Hidden}.Stream("", p.Secrets...)
	process, err := child.Start(ctx, child.Command{
		Path: p.Path, Args: p.Args, Env: p.Env, Dir: p.Dir, ExtraFiles: []*os.File{write},
		Stdin: bytes.NewReader(request), Stdout: log, Stderr: log,
	})
	_ = write.Close()
	if err != nil {
		return nil, fault.Invalidf("%s cannot be run: %w", p.Path, cause(err))
	}
	var checks []Check
	lines := &child.LineWriter{Limit: maxProbed, Emit: func(line []byte, _ bool) {
		var told probed
		if json.Unmarshal(line, &told) == nil && told.Name != "" {
			checks = append(checks, told.check(h, p.Secrets))
		}
	}}
	_, readErr := read.WriteTo(lines)
	lines.Flush()
	err = process.Wait()
	log.Close()
	switch {
	case context.Cause(ctx) != nil:
		return nil, err
	case err != nil:
		return checks, fault.Invalidf("%s cannot say what it needs: %w%s", p.Path, err, lastLine(log.Tail()))
	default:
		return checks, readErr
	}
}

// cause is the innermost part of an error's text.
func cause(err error) error {
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return err
}

func (p probed) check(h Host, secrets []string) Check {
	c := Check{Name: p.Name, Detail: h.Redact(p.Detail, secrets...)}
	problem := strings.Join(strings.Fields(h.Redact(p.Problem, secrets...)), " ")
	switch {
	case problem == "":
	case p.Infrastructure:
		c.Err = fault.Infraf("%s", problem)
	default:
		c.Err = fault.Invalidf("%s", problem)
	}
	return c
}

// lastLine is what a program said last, as the end of a sentence.
func lastLine(tail string) string {
	lines := strings.Split(strings.TrimSpace(tail), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return fmt.Sprintf("; it said: %s", last)
	}
	return ""
}

// Distinct returns an error of kind invalid for an id that is there twice.
func Distinct(where string, ids []string) error {
	seen := map[string]bool{}
	for _, id := range ids {
		if seen[id] {
			return fault.Invalidf("%s has the task %q twice: name it once; epochs says how often tasks are run", where, id)
		}
		seen[id] = true
	}
	return nil
}

// CheckSplit looks at a part of a split file, unless tasks are named.
func CheckSplit(path, name string, taskIDs []string) ([]string, Check) {
	c := Check{Name: "tasks", Detail: "the whole dataset"}
	if taskIDs == nil {
		taskIDs, c.Err = ReadSplit(path, name)
	}
	if c.Err == nil && taskIDs != nil {
		c.Detail = fmt.Sprintf("%d of split %s", len(taskIDs), name)
		c.Err = Distinct(path, taskIDs)
		if len(taskIDs) == 0 {
			c.Err = fault.Invalidf("split %q of %s has no tasks: make it anew with `bench harness prepare`, or name another one", name, path)
		}
	}
	return taskIDs, c
}
