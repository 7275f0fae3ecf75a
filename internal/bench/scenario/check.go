package scenario

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/checkpoint"
	"github.com/ghx-dev/bench-action/internal/bench/world"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// Report is what [Check] finds, each list sorted by place.
type Report struct {
	// Problems keep a folder from being loaded.
	Problems jsondoc.Problems
	// Warnings are doubts that do not (rule S11).
	Warnings jsondoc.Problems
}

// Check reads a scenario folder and returns everything that is wrong with it
// and everything that is doubtful. Every problem has a file, a line and a
// column. Of a file that does not fit the schema, only that is told. Fixtures
// are what scenarios without a world of their own can stand on; nil means that
// nothing is known of them.
func Check(fsys fs.FS, fixtures world.Made) Report {
	_, report := inspect(fsys, fixtures)
	return report
}

func inspect(fsys fs.FS, fixtures world.Made) (folder, Report) {
	read, problems := readFolder(fsys)
	problems = append(problems, read.drawWorlds()...)
	doubts := warnings(read.sources)
	for _, s := range read.sources {
		c := &checker{source: s, worlds: read.worlds, fixtures: fixtures}
		c.check()
		problems, doubts = append(problems, c.problems...), append(doubts, c.warnings...)
	}
	problems = append(problems, checkUnique(read.sources)...)
	if read.sets != nil {
		problems = append(problems, checkSets(read)...)
	}
	return read, Report{Problems: problems.Sorted(), Warnings: doubts.Sorted()}
}

// checker collects the problems of one scenario.
type checker struct {
	source
	worlds             map[string]*world.World
	fixtures           world.Made
	problems, warnings jsondoc.Problems
}

func (c *checker) problem(path []string, format string, args ...any) {
	c.problems = append(c.problems, c.doc.Problem(path, format, args...))
}

func (c *checker) warn(path []string, format string, args ...any) {
	c.warnings = append(c.warnings, c.doc.Problem(path, format, args...))
}

func (c *checker) keyProblem(path []string, format string, args ...any) {
	c.problems = append(c.problems, c.doc.KeyProblem(path, format, args...))
}

// check checks what the schema cannot say.
func (c *checker) check() {
	s := c.source
	if name := idOfFile(s.doc.File()); s.scenario.ID != name {
		c.problem([]string{"id"}, "must be %q, as the file is called, is %q", name, s.scenario.ID)
	}
	c.bindings()
	c.world()
	c.target()
	if s.scenario.Type == bench.Workflow {
		c.expectedCapabilities()
		c.template("prompt", s.scenario.Prompt)
	} else {
		c.task()
		c.template("prompt_template", s.scenario.PromptTemplate)
		c.atomicAssertions()
	}
	for i, cp := range s.scenario.Assertions.Checkpoints {
		c.checkpoint(i, cp)
	}
	c.expectedData()
	c.footprint()
	c.holes()
}

func (c *checker) task() {
	if c.scenario.Target != nil {
		return
	}
	capability, known := capabilityOf(c.scenario)
	if !known {
		c.problem([]string{"task"}, "%s", unknownCapability(c.scenario.Task))
		return
	}
	given := maps.Clone(c.scenario.Input)
	for _, name := range boundNames(c.scenario.Fixture) {
		delete(given, name)
	}
	found := capability.misfits(given, boundNames(c.scenario.Fixture))
	c.report(capability, found, []string{"input"})
}

// report notes what is wrong with an input that is at a path.
func (c *checker) report(capability Capability, found []misfit, path []string) {
	for _, m := range found {
		at := append(slices.Clone(path), m.path...)
		if _, known := capability.Input[m.path[0]]; known {
			c.problem(at, "%s", m.message)
		} else {
			c.keyProblem(at, "%s", m.message)
		}
	}
}

func (c *checker) expectedCapabilities() {
	for i, id := range c.scenario.ExpectedCapabilities {
		if _, known := FindCapability(id); !known {
			c.problem([]string{"expected_capabilities", strconv.Itoa(i)}, "%s", unknownCapability(id))
		}
	}
}

func (c *checker) template(field, text string) {
	known := templateVariables(c.scenario)
	for _, name := range unknownVariables(text, known) {
		c.problem([]string{field}, "%s", unknownVariable(name, known))
	}
}

