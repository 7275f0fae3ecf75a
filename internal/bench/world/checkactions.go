package world

import (
	"maps"
	"path"
	"strings"

	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

const workflowFolder = ".github/workflows/"

// workflow is what a workflow's file has had at any time: the titles of the steps
// of each job, by the job's key. Nil means that nothing is known of it.
type workflow map[string]map[string]bool

// workflow notes what a change makes of a workflow.
func (c *repositoryChecker) workflow(change Change) {
	name := path.Base(change.Path)
	text := c.world.files[change.From]
	if change.Text != nil {
		text = *change.Text
	}
	known, before := c.workflows[name]
	read := readWorkflow(text)
	if read == nil || before && known == nil {
		c.workflows[name] = nil
		return
	}
	if !before {
		known = workflow{}
		c.workflows[name] = known
	}
	for job, steps := range read {
		if known[job] == nil {
			known[job] = map[string]bool{}
		}
		maps.Copy(known[job], steps)
	}
}

// readWorkflow returns the steps of a workflow's jobs, nil where its file cannot
// be read here, which says nothing of GitHub.
func readWorkflow(text string) workflow {
	doc, problems := jsondoc.ParseYAMLUpTo("", []byte(text), MaxFile)
	if len(problems) > 0 {
		return nil
	}
	root, _ := doc.Value().(map[string]any)
	jobs, _ := root["jobs"].(map[string]any)
	if jobs == nil {
		return nil
	}
	read := workflow{}
	for job, value := range jobs {
		read[job] = map[string]bool{"Set up job": true, "Complete job": true}
		of, _ := value.(map[string]any)
		steps, _ := of["steps"].([]any)
		for _, step := range steps {
			fields, _ := step.(map[string]any)
			read[job][stepTitle(fields)] = true
		}
	}
	return read
}

// stepTitle is what GitHub calls a step.
func stepTitle(step map[string]any) string {
	text := func(field string) string {
		value, _ := step[field].(string)
		return value
	}
	first, _, _ := strings.Cut(text("run"), "\n")
	switch {
	case text("name") != "":
		return text("name")
	case text("uses") != "":
		return "Run " + text("uses")
	default:
		return "Run " + first
	}
}

// knownWorkflow returns a workflow that a repository has had.
func (c *repositoryChecker) knownWorkflow(at Place, name string) workflow {
	known, exists := c.workflows[name]
	if !exists {
		c.problem(at, "workflow", "there is no workflow %q in %s%s", name, workflowFolder, meant(c.checker, name, c.workflows))
	}
	return known
}

// outcome checks that there is what an outcome is about.
func (c *repositoryChecker) outcome(o Outcome) {
	jobs := c.knownWorkflow(o.Place, o.Workflow)
	if jobs == nil {
		return
	}
	steps := jobs[o.Job]
	if o.Job == "" {
		steps = map[string]bool{}
		for _, of := range jobs {
			maps.Copy(steps, of)
		}
	}
	if steps == nil {
		c.problem(o.Place, "job", "the workflow %s has no job %q%s", o.Workflow, o.Job, meant(c.checker, o.Job, jobs))
		return
	}
	step := func(at Place, field, title string) {
		if title != "" && !steps[title] {
			c.problem(at, field, "no such step is in %s: there is no %q%s", o.Workflow, title, meant(c.checker, title, steps))
		}
	}
	step(o.Place, "step", o.Step)
	for _, s := range o.Steps {
		step(s.Place, "name", s.Name)
	}
}

// actions checks how runs end, and those that are started by hand.
func (c *repositoryChecker) actions() {
	for _, o := range c.repo.Outcomes {
		c.outcome(o)
		for _, s := range o.Steps {
			for _, part := range s.Log {
				if _, exists := c.world.files[part.File]; part.File != "" && !exists {
					c.missingFile(s.Place, "log", part.File)
				}
			}
		}
		for field, pattern := range map[string]string{"branch": o.Branch, "title": o.Title} {
			if _, err := path.Match(pattern, ""); err != nil {
				c.problem(o.Place, field, "%q is no pattern", pattern)
			}
		}
	}
	for _, d := range c.repo.Dispatches {
		c.author(d.Place, d.By)
		if d.Ref != "" && !c.branches[d.Ref] {
			c.problem(d.Place, "ref", "there is no branch %q%s", d.Ref, meant(c.checker, d.Ref, c.branches))
		}
		c.runs([]Run{d.Run})
	}
}
