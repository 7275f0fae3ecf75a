package main

// This file alone is the source of the package "chosen" as well: it tells code that was
// built with many mutants in it which of them is to act, and is put beside the code that
// is broken. The command uses its names.

import (
	"os"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"
)

// Names of environment variables, and the code of an exit.
const (
	// Acts is the number of the one mutant that acts; none does if it is not set.
	Acts = "MUTANTS_ACTS"
	// Reached is a file to which the number of every mutant that is come by is
	// added, one a line.
	Reached = "MUTANTS_REACHED"
	// TooMuchMemory is the exit code of a process whose mutant does not stop
	// allocating.
	TooMuchMemory = 86
)

const (
	// maxMutants bounds the numbers.
	maxMutants = 1 << 16
	// maxHeap, in bytes, is looked at every lookEvery.
	maxHeap   = 2 << 30
	lookEvery = 50 * time.Millisecond
)

var (
	acts    = number()
	reached = open()
	seen    [maxMutants]atomic.Bool
)

// On reports whether a mutant acts.
func On(mutant int) bool {
	if reached != nil {
		note(mutant)
	}
	return mutant == acts
}

// Pick returns the mutated value if the mutant acts.
func Pick[T any](mutant int, mutated, original T) T {
	if On(mutant) {
		return mutated
	}
	return original
}

func number() int {
	n, err := strconv.Atoi(os.Getenv(Acts))
	if err != nil {
		return -1
	}
	go guard()
	return n
}

func open() *os.File {
	name := os.Getenv(Reached)
	if name == "" {
		return nil
	}
	// A process that may not write there tells nothing.
	file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return nil
	}
	return file
}

// note writes each number once and at once, since a process may end anyhow.
func note(mutant int) {
	if !seen[mutant].Swap(true) {
		_, _ = reached.WriteString(strconv.Itoa(mutant) + "\n")
	}
}

// guard ends the process before the machine has no memory left. It allocates
// nothing, since tests may count allocations.
func guard() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for {
		metrics.Read(sample)
		if sample[0].Value.Uint64() > maxHeap {
			os.Exit(TooMuchMemory)
		}
		time.Sleep(lookEvery)
	}
}
