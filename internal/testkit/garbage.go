package testkit

import (
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// CollectLess has this process, and the Go programs that it starts, let garbage grow
// to four times what is in use before they collect it, unless GOGC says otherwise or
// benchmarks measure. Programs that tests start live for a second, and would collect for a
// third of it.
func CollectLess() {
	measures := slices.ContainsFunc(os.Args, func(arg string) bool { return strings.HasPrefix(arg, "-test.bench=") })
	if measures || os.Getenv("GOGC") != "" {
		return
	}
	const percent = 400
	debug.SetGCPercent(percent)
	if err := os.Setenv("GOGC", strconv.Itoa(percent)); err != nil {
		panic(err)
	}
}
