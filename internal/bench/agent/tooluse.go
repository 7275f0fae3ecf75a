package agent

import (
	"cmp"
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// toolUse counts how tools and commands were used, the most used first, at most
// [bench.MaxToolUse].
//
// A call of a shell counts for every command in it. Whether it failed and what
// it printed is laid to the last of them that is more than a utility: nobody
// tells more of a line of several.
func toolUse(t Transcript) []bench.ToolUse {
	u := uses{}
	for _, message := range t.Messages {
		for _, p := range message.Parts {
			if message.Role == Assistant && p.Type == PartTool && p.Tool != nil {
				u.count(*p.Tool)
			}
		}
	}
	var all []bench.ToolUse
	for _, use := range u {
		use.DeadEnds = use.failing
		all = append(all, use.ToolUse)
	}
	slices.SortFunc(all, func(a, b bench.ToolUse) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), strings.Compare(a.Name, b.Name))
	})
	return all[:min(len(all), bench.MaxToolUse)]
}

// uses are by name.
type uses map[string]*use

type use struct {
	bench.ToolUse
	// failing are the last calls by the name, as far back as they failed.
	failing int
}

func (u uses) count(call ToolCall) {
	names := commandNames(call)
	for i, name := range names {
		if u[name] == nil {
			u[name] = &use{ToolUse: bench.ToolUse{Name: name}}
		}
		use := u[name]
		use.Calls++
		if use.failing > 0 {
			use.Retries++
		}
		if i < len(names)-1 {
			continue
		}
		use.Bytes += int64(len(call.Output))
		if call.Error == "" {
			use.failing = 0
			continue
		}
		use.Errors++
		use.failing++
		if speaksOfArguments(call.Error) || speaksOfArguments(call.Output) {
			use.BadArguments++
		}
	}
}

// usageErrors are how programs, MCP servers and ghx say that a call is written
// wrongly, in small letters.
var usageErrors = []string{
	"usage:", "unknown flag", "unknown shorthand flag", "unknown command", "unknown option", "unknown argument", "unknown json field",
	"unrecognized argument", "unrecognized option", "unexpected argument", "required flag", "required argument", "missing required",
	"missing argument", "invalid argument", "invalid arguments", "invalid option", "invalid value", "invalid params", "invalid parameter",
	"-32602", "parameter is required", "flag needs an argument", "accepts at most", "accepts 1 arg", "input validation", `"code":"validation"`,
}

// longestUsageError is how much of an error or an output is searched.
const longestUsageError = 4 << 10

func speaksOfArguments(text string) bool {
	text = strings.ToLower(text[:min(len(text), longestUsageError)])
	text = strings.ReplaceAll(text, `": "`, `":"`)
	return slices.ContainsFunc(usageErrors, func(words string) bool { return strings.Contains(text, words) })
}

// shells are the tools that take a line for a shell.
var shells = []string{"bash", "shell", "exec_command", "local_shell", "command_execution"}

// maxName is the length of the longest name of a tool, which the model may have
// made up, in bytes.
const maxName = 100

// commandNames returns the names that a tool call counts for: the tool's own,
// or those of the commands in its line, each once, utilities first.
func commandNames(call ToolCall) []string {
	own := []string{strings.ToValidUTF8(call.Name[:min(len(call.Name), maxName)], "")}
	if !slices.Contains(shells, strings.ToLower(call.Name)) {
		return own
	}
	line := shellLine(call.Input)
	utilities, others := commandsIn(line, maxShells)
	names := slices.Concat(unique(utilities), unique(others))
	if len(names) == 0 {
		return own
	}
	return names
}

// maxLine is the longest line that is read, in bytes: a reader calls itself for
// what is nested.
const maxLine = 16 << 10

// maxShells is how deep a shell's line may start another shell.
const maxShells = 3

// commandsIn returns the names of the commands in a line, none if it is not one
// that a shell reads.
func commandsIn(line string, shells int) (utilities, others []string) {
	if len(line) > maxLine || shells == 0 {
		return nil, nil
	}
	file, err := syntax.NewParser().Parse(strings.NewReader(line), "")
	if err != nil {
		return nil, nil
	}
	syntax.Walk(file, func(node syntax.Node) bool {
		command, ok := node.(*syntax.CallExpr)
		if !ok || len(command.Args) == 0 {
			return true
		}
		if inner := innerLine(command.Args); inner != "" {
			u, o := commandsIn(inner, shells-1)
			utilities, others = append(utilities, u...), append(others, o...)
			return true
		}
		switch name, utility := commandName(command.Args); {
		case name == "":
		case utility:
			utilities = append(utilities, name)
		default:
			others = append(others, name)
		}
		return true
	})
	return utilities, others
}

// innerLine returns the line that another shell is given, as in
// `bash -lc 'gh pr view 5'`; empty if the command is no shell with a line.
func innerLine(words []*syntax.Word) string {
	name, options := path.Base(words[0].Lit()), ""
	if len(words) > 2 {
		options = words[1].Lit()
	}
	if name != "bash" && name != "sh" || !strings.HasPrefix(options, "-") || !strings.HasSuffix(options, "c") {
		return ""
	}
	// Without an environment what is no literal is empty.
	line, err := expand.Literal(nil, words[2])
	if err != nil {
		return ""
	}
	return line
}

func unique(names []string) []string {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

// shellLine returns the line that a shell was given; empty if there is none.
func shellLine(input json.RawMessage) string {
	var given struct {
		Command any    `json:"command"`
		Cmd     string `json:"cmd"`
	}
	if json.Unmarshal(input, &given) != nil {
		return ""
	}
	switch command := given.Command.(type) {
	case string:
		return command
	case []any: // the words of a command, which may be a shell with its line
		if words := len(command); words > 0 {
			line, _ := command[words-1].(string)
			return line
		}
	}
	return given.Cmd
}

// utilities are the commands whose words are files, texts or expressions.
var utilities = strings.Fields(`[ awk base64 basename cat cd chmod cp curl cut date diff dirname echo env exit export
	expr false find grep head jq kill ls mkdir mktemp mv node perl printf ps pwd python python3 read rg rm sed seq set sleep sort
	source tail tee test time timeout touch tr true type uniq unset wait wc wget which xargs yq`)

// subcommands is how many words behind a command can be its subcommands, where
// that is not [mostSubcommands].
var subcommands = map[string]int{"git": 1, "npm": 1, "go": 1, "make": 1}

// mostSubcommands is as many as gh and ghx have: `gh pr view`, `ghx run pr.view`.
const mostSubcommands = 2

// subcommandWord is what a subcommand looks like: neither an option nor a
// number, a path or a title.
var subcommandWord = regexp.MustCompile(`^[a-z][a-z0-9]*([._-][a-z0-9]+)*$`)

// maxCommandWord is the length of the longest word of a command's name.
const maxCommandWord = 40

// commandName returns what a command is called; empty if that is not in the
// line itself.
func commandName(words []*syntax.Word) (name string, utility bool) {
	name = path.Base(words[0].Lit())
	if name == "." || name == "/" || len(name) > maxCommandWord {
		return "", false
	}
	if slices.Contains(utilities, name) {
		return name, true
	}
	most, known := subcommands[name]
	if !known {
		most = mostSubcommands
	}
	for _, word := range words[1:min(len(words), most+1)] {
		text := word.Lit()
		if len(text) > maxCommandWord || !subcommandWord.MatchString(text) {
			break
		}
		name += " " + text
	}
	return name, false
}
