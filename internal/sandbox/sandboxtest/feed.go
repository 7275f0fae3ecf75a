package sandboxtest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/sandbox"
)

// feeds are the templates of feeds, and capital what begins a word in a type's name.
var (
	feeds   = regexp.MustCompile(`^(/events|/networks/.*/events|/orgs/\{org\}/events|/repos/\{owner\}/\{repo\}/events|/users/.*/(received_)?events.*)$`)
	capital = regexp.MustCompile(`[A-Z]`)
)

// ofFeed compares the payloads of a feed each with what the description has under
// its type. That it must be one of all types, and no other, the description says in
// vain: whatever is an object is a PublicEvent.
func (a *openAPI) ofFeed(complaints []string, x sandbox.Heard) []string {
	complaints = slices.DeleteFunc(complaints, func(c string) bool { return strings.Contains(c, "/payload: 'oneOf' failed") })
	var entries []struct {
		Type    string
		Payload json.RawMessage
	}
	if err := json.Unmarshal(x.Answer, &entries); err != nil {
		return append(complaints, err.Error())
	}
	for _, e := range entries {
		schema := strings.TrimPrefix(strings.ToLower(capital.ReplaceAllString(e.Type, "-$0")), "-")
		complaints = append(complaints, a.validate(e.Type, []string{"components", "schemas", schema}, sandbox.Heard{Answer: e.Payload})...)
	}
	return complaints
}
