package housetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"mvdan.cc/sh/v3/syntax"

	"github.com/ghx-dev/bench-action/internal/cli/appcli"
	"github.com/ghx-dev/bench-action/internal/cli/benchcli"
)

// word is a word of a command line. One that is made of variables is open: what it
// comes to is not known, nor how many words that is if it is bare.
type word struct {
	text       string
	open, bare bool
}

// called returns the command lines of a shell's script, and the files that it writes from
// what stands in it, by name.
func called(script string) (lines [][]word, files map[string]string, err error) {
	parsed, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(script), "")
	if err != nil {
		return nil, nil, err
	}
	files = map[string]string{}
	syntax.Walk(parsed, func(node syntax.Node) bool {
		switch node := node.(type) {
		case *syntax.CallExpr:
			var line []word
			for _, w := range node.Args {
				line = append(line, read(w))
			}
			if len(line) > 0 {
				lines = append(lines, line)
			}
		case *syntax.Stmt:
			name, body := "", ""
			for _, r := range node.Redirs {
				switch {
				case r.Hdoc != nil:
					body = read(r.Hdoc).text
				case r.Op == syntax.RdrOut:
					name = read(r.Word).text
				}
			}
			if name != "" && body != "" {
				files[name] = body
			}
		}
		return true
	})
	return lines, files, nil
}

