package jq_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jq"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

// run applies an expression to JSON.
func run(t *testing.T, source, input string) (any, error) {
	t.Helper()
	program, err := jq.Compile(source)
	require.NoError(t, err, source)
	value, err := jq.Decode([]byte(input))
	require.NoError(t, err)
	return program.Run(t.Context(), value)
}

func TestProgramsGiveOneValue(t *testing.T) {
	const people = `{"people": [{"name": "a", "n": 1}, {"name": "b", "n": 2}], "x": null}`
	for source, want := range map[string]string{
		".":            people,
		".people[0].n": "1",
		".people | map({name, m: (.n * 2 + 1)}) | .[1]":         `{"m":5,"name":"b"}`,
		"[.people[].name] | join(\", \")":                       `"a, b"`,
		"[[1, 2], [3]] | transpose":                             `[[1,3],[2,null]]`,
		"\"\\(.people | length) people\"":                       `"2 people"`,
		".people | map(select(.n > 1)) | first.name":            `"b"`,
		".people[] |= (.n += 1) | .people[1].n":                 "3",
		"reduce .people[] as {$n} (0; . + $n)":                  "3",
		"def f($x): if $x > 3 then $x else f($x + 1) end; f(0)": "4",
		"def join($s): $s; [1] | join(\"x\")":                   `"x"`,
		"[path(first(.people[]))]":                              `[["people",0]]`,
		"del(.people[] | select(.n == 1)) | .people | length":   "1",
		"[limit(3; repeat(1))]":                                 "[1,1,1]",
		"[1, 2] * 0 // \"none\"":                                "",
		"\"ab\" * 2":                                            `"abab"`,
		"\"ab\" * -1":                                           `null`,
		"{a: {b: 1}} * {a: {c: 2}}":                             `{"a":{"b":1,"c":2}}`,
		"9007199254740993 * 1":                                  "9007199254740993",
		".x.y":                                                  "null",
		"@base64 \"\\(.people[0].name)\"":                       `"YQ=="`,
		"[.people | group_by(.n)[] | length]":                   "[1,1]",
		"env | length":                                          "0",
		"$ENV.HOME":                                             "null",
		".people | to_entries | map(.key)":                      "[0,1]",
		"[.people[] | .name as $n | {($n): .n}] | add":          `{"a":1,"b":2}`,
		"try error(\"no\") catch .":                             `"no"`,
		"label $f | .people[] | if .n == 2 then ., break $f else empty end | .n": "2",
	} {
		value, err := run(t, source, people)
		if want == "" {
			require.Error(t, err, source)
			continue
		}
		require.NoError(t, err, source)
		text, err := jq.Marshal(value)
		require.NoError(t, err)
		assert.JSONEq(t, want, string(text), source)
	}
}

