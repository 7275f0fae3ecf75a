package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/bench/envelope"
)

// The fields of an envelope (rule S7), and of its meta, that the contract says
// something of its own about.
const (
	fieldOK    = "ok"
	fieldData  = "data"
	fieldError = "error"
	fieldMeta  = "meta"

	metaRoute    = "route_used"
	metaAttempts = "attempts"
)

const dataTypeArray = "array"

// AnswerContract tells the form of an atomic scenario's answer: the envelope of rule
// S7, with every field that the assertions require. It does not tell what is
// to stand in the fields, nor how the task is expected to end (rule S14).
func AnswerContract(a bench.Assertions) string {
	lines := []string{
		"Answer with one JSON object and nothing else. It has exactly these fields:",
		field(fieldOK, "true if the task is done, else false."),
		field(fieldData, data(a)),
		field(fieldError, failure()),
		field(fieldMeta, meta(a)),
	}
	for _, name := range a.RequiredFields {
		if !slices.Contains([]string{fieldOK, fieldData, fieldError, fieldMeta}, name) {
			lines = append(lines, field(name, "as the task describes it."))
		}
	}
	return strings.Join(append(lines, "Report only what you have really obtained."), "\n")
}

func field(name, meaning string) string { return fmt.Sprintf("- %q: %s", name, meaning) }

func data(a bench.Assertions) string {
	result := "the result"
	switch {
	case len(a.RequiredDataFields) > 0:
		result += ", an object with " + quoted(a.RequiredDataFields)
	case a.DataType == dataTypeArray:
		result += ", a list"
	case a.DataType != "":
		result += ", an " + a.DataType
	}
	return result + "; null if the task is not done."
}

// failure tells the codes of errors, all of them: which one is right is to be
// found out.
func failure() string {
	var codes []string
	for _, c := range envelope.Codes() {
		codes = append(codes, fmt.Sprintf("%q (%s)", c.Name, c.Meaning))
	}
	return "null if the task is done, else an object with " + quoted([]string{"code", "message", "retryable", "details"}) +
		". The code is one of " + strings.Join(codes, ", ") + "."
}

func meta(a bench.Assertions) string {
	text := "an object with what the tool reports about the call, {} if it reports nothing."
	var always []string
	for _, name := range a.RequiredMetaFields {
		if name != metaRoute && name != metaAttempts {
			always = append(always, name)
		}
	}
	if len(always) > 0 {
		text = "an object with " + quoted(always) + ", and what else the tool reports about the call."
	}
	if a.ExpectedRouteUsed != "" || slices.Contains(a.RequiredMetaFields, metaRoute) {
		text += fmt.Sprintf(" It has %q if the tool reports it.", metaRoute)
	}
	if a.RequireAttemptTrace || slices.Contains(a.RequiredMetaFields, metaAttempts) {
		text += fmt.Sprintf(` It has %q: a list with an object for each try that it took, whose "status" is "success" or "error".`, metaAttempts)
	}
	return text
}

// quoted lists names: "a", "b" and "c".
func quoted(names []string) string {
	var text strings.Builder
	for i, name := range names {
		switch {
		case i > 0 && i == len(names)-1:
			text.WriteString(" and ")
		case i > 0:
			text.WriteString(", ")
		}
		fmt.Fprintf(&text, "%q", name)
	}
	return text.String()
}
