package bench

import "fmt"

// Variation is one of the worlds that a suite's fixtures can be (rule S15):
// equal variations have the same numbers, names, labels and texts in the same
// order.
type Variation struct {
	// Seed is that of the suite, from 1 to [MaxVariationSeed].
	Seed uint64 `json:"seed"`
	// Number counts from 0.
	Number int `json:"number"`
}

// MaxVariationSeed is the largest seed that every reader of JSON reads exactly.
const MaxVariationSeed = 1<<53 - 1

// String returns the variation as people are told it, such as "3 of seed 42".
func (v Variation) String() string { return fmt.Sprintf("%d of seed %d", v.Number, v.Seed) }

// Variations say which variation the iterations of a suite have. The zero value
// is for fixtures that do not vary.
type Variations struct {
	// Seed is 0 where fixtures do not vary.
	Seed uint64 `json:"seed"`
	// Number is that of all iterations; nil gives each iteration the variation
	// of its own number.
	Number *int `json:"number,omitempty"`
}

// Of returns the variation of an iteration, nil where fixtures do not vary.
func (v Variations) Of(iteration int) *Variation {
	if v.Seed == 0 {
		return nil
	}
	number := iteration
	if v.Number != nil {
		number = *v.Number
	}
	return &Variation{Seed: v.Seed, Number: number}
}

// String returns which variations they are, empty where fixtures do not vary.
func (v Variations) String() string {
	switch {
	case v.Seed == 0:
		return ""
	case v.Number != nil:
		return Variation{Seed: v.Seed, Number: *v.Number}.String()
	default:
		return fmt.Sprintf("those of seed %d", v.Seed)
	}
}