// atomicAssertions checks how the assertions go together (rule S3), and that a
// mutating scenario has checkpoints (rule S6).
func (c *checker) atomicAssertions() {
	a := c.scenario.Assertions
	at := func(field string) []string { return []string{"assertions", field} }
	switch {
	case a.ExpectedOutcome == "" && a.MustSucceed == nil:
		c.problem(at("expected_outcome"), `is missing: want "success" or "expected_error"`)
	case a.ExpectedOutcome != "" && a.MustSucceed != nil && *a.MustSucceed != (a.ExpectedOutcome == bench.OutcomeSuccess):
		c.problem(at("must_succeed"), "is %t, but expected_outcome is %q: want them to agree", *a.MustSucceed, a.ExpectedOutcome)
	}
	switch {
	case a.Outcome() == bench.OutcomeError && len(a.ExpectedErrorCode) == 0:
		c.problem(at("expected_error_code"), "is missing: an expected error needs its code")
	case a.Outcome() == bench.OutcomeSuccess && len(a.ExpectedErrorCode) > 0:
		c.problem(at("expected_error_code"), `goes with expected_outcome "expected_error" alone`)
	}
	if a.MayBeForeseen && (a.Outcome() == bench.OutcomeSuccess || !Mutates(c.scenario)) {
		c.problem(at("may_be_foreseen"), "is about an expected error of a capability that writes")
	}
	if a.MinToolCalls != nil && a.MaxToolCalls != nil && *a.MaxToolCalls < *a.MinToolCalls {
		c.problem(at("max_tool_calls"), "must be at least min_tool_calls, which is %d, is %d", *a.MinToolCalls, *a.MaxToolCalls)
	}
	c.dataFields(a)
	if c.scenario.Target == nil && Mutates(c.scenario) && len(a.Checkpoints) == 0 {
		c.problem(at("checkpoints"), "is missing: %s changes something, so its result must be read back", c.scenario.Task)
	}
}

// dataFields checks that the required fields are ones that the capability
// returns, or that the scenario says itself what their values are (rule S13).
func (c *checker) dataFields(a bench.Assertions) {
	capability, known := capabilityOf(c.scenario)
	if !known {
		return
	}
	returned := slices.Concat(capability.Output, capability.OptionalOutput)
	for i, field := range a.RequiredDataFields {
		first := firstSegment(field)
		if a.ExpectedData != nil && a.ExpectedData.Fields[field] != "" || slices.Contains(returned, first) {
			continue
		}
		mend := cmp.Or(jsondoc.DidYouMean(first, returned), ": a field of the task's own has its expression in expected_data")
		c.problem([]string{"assertions", "required_data_fields", strconv.Itoa(i)}, "%s returns no %q%s", capability.ID, first, mend)
	}
}

func checkpointPath(i int, field ...string) []string {
	return append([]string{"assertions", "checkpoints", strconv.Itoa(i)}, field...)
}

// checkpoint checks one checkpoint (rules S5, S6 and S17).
func (c *checker) checkpoint(i int, cp bench.Checkpoint) {
	var foreseen *checkpoint.Foreseen
	if cp.Read != nil || c.scenario.Target != nil {
		foreseen = c.read(cp.Look(), checkpointPath(i, "read")...)
	} else {
		c.readTask(cp.VerificationTask, checkpointPath(i, "verification_task"), cp.VerificationInput, checkpointPath(i, "verification_input"))
		foreseen, _ = checkpoint.Foresee(cp.Look(), c.inputs(cp.Look()))
	}
	c.doubt(foreseen.Doubts(cp), checkpointPath(i))
	c.references(cp.ExpectedValue, checkpointPath(i, "expected_value")...)
	counts := cp.Condition == bench.ConditionCountEq || cp.Condition == bench.ConditionCountGte
	if text, isText := cp.ExpectedValue.(string); counts && isText {
		if _, isReference := wholly(text); !isReference {
			c.problem(checkpointPath(i, "expected_value"), "must be a whole number, is %q", text)
		}
	}
	if cp.Condition == bench.ConditionMatches {
		if _, err := regexp.Compile(fmt.Sprint(cp.ExpectedValue)); err != nil {
			c.problem(checkpointPath(i, "expected_value"), "must be a regular expression (RE2): %v", err)
		}
	}
}

// checkUnique checks that no two files have the same id (rule S1).
func checkUnique(sources []source) jsondoc.Problems {
	var problems jsondoc.Problems
	first := map[string]string{}
	for _, s := range sources {
		if file, taken := first[s.scenario.ID]; taken {
			problems = append(problems, s.doc.Problem([]string{"id"}, "must be unique, but %q is the id of %s too", s.scenario.ID, file))
			continue
		}
		first[s.scenario.ID] = s.doc.File()
	}
	return problems
}
