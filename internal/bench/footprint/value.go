package footprint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// implied are the fields of objects that say what others say too, or when and
// by whom something was done, which is judged by itself.
var implied = map[string][]string{
	"issue":          {"author", "closed_at", "closed_by"},
	"pull request":   {"author", "closed_at", "closed_by", "merged_at", "merged_by", "merge_commit_sha", "base.sha", "head.sha"},
	"comment":        {"author", "issue"},
	"review":         {"author", "issue", "commit_id"},
	"review comment": {"author", "thread", "review", "in_reply_to", "diff_hunk", "commit_id"},
	"review thread":  {"issue", "commit_id", "resolved_by"},
	"reaction":       {"subject", "user"},
	"milestone":      {"closed_at"},
	"release":        {"author"},
	"workflow run":   {"workflow", "actor"},
}

// Implied reports whether a field of an object says nothing that has to be
// allowed by itself.
func Implied(object, field string) bool { return slices.Contains(implied[object], field) }

// condition is what an allowance asks of a field: a value, or an object with
// one of the operators as its only field.
type condition struct{ want any }

// The operators.
const (
	opAny      = "any"
	opOneOf    = "one_of"
	opContains = "contains"
	opMatches  = "matches"
)

// Operators returns the names of conditions, sorted.
func Operators() []string { return []string{opAny, opContains, opMatches, opOneOf} }

// refuses says what is wrong with a value, nothing if it is as wanted.
func (c condition) refuses(value any) string {
	object, isObject := c.want.(map[string]any)
	if !isObject || len(object) != 1 {
		if equal(c.want, value) {
			return ""
		}
		return fmt.Sprintf("is %s, may become %s alone", shown(value), shown(c.want))
	}
	for operator, operand := range object {
		return refusal(operator, operand, value)
	}
	return ""
}

// refusal applies an operator.
func refusal(operator string, operand, value any) string {
	text, _ := value.(string)
	pattern, _ := operand.(string)
	switch operator {
	case opAny:
		return ""
	case opOneOf:
		options, _ := operand.([]any)
		if slices.ContainsFunc(options, func(option any) bool { return equal(option, value) }) {
			return ""
		}
		return fmt.Sprintf("is %s, may become one of %s", shown(value), shown(operand))
	case opContains:
		if pattern != "" && strings.Contains(text, pattern) {
			return ""
		}
		return fmt.Sprintf("is %s, must contain %s", shown(value), shown(operand))
	case opMatches:
		expression, err := regexp.Compile(pattern)
		if err == nil && expression.MatchString(text) {
			return ""
		}
		return fmt.Sprintf("is %s, must match %s", shown(value), shown(operand))
	default:
		if equal(map[string]any{operator: operand}, value) {
			return ""
		}
		return fmt.Sprintf("is %s, may become %s alone", shown(value), shown(map[string]any{operator: operand}))
	}
}

// equal compares values as JSON has them; lists as sets, and an empty one is as
// good as none.
func equal(a, b any) bool { return bytes.Equal(canonical(a), canonical(b)) }

// canonical is a value's text, the same for values that are equal.
func canonical(value any) []byte {
	switch value := value.(type) {
	case string:
		if value == "" {
			return []byte("null")
		}
	case []any:
		if len(value) == 0 {
			return []byte("null")
		}
		var elements []string
		for _, element := range value {
			elements = append(elements, string(canonical(element)))
		}
		slices.Sort(elements)
		return []byte("[" + strings.Join(elements, ",") + "]")
	case map[string]any:
		var out strings.Builder
		for _, name := range sortedNames(value) {
			fmt.Fprintf(&out, "%q:%s,", name, canonical(value[name]))
		}
		return []byte("{" + out.String() + "}")
	case float64:
		if whole := int64(value); float64(whole) == value {
			return fmt.Append(nil, whole)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Append(nil, value)
	}
	var plain any
	if kind := text[0]; (kind == '[' || kind == '{') && json.Unmarshal(text, &plain) == nil {
		if _, same := value.(map[string]any); !same {
			return canonical(plain)
		}
	}
	return text
}

func sortedNames(object map[string]any) []string { return slices.Sorted(maps.Keys(object)) }

// maxShown is how many characters of a value a sentence has.
const maxShown = 80

// shown is a value in a sentence.
func shown(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	runes := []rune(strings.TrimSuffix(text.String(), "\n"))
	if len(runes) > maxShown {
		runes = append(runes[:maxShown-1], '…')
	}
	return string(runes)
}
