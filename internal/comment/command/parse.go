package command

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// prefix is how a command begins.
const prefix = "/bench"

// Parse reads a comment. It returns false if the comment is no command, so
// that nobody answers it. A command with a mistake in it returns true and an
// error of kind invalid, whose text is a few sentences of Markdown that may be
// posted as they are: what the comment said is in them as code.
func Parse(body string) (Command, bool, error) {
	line, is := commandLine(body)
	if !is {
		return Command{}, false, nil
	}
	c, err := parseLine(line)
	if err != nil {
		return Command{}, true, err
	}
	return c, true, nil
}

// Is reports whether a comment is a command, be it a mistaken one: its first line
// begins with the word /bench, in whatever case, after at most three spaces. More
// are code in Markdown.
func Is(body string) bool {
	_, is := commandLine(body)
	return is
}

// commandLine returns what follows /bench on the first line.
func commandLine(body string) (rest string, is bool) {
	const mostSpaces = 3
	begun := strings.TrimLeft(body, " ")
	if len(body)-len(begun) > mostSpaces || len(begun) < len(prefix) || !strings.EqualFold(begun[:len(prefix)], prefix) {
		return "", false
	}
	rest = begun[len(prefix):]
	if end := strings.IndexAny(rest, "\r\n"); end >= 0 {
		rest = rest[:end]
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return rest, rest == "" || isBlank(next)
}

// isBlank reports whether r is a space, or looks like one or like nothing at all.
func isBlank(r rune) bool {
	return unicode.IsSpace(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point)
}

func parseLine(line string) (Command, error) {
	if len(line) > MaxLine {
		return Command{}, invalid("This command has %d characters; the longest one allowed has %d.", len(line), MaxLine)
	}
	if err := checkCharacters(line); err != nil {
		return Command{}, err
	}
	words := strings.Fields(line)
	if len(words) == 0 {
		return Command{Name: Run}, nil
	}
	verb, known := verbOf(strings.ToLower(words[0]))
	if !known {
		return Command{}, unknownVerb(words[0])
	}
	c := Command{Name: verb.name}
	if err := verb.read(&c, words[1:]); err != nil {
		return Command{}, err
	}
	if verb.complete != nil {
		return c, verb.complete(c)
	}
	return c, nil
}

// checkCharacters refuses whatever no command has: it would be quoted, or
// meant for a shell, or look like something else.
func checkCharacters(line string) error {
	for _, r := range line {
		switch {
		case r == ' ', r == '\t', 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("-_./,:=@", r):
		case isBlank(r):
			return invalid("There is a character that cannot be seen or is no plain space (`U+%04X`): type the command anew.", r)
		case r == '"', r == '\'', r == '`':
			return invalid("Commands have no quotation marks: leave out %s.", quoted(string(r)))
		default:
			return invalid("Commands have no %s (`U+%04X`).", quoted(string(r)), r)
		}
	}
	return nil
}

func unknownVerb(word string) error {
	if slices.Contains(profiles, word) || scenarioID.MatchString(word) {
		return invalid("%s is no command: did you mean `/bench run %s`?", quoted(word), word)
	}
	return invalid("%s is no command%s.", quoted(word), didYouMean(word, texts(Names())))
}

// read takes the words that follow the command's name.
func (v verb) read(c *Command, words []string) error {
	given := map[string]bool{}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		flag, isOption := strings.CutPrefix(word, "--")
		switch {
		case isOption:
			var err error
			if words, err = v.readOption(c, flag, words, given); err != nil {
				return err
			}
		case strings.HasPrefix(word, "-"):
			return invalid("%s is no option: they begin with two hyphens%s.", quoted(word), v.optionsText())
		case v.operand == nil:
			return invalid("`/bench %s` has nothing after it, but there is %s.", v.name, quoted(word))
		default:
			if err := v.operand(c, word); err != nil {
				return err
			}
		}
	}
	return nil
}

// readOption takes an option, its value from behind an equals sign or from the
// words that follow, and returns the words that are left.
func (v verb) readOption(c *Command, flag string, words []string, given map[string]bool) ([]string, error) {
	name, value, joined := strings.Cut(flag, "=")
	i := slices.IndexFunc(v.options, func(o option) bool { return o.name == name })
	if i < 0 {
		return nil, v.unknownOption(name)
	}
	if given[name] {
		return nil, invalid("`--%s` is there twice.", name)
	}
	given[name] = true
	if !joined {
		if len(words) == 0 {
			return nil, invalid("`--%s` has no value: write `--%s %s`.", name, name, v.options[i].value)
		}
		value, words = words[0], words[1:]
	}
	return words, v.options[i].set(c, value)
}

func (v verb) unknownOption(name string) error {
	known := make([]string, len(v.options))
	for i, o := range v.options {
		known[i] = "--" + o.name
	}
	return invalid("`/bench %s` has no option %s%s%s.", v.name, quoted("--"+name), didYouMean("--"+name, known), v.optionsText())
}

// optionsText lists a command's options as the end of a sentence.
func (v verb) optionsText() string {
	if len(v.options) == 0 {
		return "; it has none"
	}
	var names []string
	for _, o := range v.options {
		names = append(names, "`--"+o.name+"`")
	}
	return "; there are " + strings.Join(names, ", ")
}

// Known are the names that there are in a repository.
type Known struct{ Sets, Scenarios []string }

// CheckModes returns an error as [Parse] does if the command names a mode that is
// not a part of this program, for repositories without mode files.
func (c Command) CheckModes() error {
	known := bench.Modes()
	for _, mode := range c.Modes {
		if !mode.Shipped() {
			return invalid("%s is no mode%s. There are %s.", quoted(string(mode)), didYouMean(string(mode), texts(known)), joined(known))
		}
	}
	return nil
}

// Check returns an error as [Parse] does if the command names a set or a
// scenario that is not there.
func (c Command) Check(known Known) error {
	if c.Set != "" && !slices.Contains(known.Sets, c.Set) {
		return invalid("There is no scenario set %s%s.", quoted(c.Set), didYouMean(c.Set, slices.Concat(known.Sets, profiles)))
	}
	for _, id := range slices.Concat(c.Scenarios, []string{c.Cell.ScenarioID}) {
		if id != "" && !slices.Contains(known.Scenarios, id) {
			return invalid("There is no scenario %s%s.", quoted(id), didYouMean(id, known.Scenarios))
		}
	}
	return nil
}

// maxQuoted is how much of a word is quoted, in characters.
const maxQuoted = 60

func quoted(word string) string {
	if code := markdown.Code(word, maxQuoted); code != "" {
		return code
	}
	return "an empty word"
}

func texts[T bench.Mode | bench.GateProfile | Name](values []T) []string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// joined lists values as code.
func joined[T bench.Mode | Name](values []T) string {
	return "`" + strings.Join(texts(values), "`, `") + "`"
}

// invalid is [fault.Invalidf] for whole sentences, as comments have them.
func invalid(format string, args ...any) error {
	return fault.Invalidf("%s", fmt.Sprintf(format, args...))
}
