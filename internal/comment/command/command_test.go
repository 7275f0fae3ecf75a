package command_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const commit = "0123456789abcdef0123456789abcdef01234567"

func TestParseReadsCommands(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       command.Command
	}{
		{"alone it runs", "/bench", command.Command{Name: command.Run}},
		{"the other lines are for people", "/bench\r\n\r\n/bench cancel", command.Command{Name: command.Run}},
		{"spaces and tabs are alike", "/bench \t run\t\t verify_pr  ", command.Command{Name: command.Run, Profile: bench.VerifyPR}},
		{"a set", "/bench run ci-verify-pr", command.Command{Name: command.Run, Set: "ci-verify-pr"}},
		{"a profile and a set, in any order", "/bench run full verify_release", command.Command{Name: command.Run, Profile: bench.VerifyRelease, Set: "full"}},
		{"scenarios", "/bench run pr-merge-001 fix-wf triage-wf-002", command.Command{Name: command.Run, Scenarios: []string{"pr-merge-001", "fix-wf", "triage-wf-002"}}},
		{
			"options, with and without an equals sign",
			"/bench run --repetitions=8 verify_pr --modes ghx,ghx@base --model openai/gpt-5.3-codex",
			command.Command{Name: command.Run, Profile: bench.VerifyPR, Repetitions: bench.Repetitions{First: 8, Most: 8}, Modes: []bench.Mode{bench.GHX, bench.GHXBase}, Model: "openai/gpt-5.3-codex"},
		},
		{"as many repetitions as it takes", "/bench run regression --repetitions 2..8", command.Command{Name: command.Run, Profile: bench.ProfileRegression, Repetitions: bench.Repetitions{First: 2, Most: 8}}},
		{"a model behind a gateway", "/bench run --model openrouter/acme/model-1:free", command.Command{Name: command.Run, Model: "openrouter/acme/model-1:free"}},
		{"capitals", "/Bench RUN verify_pr", command.Command{Name: command.Run, Profile: bench.VerifyPR}},
		{"spaces before it", "   /bench status", command.Command{Name: command.Status}},
		{"a line as long as may be", "/bench" + strings.Repeat(" ", 2000), command.Command{Name: command.Run}},
		{"a set with a name as long as may be", "/bench run " + strings.Repeat("a", 128), command.Command{Name: command.Run, Set: strings.Repeat("a", 128)}},
		{"a set whose name is a little like a profile's", "/bench run verify-prs-1", command.Command{Name: command.Run, Set: "verify-prs-1"}},
		{"a model with a name as long as may be", "/bench run --model a/" + strings.Repeat("a", 126), command.Command{Name: command.Run, Model: "a/" + strings.Repeat("a", 126)}},
		{"a scenario with a name as long as may be", "/bench explain " + strings.Repeat("a", 124) + "-001", command.Command{Name: command.Explain, Cell: bench.Cell{ScenarioID: strings.Repeat("a", 124) + "-001"}}},
		{"as many repetitions as may be", "/bench run --repetitions 100", command.Command{Name: command.Run, Repetitions: bench.Repetitions{First: 100, Most: 100}}},
		{"retry", "/bench retry", command.Command{Name: command.Retry}},
		{"cancel", "/bench cancel", command.Command{Name: command.Cancel}},
		{"status", "/bench status\nplease", command.Command{Name: command.Status}},
		{"help", "/bench help", command.Command{Name: command.Help}},
		{"explain a scenario", "/bench explain pr-merge-001", command.Command{Name: command.Explain, Cell: bench.Cell{ScenarioID: "pr-merge-001"}}},
		{"explain a cell", "/bench explain pr-merge-001/ghx@base/3", command.Command{Name: command.Explain, Cell: bench.Cell{ScenarioID: "pr-merge-001", Mode: bench.GHXBase, Iteration: 3}}},
		{"approve", "/bench approve " + strings.ToUpper(commit), command.Command{Name: command.Approve, Commit: commit}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, is, err := command.Parse(c.body)
			require.NoError(t, err)
			assert.True(t, is)
			assert.True(t, command.Is(c.body))
			assert.Equal(t, c.want, got)
		})
	}
}

