package redact

import "slices"

// span is a part of the stream, counted in bytes from its beginning.
type span struct{ start, end int64 }

// scanner reads a stream once, byte by byte, and keeps what it has to know of
// the past: a node in each of the two matchers and, for every rule, the run of
// bytes that may be a token.
type scanner struct {
	values *matcher
	shapes *matcher

	value int32
	shape int32
	// runs has one place for each rule; active counts those in use.
	runs   [ruleCount]run
	active int
	// pos counts the bytes read; wordStart is where the last word began, and
	// inWord whether it goes on.
	pos       int64
	wordStart int64
	inWord    bool
	// found has what is to be replaced, in order, without overlaps.
	found []span
}

// run is a token in the making: from start on, size bytes of it read.
type run struct {
	active    bool
	confirmed bool
	start     int64
	size      int64
}

func newScanner(values *matcher) *scanner {
	return &scanner{values: values, shapes: shapes()}
}

// text is what a scanner reads.
type text interface{ string | []byte }

// feed has the scanner read t.
func feed[T text](s *scanner, t T) {
	for i := range len(t) {
		by := t[i]
		s.pos++
		s.trackWord(by)
		s.value = s.values.step(s.value, by)
		if length := s.values.nodes[s.value].word; length > 0 {
			s.mark(s.pos-int64(length), s.pos)
		}
		if s.active > 0 {
			s.continueRuns(by)
		}
		s.shape = s.shapes.step(s.shape, by)
		if n := &s.shapes.nodes[s.shape]; n.word > 0 {
			s.openOrClose(n)
		}
	}
}

// settled returns the place before which nothing that follows can change what
// was found.
func (s *scanner) settled() int64 {
	at := s.pos - int64(max(s.values.nodes[s.value].depth, s.shapes.nodes[s.shape].depth))
	for i := range s.runs {
		if s.runs[i].active && !s.runs[i].confirmed {
			at = min(at, s.runs[i].start)
		}
	}
	return at
}

// relearn changes to another matcher of secrets; tail is what of the stream
// was read but has not left the process.
func (s *scanner) relearn(values *matcher, tail []byte) {
	s.values, s.value = values, root
	at := s.pos - int64(len(tail))
	for _, by := range tail {
		at++
		s.value = values.step(s.value, by)
		if length := values.nodes[s.value].word; length > 0 {
			s.mark(at-int64(length), at)
		}
	}
}

func (s *scanner) trackWord(by byte) {
	word := letterOrDigit[by]
	if word && !s.inWord {
		s.wordStart = s.pos - 1
	}
	s.inWord = word
}

// mark notes that the bytes from start to end are to be replaced.
func (s *scanner) mark(start, end int64) {
	to := len(s.found)
	for to > 0 && s.found[to-1].start > end {
		to--
	}
	from := to
	for from > 0 && s.found[from-1].end >= start {
		from--
		start = min(start, s.found[from].start)
		end = max(end, s.found[from].end)
	}
	s.found = slices.Replace(s.found, from, to, span{start, end})
}

func (s *scanner) continueRuns(by byte) {
	for i := range s.runs {
		r := &s.runs[i]
		if !r.active {
			continue
		}
		rule := &rules[i]
		if !rule.class[by] || (rule.max > 0 && r.size >= rule.max) {
			s.end(r)
			continue
		}
		r.size++
		if r.size >= rule.min {
			r.confirmed = true
			s.mark(r.start, s.pos)
		}
	}
}

// openOrClose begins or ends a run at the literal that was just read.
func (s *scanner) openOrClose(n *node) {
	r, rule := &s.runs[n.tag/2], &rules[n.tag/2]
	if n.tag%2 == closing {
		s.end(r)
		return
	}
	literal := s.pos - int64(n.word)
	if r.active || (rule.ownWord && s.wordStart != literal) {
		return
	}
	s.active++
	*r = run{active: true, start: s.pos}
	if rule.whole {
		r.start = literal
	}
	if rule.min == 0 {
		r.confirmed = true
		s.mark(r.start, s.pos)
	}
}

func (s *scanner) end(r *run) {
	if r.active {
		r.active = false
		s.active--
	}
}
