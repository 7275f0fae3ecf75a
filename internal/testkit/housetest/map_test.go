package housetest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mapped returns the folders that the first column of the table in a text names, as
// patterns.
func mapped(text string) []string {
	var folders []string
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || cells[0] != "" {
			continue
		}
		for _, name := range regexp.MustCompile("`([a-z/]+)(/…)?`").FindAllStringSubmatch(cells[1], -1) {
			folder := name[1]
			if name[2] != "" {
				folder += "/..."
			}
			folders = append(folders, folder)
		}
	}
	return folders
}

// offTheMap says which packages a map does not name, and what it names that is none.
func offTheMap(m module, folders []string) (breaches []string) {
	for _, p := range m {
		if !within(p.folder, folders...) {
			breaches = append(breaches, p.folder+" is not on the map")
		}
	}
	for _, folder := range folders {
		if !slices.ContainsFunc(m, func(p *pkg) bool { return within(p.folder, folder) }) {
			breaches = append(breaches, fmt.Sprintf("there is no %s", folder))
		}
	}
	return breaches
}

func TestMapOfTheHouseIsThatOfTheHouse(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(repositoryRoot, "CONTRIBUTING.md"))
	require.NoError(t, err)
	m, folders := load(t), mapped(string(text))
	assert.Empty(t, offTheMap(m, folders), "CONTRIBUTING.md, where things are")

	assert.Equal(t, []string{"a/...", "b", "c"}, mapped("words of `d`\n| folder | what |\n|---|---|\n| `a/…`, `b` | what, see `e` |\n| `c` | more |\n"))
	without := slices.DeleteFunc(slices.Clone(folders), func(f string) bool { return f == "internal/queue" })
	assert.Equal(t, []string{"internal/queue is not on the map", "there is no internal/cellar"}, offTheMap(m, append(without, "internal/cellar")))
}
