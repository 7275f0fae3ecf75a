package appcli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/app/dashboard"
	"github.com/ghx-dev/bench-action/internal/app/service"
	"github.com/ghx-dev/bench-action/internal/app/settings"
	grammar "github.com/ghx-dev/bench-action/internal/comment/command"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const docsFile = "../../../docs/app.md"

// between puts a text in the place between two markers.
func between(t *testing.T, text, name, part string) string {
	t.Helper()
	begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->\n"
	before, rest, found := strings.Cut(text, begin)
	require.True(t, found, begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, end)
	return before + begin + part + end + after
}

// The parts between the markers are written with -update.
func TestTheDocumentationHasTheEventsAndTheServersSettings(t *testing.T) {
	text, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	var events strings.Builder
	events.WriteString("| event | actions | what it starts |\n|---|---|---|\n")
	for _, e := range service.Events() {
		fmt.Fprintf(&events, "| `%s` | %s | %s |\n", e.Name, strings.Join(e.Actions, ", "), e.Starts)
	}
	docs := between(t, string(text), "events", events.String())
	docs = between(t, docs, "server", "```text\n"+settings.ServerHelp()+"```\n")
	testkit.CheckGolden(t, "what the documentation says is what the server does", docsFile, []byte(docs))
}

func TestTheDocumentationHasAllCommandsAndPermissions(t *testing.T) {
	text, err := os.ReadFile(docsFile)
	require.NoError(t, err)
	for _, name := range grammar.Names() {
		assert.Contains(t, string(text), "`/bench "+string(name), name)
	}
	_, permissions, _ := strings.Cut(string(text), "## Permissions")
	permissions, _, _ = strings.Cut(permissions, "\n## ")
	for name := range dashboard.Permissions() {
		assert.Contains(t, permissions, strings.ReplaceAll(name, "_", " "), name)
	}
}
