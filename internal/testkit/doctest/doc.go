// Package doctest has the tests of what is written for users: links lead somewhere,
// commands have the flags that they are called with, files have the keys that are read,
// and all pages can be reached. What the pages of docs/start.md print is held by
// internal/cli/benchcli, which runs them.
package doctest
