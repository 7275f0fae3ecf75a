package stats

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
)

// replicatesPerChunk is how many replicates share a random stream. It is
// fixed, so that results do not depend on how chunks spread over processors.
const replicatesPerChunk = 250

// Replicate calls work for the ranges [from, to) that make up [0, n), on all
// processors at once. Each range has a random stream of its own, which seed,
// stream and the range's place decide. Give each purpose its own stream.
func Replicate(seed, stream uint64, n int, work func(r *rand.Rand, from, to int)) {
	chunks := (n + replicatesPerChunk - 1) / replicatesPerChunk
	InParallel(chunks, func(i int) {
		from := i * replicatesPerChunk
		work(Stream(seed, stream, uint64(i)), from, min(from+replicatesPerChunk, n))
	})
}

// InParallel calls work with every number from 0 to n−1, on all processors at
// once, and returns when all calls have.
func InParallel(n int, work func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				work(i)
			}
		})
	}
	group.Wait()
}

// Stream returns a random stream that the keys decide; streams of different
// keys are independent for all that matters here.
func Stream(keys ...uint64) *rand.Rand {
	var a, b uint64
	for _, key := range keys {
		a = mix(a ^ key)
		b = mix(b + key + a)
	}
	return rand.New(rand.NewPCG(a, b))
}

// mix is the output function of SplitMix64 (Steele, Lea, Flood 2014), whose
// bits all depend on all bits of x.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
