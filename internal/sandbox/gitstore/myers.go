package gitstore

import "math"

const (
	// minCostLimit is the least number of edits at which a search gives up on
	// a minimal answer.
	minCostLimit = 256
	// snakeCost is the number of edits from which on a long run of equal lines
	// may end a search.
	snakeCost = 256
	// snakeLength is how long such a run is at least.
	snakeLength = 20
	// snakeGain is how far, in multiples of the edits so far, a search must
	// have come for such a run to end it.
	snakeGain = 4
)

// myers is Myers' algorithm in its linear-space form (E. W. Myers, "An O(ND)
// Difference Algorithm and Its Variations", 1986), with what git adds to it:
// lines without a counterpart are set aside first, and searches that become
// expensive settle for a good answer in the place of the best.
func myers(c *comparison, old, new span) {
	oldCore, newCore := old, new
	for oldCore.len() > 0 && newCore.len() > 0 && c.old.ids[oldCore.lo] == c.new.ids[newCore.lo] {
		oldCore.lo, newCore.lo = oldCore.lo+1, newCore.lo+1
	}
	for oldCore.len() > 0 && newCore.len() > 0 && c.old.ids[oldCore.hi-1] == c.new.ids[newCore.hi-1] {
		oldCore.hi, newCore.hi = oldCore.hi-1, newCore.hi-1
	}
	counts := make([]int32, c.classes)
	a := keepMatched(&c.old, oldCore, old.len(), counts, c.new.ids[new.lo:new.hi])
	clear(counts)
	b := keepMatched(&c.new, newCore, new.len(), counts, c.old.ids[old.lo:old.hi])
	diagonals := len(a.ids) + len(b.ids) + 3
	s := &search{
		a: a, b: b,
		forward:   make([]int, diagonals),
		backward:  make([]int, diagonals),
		origin:    len(b.ids) + 1,
		costLimit: max(roughRoot(diagonals), minCostLimit),
	}
	s.compare(box{span{0, len(a.ids)}, span{0, len(b.ids)}}, false)
}

// roughRoot returns a power of two between the square root of n and twice that.
func roughRoot(n int) int {
	root := 1
	for ; n > 0; n >>= 2 {
		root <<= 1
	}
	return root
}

// sequence is the lines of a side that take part in a search.
type sequence struct {
	ids []int32
	// at has the index of each line in the side.
	at   []int
	side *side
}

// mark marks the side's lines for a span of the sequence as changed.
func (q *sequence) mark(s span) {
	for _, i := range q.at[s.lo:s.hi] {
		q.side.changed[i] = true
	}
}

// search finds the edits between two sequences. Points of the edit graph are
// (i, j), the numbers of lines of a and b gone through; diagonal d has the
// points with i − j = d.
type search struct {
	a, b sequence
	// forward and backward have, for each diagonal from −origin on, how far in
	// a the search from the start, and that from the end, has come.
	forward, backward []int
	origin            int
	costLimit         int
}

// box is a rectangle of the edit graph.
type box struct{ a, b span }

// cut is the point at which a box is divided. A part that is not known to
// begin or end on a cheapest path must be searched without shortcuts.
type cut struct {
	i, j                     int
	strictBefore, strictPast bool
}

// compare marks the lines that are not on the cheapest path through the box.
func (s *search) compare(x box, strict bool) {
	for x.a.len() > 0 && x.b.len() > 0 && s.a.ids[x.a.lo] == s.b.ids[x.b.lo] {
		x.a.lo, x.b.lo = x.a.lo+1, x.b.lo+1
	}
	for x.a.len() > 0 && x.b.len() > 0 && s.a.ids[x.a.hi-1] == s.b.ids[x.b.hi-1] {
		x.a.hi, x.b.hi = x.a.hi-1, x.b.hi-1
	}
	if x.a.len() == 0 || x.b.len() == 0 {
		s.a.mark(x.a)
		s.b.mark(x.b)
		return
	}
	c := s.divide(x, strict)
	s.compare(box{span{x.a.lo, c.i}, span{x.b.lo, c.j}}, c.strictBefore)
	s.compare(box{span{c.i, x.a.hi}, span{c.j, x.b.hi}}, c.strictPast)
}

// wave is the range of diagonals that a search has reached, every other one in
// each step, within the limits of the box.
type wave struct{ lo, hi, least, most int }

// widen moves the wave's edges out by one diagonal, or in by one where the box
// ends, and puts beyond each new edge a value that no path comes from.
func (w *wave) widen(reach []int, origin, never int) {
	if w.lo > w.least {
		w.lo--
		reach[origin+w.lo-1] = never
	} else {
		w.lo++
	}
	if w.hi < w.most {
		w.hi++
		reach[origin+w.hi+1] = never
	} else {
		w.hi--
	}
}

