package command

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// verb is a line of the grammar.
type verb struct {
	name Name
	// usage is what follows the name, about what it does.
	usage, about string
	// operand takes a word that is no option; nil if there may be none.
	operand func(*Command, string) error
	options []option
	// complete says what is missing; nil if nothing can be.
	complete func(Command) error
}

// option is a "--name value" of a command.
type option struct {
	name, value, about string
	set                func(*Command, string) error
}

// table is the grammar: the parser and the help are made of it.
var table = []verb{
	{
		name: Run, usage: "[profile | set | scenario …] [options]",
		about:   "Measure the head commit. `/bench` alone does the same.",
		operand: runOperand,
		options: []option{
			{"repetitions", "N", "runs of each scenario in each mode, 1 to " + strconv.Itoa(MaxRepetitions) + ", or such as 2..12: as many as it takes to tell (`regression` and `claim` alone)", setRepetitions},
			{"modes", "a,b", "the modes to run: " + joined(bench.Modes()) + " and those of mode files", setModes},
			{"model", "provider/model", "the model that the agents use", setModel},
		},
	},
	{name: Retry, about: "Run only what is missing or failed for infrastructure."},
	{name: Cancel, about: "Stop the run."},
	{name: Status, about: "Say how far the run is, or what the last one came to."},
	{
		name: Explain, usage: "<scenario | scenario/mode/iteration>", about: "Say why a scenario or a cell came out as it did.",
		operand: explainOperand, complete: needsCell,
	},
	{
		name: Approve, usage: "<commit>", about: "Let this commit of a fork be measured; the next push ends it. Give all 40 digits.",
		operand: approveOperand, complete: needsCommit,
	},
	{name: Help, about: "Show this."},
}

// ForAll reports whether anybody may give a command: it changes and costs nothing.
func (n Name) ForAll() bool { return n == Help || n == Status || n == Explain }

func verbOf(name string) (verb, bool) {
	i := slices.IndexFunc(table, func(v verb) bool { return string(v.name) == name })
	if i < 0 {
		return verb{}, false
	}
	return table[i], true
}

var (
	setName    = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	scenarioID = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*-([0-9]{3}|wf|wf-[0-9]{3})$`)
	modelName  = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._:-]*)+$`)
	commitName = regexp.MustCompile(`^[0-9a-fA-F]{40}$`)
	shortName  = regexp.MustCompile(`^[0-9a-fA-F]{4,39}$`)
)

// maxName is the longest name of a scenario, set or model, in bytes.
const maxName = 128

var profiles = texts(bench.GateProfiles())

func runOperand(c *Command, word string) error {
	switch {
	case slices.Contains(profiles, word):
		if c.Profile != "" {
			return invalid("There are two profiles, %s and %s: name one.", quoted(string(c.Profile)), quoted(word))
		}
		c.Profile = bench.GateProfile(word)
		return nil
	case len(word) > maxName:
		return invalid("%s is too long for the name of a scenario or a set.", quoted(word))
	case scenarioID.MatchString(word):
		return addScenario(c, word)
	case setName.MatchString(word) && !isMisspelt(word, profiles):
		return setSet(c, word)
	default:
		return invalid("%s is no profile, scenario set or scenario%s.", quoted(word), didYouMean(word, profiles))
	}
}

func addScenario(c *Command, id string) error {
	switch {
	case c.Set != "":
		return invalid("Name a set (%s) or scenarios (%s), not both.", quoted(c.Set), quoted(id))
	case slices.Contains(c.Scenarios, id):
		return invalid("Scenario %s is there twice.", quoted(id))
	case len(c.Scenarios) == MaxScenarios:
		return invalid("A command names %d scenarios at most: make a set of them.", MaxScenarios)
	}
	c.Scenarios = append(c.Scenarios, id)
	return nil
}

func setSet(c *Command, name string) error {
	switch {
	case c.Set != "":
		return invalid("There are two sets, %s and %s: name one.", quoted(c.Set), quoted(name))
	case len(c.Scenarios) > 0:
		return invalid("Name a set (%s) or scenarios (%s), not both.", quoted(name), quoted(c.Scenarios[0]))
	}
	c.Set = name
	return nil
}

func setRepetitions(c *Command, value string) error {
	r, err := bench.ParseRepetitions(value)
	if err != nil || r.Most > MaxRepetitions || r.String() != value {
		return invalid("`--repetitions` is a whole number from 1 to %d, or a range of them such as 2..12, not %s.", MaxRepetitions, quoted(value))
	}
	c.Repetitions = r
	return nil
}

func setModes(c *Command, value string) error {
	for name := range strings.SplitSeq(value, ",") {
		mode, err := bench.ParseMode(name)
		if err != nil {
			return invalid("%s is no name of a mode. There are %s, and those of mode files.", quoted(name), joined(bench.Modes()))
		}
		if slices.Contains(c.Modes, mode) {
			return invalid("Mode %s is there twice.", quoted(name))
		}
		c.Modes = append(c.Modes, mode)
	}
	return nil
}

func setModel(c *Command, value string) error {
	if len(value) > maxName || !modelName.MatchString(value) {
		return invalid("`--model` is a provider and a model, such as `openai/gpt-5.3-codex`, not %s.", quoted(value))
	}
	c.Model = value
	return nil
}

func explainOperand(c *Command, word string) error {
	if c.Cell.ScenarioID != "" {
		return invalid("Name one scenario or cell, not %s as well.", quoted(word))
	}
	cell := bench.Cell{ScenarioID: word}
	if strings.Contains(word, "/") {
		var err error
		if cell, err = bench.ParseCell(word); err != nil {
			return invalid("%s is no cell: write it as `pr-merge-001/ghx/1`, with one of the modes %s.", quoted(word), joined(bench.Modes()))
		}
	}
	if len(word) > maxName || !scenarioID.MatchString(cell.ScenarioID) {
		return invalid("%s is no scenario: its id is as `pr-merge-001`, a cell as `pr-merge-001/ghx/1`.", quoted(word))
	}
	c.Cell = cell
	return nil
}

func needsCell(c Command) error {
	if c.Cell.ScenarioID == "" {
		return invalid("Say which scenario or cell: `/bench explain pr-merge-001` or `/bench explain pr-merge-001/ghx/1`.")
	}
	return nil
}

func approveOperand(c *Command, word string) error {
	switch {
	case c.Commit != "":
		return invalid("Approve one commit, not %s as well.", quoted(word))
	case shortName.MatchString(word):
		return invalid("%s is part of a commit's name. Others can make a commit that begins so: give all 40 digits.", quoted(word))
	case !commitName.MatchString(word):
		return invalid("%s is no commit: give the 40 hexadecimal digits of the one that you read.", quoted(word))
	}
	c.Commit = strings.ToLower(word)
	return nil
}

func needsCommit(c Command) error {
	if c.Commit == "" {
		return invalid("Say which commit: `/bench approve` and the 40 hexadecimal digits of the one that you read.")
	}
	return nil
}
