package gitstore

const (
	// maxOccurrences is how often a line may occur in the old text and still
	// anchor a histogram comparison.
	maxOccurrences = 64
	// maxHistogramWork bounds the lines that are indexed in a comparison, those
	// of a span anew for each of its anchors. Beyond it, what is left is
	// compared with myers, which bounds the time for hostile texts.
	maxHistogramWork = 1 << 26
)

// histogram is the algorithm of JGit's HistogramDiff, which git merge uses: it
// divides the texts at the longest run of equal lines among those whose rarest
// line is the rarest, again and again.
func histogram(c *comparison, old, new span) {
	h := &histogramSearch{
		comparison: c,
		first:      make([]int32, c.classes),
		count:      make([]int32, c.classes),
		next:       make([]int32, len(c.old.ids)),
	}
	h.compare(old, new)
}

// histogramSearch has an index of the lines of the old span under comparison.
type histogramSearch struct {
	*comparison
	// first is, for each line number, one more than where it first occurs,
	// zero if nowhere; next likewise is where the line at an index occurs
	// again.
	first, next []int32
	count       []int32
	// work is the number of lines indexed so far.
	work int
}

func (h *histogramSearch) compare(old, new span) {
	for old.len() > 0 && new.len() > 0 {
		if h.work += old.len() + new.len(); h.work > maxHistogramWork {
			myers(h.comparison, old, new)
			return
		}
		h.index(old)
		a, found := h.anchor(old, new)
		h.unindex(old)
		if found == tooFrequent {
			myers(h.comparison, old, new)
			return
		}
		if found == nothingShared {
			break
		}
		h.compare(span{old.lo, a.old.lo}, span{new.lo, a.new.lo})
		old.lo, new.lo = a.old.hi, a.new.hi
	}
	h.old.mark(old)
	h.new.mark(new)
}

func (h *histogramSearch) index(old span) {
	for i := old.hi - 1; i >= old.lo; i-- {
		id := h.old.ids[i]
		h.next[i] = h.first[id]
		h.first[id] = int32(i + 1)
		h.count[id]++
	}
}

func (h *histogramSearch) unindex(old span) {
	for _, id := range h.old.ids[old.lo:old.hi] {
		h.first[id], h.count[id] = 0, 0
	}
}

// anchorage says whether there is a run of equal lines to divide at.
type anchorage int

const (
	nothingShared anchorage = iota
	tooFrequent
	anchored
)

// anchorRun is a run of equal lines in both texts, and how often its rarest
// line occurs in the old one.
type anchorRun struct {
	old, new span
	rarity   int32
}

// anchor returns the run of equal lines at which to divide.
func (h *histogramSearch) anchor(old, new span) (anchorRun, anchorage) {
	best := anchorRun{rarity: maxOccurrences + 1}
	found := nothingShared
	for j := new.lo; j < new.hi; {
		id := h.new.ids[j]
		after := j + 1
		if h.count[id] > 0 {
			found = max(found, tooFrequent)
		}
		if h.count[id] > 0 && h.count[id] <= best.rarity {
			after = h.improve(&best, old, new, j)
		}
		j = after
	}
	if best.rarity <= maxOccurrences {
		found = anchored
	}
	return best, found
}

// improve looks at the runs of equal lines that have line j of the new text in
// them for one better than best. It returns the line of the new text after the
// longest of them.
func (h *histogramSearch) improve(best *anchorRun, old, new span, j int) int {
	after := j + 1
	id := h.new.ids[j]
	for i := int(h.first[id]) - 1; i >= 0; {
		r := h.extend(old, new, i, j)
		after = max(after, r.new.hi)
		if r.old.len() > best.old.len() || r.rarity < best.rarity {
			*best = r
		}
		// Occurrences within the run just seen would give it again.
		for i = int(h.next[i]) - 1; i >= 0 && i < r.old.hi; {
			i = int(h.next[i]) - 1
		}
	}
	return after
}

// extend returns the longest run of equal lines around old line i and new line
// j.
func (h *histogramSearch) extend(old, new span, i, j int) anchorRun {
	r := anchorRun{old: span{i, i + 1}, new: span{j, j + 1}, rarity: h.count[h.old.ids[i]]}
	for r.old.lo > old.lo && r.new.lo > new.lo && h.old.ids[r.old.lo-1] == h.new.ids[r.new.lo-1] {
		r.old.lo, r.new.lo = r.old.lo-1, r.new.lo-1
		r.rarity = min(r.rarity, h.count[h.old.ids[r.old.lo]])
	}
	for r.old.hi < old.hi && r.new.hi < new.hi && h.old.ids[r.old.hi] == h.new.ids[r.new.hi] {
		r.rarity = min(r.rarity, h.count[h.old.ids[r.old.hi]])
		r.old.hi, r.new.hi = r.old.hi+1, r.new.hi+1
	}
	return r
}
