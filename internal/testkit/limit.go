package testkit

import "time"

// TimeLimit returns how long something may take in a test that has this long alone on
// an idle machine. It has twice that, as packages are tested beside each other, three
// times where all tests run, as in CI, and eight times with the race detector.
func TimeLimit(alone time.Duration) time.Duration {
	switch {
	case RaceDetector:
		return 8 * alone
	case IsComplete():
		return 3 * alone
	}
	return 2 * alone
}