// divide finds a point on the cheapest path through the box, or on a good one.
func (s *search) divide(x box, strict bool) cut {
	least, most := x.a.lo-x.b.hi, x.a.hi-x.b.lo
	start, end := x.a.lo-x.b.lo, x.a.hi-x.b.hi
	odd := (start-end)&1 != 0
	from := wave{start, start, least, most}
	to := wave{end, end, least, most}
	s.forward[s.origin+start] = x.a.lo
	s.backward[s.origin+end] = x.a.hi
	for cost := 1; ; cost++ {
		met, forwardSnake, ok := s.stepForward(x, &from, to, odd)
		if ok {
			return met
		}
		met, backwardSnake, ok := s.stepBackward(x, &to, from, !odd)
		if ok {
			return met
		}
		if strict {
			continue
		}
		if (forwardSnake || backwardSnake) && cost > snakeCost {
			if c, ok := s.snakeAhead(x, from, start, cost); ok {
				return c
			}
			if c, ok := s.snakeBehind(x, to, end, cost); ok {
				return c
			}
		}
		if cost >= s.costLimit {
			return s.furthest(x, from, to)
		}
	}
}

// stepForward goes one edit further from the start. With meet it looks for the
// point where it crosses the search from the end. snake says that it went
// through a long run of equal lines.
func (s *search) stepForward(x box, w *wave, other wave, meet bool) (met cut, snake, ok bool) {
	w.widen(s.forward, s.origin, -1)
	for d := w.hi; d >= w.lo; d -= 2 {
		k := s.origin + d
		i := max(s.forward[k-1]+1, s.forward[k+1])
		before := i
		for i < x.a.hi && i-d < x.b.hi && s.a.ids[i] == s.b.ids[i-d] {
			i++
		}
		snake = snake || i-before > snakeLength
		s.forward[k] = i
		if meet && other.lo <= d && d <= other.hi && s.backward[k] <= i {
			return cut{i: i, j: i - d, strictBefore: true, strictPast: true}, snake, true
		}
	}
	return cut{}, snake, false
}

// stepBackward is stepForward from the end.
func (s *search) stepBackward(x box, w *wave, other wave, meet bool) (met cut, snake, ok bool) {
	w.widen(s.backward, s.origin, math.MaxInt)
	for d := w.hi; d >= w.lo; d -= 2 {
		k := s.origin + d
		i := min(s.backward[k-1], s.backward[k+1]-1)
		before := i
		for i > x.a.lo && i-d > x.b.lo && s.a.ids[i-1] == s.b.ids[i-d-1] {
			i--
		}
		snake = snake || before-i > snakeLength
		s.backward[k] = i
		if meet && other.lo <= d && d <= other.hi && i <= s.forward[k] {
			return cut{i: i, j: i - d, strictBefore: true, strictPast: true}, snake, true
		}
	}
	return cut{}, snake, false
}

// snakeAhead looks for the best point of the search from the start that is far
// on, not far off the middle diagonal and at the end of a long run of equal
// lines.
func (s *search) snakeAhead(x box, w wave, middle, cost int) (cut, bool) {
	best, found := snakeGain*cost, cut{}
	for d := w.hi; d >= w.lo; d -= 2 {
		i := s.forward[s.origin+d]
		j := i - d
		gain := i - x.a.lo + j - x.b.lo - abs(d-middle)
		if gain > best && i >= x.a.lo+snakeLength && i < x.a.hi && j >= x.b.lo+snakeLength && j < x.b.hi &&
			s.equalRun(i-snakeLength, j-snakeLength) {
			best, found = gain, cut{i: i, j: j, strictBefore: true}
		}
	}
	return found, best > snakeGain*cost
}

// snakeBehind is snakeAhead for the search from the end.
func (s *search) snakeBehind(x box, w wave, middle, cost int) (cut, bool) {
	best, found := snakeGain*cost, cut{}
	for d := w.hi; d >= w.lo; d -= 2 {
		i := s.backward[s.origin+d]
		j := i - d
		gain := x.a.hi - i + x.b.hi - j - abs(d-middle)
		if gain > best && i > x.a.lo && i <= x.a.hi-snakeLength && j > x.b.lo && j <= x.b.hi-snakeLength &&
			s.equalRun(i, j) {
			best, found = gain, cut{i: i, j: j, strictPast: true}
		}
	}
	return found, best > snakeGain*cost
}

// equalRun reports whether snakeLength lines from the point on are equal.
func (s *search) equalRun(i, j int) bool {
	for k := range snakeLength {
		if s.a.ids[i+k] != s.b.ids[j+k] {
			return false
		}
	}
	return true
}

// furthest returns the point, of both searches, that is the furthest from where
// its search began.
func (s *search) furthest(x box, from, to wave) cut {
	ahead, aheadSum := 0, -1
	for d := from.hi; d >= from.lo; d -= 2 {
		i := min(s.forward[s.origin+d], x.a.hi, x.b.hi+d)
		if sum := i + i - d; sum > aheadSum {
			ahead, aheadSum = i, sum
		}
	}
	behind, behindSum := 0, math.MaxInt
	for d := to.hi; d >= to.lo; d -= 2 {
		i := max(s.backward[s.origin+d], x.a.lo, x.b.lo+d)
		if sum := i + i - d; sum < behindSum {
			behind, behindSum = i, sum
		}
	}
	if x.a.hi+x.b.hi-behindSum < aheadSum-x.a.lo-x.b.lo {
		return cut{i: ahead, j: aheadSum - ahead, strictBefore: true}
	}
	return cut{i: behind, j: behindSum - behind, strictPast: true}
}

func abs(n int) int { return max(n, -n) }
