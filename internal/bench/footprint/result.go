package footprint

import (
	"fmt"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// CheckName is the name of the check on what was changed.
const CheckName = "nothing else has changed"

// maxTold is how many changes a detail names, maxText how many characters of a
// text a row has.
const (
	maxTold = 3
	maxText = 500
)

// Result is what judged changes come to.
func Result(judged []bench.Change) bench.CheckpointResult {
	result := bench.CheckpointResult{Name: CheckName, Kind: bench.CheckFootprint, Passed: true, Detail: "all changes are allowed"}
	if len(judged) == 0 {
		result.Detail = "nothing was changed"
	}
	var told []string
	unallowed := 0
	for _, c := range judged {
		if c.Unallowed == "" {
			continue
		}
		if unallowed++; unallowed <= maxTold {
			told = append(told, fmt.Sprintf("%s: %s", c, c.Unallowed))
		}
	}
	if unallowed == 0 {
		return result
	}
	if more := unallowed - len(told); more > 0 {
		told = append(told, fmt.Sprintf("and %d more", more))
	}
	result.Passed, result.Detail = false, strings.Join(told, "; ")
	return result
}

// Unseen is what an attempt comes to that wrote where nothing may be changed,
// if what its writes changed cannot be seen, as on a live target.
func Unseen(writes int) bench.CheckpointResult {
	return bench.CheckpointResult{
		Name: CheckName, Kind: bench.CheckFootprint, Detail: fmt.Sprintf("the agent wrote %d times, and nothing may be changed", writes),
	}
}

// Brief returns judged changes as rows have them: not too many, their texts
// without secrets and not too long.
func Brief(judged []bench.Change, redact func(string) string) []bench.Change {
	brief := make([]bench.Change, 0, min(len(judged), bench.MaxChanges))
	for _, c := range judged[:min(len(judged), bench.MaxChanges)] {
		fields := make([]bench.FieldChange, 0, len(c.Fields))
		for _, f := range c.Fields {
			fields = append(fields, bench.FieldChange{Name: f.Name, Before: briefValue(f.Before, redact), After: briefValue(f.After, redact)})
		}
		c.Fields = fields
		c.Name, c.Title, c.Unallowed = briefText(c.Name, redact), briefText(c.Title, redact), briefText(c.Unallowed, redact)
		brief = append(brief, c)
	}
	return brief
}

// briefValue shortens a text; other values are told as texts where they are
// long or may hold texts.
func briefValue(value any, redact func(string) string) any {
	switch value := value.(type) {
	case nil, bool, int, int64, float64:
		return value
	case string:
		return briefText(value, redact)
	case []any:
		if len(canonical(value)) > maxText {
			return briefText(shown(value), redact)
		}
		each := make([]any, 0, len(value))
		for _, element := range value {
			each = append(each, briefValue(element, redact))
		}
		return each
	default:
		return briefText(shown(value), redact)
	}
}

func briefText(text string, redact func(string) string) string {
	text = redact(text)
	if runes := []rune(text); len(runes) > maxText {
		return string(runes[:maxText-1]) + "…"
	}
	return text
}
