package harness

import "math/bits"

// The Mersenne Twister MT19937 of M. Matsumoto and T. Nishimura,
// "Mersenne Twister: A 623-dimensionally equidistributed uniform pseudorandom
// number generator", ACM TOMACS 8(1), 1998, seeded by init_by_array of their
// mt19937ar.c (2002), which is what CPython does.
const (
	size      = 624
	middle    = 397
	matrix    = 0x9908b0df
	upperMask = 0x80000000
	lowerMask = 0x7fffffff
)

// PythonRandom is the state of random.Random.
type PythonRandom struct {
	state [size]uint32
	at    int
}

// NewPythonRandom returns what random.seed(seed) makes.
func NewPythonRandom(seed uint64) *PythonRandom {
	key := []uint32{uint32(seed)}
	if high := uint32(seed >> 32); high != 0 {
		key = append(key, high)
	}
	const plainSeed, first, second = 19650218, 1664525, 1566083941
	r := &PythonRandom{at: size}
	r.seed(plainSeed)
	i, j := 1, 0
	for range max(size, len(key)) {
		r.state[i] = (r.state[i] ^ r.before(i)*first) + key[j] + uint32(j)
		i, j = r.next(i), (j+1)%len(key)
	}
	for range size - 1 {
		r.state[i] = (r.state[i] ^ r.before(i)*second) - uint32(i)
		i = r.next(i)
	}
	r.state[0] = upperMask
	return r
}

// seed is init_genrand.
func (r *PythonRandom) seed(seed uint32) {
	const factor = 1812433253
	r.state[0] = seed
	for i := 1; i < size; i++ {
		r.state[i] = factor*(r.state[i-1]^r.state[i-1]>>30) + uint32(i)
	}
}

func (r *PythonRandom) before(i int) uint32 { return r.state[i-1] ^ r.state[i-1]>>30 }

// next returns the place after i; the first one is left out and has the last
// one's value when the walk begins anew.
func (r *PythonRandom) next(i int) int {
	if i+1 < size {
		return i + 1
	}
	r.state[0] = r.state[size-1]
	return 1
}

// uint32 is genrand_uint32.
func (r *PythonRandom) uint32() uint32 {
	if r.at == size {
		r.twist()
		r.at = 0
	}
	y := r.state[r.at]
	r.at++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (r *PythonRandom) twist() {
	for i := range r.state {
		y := r.state[i]&upperMask | r.state[(i+1)%size]&lowerMask
		v := r.state[(i+middle)%size] ^ y>>1
		if y&1 == 1 {
			v ^= matrix
		}
		r.state[i] = v
	}
}

// below is _randbelow_with_getrandbits: a number from 0 up to n, n excluded.
func (r *PythonRandom) below(n int) int {
	const word = 32
	width := bits.Len(uint(n))
	for {
		if k := int(r.uint32() >> (word - width)); k < n {
			return k
		}
	}
}

// PythonShuffle is random.shuffle, for fewer than 2³¹ items.
func PythonShuffle[T any](r *PythonRandom, items []T) {
	for i := len(items) - 1; i > 0; i-- {
		j := r.below(i + 1)
		items[i], items[j] = items[j], items[i]
	}
}
