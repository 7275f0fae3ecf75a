package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/internal/testkit"
)

func TestAPackageIsBelowWhateverComesOfWhatWasNotTried(t *testing.T) {
	for _, tt := range []struct {
		name                     string
		killed, survived, untold int
		least                    float64
		want                     bool
	}{
		{"as many as are wanted", 95, 5, 0, 95, false},
		{"fewer", 94, 6, 0, 95, true},
		{"fewer of those that were tried, and enough if all others are noticed", 14, 6, 100, 95, false},
		{"too few if all others are noticed", 14, 6, 99, 95, true},
		{"one of a few", 2, 1, 0, 95, false},
		{"one where all are wanted", 2, 1, 0, 100, true},
		{"none", 0, 0, 0, 95, false},
	} {
		at := tally{}
		at.of[killed], at.of[survived], at.of[notTried] = tt.killed, tt.survived, tt.untold
		assert.Equal(t, tt.want, at.below(tt.least), tt.name)
	}
}

// A mutant without an end is noticed. On a machine where the tests do not end
// without it either, it is neither noticed nor missed.
func TestABusyMachineTellsNothing(t *testing.T) {
	testkit.NeedShell(t)
	for text, want := range map[string]verdict{
		`[ -z "$` + Acts + `" ] || { echo "panic: test timed out after 2s"; exit 2; }`: timedOut,
		`echo "panic: test timed out after 2s"; exit 2`:                                notTried,
		`[ -z "$` + Acts + `" ] || { echo "--- FAIL: TestX"; exit 1; }`:                killed,
		`exit 0`: survived,
	} {
		file := filepath.Join(t.TempDir(), "tests")
		require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o700))
		some := batch{{in: &binary{folder: t.TempDir(), file: file}, pattern: "^TestX$", took: time.Second}}
		assert.Equal(t, want, some.try(t.Context(), 1), text)
	}
}

// A search that ends early has tried what counts.
func TestEquivalentMutantsAreTriedLast(t *testing.T) {
	at := &target{path: "example.test/a"}
	one := func(number int, prefix, equivalent string) *mutant {
		return &mutant{target: at, number: number, function: "F", prefix: prefix, equivalent: equivalent}
	}
	var numbers []int
	for _, m := range trialOrder([]*mutant{one(1, "x", "same"), one(2, "", ""), one(3, "", "same"), one(4, "x", "")}) {
		numbers = append(numbers, m.number)
	}
	assert.Equal(t, []int{4, 2, 1, 3}, numbers)
}

// The quick tests come first, and where one waits for ever, few others wait with it.
func TestTestsRunInBatches(t *testing.T) {
	in := &binary{}
	tests := []*test{{in: in, took: time.Minute}}
	for range 40 {
		tests = append(tests, &test{in: in, took: time.Second}, &test{in: in, took: 10 * time.Millisecond})
	}
	var ran int
	var last time.Duration
	for _, some := range batches(tests) {
		var took time.Duration
		for _, one := range some {
			assert.GreaterOrEqual(t, one.took, last)
			last = one.took
			took += one.took
		}
		assert.True(t, took <= together || len(some) == 1, "%d tests take %s", len(some), took)
		ran += len(some)
	}
	assert.Len(t, tests, ran)
}
