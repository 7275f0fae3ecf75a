package testkit

import "time"

// TimeLimit returns how long something may take in a test that has this long without
// the race detector: CI runs tests with it, beside each other, on few processors.
func TimeLimit(without time.Duration) time.Duration {
	if RaceDetector {
		return 5 * without
	}
	return without
}
