package ledger_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/bench/ledger"
	"github.com/ghx-dev/bench-action/internal/fault"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

func origin() ledger.Origin {
	return ledger.Origin{
		Repository: "acme/tool", Workflow: "acme/tool/.github/workflows/bench.yml@refs/pull/1/merge", Event: "pull_request", Run: "42", Attempt: 2,
		Commit: "0123456789abcdef0123456789abcdef01234567",
	}
}

func settings() map[string]string {
	return map[string]string{"repetitions": "4", "scenario-set": "ci-verify-pr"}
}

// written is the folder of a run with its manifest.
func written(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"run.json": "{}", "a-ghx-suite.jsonl": "{}\n", "summary.json": "{}"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(folder, "transcripts"), 0o700))
	require.NoError(t, ledger.WriteManifest(folder, origin(), settings()))
	return folder
}

func TestAManifestIsAsItsSchemaSays(t *testing.T) {
	folder := written(t)
	text, err := os.ReadFile(filepath.Join(folder, ledger.ManifestFile))
	require.NoError(t, err)
	schemaText, err := os.ReadFile("../../../docs/manifest.schema.json")
	require.NoError(t, err)
	schema, err := jsondoc.CompileSchema("manifest.schema.json", schemaText)
	require.NoError(t, err)
	document, problems := jsondoc.Parse(ledger.ManifestFile, text)
	require.Empty(t, problems)
	assert.Empty(t, schema.Validate(document))
	m, err := ledger.ReadManifest(folder)
	require.NoError(t, err)
	assert.Equal(t, origin(), m.Origin)
	assert.Equal(t, settings(), m.Settings)
	assert.Len(t, m.Files, 3)
	assert.Equal(t, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a", m.Files["run.json"])
	require.NoError(t, ledger.WriteManifest(folder, origin(), settings()), "once more, as of a run that goes on")
	again, err := ledger.ReadManifest(folder)
	require.NoError(t, err)
	assert.Equal(t, m, again)
}

// pad makes a folder's manifest so many bytes long.
func pad(t *testing.T, folder string, size int) {
	t.Helper()
	path := filepath.Join(folder, ledger.ManifestFile)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(text, strings.Repeat(" ", size-len(text))...), 0o600))
}

