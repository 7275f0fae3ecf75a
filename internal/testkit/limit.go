package testkit

import "time"

// TimeLimit returns how long something may take in a test that has this long alone:
// it has three times that where all tests run beside each other, as in CI, and five
// times with the race detector.
func TimeLimit(alone time.Duration) time.Duration {
	switch {
	case RaceDetector:
		return 5 * alone
	case IsComplete():
		return 3 * alone
	}
	return alone
}
