package actions_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// runner reads a log as GitHub's does: its ActionCommandManager and
// ActionCommand, https://github.com/actions/runner, with all that its
// comparison of texts ignores left out beforehand.
type runner struct {
	// commands are what it did, as name, properties and data; shown are the
	// lines that are in the log.
	commands []command
	shown    []string
	stopped  string
}

type command struct{ name, properties, data string }

var (
	commandNames = regexp.MustCompile(`(?i)^(add-mask|add-path|debug|echo|endgroup|error|group|notice|save-state|set-env|set-output|stop-commands|warning)$`)
	lineEnd      = regexp.MustCompile("\r\n|\r|\n")
)

func reading(log string) *runner {
	r := &runner{}
	for _, line := range lineEnd.Split(log, -1) {
		r.read(line)
	}
	return r
}

func (r *runner) read(line string) {
	c, is := parseV2(line)
	if !is {
		c, is = parseV1(line)
	}
	switch {
	case r.stopped != "" && is && strings.EqualFold(c.name, r.stopped):
		r.stopped = ""
	case r.stopped != "" || !is || !commandNames.MatchString(c.name):
		r.shown = append(r.shown, line)
	case c.name == "stop-commands":
		r.stopped = c.data
	default:
		r.commands = append(r.commands, c)
	}
}

// parseV2 reads ::name properties::data.
func parseV2(line string) (command, bool) {
	text := strings.TrimLeftFunc(ignoring(line), unicode.IsSpace)
	text, begins := strings.CutPrefix(text, "::")
	head, data, ends := strings.Cut(text, "::")
	if !begins || !ends {
		return command{}, false
	}
	name, properties, _ := strings.Cut(head, " ")
	return command{name, properties, unescape(data)}, true
}

// parseV1 reads ##[name properties]data, anywhere in a line.
func parseV1(line string) (command, bool) {
	_, text, begins := strings.Cut(ignoring(line), "##[")
	head, data, ends := strings.Cut(text, "]")
	if !begins || !ends {
		return command{}, false
	}
	name, properties, _ := strings.Cut(head, " ")
	return command{name, properties, data}, true
}

func ignoring(line string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cf, unicode.Cc, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, line)
}

func unescape(data string) string {
	return strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(data)
}

// fileValues reads a file of outputs as the runner does, and fails the test
// where it would fail the step.
func fileValues(t testing.TB, file string) map[string]string {
	t.Helper()
	require.True(t, utf8.ValidString(file))
	values := map[string]string{}
	rest := file
	for rest != "" {
		var head string
		head, rest, _ = strings.Cut(rest, "\n")
		name, delimiter, is := strings.Cut(head, "<<")
		require.True(t, is, "the runner expects name<<delimiter: %q", head)
		var value []string
		for {
			line, after, more := strings.Cut(rest, "\n")
			rest = after
			if line == delimiter {
				break
			}
			require.True(t, more, "the value of %s has no end", name)
			value = append(value, line)
		}
		values[name] = strings.Join(value, "\n")
	}
	return values
}
