// Package evidence judges whether a candidate is worse than a baseline, or saves
// what is claimed, and says how surely (rules V1 to V14 of the methodology).
//
// Sessions come in blocks: one iteration of one scenario in both modes, next to
// each other. A [Collector] makes blocks of rows, and counts the rows that it
// leaves out. A [Design] fixes, before the first block, what counts as worse and
// after how many blocks of every scenario it is looked; [Design.Judge] looks at
// blocks and stops at the first PASS or FAIL; [Design.Plan] says before anything
// is spent what it takes and what could be seen. [Simulate] says how often a
// design is wrong.
//
// Harm and its absence are shown by tests: of the logarithms of ratios by
// Wilcoxon's signed-rank test, of success by those of Cochran, Mantel and
// Haenszel and of Miettinen and Nurminen, all of them over the scenarios, which
// are fixed: a verdict speaks of them and of no others. Looking more than once is
// paid for by spending functions.
//
// The package is pure: no clock, file, network or environment. The same rows in
// any order give the same verdict, to the byte.
package evidence