func TestParseLeavesOtherCommentsAlone(t *testing.T) {
	for name, body := range map[string]string{
		"nothing":               "",
		"a talk":                "What does /bench do?",
		"another word":          "/benchmark run",
		"another word, dotted":  "/bench.run",
		"another word, hyphen":  "/bench-run",
		"a path":                "/bench/run",
		"a letter beyond ASCII": "/benché",
		"punctuation":           "/bench, I mean",
		"the second line":       "please\n/bench run",
		"an empty first line":   "\n/bench run",
		"four spaces before":    "    /bench run",
		"a tab before":          "\t/bench run",
		"code":                  "`/bench run`",
		"a fence":               "```\n/bench run\n```",
		"a quote":               "> /bench run",
		"a list":                "- /bench run",
		"a byte order mark":     "\ufeff/bench run",
		"a hidden comment":      "<!-- x -->/bench run",
		"a look-alike":          "/bеnch run", // the first e is Cyrillic
		"no slash":              "bench run",
	} {
		t.Run(name, func(t *testing.T) {
			got, is, err := command.Parse(body)
			require.NoError(t, err)
			assert.False(t, is)
			assert.False(t, command.Is(body))
			assert.Zero(t, got)
		})
	}
}

func TestParseAnswersMistakes(t *testing.T) {
	for _, c := range []struct{ name, body, says string }{
		{"an unknown command", "/bench rnu", "`rnu` is no command (did you mean `run`?)."},
		{"nothing like it", "/bench abracadabra", "`abracadabra` is no command."},
		{"run forgotten before a profile", "/bench verify_pr", "did you mean `/bench run verify_pr`?"},
		{"run forgotten before a scenario", "/bench pr-merge-001", "did you mean `/bench run pr-merge-001`?"},
		{"a profile with a hyphen", "/bench run verify-pr", "`verify-pr` is no profile, scenario set or scenario (did you mean `verify_pr`?)."},
		{"two profiles", "/bench run verify_pr verify_release", "two profiles"},
		{"two sets", "/bench run issues workflows", "two sets"},
		{"a set and a scenario", "/bench run issues pr-merge-001", "not both"},
		{"a scenario and a set", "/bench run pr-merge-001 issues", "not both"},
		{"a scenario twice", "/bench run pr-merge-001 pr-merge-001", "twice"},
		{"a name without an end", "/bench run " + strings.Repeat("a", 500), "too long"},
		{"no repetitions", "/bench run --repetitions", "`--repetitions` has no value: write `--repetitions N`."},
		{"0 repetitions", "/bench run --repetitions 0", "from 1 to 100, or a range of them such as 2..12, not `0`"},
		{"too many repetitions", "/bench run --repetitions 101", "from 1 to 100"},
		{"a range that is none", "/bench run --repetitions 12..2", "not `12..2`"},
		{"a range from 0", "/bench run --repetitions 0..4", "not `0..4`"},
		{"a range up to 1000", "/bench run --repetitions 2..1000", "not `2..1000`"},
		{"a range of three", "/bench run --repetitions 2..4..6", "not `2..4..6`"},
		{"a number that overflows", "/bench run --repetitions 99999999999999999999", "from 1 to 100"},
		{"a number written oddly", "/bench run --repetitions 04", "from 1 to 100"},
		{"an option twice", "/bench run --repetitions 4 --repetitions=5", "twice"},
		{"a misspelt option", "/bench run --repetition 4", "did you mean `--repetitions`?"},
		{"one hyphen", "/bench run -n 4", "two hyphens"},
		{"an option of another command", "/bench retry --repetitions 4", "`/bench retry` has no option `--repetitions`; it has none"},
		{"no name of a mode", "/bench run --modes ghx,.gx", "`.gx` is no name of a mode. There are `agent_direct`, `mcp`, `ghx`, `ghx@base`, and those of mode files."},
		{"no mode", "/bench run --modes=", "an empty word is no name of a mode"},
		{"a mode twice", "/bench run --modes ghx,ghx", "twice"},
		{"a model without its provider", "/bench run --model gpt", "a provider and a model"},
		{"a model that is a path", "/bench run --model ../../etc/passwd", "a provider and a model"},
		{"words after cancel", "/bench cancel now", "`/bench cancel` has nothing after it, but there is `now`."},
		{"explain nothing", "/bench explain", "Say which scenario or cell"},
		{"explain two things", "/bench explain pr-merge-001 fix-wf", "Name one"},
		{"explain no scenario", "/bench explain merge", "is no scenario"},
		{"explain half a cell", "/bench explain pr-merge-001/ghx", "is no cell"},
		{"approve nothing", "/bench approve", "Say which commit"},
		{"approve part of a name", "/bench approve 0123456", "give all 40 digits"},
		{"approve a branch", "/bench approve main", "is no commit"},
		{"approve two commits", "/bench approve " + commit + " " + commit, "Approve one commit"},
		{"a no-break space", "/bench\u00a0run", "cannot be seen or is no plain space (`U+00A0`)"},
		{"a no-break space further on", "/bench run\u00a0issues", "`U+00A0`"},
		{"a character without width", "/bench\u200b run", "`U+200B`"},
		{"a turned direction", "/bench run \u202eissues", "`U+202E`"},
		{"quotation marks", `/bench run "issues"`, "no quotation marks: leave out `\"`"},
		{"an option that is none", "/bench run --now", "`/bench run` has no option `--now`; there are `--repetitions`, `--modes`, `--model`."},
		{"nothing after a comma", "/bench run --modes=ghx,", "an empty word is no name of a mode"},
		{"a name that is too long by one", "/bench run " + strings.Repeat("a", 129), "too long"},
		{"a model that is too long by one", "/bench run --model a/" + strings.Repeat("a", 127), "a provider and a model"},
		{"a scenario that is too long by one", "/bench explain " + strings.Repeat("a", 125) + "-001", "is no scenario"},
		{"what is no name of a set, and like no profile", "/bench run Issues", "`Issues` is no profile, scenario set or scenario."},
		{"a long word", "/bench " + strings.Repeat("a", 61), "`" + strings.Repeat("a", 60) + "…` is no command."},
		{"a word that is as long as is quoted", "/bench " + strings.Repeat("a", 60), "`" + strings.Repeat("a", 60) + "` is no command."},
		{"a line that is too long by one", "/bench " + strings.Repeat(" ", 2000), "This command has 2001 characters; the longest one allowed has 2000."},
		{"two letters wrong of four", "/bench hpel", "did you mean `help`?"},
		{"a null byte", "/bench run \x00", "`U+0000`"},
		{"a shell's substitution", "/bench run --model '$(curl evil.example)'", "no quotation marks"},
		{"a shell's variable", "/bench run $HOME", "Commands have no `$`"},
		{"a shell's end of command", "/bench run; rm -rf /", "Commands have no `;`"},
		{"a backtick", "/bench run `id`", "no quotation marks: leave out `` ` ``"},
		{"a letter beyond ASCII", "/bench run für", "Commands have no `ü`"},
		{"a line of 1 MB", "/bench " + strings.Repeat("x ", 1<<19), "the longest one allowed has 2000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, is, err := command.Parse(c.body)
			require.Error(t, err)
			assert.True(t, is, "a command with a mistake is answered")
			assert.Zero(t, got)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Contains(t, fault.Public(err), c.says)
			assert.Less(t, len(err.Error()), 500, "the answer is short")
		})
	}
}