func TestWhatEndsNotOrGrowsEndsWithASentence(t *testing.T) {
	testkit.NeedComplete(t)
	deep := strings.Repeat("[", jq.MaxDepth+2) + strings.Repeat("]", jq.MaxDepth+2)
	tests := []struct{ name, source, want string }{
		{"no value", "empty", `jq "empty" gives no value`},
		{"two values", "1, 2", `jq "1, 2" gives more than one value`},
		{"an endless second value", "1, last(repeat(1))", "takes "},
		{"an error", `error("no")`, `jq "error(\"no\")": error: no`},
		{"a halt", `"bye" | halt_error`, `halts with "bye"`},
		{"a list without end", "[range(1e9)]", "takes "},
		{"a loop without end", "last(repeat(1))", "takes "},
		{"a recursion without end", "def f: f | f; f", "takes "},
		{"a recursion that grows", "def f: [f]; f", "takes "},
		{"a recursion through a call", "def f(g): [f(g)] | g; f(.)", "takes "},
		{"a text that is had too often", `"x" * 1e9`, "a text of 1 bytes cannot be had 1e+09 times: more than 16 MiB"},
		{"as well the other way round", `1e9 * "x"`, "more than 16 MiB"},
		{"a text that doubles", `reduce range(60) as $i ("x"; . + .)`, "a value on the way has more than 16 MiB"},
		{"a text that doubles in itself", `reduce range(60) as $i ("x"; "\(.)\(.)")`, "more than 16 MiB"},
		{"a text that doubles in place", `reduce range(60) as $i ({a: "x"}; .a += .a)`, "more than 16 MiB"},
		{"a text that doubles in a call", `reduce range(60) as $i ("x"; [., .] | add)`, "more than 16 MiB"},
		{"a text that doubles in a call's argument", `reduce range(60) as $i ("x"; add(., .))`, "more than 16 MiB"},
		{"a text that doubles in a function", `def d: . + .; last(limit(60; "x" | recurse(d)))`, "more than 16 MiB"},
		{"a text that doubles in foreach", `[foreach range(60) as $i ("x"; . + .; 1)]`, "more than 16 MiB"},
		{"a text that doubles in a condition", `reduce range(60) as $i ("x"; if . + . == "y" then 1 else . + . end)`, "more than 16 MiB"},
		{"a text that doubles in an index", `reduce range(60) as $i ("x"; {a: .}["a"] + .)`, "more than 16 MiB"},
		{"a text whose escapes double", `reduce range(60) as $i ("\""; tojson)`, "more than 16 MiB"},
		{"a text whose format grows", `reduce range(60) as $i ("\""; @json)`, "more than 16 MiB"},
		{"a list that doubles", `reduce range(60) as $i ([1]; . + .)`, "more than 16 MiB"},
		{"a tree whose parts are shared", `reduce range(60) as $i (1; [., .])`, "more than 16 MiB"},
		{"an object whose parts are shared", `reduce range(60) as $i (1; {a: ., b: .})`, "more than 16 MiB"},
		{"parts that are shared by assignment", `reduce range(60) as $i ({}; . as $x | .a = $x | .b = $x)`, "more than 16 MiB"},
		{"parts that are shared by an update", `reduce range(60) as $i ({}; . as $x | .a |= $x | .b |= $x)`, "more than 16 MiB"},
		{"a list with a far end", ".[60000000] = 1", "60000000 is too large for an index"},
		{"a far end that is computed", "(6e7 | tostring | tonumber) as $n | null | .[$n] |= 1", "too large for an index"},
		{"a far end by a path", "null | setpath([\"a\", 60000000]; 1)", "too large for an index"},
		{"a far end by an updated path", "null | getpath([60000000]) = 1", "too large for an index"},
		{"a whole number that doubles", "reduce range(60) as $i (3000000000000000000000; . * .)", "a whole number of more than 4096 bits"},
		{"a long separator", `[range(1e5)] | join("x" * 1e6)`, "100000 parts cannot be joined by a text of 1000000 bytes"},
		{"rows of very different lengths", `[[range(1e5)]] + [range(1e5) | []] | transpose`, "100001 rows of 100000 cannot be transposed"},
		{"much", `"x" * (4 * 1024 * 1024 + 1)`, "gives more than 4 MiB"},
		{"depth", "reduce range(2000) as $i (1; [.])", "a value on the way has lists and objects in each other, more than 1000 deep"},
		{"depth from outside", ".", "gives lists and objects in each other, more than 1000 deep"},
		{"an index of a number", `5 | .[0]`, "expected an array but got: number (5)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "takes " && tt.source != "[range(1e9)]" {
				testkit.NeedComplete(t)
			}
			value, err := run(t, tt.source, deep)
			require.Error(t, err, "gives %s", jq.Preview(value))
			// On a machine that is busy the time may end before what grows is too large.
			if took := fmt.Sprintf("takes longer than %v", jq.MaxTime); !strings.Contains(err.Error(), took) {
				assert.Contains(t, err.Error(), tt.want)
			}
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			assert.LessOrEqual(t, len(err.Error()), 250)
		})
	}
}

func TestALimitIsReachedAtTheSameStep(t *testing.T) {
	testkit.NeedComplete(t)
	program, err := jq.Compile("def f($n): if $n == 0 then \"done\" else f($n - 1) end; f(.)")
	require.NoError(t, err)
	for n, want := range map[int]string{1000: "", jq.MaxSteps: "takes "} {
		value, err := program.Run(t.Context(), n)
		if want == "" {
			require.NoError(t, err)
			assert.Equal(t, "done", value)
			continue
		}
		require.ErrorContains(t, err, want)
	}
}

