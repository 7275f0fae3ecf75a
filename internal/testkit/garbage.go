package testkit

import (
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
)

// Tests, and the Go programs that they start, let garbage grow to four times what is in
// use before they collect it, unless GOGC says otherwise: they live for a second, and
// would collect for a fifth of it. Benchmarks collect as programs do.
func init() {
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
