package gitstore

const (
	// maxFrequency is the number of counterparts from which on a line counts
	// as frequent in any file.
	maxFrequency = 1024
	// matchWindow is how many lines around a frequent line are looked at.
	matchWindow = 100
	// frequentShare is the divisor of the share of frequent lines in a run
	// below which they are set aside.
	frequentShare = 4
)

// fate says how many counterparts a line has in the other text.
type fate byte

const (
	unmatched fate = iota
	matched
	frequent
)

// keepMatched marks the lines of core that are not worth searching for as
// changed and returns the others. These are lines without a counterpart in the
// other text, and lines with very many in the midst of lines without. counts
// is zero for every line number; all is the length of the whole text, of which
// core is the part between equal ends.
func keepMatched(own *side, core span, all int, counts, other []int32) sequence {
	for _, id := range other {
		counts[id]++
	}
	limit := int32(min(roughRoot(all), maxFrequency))
	fates := make([]fate, core.len())
	for k := range fates {
		switch n := counts[own.ids[core.lo+k]]; {
		case n >= limit:
			fates[k] = frequent
		case n > 0:
			fates[k] = matched
		}
	}
	q := sequence{side: own, ids: make([]int32, 0, len(fates)), at: make([]int, 0, len(fates))}
	for k, f := range fates {
		i := core.lo + k
		if f == unmatched || f == frequent && amidUnmatched(fates, k) {
			own.changed[i] = true
			continue
		}
		q.ids = append(q.ids, own.ids[i])
		q.at = append(q.at, i)
	}
	return q
}

// amidUnmatched reports whether line k lies in a run of unmatched and frequent
// lines that has unmatched ones on both sides of k and few frequent ones.
func amidUnmatched(fates []fate, k int) bool {
	lo, hi := max(0, k-matchWindow), min(len(fates)-1, k+matchWindow)
	var before, past [frequent + 1]int
	for i := k - 1; i >= lo && fates[i] != matched; i-- {
		before[fates[i]]++
	}
	for i := k + 1; i <= hi && fates[i] != matched; i++ {
		past[fates[i]]++
	}
	if before[unmatched] == 0 || past[unmatched] == 0 {
		return false
	}
	// Line k is counted from both sides.
	frequents := before[frequent] + past[frequent] + 2
	return frequents*frequentShare < frequents+before[unmatched]+past[unmatched]
}
