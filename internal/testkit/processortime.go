package testkit

import (
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// ProcessorTime is what this process, and none that it has started, has used of the
// processors. Others that use them too change it far less than the time that passes: they
// take caches and half of a core, and so may double it.
func ProcessorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// LeastProcessorTime is the least of what so many calls of f use of the processors.
func LeastProcessorTime(t testing.TB, tries int, f func()) time.Duration {
	t.Helper()
	least := time.Hour
	for range tries {
		begun := ProcessorTime(t)
		f()
		least = min(least, ProcessorTime(t)-begun)
	}
	return least
}
