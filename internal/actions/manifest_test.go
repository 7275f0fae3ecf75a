package actions_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/actions"
	"github.com/ghx-dev/bench-action/internal/testkit"
)

const (
	manifestFile = "../../action.yml"
	docsFile     = "../../docs/action.md"
)

// The parts between the markers are written with -update.
func TestTheManifestHasTheDeclaredInputsAndOutputs(t *testing.T) {
	manifest := read(t, manifestFile)
	manifest = between(t, manifest, "  # begin inputs\n", "  # end inputs\n", manifestInputs())
	manifest = between(t, manifest, "  # begin outputs\n", "  # end outputs\n", manifestOutputs())
	testkit.CheckGolden(t, "what users write in a workflow is what the action reads", manifestFile, []byte(manifest))
}

func TestTheManifestSaysToARunnerWhatIsDeclared(t *testing.T) {
	var manifest struct {
		Description string
		Inputs      map[string]struct {
			Description, Default string
		}
		Outputs map[string]struct{ Description, Value string }
		Runs    map[string]string
	}
	require.NoError(t, yaml.Unmarshal([]byte(read(t, manifestFile)), &manifest))
	assert.Len(t, manifest.Inputs, len(actions.Declared()))
	for _, in := range actions.Declared() {
		got := manifest.Inputs[in.Name]
		assert.Equal(t, in, actions.Input{Name: in.Name, Default: got.Default, Secret: in.Secret, Basic: in.Basic, Help: got.Description})
	}
	assert.Len(t, manifest.Outputs, len(actions.Outputs()))
	for _, out := range actions.Outputs() {
		assert.Equal(t, out.Help, manifest.Outputs[out.Name].Description, out.Name)
	}
	assert.Equal(t, "docker", manifest.Runs["using"])
	const marketplaceLimit = 125
	assert.Less(t, len(manifest.Description), marketplaceLimit, "the Marketplace refuses longer ones")
}

func TestTheDocumentationHasTheDeclaredInputsAndOutputs(t *testing.T) {
	docs := read(t, docsFile)
	docs = between(t, docs, "<!-- begin inputs -->\n", "<!-- end inputs -->\n", docsInputs())
	docs = between(t, docs, "<!-- begin outputs -->\n", "<!-- end outputs -->\n", docsOutputs())
	testkit.CheckGolden(t, "what the documentation says is what the action reads", docsFile, []byte(docs))
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(data)
}

// between puts a text in the place between two markers.
func between(t *testing.T, text, begin, end, part string) string {
	t.Helper()
	before, rest, found := strings.Cut(text, begin)
	require.True(t, found, "%q is missing", begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, "%q is missing", end)
	return before + begin + part + end + after
}

func manifestInputs() string {
	var b strings.Builder
	basic := true
	for _, in := range actions.Declared() {
		if basic && !in.Basic {
			basic = false
			b.WriteString("\n  # Advanced: few workflows need any of these.\n")
		}
		fmt.Fprintf(&b, "  %s:\n    description: %s\n", in.Name, quoted(in.Help))
		fmt.Fprintf(&b, "    default: %s\n", quoted(in.Default))
	}
	return b.String()
}

func manifestOutputs() string {
	var b strings.Builder
	for _, out := range actions.Outputs() {
		fmt.Fprintf(&b, "  %s:\n    description: %s\n", out.Name, quoted(out.Help))
	}
	return b.String()
}

// quoted is a YAML string in single quotes, in which nothing has a meaning.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func docsInputs() string {
	var b strings.Builder
	const head = "| Input | Default | What it is for |\n|---|---|---|\n"
	b.WriteString(head)
	basic := true
	for _, in := range actions.Declared() {
		if basic && !in.Basic {
			basic = false
			b.WriteString("\n### Advanced\n\nFew workflows need any of these.\n\n" + head)
		}
		preset := "`" + in.Default + "`"
		if in.Default == "" {
			preset = ""
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", in.Name, preset, cell(in.Help))
	}
	return b.String()
}

func docsOutputs() string {
	var b strings.Builder
	b.WriteString("| Output | What it is |\n|---|---|\n")
	for _, out := range actions.Outputs() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", out.Name, cell(out.Help))
	}
	return b.String()
}

// cell is a text in a table of Markdown.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
