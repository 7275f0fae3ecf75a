package housetest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the module's folder, seen from here.
const root = "../../.."

// rules are how many there are of each letter; they count from 1.
var rules = map[string]int{"R": 9, "S": 20, "N": 12, "G": 18, "V": 14}

// all returns the ids of all rules.
func all() map[string]bool {
	ids := map[string]bool{}
	for letter, count := range rules {
		for i := range count {
			ids[letter+strconv.Itoa(i+1)] = true
		}
	}
	return ids
}

func TestEveryRuleIsHeldByATest(t *testing.T) {
	named := namedBelow(t, root)
	known := all()
	var without []string
	for id := range known {
		if len(named[id]) == 0 {
			without = append(without, id)
		}
	}
	slices.Sort(without)
	assert.Empty(t, without, "no test names these rules")
	for id, places := range named {
		assert.True(t, known[id], "%s: there is no rule %s", strings.Join(places, ", "), id)
	}
}

// namedBelow returns the rules that the tests below a folder name, with the
// files that do.
func namedBelow(t *testing.T, folder string) map[string][]string {
	t.Helper()
	named := map[string][]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && strings.HasPrefix(entry.Name(), ".") && path != folder {
			return filepath.SkipDir
		}
		isTest, isScript := strings.HasSuffix(path, "_test.go"), strings.HasSuffix(path, ".txtar")
		// The texts here are about no rule.
		if entry.IsDir() || !isTest && !isScript || strings.Contains(filepath.ToSlash(path), "internal/testkit/housetest/") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		ids := inScript(string(source))
		if isTest {
			if ids, err = inTest(string(source)); err != nil {
				return fmt.Errorf("parse %s: %w", path, err)
			}
		}
		for _, id := range ids {
			named[id] = append(named[id], path)
		}
		return nil
	})
	require.NoError(t, err)
	return named
}

var (
	// function is the name of a test that holds a rule.
	function = regexp.MustCompile(`^Test([RSNGV][1-9][0-9]?)(?:[A-Z_]|$)`)
	// beginning is that of a text on one or more rules.
	beginning = regexp.MustCompile(`^(?:[RSNGV][1-9][0-9]?, )*[RSNGV][1-9][0-9]?: `)
	id        = regexp.MustCompile(`[RSNGV][1-9][0-9]?`)
)

// inTest returns the rules that a Go test names, sorted.
func inTest(source string) ([]string, error) {
	syntax, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	ast.Inspect(syntax, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if name := function.FindStringSubmatch(n.Name.Name); name != nil && n.Recv == nil {
				ids[name[1]] = true
			}
		case *ast.BasicLit:
			if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
				addBeginning(ids, text)
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(ids)), nil
}

// inScript returns the rules that the lines and comments of a test script
// name, sorted.
func inScript(source string) []string {
	ids := map[string]bool{}
	for line := range strings.Lines(source) {
		addBeginning(ids, strings.TrimLeft(line, "# \t"))
	}
	return slices.Sorted(maps.Keys(ids))
}

func addBeginning(ids map[string]bool, text string) {
	for _, found := range id.FindAllString(beginning.FindString(text), -1) {
		ids[found] = true
	}
}

func TestWhatNamesARule(t *testing.T) {
	cases := []struct {
		name, source string
		want         []string
	}{
		{"a function", "func TestG4Coverage(t *testing.T) {}", []string{"G4"}},
		{"a function of the rule alone", "func TestG4(t *testing.T) {}", []string{"G4"}},
		{"a function with an underscore", "func TestG4_coverage(t *testing.T) {}", []string{"G4"}},
		{"a rule of two digits is not one of one digit", "func TestG14Coverage(t *testing.T) {}", []string{"G14"}},
		{"a word that only begins like a rule", "func TestS3bucket(t *testing.T) {}", nil},
		{"a method", "func (s suite) TestG4Coverage() {}", nil},
		{"a helper", "func checkG4Coverage(t *testing.T) {}", nil},
		{"a subtest", `func f() { t.Run("R8: a stall", nil) }`, []string{"R8"}},
		{"a name of a table", `var cases = []c{{"S5: empty"}, {name: "S6: another token"}}`, []string{"S5", "S6"}},
		{"the beginning of a name", `func f() { t.Run("N5: "+name, nil) }`, []string{"N5"}},
		{"several rules", `var n = "R5, R6: a retry"`, []string{"R5", "R6"}},
		{"a rule in the middle", `var n = "a retry (R5: twice)"`, nil},
		{"a comment", "// R5: a retry\nvar n = 1", nil},
		{"an enumeration of other things", `var n = "R5, a retry"`, nil},
		{"a rule that there is not", `var n = "R99: more"`, []string{"R99"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := inTest("package p\n" + c.source)
			require.NoError(t, err)
			assert.Equal(t, c.want, got)
		})
	}
	assert.Equal(t, []string{"G16", "N3"}, inScript("# G16: a gate that fails\nexec bench\n\n#   N3: warm-up\nstdout 'R1: no'\n"))
}