func TestTooManyScenariosAreRefused(t *testing.T) {
	var body strings.Builder
	body.WriteString("/bench run")
	for i := range 50 {
		fmt.Fprintf(&body, " a-%03d", i)
	}
	c, _, err := command.Parse(body.String())
	require.NoError(t, err)
	assert.Len(t, c.Scenarios, 50)
	_, is, err := command.Parse(body.String() + " b-001")
	assert.True(t, is)
	assert.ErrorContains(t, err, "50 scenarios at most")
}

func TestHelpOfCommandsWithoutOptionsHasNoTableOfThem(t *testing.T) {
	assert.NotContains(t, command.HelpText(command.Status, command.Help), "| Option |")
	assert.Contains(t, command.HelpText(command.Run, command.Status, command.Help), "| Option |")
}

func TestCheckKnowsTheRepositorysNames(t *testing.T) {
	known := command.Known{Sets: []string{"issues", "workflows"}, Scenarios: []string{"pr-merge-001", "fix-wf"}}
	for body, says := range map[string]string{
		"/bench run issues":            "",
		"/bench run pr-merge-001":      "",
		"/bench":                       "",
		"/bench explain fix-wf":        "",
		"/bench run isues":             "There is no scenario set `isues` (did you mean `issues`?).",
		"/bench run pr-merge-002":      "There is no scenario `pr-merge-002` (did you mean `pr-merge-001`?).",
		"/bench explain fox-wf/ghx/1":  "There is no scenario `fox-wf` (did you mean `fix-wf`?).",
		"/bench run something-strange": "There is no scenario set `something-strange`.",
	} {
		t.Run(body, func(t *testing.T) {
			c, is, err := command.Parse(body)
			require.NoError(t, err)
			require.True(t, is)
			err = c.Check(known)
			if says == "" {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.Equal(t, says, err.Error())
		})
	}
}

func TestModesOfThisProgramAreKnown(t *testing.T) {
	for body, says := range map[string]string{
		"/bench run --modes ghx,mcp,ghx@base": "",
		"/bench run --modes ghx,gxh":          "`gxh` is no mode (did you mean `ghx`?). There are `agent_direct`, `mcp`, `ghx`, `ghx@base`.",
	} {
		c, _, err := command.Parse(body)
		require.NoError(t, err)
		if err = c.CheckModes(); says == "" {
			assert.NoError(t, err)
			continue
		}
		assert.EqualError(t, err, says)
		assert.Equal(t, fault.Invalid, fault.KindOf(err))
	}
}

func TestHelpListsWhatCanBeGiven(t *testing.T) {
	testkit.CheckGolden(t, "all commands, as the App answers", "testdata/help.md", []byte(command.HelpText()))
	testkit.CheckGolden(t, "only what an Action can do", "testdata/help-action.md",
		[]byte(command.HelpText(command.Run, command.Status, command.Approve, command.Help)))
}

func TestHelpKnowsEveryCommandThatTheParserDoes(t *testing.T) {
	help := command.HelpText()
	for _, name := range command.Names() {
		assert.Contains(t, help, "`/bench "+string(name))
		argument := map[command.Name]string{command.Explain: " pr-merge-001", command.Approve: " " + commit}[name]
		got, is, err := command.Parse("/bench " + string(name) + argument)
		require.NoError(t, err)
		assert.True(t, is)
		assert.Equal(t, name, got.Name)
	}
	for _, m := range regexp.MustCompile("`(--[a-z]+) ").FindAllStringSubmatch(help, -1) {
		_, _, err := command.Parse("/bench run " + m[1])
		assert.ErrorContains(t, err, "has no value", "the option is known")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"/bench", "/bench run verify_pr issues --repetitions 4 --modes a,b --model x/y", "/bench approve " + commit, "/bench explain a-001/ghx/1",
		"/bench\u00a0run", "/benchmark", "/bench run `id`", "/bench run --=", "/bench run -- a", "/bench run --modes=,", "/bench\xff",
	} {
		f.Add(s)
	}
	words := regexp.MustCompile(`^[A-Za-z0-9@._:/-]*$`)
	f.Fuzz(func(t *testing.T, body string) {
		c, is, err := command.Parse(body)
		if !is || err != nil {
			require.Zero(t, c)
		}
		if !is {
			require.NoError(t, err)
			return
		}
		require.True(t, strings.HasPrefix(body, "/bench"))
		if err != nil {
			require.Equal(t, fault.Invalid, fault.KindOf(err))
			require.True(t, utf8.ValidString(err.Error()))
			require.NotContains(t, err.Error(), "\n")
			require.Less(t, len(err.Error()), 1000)
			return
		}
		require.Contains(t, command.Names(), c.Name)
		require.True(t, c.Set == "" || len(c.Scenarios) == 0)
		require.LessOrEqual(t, c.Repetitions.Most, command.MaxRepetitions)
		require.LessOrEqual(t, len(c.Scenarios), command.MaxScenarios)
		for _, word := range append([]string{c.Set, c.Model, c.Commit, c.Cell.ScenarioID}, c.Scenarios...) {
			require.Regexp(t, words, word)
		}
	})
}
