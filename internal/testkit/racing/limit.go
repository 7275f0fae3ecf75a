package racing

import "time"

// Limit returns how long something may take in a test that has this long without
// the race detector: CI runs tests with it, beside each other, on few processors.
func Limit(without time.Duration) time.Duration {
	if Enabled {
		return 5 * without
	}
	return without
}
