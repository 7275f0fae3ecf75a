package terminalbench

import (
	"bufio"
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness"
	"github.com/ghx-dev/bench-action/internal/fault"
)

var _ harness.Checker = (*Runner)(nil)

//go:embed check.py
var checkScript string

// Check looks for the tasks, and has harbor's own Python import the agent and the
// sandbox and say what these miss, such as keys or an engine for containers.
func (r *Runner) Check(ctx context.Context, taskIDs []string, _ bool) []harness.Check {
	o := r.options
	checks := []harness.Check{o.Host.CheckProgram("harbor", r.program(), "harbor")}
	if checks[0].Err != nil {
		checks[0].Err = fault.Invalidf("%w; `uv tool install 'harbor[e2b]'` installs it", checks[0].Err)
		return checks
	}
	ids, split := harness.CheckSplit(o.Host.Path(harness.TerminalBenchSplitFile), o.Split, taskIDs)
	checks = append(checks, split)
	if split.Err == nil {
		checks = append(checks, r.checkDataset(ids)...)
	}
	if r.asksModel() {
		checks = append(checks, o.Host.AgentKey(o.Agent))
	}
	if harness.FirstProblem(checks) != nil {
		return checks
	}
	python := interpreter(r.program())
	if python == "" {
		return append(checks, harness.Check{Name: "harbor", Detail: "agent and sandbox were not looked at: " + r.program() + " is no script of Python's"})
	}
	probed := o.Host.Probe(ctx, harness.Probe{
		Name: "harbor", Path: python, Args: []string{"-c", checkScript}, Env: r.env(), Dir: o.Host.Dir, Request: r.config(ids),
	})
	for i := range probed {
		probed[i].Err = r.withVariables(probed[i].Err)
	}
	return append(checks, probed...)
}

// variableName is what the name of an environment variable looks like in a message.
var variableName = regexp.MustCompile(`\b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b`)

// withVariables adds to an error which of the variables that it names are set and not
// passed on.
func (r *Runner) withVariables(err error) error {
	if err == nil {
		return nil
	}
	passed, kept := harness.Host{Environ: r.env()}, []string{}
	for _, name := range variableName.FindAllString(err.Error(), -1) {
		if r.options.Host.Getenv(name) != "" && passed.Getenv(name) == "" && !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	if len(kept) == 0 {
		return err
	}
	text := fmt.Sprintf("set here, but not passed on unless agent_env names it: %s", strings.Join(kept, ", "))
	if fault.KindOf(err) == fault.Infrastructure {
		return fault.Infraf("%w; %s", err, text)
	}
	return fault.Invalidf("%w; %s", err, text)
}

// asksModel reports whether the agent is sure to ask its model with a key of ours. An
// agent of harbor's may be given other ways in.
func (r *Runner) asksModel() bool {
	o := r.options
	if isClass(o.AgentImportPath) {
		return o.Agent.Named
	}
	_, told := o.Settings["agent.env"]
	return o.AgentImportPath != "oracle" && o.AgentImportPath != "nop" && !told && len(o.Agent.Allow) == 0
}

// checkDataset looks for tasks in a dataset that is a folder.
func (r *Runner) checkDataset(ids []string) []harness.Check {
	folder, is := parseDataset(r.options.Host, r.options.Dataset)["path"].(string)
	if !is {
		return nil
	}
	c := harness.Check{Name: "dataset", Detail: folder}
	entries, err := os.ReadDir(folder)
	if err != nil {
		c.Err = fault.Invalidf("the dataset %s cannot be read: name a folder of tasks, or NAME@VERSION, with dataset", r.options.Dataset)
		return []harness.Check{c}
	}
	there := tasksIn(folder, entries)
	var missing []string
	for _, id := range ids {
		if !slices.Contains(there, id) {
			missing = append(missing, fmt.Sprintf("%q", id))
		}
	}
	switch {
	case len(there) == 0:
		c.Err = fault.Invalidf("the dataset %s has no tasks: each is a folder with a task.toml", r.options.Dataset)
	case len(missing) > 0:
		c.Err = fault.Invalidf("the dataset %s does not have the task %s: name others with --task-ids, or make the split anew", r.options.Dataset, strings.Join(missing, ", "))
	}
	return []harness.Check{c}
}

// tasksIn returns the tasks of a folder, sorted.
func tasksIn(folder string, entries []os.DirEntry) []string {
	var there []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(folder, e.Name(), "task.toml")); err == nil {
			there = append(there, e.Name())
		}
	}
	return there
}

var _ harness.Lister = (*Runner)(nil)

// Tasks returns those of a split, or of the whole dataset where it is a folder.
func (r *Runner) Tasks(_ context.Context, split string) ([]string, error) {
	ids, err := r.known(split)
	if err == nil && ids == nil {
		return nil, fault.Invalidf("which tasks the dataset %s has is not known before it is run: name a split of %s, or tasks with --task-ids", r.options.Dataset, harness.TerminalBenchSplitFile)
	}
	return ids, err
}

// known returns the tasks of a split, or, without one, those of a dataset that is a
// folder; nil are those of a registry's, which harbor alone knows.
func (r *Runner) known(split string) ([]string, error) {
	o := r.options
	ids, err := harness.ReadSplit(o.Host.Path(harness.TerminalBenchSplitFile), split)
	if err != nil || ids != nil {
		return ids, err
	}
	folder, is := parseDataset(o.Host, o.Dataset)["path"].(string)
	if !is {
		return nil, nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fault.Invalidf("the dataset %s cannot be read: %w", o.Dataset, err)
	}
	return tasksIn(folder, entries), nil
}

// shebang is the line that names a script's interpreter, and trampoline the one that
// does so where the first would be too long.
var (
	shebang    = regexp.MustCompile(`^#!\s*(/\S*python[0-9.]*)\s*$`)
	trampoline = regexp.MustCompile(`^'''exec' "?([^"]+?)"? "\$0" "\$@"`)
)

// interpreter returns the Python of a script, empty for what is none.
func interpreter(script string) string {
	file, err := os.Open(script)
	if err != nil {
		return ""
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for range 2 {
		if !lines.Scan() {
			return ""
		}
		for _, form := range []*regexp.Regexp{shebang, trampoline} {
			if found := form.FindStringSubmatch(lines.Text()); found != nil {
				return found[1]
			}
		}
	}
	return ""
}