// read returns a word; what is not known of it is 1, which is a number and a name.
func read(w *syntax.Word) word {
	var text strings.Builder
	result := word{}
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			text.WriteString(strings.ReplaceAll(strings.ReplaceAll(part.Value, "\\\n", ""), `\`, ""))
		case *syntax.SglQuoted:
			text.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				if lit, is := inner.(*syntax.Lit); is {
					text.WriteString(lit.Value)
					continue
				}
				text.WriteString("1")
				result.open = true
			}
		default:
			text.WriteString("1")
			result.open, result.bare = true, len(w.Parts) == 1
		}
	}
	result.text = text.String()
	return result
}

// program returns one of ours, and the words that it is called with; nil for all others.
func program(line []word) (*cobra.Command, []word) {
	for i, w := range line {
		switch {
		case w.open:
		case i+2 < len(line) && w.text == "go" && line[i+1].text == "run" && line[i+2].text == "./cmd/bench":
			return benchcli.Commands(), line[i+3:]
		case w.text == "bench" || strings.HasSuffix(w.text, "/bench") && !strings.HasPrefix(w.text, "/") && !strings.Contains(w.text, ".com"):
			return benchcli.Commands(), line[i+1:]
		case w.text == "bench-app":
			return appcli.Commands(), line[i+1:]
		}
		if !leads[line[0].text] {
			return nil, nil
		}
	}
	return nil, nil
}

// leads are the programs that others are called with.
var leads = map[string]bool{"time": true, "sudo": true, "env": true, "nice": true, "timeout": true, "exec": true}

// wrongMention returns what is wrong with a command in a sentence, which may lack its
// arguments.
func wrongMention(text string, targets []string) []string {
	text = placeholder.ReplaceAllString(strings.Join(strings.Fields(text), " "), "1")
	return wrongCalls(text+" $*", targets)
}

// placeholder stands for what the reader knows.
var placeholder = regexp.MustCompile(`<[a-z ]+>`)

// wrongCalls returns what is wrong with a script's calls of our programs and of make.
func wrongCalls(script string, targets []string) (wrong []string) {
	lines, _, err := called(script)
	if err != nil {
		return []string{err.Error()}
	}
	for _, line := range lines {
		if line[0].text == "make" {
			for _, w := range line[1:] {
				if !w.bare && !strings.Contains(w.text, "=") && !strings.HasPrefix(w.text, "-") && !slices.Contains(targets, w.text) {
					wrong = append(wrong, "make has no target "+w.text)
				}
			}
			continue
		}
		if root, words := program(line); root != nil {
			if err := wrongCall(root, words); err != nil {
				wrong = append(wrong, fmt.Sprintf("%s: %v", root.Name(), err))
			}
		}
	}
	return wrong
}

// wrongCall returns why a program would refuse how it is called, before it does anything.
func wrongCall(root *cobra.Command, words []word) error {
	var args []string
	some := false
	for _, w := range words {
		if w.bare {
			// It may be anything, flags too.
			some = true
			continue
		}
		args = append(args, w.text)
	}
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	if err := cmd.ParseFlags(rest); err != nil {
		return fmt.Errorf("%s: %w", cmd.CommandPath(), err)
	}
	if !some && cmd.Args != nil && cmd.Flags().Lookup("help").Value.String() != "true" {
		if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
			return err
		}
	}
	return wrongValue(cmd)
}

// wrongValue returns an error where a flag is given a value that there is not, of those
// that a shell completes from what ships.
func wrongValue(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Name != "gate-profile" && (f.Name != "scenario-set" || cmd.Flags().Changed("scenarios")) {
			return
		}
		complete, is := cmd.GetFlagCompletionFunc(f.Name)
		if value := f.Value.String(); is && value != "1" {
			if known, _ := complete(cmd, nil, ""); !slices.Contains(known, value) {
				err = fmt.Errorf("%s: there is no %s %s", cmd.CommandPath(), f.Name, value)
			}
		}
	})
	return err
}

// makeTargets are those of the Makefile.
func makeTargets(t *testing.T) (targets []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repositoryRoot, "Makefile"))
	require.NoError(t, err)
	for _, match := range regexp.MustCompile(`(?m)^\.PHONY: (.+)$`).FindAllStringSubmatch(string(text), -1) {
		targets = append(targets, match[1])
	}
	require.Contains(t, targets, "check")
	return targets
}

// inText is a command of ours in a sentence.
var inText = regexp.MustCompile("`((?:bench|bench-app|make) [a-z][^`]*)`")

func TestCommandsAreCalledAsTheyCanBe(t *testing.T) {
	targets := makeTargets(t)
	calls := 0
	for name, p := range pages(t) {
		blocks, prose := p.split()
		for _, b := range blocks {
			if b.language == "sh" {
				calls += strings.Count(b.text, "bench ")
				assert.Empty(t, wrongCalls(b.text, targets), "%s:%d", name, b.line)
			}
		}
		for _, match := range inText.FindAllStringSubmatch(prose, -1) {
			assert.Empty(t, wrongMention(match[1], targets), "%s: %s", name, match[1])
		}
	}
	require.Greater(t, calls, 50, "these are not all calls")
}

func TestAWrongCallIsFound(t *testing.T) {
	targets := []string{"check"}
	for script, wrong := range map[string]string{
		"bench verify --no-such-flag":                          "unknown flag: --no-such-flag",
		"bench verfy":                                          "unknown command",
		"bench run ghx 4 --scenario-set no-such":               "there is no scenario-set no-such",
		"bench verify --gate-profile no-such":                  "there is no gate-profile no-such",
		"bench verify --concurrency many":                      "invalid argument",
		"bench explain":                                        "CELL",
		"A=1 bench verify \\\n  --no-such":                     "unknown flag: --no-such",
		"time go run ./cmd/bench verify --no-such":             "unknown flag: --no-such",
		"if true; then echo \"$(bench verify --no-such)\"; fi": "unknown flag: --no-such",
		"bench-app serve --no-such":                            "unknown flag: --no-such",
		"make no-such":                                         "no target no-such",
		"bench verify '":                                       "without closing quote",
		"bench sandbox exec -- gh issue create --no-such":      "",
		"bench verify --repetitions \"$N\" $AGENT # --no-such": "",
		"make check FOO=bar; gh bench --x":                     "",
	} {
		found := strings.Join(wrongCalls(script, targets), "\n")
		if wrong == "" {
			assert.Empty(t, found, script)
			continue
		}
		assert.Contains(t, found, wrong, script)
	}
}
