package benchcli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// printChanges tells what an attempt changed, in the order of the list: judged
// changes have those that are not allowed first. What agents wrote cannot change
// how the rest is shown.
func printChanges(out io.Writer, list []bench.Change) {
	if len(list) == 0 {
		fmt.Fprintln(out, "  nothing")
	}
	for _, c := range list {
		title := ""
		if c.Title != "" {
			title = " (" + c.Title + ")"
		}
		fmt.Fprintf(out, "  %s%s%s\n", standing(c), oneLine(c.String()), oneLine(title))
		if c.Unallowed != "" {
			fmt.Fprintf(out, "    why: %s\n", oneLine(c.Unallowed))
		}
		if who := authorship(c); who != "" {
			fmt.Fprintf(out, "    %s\n", oneLine(who))
		}
		for _, t := range c.Told {
			fmt.Fprintf(out, "    told: %s (%s)\n", oneLine(t.Login), oneLine(t.Reason))
		}
		for _, f := range c.Fields {
			text := oneLine(valueText(f.Before)) + " → " + oneLine(valueText(f.After))
			if c.Kind == bench.ChangeCreated && f.Before == nil {
				text = oneLine(valueText(f.After))
			}
			fmt.Fprintf(out, "    %s: %s\n", oneLine(f.Name), text)
		}
	}
}

// standing marks a change that is not allowed.
func standing(c bench.Change) string {
	if c.Unallowed != "" {
		return "NOT ALLOWED: "
	}
	return ""
}

// authorship tells who made a change, and from what it follows.
func authorship(c bench.Change) string {
	var parts []string
	if c.Actor != "" {
		parts = append(parts, "by "+c.Actor)
	}
	if c.Cause != "" {
		parts = append(parts, "follows from: "+c.Cause)
	}
	return strings.Join(parts, ", ")
}

// valueText is a field's value for people: a text as it is, others as JSON.
func valueText(value any) string {
	switch value := value.(type) {
	case nil:
		return orNothing("")
	case string:
		return orNothing(value)
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return fmt.Sprint(value)
	}
	return strings.TrimSuffix(text.String(), "\n")
}
