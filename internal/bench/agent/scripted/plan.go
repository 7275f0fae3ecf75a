package scripted

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

//go:embed plans/*.json
var shipped embed.FS

// The folder of the plans that ship with the program, and the file in it that
// is their JSON Schema. A folder of other plans may have a copy of it.
const (
	plansFolder = "plans"
	schemaFile  = "schema.json"
	// schemaPath is where people find the schema.
	schemaPath = "internal/bench/agent/scripted/" + plansFolder + "/" + schemaFile
)

// plan is what the agent does for a scenario.
type plan struct {
	Scenario    string               `json:"scenario"`
	WrongObject *wrongObject         `json:"wrong_object"`
	Modes       map[bench.Mode]*play `json:"modes"`
	// Alternatives are other right ways.
	Alternatives []alternative `json:"alternatives"`
}

// alternative is a play beside a mode's usual one.
type alternative struct {
	Name string     `json:"name"`
	Mode bench.Mode `json:"mode"`
	play
}

// wrongObject leads to another object of the kind that a scenario acts on, by a
// GraphQL request if Query is there, else by a REST request.
type wrongObject struct {
	Find      template   `json:"find"`
	Query     template   `json:"query"`
	Variables expression `json:"variables"`
	Input     expression `json:"input"`
}

// play is what the agent does in a mode.
type play struct {
	Route  string     `json:"route"`
	Turns  []turn     `json:"turns"`
	Answer expression `json:"answer"`
}

// turn is one message with one tool call, repeated for each item if Each is
// there.
type turn struct {
	Each      expression `json:"each"`
	Think     template   `json:"think"`
	Tool      string     `json:"tool"`
	Command   template   `json:"command"`
	Arguments expression `json:"arguments"`
	Calls     []call     `json:"calls"`
	Shows     expression `json:"shows"`
}

// call is one request, to the GraphQL API if Query is there, else to the REST
// API; repeated for each item if Each is there.
type call struct {
	As        string     `json:"as"`
	Each      expression `json:"each"`
	Method    string     `json:"method"`
	Path      template   `json:"path"`
	Accept    string     `json:"accept"`
	Body      expression `json:"body"`
	Query     template   `json:"query"`
	Variables expression `json:"variables"`
}

// writes reports whether the request may change something.
func (c *call) writes() bool {
	if c.Query.there() {
		return strings.HasPrefix(strings.TrimSpace(string(c.Query.source)), "mutation")
	}
	return c.Method != "" && c.Method != http.MethodGet
}

var planSchema = sync.OnceValue(func() *jsondoc.Schema {
	data, err := shipped.ReadFile(path.Join(plansFolder, schemaFile))
	if err != nil {
		panic(fmt.Sprintf("scripted: read schema: %v", err))
	}
	schema, err := jsondoc.CompileSchema(schemaFile, data)
	if err != nil {
		panic(fmt.Sprintf("scripted: %v", err))
	}
	return schema
})

// plans are plans by scenario, each read when it is asked for the first time.
type plans map[string]func() *plan

// shippedPlans are the plans that ship with the program. Tests have seen that they can be read.
var shippedPlans = sync.OnceValue(func() plans {
	folder, err := fs.Sub(shipped, plansFolder)
	if err != nil {
		panic(fmt.Sprintf("scripted: read shipped plans: %v", err))
	}
	files, err := fs.Glob(folder, "*.json")
	if err != nil {
		panic(fmt.Sprintf("scripted: read shipped plans: %v", err))
	}
	all := plans{}
	for _, file := range files {
		if file == schemaFile {
			continue
		}
		all[strings.TrimSuffix(file, ".json")] = sync.OnceValue(func() *plan {
			p, problems := readPlan(folder, file)
			if p == nil {
				panic(fmt.Sprintf("scripted: read shipped plans: %v", problems))
			}
			return p
		})
	}
	return all
})

// loadPlans returns the shipped plans with those of a folder, which may be nil,
// in front of them. The error lists all problems.
func loadPlans(folder fs.FS) (plans, error) {
	if folder == nil {
		return shippedPlans(), nil
	}
	read, problems := readPlans(folder)
	all := maps.Clone(shippedPlans())
	maps.Copy(all, read)
	return all, problems.Err()
}

// readPlans reads every plan of a folder and its sub-folders.
func readPlans(folder fs.FS) (plans, jsondoc.Problems) {
	read := plans{}
	files := map[string]string{}
	var problems jsondoc.Problems
	// The callback returns no error, so neither does WalkDir.
	_ = fs.WalkDir(folder, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			problems = append(problems, inFile(file, "cannot be read: %v", err))
			return nil
		}
		if entry.IsDir() || path.Ext(file) != ".json" || path.Base(file) == schemaFile {
			return nil
		}
		p, found := readPlan(folder, file)
		if first, twice := files[path.Base(file)]; twice {
			found = append(found, inFile(file, "the scenario has a plan already, %s: take one of them away", first))
		}
		if problems = append(problems, found...); len(found) == 0 {
			read[p.Scenario], files[path.Base(file)] = func() *plan { return p }, file
		}
		return nil
	})
	return read, problems
}

// inFile returns a problem with a file as a whole.
func inFile(file, format string, args ...any) jsondoc.Problem {
	return jsondoc.Problem{File: file, Line: 1, Column: 1, Message: fmt.Sprintf(format, args...)}
}

