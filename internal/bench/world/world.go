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

// Check draws some variations and returns what is wrong with the first of them
// with which anything is.
func (w *World) Check() jsondoc.Problems {
	for n := range checked {
		if _, _, found := w.drawn(bench.Variation{Number: n}); len(found) > 0 {
			return found.Sorted()
		}
	}
	return nil
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
	if len(d.problems) > 0 {
		return nil, nil, d.problems
	}
	plan := &Plan{Name: w.Name, Variation: v, doc: w.doc}
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

// decode reads an expanded file. What does not fit is a number that is too large,
// or a placeholder that stands for something of another type.
func (w *World) decode(expanded map[string]any, plan *Plan) *jsondoc.Problem {
	if at := misplaced(expanded); at != nil {
		most := numbers[at[len(at)-1]]
		written, _ := w.doc.At(at...)
		told := "is " + jsondoc.Show(written)
		if _, isNumber := asInt(written); !isNumber {
			told = fmt.Sprintf("is what %s stands for", jsondoc.Show(written))
		}
		problem := w.doc.Problem(at, "must be a whole number from 0 to %d, %s", most, told)
		return &problem
	}
	text, err := json.Marshal(expanded)
	if err == nil {
		err = json.Unmarshal(text, plan)
	}
	if err == nil {
		return nil
	}
	problem := w.doc.Problem(nil, "%v", err)
	return &problem
}

// misplaced returns the place of the first number that is none, or too large,
// nil if there is none.
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
			number, isNumber := asInt(value[name])
			most, isNumeric := numbers[name]
			if _, isList := value[name].([]any); path != nil && isNumeric && !isList && (!isNumber || number < 0 || number > most) {
				return append(path, name)
			}
		}
	}
	return nil
}

// numbers are the fields that hold a [Number], with the most that it may be.
var numbers = map[string]int{
	"line": 1_000_000, "seconds": 86_400, "reruns": 50, "times": 1_000_000, "commits": MaxObjects, "pushes": MaxObjects,
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
				c.problem(g.Place, "commits", "makes a world of more than %d objects: want less", MaxObjects)
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
				step.Text = c.log(step)
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
			if !c.holds(changes[i].Place, "from", len(text)) {
				return
			}
			changes[i].Text = &text
		}
	}
}

// log puts the parts of a log together, each of whole lines.
func (c *checker) log(step *StepOutput) string {
	var log strings.Builder
	for _, part := range step.Log {
		text := part.Text + c.world.files[part.File]
		if !c.holds(step.Place, "log", len(text)) {
			return ""
		}
		log.WriteString(text)
		if text != "" && !strings.HasSuffix(text, "\n") {
			log.WriteByte('\n')
		}
	}
	return log.String()
}

// holds notes that a world has so many bytes from files, and reports whether
// there is room for them.
func (c *checker) holds(at Place, field string, bytes int) bool {
	if c.bytes <= maxDrawn && c.bytes+bytes > maxDrawn {
		c.problem(at, field, "makes a world of more than %d MiB of files: want less", maxDrawn>>20)
	}
	c.bytes += bytes
	return c.bytes <= maxDrawn
}
