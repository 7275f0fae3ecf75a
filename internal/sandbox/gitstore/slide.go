package gitstore

// slideChanges moves each run of changed lines of own to the best of the places
// that make the same text, and joins runs that meet. A run goes to where it
// stands beside a change of the other text if it can, else, with indent, to
// where the indentation around it suggests, else as far down as it can.
func slideChanges(own, other *side, indent bool) {
	g, og := firstRun(own), firstRun(other)
	for {
		if g.len() > 0 {
			g, og = slideRun(own, other, g, og, indent)
		}
		var more bool
		if g, more = g.next(own); !more {
			return
		}
		og, _ = og.next(other)
	}
}

// run is a run of changed lines between two lines that the texts share; it may
// be empty. The texts have equally many runs, the n-th ones belonging together.
type run struct{ span }

func firstRun(s *side) run {
	return run{span{0, s.runEnd(0)}}
}

// runEnd returns the end of the run of changed lines at i.
func (s *side) runEnd(i int) int {
	for i < len(s.changed) && s.changed[i] {
		i++
	}
	return i
}

// runStart returns the start of the run of changed lines that ends at i.
func (s *side) runStart(i int) int {
	for i > 0 && s.changed[i-1] {
		i--
	}
	return i
}

// next returns the run after the next shared line, and whether there is one.
func (r run) next(s *side) (run, bool) {
	if r.hi == len(s.changed) {
		return r, false
	}
	return run{span{r.hi + 1, s.runEnd(r.hi + 1)}}, true
}

// previous returns the run before the shared line above.
func (r run) previous(s *side) run {
	return run{span{s.runStart(r.lo - 1), r.lo - 1}}
}

// up moves the run one line up, if the text stays the same, and joins the run
// that it meets.
func (r run) up(s *side) (run, bool) {
	if r.lo == 0 || s.ids[r.lo-1] != s.ids[r.hi-1] {
		return r, false
	}
	s.changed[r.lo-1], s.changed[r.hi-1] = true, false
	return run{span{s.runStart(r.lo - 1), r.hi - 1}}, true
}

// down is up in the other direction.
func (r run) down(s *side) (run, bool) {
	if r.hi == len(s.ids) || s.ids[r.lo] != s.ids[r.hi] {
		return r, false
	}
	s.changed[r.lo], s.changed[r.hi] = false, true
	return run{span{r.lo + 1, s.runEnd(r.hi + 1)}}, true
}

// slideRun moves one run, with the other text's run og beside it.
func slideRun(own, other *side, g, og run, indent bool) (run, run) {
	var length, highest, beside int
	for {
		length, beside = g.len(), -1
		for moved := true; moved; {
			if g, moved = g.up(own); moved {
				og = og.previous(other)
			}
		}
		highest = g.hi
		if og.len() > 0 {
			beside = g.hi
		}
		for moved := true; moved; {
			if g, moved = g.down(own); moved {
				og, _ = og.next(other)
				if og.len() > 0 {
					beside = g.hi
				}
			}
		}
		if g.len() == length {
			break
		}
	}
	target := g.hi
	switch {
	case g.hi == highest:
	case beside >= 0:
		target = beside
	case indent:
		target = bestEnd(own.lines, g.span, highest)
	}
	for g.hi > target {
		g, _ = g.up(own)
		og = og.previous(other)
	}
	return g, og
}
