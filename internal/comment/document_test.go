package comment

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sections are an essential one and two that can be left out, of which the
// second on the page matters more.
func sections() []section {
	list := func(rank int, title string) section {
		s := section{rank: rank, title: title + "s", noun: title, open: "| " + title + " |\n|---|\n"}
		for i := range 50 {
			s.items = append(s.items, fmt.Sprintf("| %s %02d é漢 |\n", title, i))
		}
		return s.folded(title)
	}
	return []section{{open: "# verdict\n"}, list(2, "apple"), list(1, "pear"), {}, {open: "links\n"}}
}

func TestAPageIsCutByWholeItems(t *testing.T) {
	whole := fit(sections(), 1<<20, "the report")
	require.Less(t, len(whole), 5000)
	for limit := leftOut + 50; limit < len(whole)+leftOut+10; limit++ {
		page := fit(sections(), limit, "the report")
		require.LessOrEqual(t, len(page), limit)
		require.True(t, strings.HasPrefix(page, "# verdict\n"), "the essential stays")
		require.Contains(t, page, "\nlinks\n")
		require.NotContains(t, page, "\n\n\n", "what is left out leaves no gap")
		require.Equal(t, strings.Count(page, "<details>"), strings.Count(page, "</details>"))
		for line := range strings.Lines(page) {
			require.True(t, strings.HasSuffix(line, "\n"))
			if strings.HasPrefix(line, "| ") {
				require.True(t, strings.HasSuffix(line, " |\n"), "rows are whole: %q", line)
			}
		}
		apples, pears := strings.Count(page, "| apple "), strings.Count(page, "| pear ")
		require.True(t, apples == 0 || pears == 51, "apples go first: %d apples, %d pears in %d bytes", apples, pears, limit)
		for title, n := range map[string]int{"apple": apples, "pear": pears} {
			switch n {
			case 51: // all and the head
			case 0:
				require.Regexp(t, `Left out for its length: .*`+title+`s.*\. It is all in the report\.`, page)
			default:
				require.Regexp(t, fmt.Sprintf(`… and %d more %ss? in the report`, 51-n, title), page)
			}
		}
	}
}

func TestRoomIsUsedToTheLastByte(t *testing.T) {
	s := section{noun: "apple", open: "apples\n", items: slices.Repeat([]string{"- an apple\n"}, 9)}
	whole := s.render(9, "it")
	assert.Equal(t, whole, s.within(len(whole), "it"))
	assert.NotEqual(t, whole, s.within(len(whole)-1, "it"))
	two := s.render(2, "it")
	assert.Equal(t, two, s.within(len(two), "it"))
	assert.Equal(t, s.render(1, "it"), s.within(len(two)-1, "it"))
	one := s.render(1, "it")
	assert.Equal(t, one, s.within(len(one), "it"))
	assert.Empty(t, s.within(len(one)-1, "it"))
}

func TestAShortPageIsWhole(t *testing.T) {
	page := fit(sections(), 1<<20, "the report")
	assert.NotContains(t, page, "the report")
	assert.Equal(t, 102, strings.Count(page, " |\n"))
	assert.Less(t, strings.Index(page, "apple"), strings.Index(page, "pear"), "in the order of the page")
}

func TestItemsThatWereNeverThereAreCounted(t *testing.T) {
	var s section
	s.noun = "warning"
	for i := range maxItems + 3 {
		s.add(func() string { return fmt.Sprintf("- %d\n", i) })
	}
	assert.Contains(t, fit([]section{s}, 1<<20, "the report"), "- 9\n\n*… and 3 more warnings in the report.*\n")
}
