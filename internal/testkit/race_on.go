//go:build race

package testkit

// RaceDetector says that the race detector is at work.
const RaceDetector = true
