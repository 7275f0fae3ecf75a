package world

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// sample is the variation that shows what a world makes.
var sample = bench.Variation{}

// checked is how many variations [World.Check] draws.
const checked = 8

// Check draws some variations and returns what is wrong with any of them.
func (w *World) Check() jsondoc.Problems {
	var problems jsondoc.Problems
	for n := range checked {
		_, _, found := w.drawn(bench.Variation{Number: n})
		problems = append(problems, found...)
	}
	return problems.Sorted()
}

// Draw returns the plan of a variation. What is wrong with it is one error of
// kind invalid that lists all problems.
func (w *World) Draw(v bench.Variation) (*Plan, error) {
	plan, _, err := w.draw(v)
	return plan, err
}

func (w *World) draw(v bench.Variation) (*Plan, map[string]named, error) {
	plan, names, problems := w.drawn(v)
	return plan, names, problems.Sorted().Err()
}

// drawn makes a plan, and returns the objects that have a name.
func (w *World) drawn(v bench.Variation) (*Plan, map[string]named, jsondoc.Problems) {
	d := &drawing{doc: w.doc, world: w.Name, variation: v}
	expanded := d.expand()
	if len(d.problems) == 0 && d.objects > MaxObjects {
		d.problem(nil, "makes a world of %d objects: want at most %d", d.objects, MaxObjects)
	}
	if len(d.problems) > 0 {
		return nil, nil, d.problems
	}
	plan := &Plan{Name: w.Name, Variation: v}
	if problem := w.decode(expanded, plan); problem != nil {
		return nil, nil, jsondoc.Problems{*problem}
	}
	c := &checker{world: w, plan: plan}
	c.schedule()
	c.check()
	if len(c.problems) == 0 {
		c.grow(d)
		c.fill()
	}
	return plan, c.names, c.problems
}

// decode reads an expanded file. What does not fit is a placeholder that stands
// for something of another type.
func (w *World) decode(expanded map[string]any, plan *Plan) *jsondoc.Problem {
	text, err := json.Marshal(expanded)
	if err == nil {
		err = json.Unmarshal(text, plan)
	}
	if err == nil {
		return nil
	}
	at := misplaced(expanded)
	problem := w.doc.Problem(at, "%v", err)
	if at != nil {
		problem = w.doc.Problem(at, "must be a whole number, is what %s stands for", jsondoc.Show(valueAt(w.doc, at)))
	}
	return &problem
}

func valueAt(doc *jsondoc.Document, path []string) any {
	value, _ := doc.At(path...)
	return value
}

// misplaced returns the place of the first number that is none, nil if there
// is none.
func misplaced(value any) []string {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			if at := misplaced(item); at != nil {
				return at
			}
		}
	case map[string]any:
		path, _ := value[fieldAt].([]string)
		for _, name := range sortedKeys(value) {
			if at := misplaced(value[name]); at != nil {
				return at
			}
			_, isNumber := asInt(value[name])
			if _, isList := value[name].([]any); path != nil && numeric(name) && !isNumber && !isList {
				return append(path, name)
			}
		}
	}
	return nil
}

// numeric reports whether a field holds a [Number].
func numeric(field string) bool {
	switch field {
	case "line", "seconds", "reruns", "times", "commits":
		return true
	default:
		return false
	}
}

// grow puts the commits of growths in their place.
func (c *checker) grow(d *drawing) {
	total := d.objects
	for i := range c.plan.Repositories {
		r := &c.plan.Repositories[i]
		var history []Commit
		for n, commit := range r.History {
			g := commit.Grow
			if g == nil {
				history = append(history, commit)
				continue
			}
			if total += int(g.Commits); total > MaxObjects {
				c.problem(g.Place, "commits", "makes a world of %d objects: want at most %d", total, MaxObjects)
				return
			}
			grown, err := g.grown(c.growing(r, g.Folder), d.stream(fmt.Sprintf("grow/%s/%d", r.Name, n)))
			if err != nil {
				c.problem(g.Place, "commits", "%v", err)
			}
			history = append(history, grown...)
		}
		r.History = history
	}
}

// growing returns the files of a folder but for those of the first commit.
func (c *checker) growing(r *Repository, folder string) map[string]string {
	files := map[string]string{}
	for file, text := range c.world.files {
		if below, is := strings.CutPrefix(file, path.Clean(folder)+"/"); is {
			files[below] = text
		}
	}
	for _, change := range r.Files {
		delete(files, change.Path)
	}
	return files
}

// fill puts the texts of files in their place.
func (c *checker) fill() {
	for i := range c.plan.Repositories {
		r := &c.plan.Repositories[i]
		c.fillChanges(r.Files)
		c.fillCommits(r.History)
		for n := range r.Branches {
			c.fillCommits(r.Branches[n].Commits)
		}
		for n := range r.Pulls {
			c.fillCommits(r.Pulls[n].Commits)
		}
		for n := range r.Outcomes {
			for k := range r.Outcomes[n].Steps {
				step := &r.Outcomes[n].Steps[k]
				step.Text = c.log(step.Log)
			}
		}
	}
}

func (c *checker) fillCommits(commits []Commit) {
	for i := range commits {
		c.fillChanges(commits[i].Changes)
	}
}

func (c *checker) fillChanges(changes []Change) {
	for i := range changes {
		if changes[i].From != "" {
			text := c.world.files[changes[i].From]
			changes[i].Text = &text
		}
	}
}

// log puts the parts of a log together, each of whole lines.
func (c *checker) log(parts []LogPart) string {
	var log strings.Builder
	for _, part := range parts {
		text := part.Text + c.world.files[part.File]
		log.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			log.WriteByte('\n')
		}
	}
	return log.String()
}