func TestWhatIsNotAsItsManifestSaysIsRefused(t *testing.T) {
	file := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, folder string) {
			require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
		}
	}
	link := func(t *testing.T, folder string) {
		path := filepath.Join(folder, "a-ghx-suite.jsonl")
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		other := filepath.Join(t.TempDir(), "rows")
		require.NoError(t, os.WriteFile(other, text, 0o600))
		require.NoError(t, os.Remove(path))
		require.NoError(t, os.Symlink(other, path))
	}
	for name, c := range map[string]struct {
		change func(*testing.T, string)
		want   func(*ledger.Origin, map[string]string)
		says   string
	}{
		"all as it was":                     {},
		"a repository in other letters":     {want: func(o *ledger.Origin, _ map[string]string) { o.Repository = "Acme/Tool" }},
		"a later attempt of the run":        {want: func(o *ledger.Origin, _ map[string]string) { o.Attempt = 3 }},
		"a workflow whose ref is not known": {want: func(o *ledger.Origin, _ map[string]string) { o.Workflow = "acme/tool/.github/workflows/bench.yml" }},
		"figures that nobody asks":          {change: file("summary.json", "changed")},
		"a row that was changed":            {change: file("a-ghx-suite.jsonl", "{ }\n"), says: "a-ghx-suite.jsonl is not what the run has left"},
		"a plan that was changed":           {change: file("run.json", "{ }"), says: "run.json is not what the run has left"},
		"a ledger that was added":           {change: file("b-ghx-suite.jsonl", ""), says: "b-ghx-suite.jsonl is not among the files of its manifest"},
		"a link, though to the same":        {change: link, says: "it is no file"},
		"no manifest": {change: func(t *testing.T, folder string) {
			require.NoError(t, os.Remove(filepath.Join(folder, ledger.ManifestFile)))
		},
			says: "has rows, but no bench-manifest.json"},
		"a manifest that is none":    {change: file(ledger.ManifestFile, "{}"), says: "is no manifest of this version"},
		"one of a later version":     {change: file(ledger.ManifestFile, `{"schema_version": 2}`), says: "schema_version is 2, want 1"},
		"one with more in it":        {change: file(ledger.ManifestFile, `{"schema_version": 1, "trust": "me"}`), says: "is no manifest of this version"},
		"one as long as may be":      {change: func(t *testing.T, folder string) { pad(t, folder, 1<<20) }},
		"one a byte longer":          {change: func(t *testing.T, folder string) { pad(t, folder, 1<<20+1) }, says: "longer than 1 MiB"},
		"one that is very long":      {change: file(ledger.ManifestFile, strings.Repeat(" ", 2<<20)), says: "longer than 1 MiB"},
		"rows of another repository": {want: func(o *ledger.Origin, _ map[string]string) { o.Repository = "acme/other" }, says: `of repository "acme/tool", and those of repository "acme/other"`},
		"rows of another run":        {want: func(o *ledger.Origin, _ map[string]string) { o.Run = "43" }, says: `of run "42", and those of run "43"`},
		"rows of another commit":     {want: func(o *ledger.Origin, _ map[string]string) { o.Commit = "0" }, says: `and those of commit "0"`},
		"rows of another event":      {want: func(o *ledger.Origin, _ map[string]string) { o.Event = "push" }, says: `of event "pull_request"`},
		"rows of another workflow":   {want: func(o *ledger.Origin, _ map[string]string) { o.Workflow = "acme/tool/.github/workflows/other.yml" }, says: "of workflow"},
		"rows of a workflow elsewhere": {want: func(o *ledger.Origin, _ map[string]string) {
			o.Workflow = "acme/tool/.github/workflows/bench.yml@refs/heads/main"
		}, says: "of workflow"},
		"rows of no attempt": {change: func(t *testing.T, folder string) {
			o := origin()
			o.Attempt = 0
			require.NoError(t, ledger.WriteManifest(folder, o, settings()))
		}, says: "of attempt 0 of the run"},
		"rows of the first attempt": {change: func(t *testing.T, folder string) {
			o := origin()
			o.Attempt = 1
			require.NoError(t, ledger.WriteManifest(folder, o, settings()))
		}},
		"rows from outside of a workflow": {want: func(o *ledger.Origin, _ map[string]string) { o.Run, o.Workflow, o.Event = "", "", "" }},
		"a folder in the place of a manifest": {change: func(t *testing.T, folder string) {
			require.NoError(t, os.Remove(filepath.Join(folder, ledger.ManifestFile)))
			require.NoError(t, os.Mkdir(filepath.Join(folder, ledger.ManifestFile), 0o700))
		}, says: "cannot be read"},
		"a run without its description": {change: func(t *testing.T, folder string) {
			require.NoError(t, os.Remove(filepath.Join(folder, "run.json")))
		}, says: "run.json cannot be read"},
		"rows of an attempt to come": {want: func(o *ledger.Origin, _ map[string]string) { o.Attempt = 1 }, says: "of attempt 2 of the run, and this is attempt 1"},
		"one repetition":             {want: func(_ *ledger.Origin, s map[string]string) { s["repetitions"] = "12" }, says: `input repetitions was "4" where the rows were made, and is "12" here`},
		"an input more":              {want: func(_ *ledger.Origin, s map[string]string) { s["model"] = "a/b" }, says: `input model was "" where the rows were made, and is "a/b" here`},
		"an input less":              {want: func(_ *ledger.Origin, s map[string]string) { delete(s, "scenario-set") }, says: `input scenario-set was "ci-verify-pr" where the rows were made, and is "" here`},
	} {
		t.Run(name, func(t *testing.T) {
			folder, want, inputs := written(t), origin(), settings()
			if c.change != nil {
				c.change(t, folder)
			}
			if c.want != nil {
				c.want(&want, inputs)
			}
			m, err := ledger.ReadManifest(folder)
			if err == nil {
				err = m.Check(folder, want, inputs)
			}
			if c.says == "" {
				assert.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.says)
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
		})
	}
}

func TestAManifestThatCannotBeWrittenIsToldOf(t *testing.T) {
	err := ledger.WriteManifest(filepath.Join(t.TempDir(), "nowhere"), origin(), nil)
	require.ErrorContains(t, err, "write the manifest of the run")
	assert.Equal(t, fault.Infrastructure, fault.KindOf(err))
	folder := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(folder, ledger.ManifestFile), 0o700))
	assert.Error(t, ledger.WriteManifest(folder, origin(), nil))
}
