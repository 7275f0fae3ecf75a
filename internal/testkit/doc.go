// Package testkit is what many tests need: skips for what a machine lacks or a
// quick run leaves out, golden files, a buffer that several goroutines write to, a
// browser, and whether the race detector, which costs more than what tests measure,
// is at work.
//
// Run the tests of a package with -update to write its golden files, then read the
// difference before it is committed.
package testkit