func TestALimitCannotBeCaught(t *testing.T) {
	testkit.NeedComplete(t)
	for _, source := range []string{"try last(repeat(1)) catch 1", "last(repeat(1))? // 1", "first(last(repeat(1)), 1)"} {
		_, err := run(t, source, "null")
		require.ErrorContains(t, err, "takes ", source)
	}
}

func TestAProgramStopsWithItsContext(t *testing.T) {
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	program, err := jq.Compile("last(repeat(1))")
	require.NoError(t, err)
	_, err = program.Run(ctx, nil)
	require.ErrorIs(t, err, cause)
}

func TestWhatCannotBeCompiledSaysWhy(t *testing.T) {
	for source, want := range map[string]string{
		".a |":               "unexpected EOF in \".a |\"",
		"lst":                "function not defined: lst/0",
		"$other":             "variable not defined: $other",
		"input":              "input(s)/0 is not allowed",
		`import "x" as x; 1`: "cannot load module",
		`include "x"; 1`:     "cannot load module",
	} {
		_, err := jq.Compile(source)
		require.ErrorContains(t, err, want, source)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), source)
	}
}

func TestVariablesHaveTheirValues(t *testing.T) {
	program, err := jq.Compile("{a: $data.x, b: ($input + .)}", "$data", "$input")
	require.NoError(t, err)
	value, err := program.Run(t.Context(), 1, map[string]any{"x": "y"}, 2)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": "y", "b": 3}, value)
	_, err = program.Run(t.Context(), 1, nil)
	require.ErrorContains(t, err, "$input")
}

func TestAProgramIsRunBySeveral(t *testing.T) {
	program, err := jq.Compile("[range(1000)] | map(. * 2) | add")
	require.NoError(t, err)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			value, err := program.Run(t.Context(), nil)
			assert.NoError(t, err)
			assert.Equal(t, 999000, value)
		})
	}
	all.Wait()
}

func TestDecodedNumbersAreThoseOfJQ(t *testing.T) {
	tests := []struct {
		json string
		want any
	}{
		{"", nil}, {" \n", nil}, {"null", nil}, {"7", 7}, {"9007199254740993", 9007199254740993}, {"7.5", 7.5}, {"1e3", 1000.0},
		{"123456789012345678901234567890", 123456789012345678901234567890.0}, {`{"a": [1, true, "x"]}`, map[string]any{"a": []any{1, true, "x"}}},
	}
	for _, tt := range tests {
		value, err := jq.Decode([]byte(tt.json))
		require.NoError(t, err, tt.json)
		assert.Equal(t, tt.want, value, tt.json)
	}
	for _, text := range []string{"2024-01-01 a log", "{", "{} {}"} {
		_, err := jq.Decode([]byte(text))
		require.Error(t, err, text)
	}
	plain, err := jq.Plain(struct {
		A int64          `json:"a"`
		B map[string]any `json:"b"`
	}{7, nil})
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"a": 7, "b": nil}, plain)
	_, err = jq.Plain(func() {})
	require.Error(t, err)
}

func BenchmarkRun(b *testing.B) {
	var items []string
	for i := range 100 {
		items = append(items, fmt.Sprintf(`{"id": %d, "author": {"login": "a%d"}, "labels": {"nodes": [{"name": "x"}, {"name": "y"}]}, "body": "%s"}`, i, i, strings.Repeat("b", 200)))
	}
	input, err := jq.Decode([]byte(`{"nodes": [` + strings.Join(items, ",") + `]}`))
	require.NoError(b, err)
	program, err := jq.Compile(`{items: [.nodes[] | {id, authorLogin: .author.login, labels: ([.labels.nodes[].name] | sort), body}]}`)
	require.NoError(b, err)
	for b.Loop() {
		if _, err := program.Run(b.Context(), input); err != nil {
			b.Fatal(err)
		}
	}
}
