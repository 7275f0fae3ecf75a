// Package ruletest is a test of the tests and of the house: that every rule of the
// methodology is held by a test, which names it, and which fails where the rule is
// broken as breaks.txt says; which folder may import which, what only some may use,
// and that CONTRIBUTING.md names every folder. It has no other code.
//
// A test names the rule that it holds by its function, TestG4…, or by the
// beginning of a text in it or in a test script, "G4: …"; a text may name
// several, "R5, R6: …".
package ruletest
