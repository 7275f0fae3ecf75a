// Package deptest is a test of how this module is built: which folder may
// import which, and what is done in few places only. It has no other code.
//
// A rule is a function from the module's packages to what breaks it; the list
// of them is in rules_test.go. Folders that do not exist yet may be named in
// it, so that they have their rule from the first day.
package deptest
