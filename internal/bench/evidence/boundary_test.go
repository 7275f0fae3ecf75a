package evidence

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ghx-dev/bench-action/internal/testkit"
	"github.com/stretchr/testify/assert"
)

// usualLooks are those of rule V7.
var usualLooks = []int{2, 4, 6, 8, 10, 12}

func TestV7BoundariesAreThoseOfNumericalIntegration(t *testing.T) {
	computed := integrated(usualLooks)
	for _, c := range []struct {
		name                string
		hardCoded, computed []float64
		// published are the rule's own, to two decimals.
		published []float64
	}{
		{"FAIL by success and cost", usualBoundaries.failMain, computed.failMain, []float64{3.26, 2.91, 2.68, 2.51, 2.36, 2.23}},
		{"FAIL by latency", usualBoundaries.failLatency, computed.failLatency, []float64{3.45, 3.12, 2.92, 2.76, 2.62, 2.51}},
		{"PASS", usualBoundaries.pass, computed.pass, []float64{2.24, 2.20, 2.16, 2.14, 2.11, 2.10}},
		{"intervals", usualBoundaries.interval, computed.interval, []float64{2.50, 2.48, 2.46, 2.44, 2.42, 2.41}},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.InDeltaSlice(t, c.computed, c.hardCoded, 0.0000501)
			assert.InDeltaSlice(t, c.published, c.hardCoded, 0.00501)
		})
	}
	assert.Equal(t, usualBoundaries, boundariesOf(usualLooks))
	assert.Equal(t, integrated([]int{2, 4, 6, 8, 10, 16}), boundariesOf([]int{2, 4, 6, 8, 10, 16}), "as many looks, and one of them at another time")
}

func TestV7OneLookSpendsEverythingAtOnce(t *testing.T) {
	b := boundariesOf([]int{4})
	assert.InDeltaSlice(t, []float64{2.053749}, b.failMain, 1e-6)
	assert.InDeltaSlice(t, []float64{2.326348}, b.failLatency, 1e-6)
	assert.InDeltaSlice(t, []float64{1.644854}, b.pass, 1e-6)
	assert.InDeltaSlice(t, []float64{1.959964}, b.interval, 1e-6)
}

// A sequence of ten looks, drawn often, crosses the bounds by a look as often as
// is to be spent by then.
func TestV7BoundsOfAnyScheduleSpendWhatTheyMay(t *testing.T) {
	looks := []int{3, 5, 7, 9, 20}
	bounds := integrated(looks).pass
	r := rand.New(rand.NewPCG(1, 2))
	const draws = 200_000
	crossed := make([]int, len(looks))
	for range draws {
		sum, before := 0.0, 0
		for k, n := range looks {
			sum += math.Sqrt(float64(n-before)) * r.NormFloat64()
			before = n
			if sum/math.Sqrt(float64(n)) >= bounds[k] {
				crossed[k]++
				break
			}
		}
	}
	total := 0
	for k, n := range looks {
		total += crossed[k]
		spent := passSpending(passAlpha)(float64(n) / 20)
		assert.InDelta(t, spent, float64(total)/draws, 4*math.Sqrt(spent/draws), "by look %d", k+1)
	}
}

func TestV7MoreLooksThanUsualHaveBoundsToo(t *testing.T) {
	testkit.NeedComplete(t)
	looks, err := Looks(2, MaxBlocks)
	assert.NoError(t, err)
	b := boundariesOf(looks)
	for k := 1; k < len(looks); k++ {
		assert.Less(t, b.failMain[k], b.failMain[k-1])
		assert.Less(t, b.pass[k], b.pass[k-1]+0.05)
		assert.Greater(t, b.pass[k], 1.9)
	}
}
