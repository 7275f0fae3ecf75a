package comment

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// section is a part of a page that is left out, or shortened by whole items,
// where there is no room for it.
type section struct {
	// rank is how soon it is left out: higher ones first, those of rank
	// essential never, nor any item of theirs.
	rank int
	// title names the section where it is left out.
	title string
	// open and shut are around the items; both begin a line and end it.
	open, shut string
	items      []string
	// noun is what an item is; hidden counts those that are not among items.
	noun   string
	hidden int
}

// The ranks, the most important first.
const (
	essential = iota
	rankReasons
	rankWorst
	rankSurface
	rankTools
	rankDoubts
	rankChanges
	rankMissing
	rankRegressions
	rankWarnings
	rankChart
	rankModes
	rankScenarios
	rankFailures
)

// maxItems is how many items a list of sentences has at most; nobody reads more
// of them, and what comes behind the list has room.
const maxItems = 10

// add writes an item, or counts it where there are enough.
func (s *section) add(item func() string) {
	if len(s.items) == maxItems {
		s.hidden++
		return
	}
	s.items = append(s.items, item())
}

func (s section) empty() bool { return len(s.items) == 0 && s.open == "" }

// render writes the first items of a section.
func (s section) render(items int, report string) string {
	var out strings.Builder
	out.WriteString(s.open)
	for _, item := range s.items[:items] {
		out.WriteString(item)
	}
	if more := len(s.items) - items + s.hidden; more > 0 {
		fmt.Fprintf(&out, "\n*… and %s more %s in %s.*\n", bench.CountText(float64(more)), pluralOf(more, s.noun), report)
	}
	out.WriteString(s.shut)
	return out.String()
}

// leftOut is the room kept for the line that says what was left out, besides
// the link to the report.
const leftOut = 400

// fit writes the sections in their order and in no more than limit bytes.
// The essential ones are written whole; they are short by themselves. The
// report is a link to the rest.
func fit(sections []section, limit int, report string) string {
	sections = slices.DeleteFunc(sections, section.empty)
	order := make([]int, len(sections))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sections[a].rank, sections[b].rank) })
	written := make([]string, len(sections))
	var omitted []string
	room := limit - leftOut - len(report)
	for _, i := range order {
		s := sections[i]
		if s.rank == essential {
			written[i] = s.render(len(s.items), report)
		} else {
			written[i] = s.within(room, report)
		}
		room -= len(written[i]) + len(gap)
		if written[i] == "" {
			omitted = append(omitted, s.title)
		}
	}
	written = slices.DeleteFunc(written, func(text string) bool { return text == "" })
	if len(omitted) > 0 {
		written = append(written, fmt.Sprintf("*Left out for its length: %s. It is all in %s.*\n", strings.Join(omitted, ", "), report))
	}
	return strings.Join(written, gap)
}

// gap is between two sections.
const gap = "\n"

// within writes as many items as there is room for, and nothing if that is
// none.
func (s section) within(room int, report string) string {
	if whole := s.render(len(s.items), report); len(whole) <= room {
		return whole
	}
	// The line that counts the rest is there in every shorter version, and is
	// longest in the shortest one.
	items, size := 0, len(s.render(0, report))
	for items < len(s.items) && size+len(s.items[items]) <= room {
		size += len(s.items[items])
		items++
	}
	if items == 0 {
		return ""
	}
	return s.render(items, report)
}

// reportLink names the whole report, as a link if there is one.
func (r Run) reportLink() string {
	return cmp.Or(markdown.Link("the report", cmp.Or(r.Links.Report, r.Links.Job)), "the report")
}

// pluralOf returns a noun for so many things.
func pluralOf(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// counted returns "1 cell" or "1,200 cells".
func counted(n int, noun string) string {
	return bench.CountText(float64(n)) + " " + pluralOf(n, noun)
}
