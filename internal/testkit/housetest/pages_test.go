package housetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// page is a Markdown file. Its name is relative to the repository.
type page struct {
	name string
	text string
}

// block is a block of code.
type block struct {
	// line is that of the page where the block's first line is.
	line           int
	language, text string
}

// pages returns all Markdown that is written for people, by name.
func pages(t *testing.T) map[string]page {
	t.Helper()
	found := map[string]page{}
	for _, pattern := range []string{"*.md", "docs/*.md", ".github/*.md", ".github/*/*.md"} {
		names, err := filepath.Glob(filepath.Join(repositoryRoot, pattern))
		require.NoError(t, err)
		for _, name := range names {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			name, err = filepath.Rel(repositoryRoot, name)
			require.NoError(t, err)
			found[filepath.ToSlash(name)] = page{filepath.ToSlash(name), string(text)}
		}
	}
	require.Greater(t, len(found), 20, "these are not all pages")
	return found
}

var fence = regexp.MustCompile("^( *)```([a-z]*)$")

// split returns a page's blocks of code, and its text without them: their lines are empty.
func (p page) split() (blocks []block, prose string) {
	var rest strings.Builder
	var open *block
	indent := ""
	for i, line := range strings.Split(p.text, "\n") {
		match := fence.FindStringSubmatch(line)
		switch {
		case open == nil && match != nil:
			open, indent = &block{line: i + 2, language: match[2]}, match[1]
		case open != nil && match != nil && match[1] == indent:
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.text += strings.TrimPrefix(line, indent) + "\n"
		default:
			rest.WriteString(line)
		}
		rest.WriteString("\n")
	}
	if open != nil {
		open.language = "unclosed"
		blocks = append(blocks, *open)
	}
	return blocks, rest.String()
}

var (
	span    = regexp.MustCompile("(?s)`[^`]+`")
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.*?) *$`)
	target  = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	// noSlug is what GitHub leaves out of the name of a heading.
	noSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	ours   = regexp.MustCompile(`^https://(?:github\.com/ghx-dev/bench-action/(?:blob|tree)|raw\.githubusercontent\.com/ghx-dev/bench-action)/(?:v1|main)/(.*)$`)
)

// anchors are the names that a page's headings can be linked by.
func (p page) anchors() []string {
	_, prose := p.split()
	var names []string
	for _, match := range heading.FindAllStringSubmatch(prose, -1) {
		names = append(names, strings.ReplaceAll(noSlug.ReplaceAllString(strings.ToLower(match[1]), ""), " ", "-"))
	}
	return names
}

// links returns where a page's links lead.
func (p page) links() []string {
	_, prose := p.split()
	var links []string
	for _, match := range target.FindAllStringSubmatch(span.ReplaceAllString(prose, "`"), -1) {
		links = append(links, match[1])
	}
	return links
}

// linked returns the files of ours that a page links to, and what is wrong with its links.
func linked(p page, all map[string]page, files fs.FS) (to, wrong []string) {
	for _, link := range p.links() {
		name, anchor, anchored := strings.Cut(link, "#")
		switch match := ours.FindStringSubmatch(name); {
		case match != nil:
			name = match[1]
		case strings.HasPrefix(name, "https://"):
			continue
		case strings.Contains(name, ":"):
			wrong = append(wrong, p.name+": "+link+" is no link of https")
			continue
		case name == "":
			name = p.name
		default:
			name = filepath.ToSlash(filepath.Join(filepath.Dir(p.name), name))
		}
		if _, err := fs.Stat(files, name); err != nil {
			wrong = append(wrong, p.name+": "+link+" leads to no file")
			continue
		}
		to = append(to, name)
		if there, is := all[name]; anchored && is && !slices.Contains(there.anchors(), anchor) {
			wrong = append(wrong, p.name+": "+link+" leads to no heading")
		}
	}
	return to, wrong
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	all := pages(t)
	for _, p := range all {
		_, wrong := linked(p, all, os.DirFS(repositoryRoot))
		assert.Empty(t, wrong)
	}
}

func TestABrokenLinkIsFound(t *testing.T) {
	for text, wrong := range map[string]string{
		"[a](none.md)":           "leads to no file",
		"[a](action.md#no-such)": "leads to no heading",
		"[a](#no-such)":          "leads to no heading",
		"[a\nb](../docs/no.md)":  "leads to no file",
		"[a](http://a.b/c)":      "no link of https",
		"[a](https://github.com/ghx-dev/bench-action/blob/main/docs/none.md)": "leads to no file",
		"![a](images/none.png)": "leads to no file",
		"[a](action.md#quick-start) and `[a](none.md)` and [b](https://a.b/c)": "",
		"## It's here\n[a](#its-here)":                                         "",
		"```sh\n# [a](none.md)\n```\n[a](.)":                                   "",
	} {
		all := pages(t)
		p := page{"docs/page.md", text}
		all[p.name] = p
		_, found := linked(p, all, withPage{os.DirFS(repositoryRoot)})
		if wrong == "" {
			assert.Empty(t, found, text)
			continue
		}
		require.Len(t, found, 1, text)
		assert.Contains(t, found[0], wrong, text)
	}
}

// withPage is the repository with docs/page.md.
type withPage struct{ fs.FS }

func (w withPage) Open(name string) (fs.File, error) {
	if name == "docs/page.md" {
		name = "docs/action.md"
	}
	return w.FS.Open(name)
}

// Who reads the index finds every page.
func TestEveryPageIsReachedFromTheIndex(t *testing.T) {
	all := pages(t)
	to, _ := linked(all["docs/README.md"], all, os.DirFS(repositoryRoot))
	for name := range all {
		if strings.HasPrefix(name, "docs/") && name != "docs/README.md" {
			assert.Contains(t, to, name, "docs/README.md does not lead to it")
		}
	}
	to, _ = linked(all["README.md"], all, os.DirFS(repositoryRoot))
	for _, name := range []string{"docs/README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md"} {
		assert.Contains(t, to, name, "README.md does not lead to it")
	}
}

// A README is read, not studied.
func TestTheREADMEIsShort(t *testing.T) {
	assert.LessOrEqual(t, strings.Count(pages(t)["README.md"].text, "\n"), 90)
}
