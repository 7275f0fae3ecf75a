// Command mutants breaks the code of packages on purpose, in many small ways
// (a condition that is always true, a statement that is left out, a zero value
// that is returned), and tells which of them no test notices.
//
//	go run ./internal/testkit/mutants -since HEAD~3 ./internal/bench/gate
//
// Of a package whose Go files are named, as in ./internal/app/service/policy.go, only
// those are broken; all of its tests are to notice.
//
// All mutants are built into one binary for each package of tests, and an
// environment variable says which one acts; only those that cannot be written
// so take a build of their own. A mutant runs with the tests that come by it.
// Processes that a test starts with another environment run the code as it is.
// Who may make control groups and namespaces, as root may, has tests held in them:
// one whose limits are broken does not take all processes and memory of the machine,
// and neither ends its processes nor removes its temporary files.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

// Exit codes.
const (
	exitGood = iota
	// exitBelow: a package has less than the wanted share of its mutants
	// noticed, or the list of equivalent ones is not true.
	exitBelow
	// exitWrong: nothing can be told, as tests fail without a mutant.
	exitWrong
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are what is asked for.
type options struct {
	// folder is where the packages are named from.
	folder string
	// packages are patterns of those that are broken, or Go files of theirs; tests
	// are patterns of those whose tests are to notice besides. judged is a file of
	// both, or empty: a package or Go file on each line, with the patterns of tests
	// behind it.
	packages, tests []string
	judged          string
	// since is a commit, or empty for all lines; list the file of equivalent
	// mutants, or empty.
	since, list string
	// least is the share, in per cent, that must be noticed.
	least float64
	// budget is for how long mutants are tried, 0 for as long as it takes; long
	// is how long a test runs that is split.
	budget, long time.Duration
}

func run(ctx context.Context, arguments []string, out, progress io.Writer) int {
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(progress)
	var o options
	var tests string
	flags.StringVar(&o.folder, "C", ".", "run in this `folder`")
	flags.StringVar(&o.since, "since", "", "break only lines that were changed since this `commit`")
	flags.StringVar(&tests, "tests", "", "`patterns` of packages whose tests are to notice besides the broken package's own")
	flags.StringVar(&o.judged, "judged", "", "`file` of packages, or Go files, that are broken if none is named, each on a line with patterns of tests")
	flags.StringVar(&o.list, "equivalent", "", "`file` of mutants that no test can notice, with reasons")
	flags.Float64Var(&o.least, "min", 95, "share of the mutants of each package, in `per cent`, that must be noticed")
	flags.DurationVar(&o.budget, "budget", 0, "stop after this `time`, with some not tried")
	flags.DurationVar(&o.long, "split", time.Second, "run the parts of tests that take this `time` by themselves")
	if flags.Parse(arguments) != nil {
		return exitWrong
	}
	o.packages, o.tests = flags.Args(), strings.Fields(tests)
	code, err := o.run(ctx, out, progress)
	if err != nil {
		fmt.Fprintln(progress, "mutants:", err)
		return exitWrong
	}
	return code
}
