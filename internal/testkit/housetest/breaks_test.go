package housetest

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

// breaksSource has an edit for each rule; it says itself how it is written.
//
//go:embed breaks.txt
var breaksSource string

// edit breaks a rule: old is what stands in a file of the module once. The tests of
// pkg, a folder of the module, that are called as run says must fail with what is
// new instead.
type edit struct {
	rule, file, old, new, pkg, run string
}

// readEdits reads what breaks.txt has.
func readEdits(source string) ([]edit, error) {
	var edits []edit
	for number, line := range strings.Split(source, "\n") {
		sign, text := "", ""
		if line != "" {
			sign, text = line[:1], line[1:]
		}
		switch {
		case sign == "" || sign == "#":
		case sign != "-" && sign != "+":
			e, err := readHead(line)
			if err != nil {
				return nil, fmt.Errorf("breaks.txt:%d: %w", number+1, err)
			}
			edits = append(edits, e)
		case len(edits) == 0:
			return nil, fmt.Errorf("breaks.txt:%d: no rule and file stand above", number+1)
		default:
			last := &edits[len(edits)-1]
			to := &last.old
			if sign == "+" {
				to = &last.new
			}
			if *to != "" {
				*to += "\n"
			}
			*to += text
		}
	}
	return edits, nil
}

func readHead(line string) (edit, error) {
	fields := strings.Fields(line)
	if len(fields) < 2 || len(fields) > 4 {
		return edit{}, fmt.Errorf("%q has %d words: want rule, file and, where they are not the usual ones, package and -run", line, len(fields))
	}
	e := edit{rule: fields[0], file: fields[1], pkg: path.Dir(fields[1]), run: "^Test" + fields[0] + "([A-Z_]|$)"}
	if len(fields) > 2 && fields[2] != "." {
		e.pkg = fields[2]
	}
	if len(fields) > 3 {
		e.run = fields[3]
	}
	return e, nil
}

// broken returns the file with the edit in it.
func (e edit) broken() ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, e.file))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(source), e.old); n != 1 || e.old == "" {
		return nil, fmt.Errorf("%s has %d times what is to be edited, want once:\n%s", e.file, n, e.old)
	}
	if e.old == e.new {
		return nil, fmt.Errorf("the edit of %s changes nothing", e.file)
	}
	edited := []byte(strings.Replace(string(source), e.old, e.new, 1))
	if strings.HasSuffix(e.file, ".go") {
		_, err = parser.ParseFile(token.NewFileSet(), e.file, edited, parser.SkipObjectResolution)
	}
	return edited, err
}

// names reports whether what is run is named after the rule, so that no other test
// stands in for it.
func (e edit) names() bool {
	return regexp.MustCompile(`(Test|\^)` + e.rule + `[:(\[A-Z_]`).MatchString(e.run)
}

func TestEveryRuleHasAnEditThatBreaksIt(t *testing.T) {
	edits, err := readEdits(breaksSource)
	require.NoError(t, err)
	without := all()
	for _, e := range edits {
		assert.True(t, without[e.rule], "%s: there is no such rule, or it has two edits", e.rule)
		delete(without, e.rule)
		_, err := e.broken()
		assert.NoError(t, err, "%s", e.rule)
		assert.True(t, e.names(), "%s: -run %s does not name the rule", e.rule, e.run)
	}
	assert.Empty(t, without, "breaks.txt has no edit that breaks these rules")
}

func TestEditsAreRead(t *testing.T) {
	edits, err := readEdits("# a comment\n\nG4 a/b.go\n-old\n-\n-\tlines\n+new\nS3 a/c.go . ^TestRules$/^S3:\n-gone\nS4 c.go d\n")
	require.NoError(t, err)
	assert.Equal(t, []edit{
		{rule: "G4", file: "a/b.go", old: "old\n\n\tlines", new: "new", pkg: "a", run: "^TestG4([A-Z_]|$)"},
		{rule: "S3", file: "a/c.go", old: "gone", pkg: "a", run: "^TestRules$/^S3:"},
		{rule: "S4", file: "c.go", pkg: "d", run: "^TestS4([A-Z_]|$)"},
	}, edits)
	assert.True(t, edits[0].names())
	assert.True(t, edits[1].names())
	assert.False(t, edit{rule: "S3", run: "^TestRules$/^S30:"}.names())
	assert.False(t, edit{rule: "S3", run: "^TestS30([A-Z_]|$)"}.names())
	assert.False(t, edit{rule: "S3", run: "^TestOther"}.names())
	for source, want := range map[string]string{
		"-old\n":              "breaks.txt:1: no rule and file stand above",
		"\nG4\n":              "breaks.txt:2:",
		"G4 a/b.go . ^x$ y\n": "breaks.txt:1:",
	} {
		_, err := readEdits(source)
		assert.ErrorContains(t, err, want)
	}
	for _, e := range []edit{
		{file: "no/such.go", old: "a"},
		{file: "internal/testkit/housetest/doc.go", old: "", new: "x"},
		{file: "internal/testkit/housetest/doc.go", old: "e", new: "x"},
		{file: "internal/testkit/housetest/doc.go", old: "package housetest", new: "package housetest"},
		{file: "internal/testkit/housetest/doc.go", old: "package housetest", new: "pack housetest"},
	} {
		_, err := e.broken()
		assert.Error(t, err, "%+v", e)
	}
}

// breakRules is set to anything by `make rules`.
const breakRules = "BENCH_RULES"

func TestATestFailsWhereItsRuleIsBroken(t *testing.T) {
	testkit.NeedComplete(t)
	if os.Getenv(breakRules) == "" {
		t.Skipf("rules are broken by make rules (%s=1)", breakRules)
	}
	edits, err := readEdits(breaksSource)
	require.NoError(t, err)
	slices.SortStableFunc(edits, func(a, b edit) int { return strings.Compare(a.pkg, b.pkg) })
	for _, e := range edits {
		t.Run(e.rule, func(t *testing.T) {
			sound, output := e.test(t, nil)
			require.True(t, sound, "the tests of the rule fail without the edit:\n%s", output)
			require.Regexp(t, `(?m)^\s*--- PASS: `, output, "no test of the rule has run")
			edited, err := e.broken()
			require.NoError(t, err)
			sound, output = e.test(t, edited)
			require.False(t, sound, "no test of the rule notices that %s has\n%s\ninstead of\n%s", e.file, e.new, e.old)
			assert.Regexp(t, `(?m)^\s*--- FAIL: `, output, "no test has failed, something else has")
		})
	}
}

// test runs the tests of the rule, with edited in the place of the file if it is not
// nil.
func (e edit) test(t *testing.T, edited []byte) (passed bool, output string) {
	t.Helper()
	args := []string{"test", "-vet=off", "-failfast", "-v", "-run", e.run}
	if edited != nil {
		copied, overlay := filepath.Join(t.TempDir(), filepath.Base(e.file)), filepath.Join(t.TempDir(), "overlay.json")
		require.NoError(t, os.WriteFile(copied, edited, 0o600))
		original, err := filepath.Abs(filepath.Join(root, e.file))
		require.NoError(t, err)
		replaced, err := json.Marshal(map[string]map[string]string{"Replace": {original: copied}})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(overlay, replaced, 0o600))
		args = append(args, "-overlay", overlay)
	}
	run := exec.CommandContext(t.Context(), "go", append(args, "./"+e.pkg)...)
	run.Dir = root
	// The quick tests of a rule are to notice.
	run.Env = append(os.Environ(), "BENCH_COMPLETE=")
	var out bytes.Buffer
	run.Stdout, run.Stderr = &out, &out
	return run.Run() == nil, out.String()
}
