// Command complete reads the events of `go test -json` from standard input,
// shows what failed, and fails too where a test was skipped for a reason that
// is not listed.
//
//	go test -json ./... | go run ./internal/testkit/complete .ci/skips [FAILED]
//
// Each line of the list is a regular expression, found in the test's name and
// what it said, or a comment after #.
//
// The file FAILED is written if nothing went wrong but that a few tests failed which
// can be run again by themselves: a line for each, of its package and its name. It is
// left alone where a package did not build, died, hung, or had a data race.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 2 && len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: go test -json ./... | complete LIST [FAILED]")
		os.Exit(2)
	}
	list, err := os.ReadFile(os.Args[1])
	if err == nil {
		var again []string
		again, err = check(os.Stdin, os.Stdout, string(list))
		if len(again) > 0 && len(os.Args) == 3 {
			err = errors.Join(err, os.WriteFile(os.Args[2], []byte(strings.Join(again, "\n")+"\n"), 0o600))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "complete:", err)
		os.Exit(1)
	}
}

// event is one of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
	Elapsed                       float64
}

// maxAgain is how many tests may have failed for them to be run again: more than that
// is no unlucky moment of the machine.
const maxAgain = 5

// check reads events to their end. The error says what failed; again are the tests
// that may be run once more, as "package name", if it is about nothing else.
func check(events io.Reader, out io.Writer, list string) (again []string, err error) {
	allowed, err := parse(list)
	if err != nil {
		return nil, err
	}
	final := false
	said := map[string]*strings.Builder{}
	var failed, unlisted []string
	skipped, ended := 0, false
	in := bufio.NewReader(events)
	for {
		line, readErr := in.ReadString('\n')
		var e event
		if json.Unmarshal([]byte(line), &e) != nil {
			// A build that fails says so in plain text.
			fmt.Fprint(out, line)
		}
		key := e.Package + " " + e.Test
		if said[key] == nil {
			said[key] = &strings.Builder{}
		}
		switch e.Action {
		case "output", "build-output":
			// Writing to a strings.Builder never fails.
			_, _ = said[key].WriteString(e.Output)
		case "fail", "build-fail":
			failed = append(failed, strings.TrimSpace(key))
			fmt.Fprintf(out, "FAIL %s\n%s", key, said[key])
			switch {
			case e.Test == "":
				alone := !slices.ContainsFunc(again, func(test string) bool { return strings.HasPrefix(test, e.Package+" ") })
				final = unfinished(out, e.Package, said) || alone || final
			case !strings.Contains(e.Test, "/"):
				again = append(again, key)
			}
			final = final || strings.Contains(said[key].String(), "DATA RACE")
		case "skip":
			if e.Test == "" {
				break
			}
			skipped++
			reason := e.Test + ": " + strings.Join(strings.Fields(said[key].String()), " ")
			if !slices.ContainsFunc(allowed, func(r *regexp.Regexp) bool { return r.MatchString(reason) }) {
				unlisted = append(unlisted, reason)
			}
		case "pass":
			if e.Test == "" {
				ended = true
				fmt.Fprintf(out, "ok   %s %.1fs\n", e.Package, e.Elapsed)
			}
		}
		if e.Test != "" && (e.Action == "pass" || e.Action == "skip" || e.Action == "fail") {
			delete(said, key)
		}
		if readErr != nil {
			break
		}
	}
	for _, reason := range unlisted {
		fmt.Fprintf(out, "SKIPPED %s\n", reason)
	}
	if final || len(again) > maxAgain || len(unlisted) > 0 {
		again = nil
	}
	switch {
	case len(failed) > 0:
		return again, fmt.Errorf("%d failed: %s", len(failed), strings.Join(failed, ", "))
	case len(unlisted) > 0:
		return nil, fmt.Errorf("%d tests were skipped for reasons that are not listed", len(unlisted))
	case !ended:
		return nil, errors.New("nothing was tested")
	}
	fmt.Fprintf(out, "%d tests were skipped, all for listed reasons\n", skipped)
	return nil, nil
}

// unfinished shows what tests said that have not ended with their package, if there
// are any: they hung, or the process died in one of them.
func unfinished(out io.Writer, pkg string, said map[string]*strings.Builder) (any bool) {
	for _, key := range slices.Sorted(maps.Keys(said)) {
		if test, is := strings.CutPrefix(key, pkg+" "); is && test != "" {
			fmt.Fprintf(out, "DID NOT END %s\n%s", key, said[key])
			any = true
		}
	}
	return any
}

// parse reads the list.
func parse(list string) ([]*regexp.Regexp, error) {
	var allowed []*regexp.Regexp
	for line := range strings.Lines(list) {
		pattern, _, _ := strings.Cut(line, "#")
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		r, err := regexp.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("read the list: %w", err)
		}
		allowed = append(allowed, r)
	}
	return allowed, nil
}
