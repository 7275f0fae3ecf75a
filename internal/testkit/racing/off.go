//go:build !race

// Package racing tells tests that measure time whether the race detector, which
// costs more than what they measure, is at work.
package racing

// Enabled says that the race detector is at work.
const Enabled = false
