package envelope

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// maxQuoted is how many characters of an agent's text a sentence quotes.
const maxQuoted = 80

// Check returns what is wrong with an envelope: where it is not of the shape
// of rule S7, and which of the assertions on its content it does not meet. The
// problems are whole sentences; an empty list means that the envelope is
// valid. Assertions that do not hold for the mode (rule S4) are to be left out
// by the caller.
//
// Of an error object, code and message are needed; retryable, where it is
// given, is a boolean. Required fields may be null. A required data field is
// looked for in data itself, so a list is to be asserted as an object with
// items and pageInfo: an array has no fields.
func Check(env Envelope, a bench.Assertions) []string {
	var p problems
	for _, name := range env.Missing() {
		p.addf("The envelope has no field %q.", name)
	}
	for _, name := range a.RequiredFields {
		if _, known := env.fields[name]; !known && !isContractField(name) {
			p.addf("The envelope has no field %q.", name)
		}
	}
	p.checkError(env, a.ExpectedErrorCode)
	p.checkData(env, a)
	p.checkMeta(env, a)
	return p
}

func isContractField(name string) bool {
	switch name {
	case fieldOK, fieldData, fieldError, fieldMeta:
		return true
	default:
		return false
	}
}

// problems are sentences.
type problems []string

func (p *problems) addf(format string, args ...any) { *p = append(*p, fmt.Sprintf(format, args...)) }

func (p *problems) checkError(env Envelope, wanted []string) {
	value := env.Value(fieldError)
	if value == nil {
		if len(wanted) > 0 {
			p.addf("There is no error, want one with the code %s.", either(wanted))
		}
		return
	}
	object, isObject := value.(map[string]any)
	if !isObject {
		p.addf("The error is %s, want null or an object.", kindOf(value))
		return
	}
	code, _ := object["code"].(string)
	switch {
	case code == "":
		p.addf("The error has no code that is a text.")
	case len(wanted) > 0 && !slices.Contains(wanted, code):
		p.addf("The error's code is %s, want %s.", quote(code), either(wanted))
	}
	if _, isText := object["message"].(string); !isText {
		p.addf("The error has no message that is a text.")
	}
	if retryable, known := object["retryable"]; known {
		if _, isBool := retryable.(bool); !isBool {
			p.addf("The error's retryable is %s, want true or false.", kindOf(retryable))
		}
	}
}

// either lists the texts of which one is wanted.
func either(wanted []string) string {
	quoted := make([]string, 0, len(wanted))
	for _, text := range wanted {
		quoted = append(quoted, strconv.Quote(text))
	}
	return strings.Join(quoted, " or ")
}

// The names of data_type.
const (
	dataTypeArray  = "array"
	dataTypeObject = "object"
)

func (p *problems) checkData(env Envelope, a bench.Assertions) {
	value := env.Value(fieldData)
	object, isObject := value.(map[string]any)
	_, isArray := value.([]any)
	switch {
	case a.DataType == dataTypeArray && !isArray:
		p.addf("The data is %s, want an array.", kindOf(value))
	case a.DataType == dataTypeObject && !isObject:
		p.addf("The data is %s, want an object.", kindOf(value))
	}
	if len(a.RequiredDataFields) > 0 && !isObject {
		p.addf("The data is %s, so it has no fields %s.", kindOf(value), strings.Join(a.RequiredDataFields, ", "))
		return
	}
	p.checkFields("data", object, a.RequiredDataFields)
}

func (p *problems) checkMeta(env Envelope, a bench.Assertions) {
	if len(a.RequiredMetaFields) == 0 && a.ExpectedRouteUsed == "" {
		return
	}
	value := env.Value(fieldMeta)
	object, isObject := value.(map[string]any)
	if !isObject {
		p.addf("The meta is %s, want an object.", kindOf(value))
		return
	}
	p.checkFields("meta", object, a.RequiredMetaFields)
	if a.ExpectedRouteUsed == "" {
		return
	}
	route, isText := object["route_used"].(string)
	switch {
	case !isText:
		p.addf("The meta names no route_used, want %q.", string(a.ExpectedRouteUsed))
	case route != string(a.ExpectedRouteUsed):
		p.addf("The meta's route_used is %s, want %q.", quote(route), string(a.ExpectedRouteUsed))
	}
}

func (p *problems) checkFields(where string, object map[string]any, required []string) {
	for _, name := range required {
		if _, known := object[name]; !known {
			p.addf("The %s has no field %q.", where, name)
		}
	}
}

func kindOf(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}

// quote quotes an agent's text, shortened.
func quote(text string) string {
	if runes := []rune(text); len(runes) > maxQuoted {
		text = string(runes[:maxQuoted-1]) + "…"
	}
	return strconv.Quote(text)
}