// readPlan reads one plan; it is nil if there are problems.
func readPlan(folder fs.FS, file string) (*plan, jsondoc.Problems) {
	data, err := fs.ReadFile(folder, file)
	if err != nil {
		return nil, jsondoc.Problems{inFile(file, "cannot be read: %v", err)}
	}
	doc, problems := jsondoc.Parse(file, data)
	if doc == nil {
		return nil, problems
	}
	if problems = append(problems, planSchema().Validate(doc)...); len(problems) > 0 {
		return nil, problems
	}
	p := &plan{}
	if err := doc.Decode(p); err != nil {
		return nil, jsondoc.Problems{inFile(file, "cannot be read: %v", err)}
	}
	c := compiler{doc: doc}
	c.plan(p)
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return p, nil
}

// compiler compiles the expressions of a plan and collects what is wrong with
// them, and what the schema cannot say.
type compiler struct {
	doc      *jsondoc.Document
	problems jsondoc.Problems
}

func (c *compiler) problem(at []string, format string, args ...any) {
	c.problems = append(c.problems, c.doc.Problem(at, format, args...))
}

// part compiles an expression or a template at a place in the file.
func (c *compiler) part(p interface{ compile() error }, at ...string) {
	if err := p.compile(); err != nil {
		c.problem(at, "is not jq that can be run: %v", err)
	}
}

func (c *compiler) plan(p *plan) {
	if name := strings.TrimSuffix(path.Base(c.doc.File()), ".json"); p.Scenario != name {
		c.problem([]string{"scenario"}, "must be %q, as the file is called, is %q", name, p.Scenario)
	}
	if w := p.WrongObject; w != nil {
		c.part(&w.Find, "wrong_object", "find")
		c.part(&w.Query, "wrong_object", "query")
		c.part(&w.Variables, "wrong_object", "variables")
		c.part(&w.Input, "wrong_object", "input")
	}
	for _, mode := range slices.Sorted(maps.Keys(p.Modes)) {
		c.play(p.Modes[mode], "modes", string(mode))
	}
	for i := range p.Alternatives {
		at := []string{"alternatives", fmt.Sprint(i)}
		if other := p.alternative(p.Alternatives[i].Name); other != &p.Alternatives[i] {
			c.problem(append(at, "name"), "is that of another alternative too: give each a name of its own")
		}
		c.play(&p.Alternatives[i].play, at...)
	}
}

func (c *compiler) play(p *play, at ...string) {
	in := func(field ...string) []string { return append(slices.Clone(at), field...) }
	for i := range p.Turns {
		c.turn(&p.Turns[i], in("turns", fmt.Sprint(i)))
	}
	c.part(&p.Answer, in("answer")...)
}

func (c *compiler) turn(t *turn, at []string) {
	in := func(field ...string) []string { return append(slices.Clone(at), field...) }
	c.part(&t.Each, in("each")...)
	c.part(&t.Think, in("think")...)
	c.part(&t.Command, in("command")...)
	c.part(&t.Arguments, in("arguments")...)
	c.part(&t.Shows, in("shows")...)
	for i := range t.Calls {
		k, inCall := &t.Calls[i], func(field string) []string { return in("calls", fmt.Sprint(i), field) }
		if t.Each.there() && k.Each.there() {
			c.problem(inCall("each"), "is not possible in a turn that has each itself: take one of them away")
		}
		c.part(&k.Each, inCall("each")...)
		c.part(&k.Path, inCall("path")...)
		c.part(&k.Body, inCall("body")...)
		c.part(&k.Query, inCall("query")...)
		c.part(&k.Variables, inCall("variables")...)
	}
}

// find returns the play of a scenario in a mode: that of an alternative, or the
// usual one for no name. The error says how to write one.
func (ps plans) find(scenario string, mode bench.Mode, alternative string) (*plan, *play, error) {
	read, known := ps[scenario]
	if !known {
		return nil, nil, fmt.Errorf("there is no plan: write %s.json with modes.%s, as %s describes%s",
			scenario, mode, schemaPath, jsondoc.DidYouMean(scenario, ps.scenarios()))
	}
	p := read()
	if alternative != "" {
		other := p.alternative(alternative)
		if other == nil || other.Mode != mode {
			return nil, nil, fmt.Errorf("its plan has no alternative %q in mode %s", alternative, mode)
		}
		return p, &other.play, nil
	}
	if found := p.Modes[mode]; found != nil {
		return p, found, nil
	}
	if found := p.Modes[bench.GHX]; found != nil && mode == bench.GHXBase {
		return p, found, nil
	}
	if !mode.Shipped() {
		return nil, nil, fmt.Errorf("its plan has no mode %s, and an agent without a shell that has gh cannot play the one of %s: use an agent with a model, or add modes.%s to %s.json", mode, bench.AgentDirect, mode, scenario)
	}
	return nil, nil, fmt.Errorf("its plan has no mode %s: add modes.%s to %s.json, as %s describes", mode, mode, scenario, schemaPath)
}

// alternative returns the one of a name, nil if there is none.
func (p *plan) alternative(name string) *alternative {
	at := slices.IndexFunc(p.Alternatives, func(a alternative) bool { return a.Name == name })
	if at < 0 {
		return nil
	}
	return &p.Alternatives[at]
}

// scenarios returns the ids of the scenarios that have a plan, sorted.
func (ps plans) scenarios() []string { return slices.Sorted(maps.Keys(ps)) }
