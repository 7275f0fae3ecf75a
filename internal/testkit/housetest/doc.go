// Package housetest tests the repository as a whole, and has no other code.
//
// Of the house: which folder may import which, what only some may use, and that
// CONTRIBUTING.md names every folder.
//
// Of the tests: that every rule of the methodology is held by a test, which names it,
// and which fails where the rule is broken as breaks.txt says. A test names the rule
// that it holds by its function, TestG4…, or by the beginning of a text in it or in a
// test script, "G4: …"; a text may name several, "R5, R6: …".
//
// Of the docs: links lead somewhere, commands have the flags that they are called with,
// files have the keys that are read, and all pages can be reached. What the pages of
// docs/start.md print is held by internal/cli/benchcli, which runs them.
package housetest
