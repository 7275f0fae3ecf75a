//go:build race

package appcli_test

// slowdown is by how much the race detector, which the server runs with too,
// lengthens what is measured.
const slowdown = 2
