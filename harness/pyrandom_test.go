package harness_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ghx-dev/bench-action/harness"
)

func names(prefix string, n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("%s%02d", prefix, i))
	}
	return list
}

func TestShuffle(t *testing.T) {
	t.Run("two lists shuffled with one generator are as CPython has them", func(t *testing.T) {
		r := harness.NewPythonRandom(42)
		passed, failed := names("p", 10), names("f", 7)
		harness.PythonShuffle(r, passed)
		harness.PythonShuffle(r, failed)
		assert.Equal(t, "p07 p03 p02 p08 p05 p06 p09 p04 p00 p01", strings.Join(passed, " "))
		assert.Equal(t, "f01 f02 f05 f06 f00 f03 f04", strings.Join(failed, " "))
	})
	t.Run("nothing and one thing stay as they are", func(t *testing.T) {
		one := []int{1}
		harness.PythonShuffle(harness.NewPythonRandom(42), one)
		harness.PythonShuffle(harness.NewPythonRandom(42), []int(nil))
		assert.Equal(t, []int{1}, one)
	})
}

func TestShuffleIsThatOfThePythonThatIsHere(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not on PATH")
	}
	const program = `
import json, random
out = []
for seed in (0, 1, 42, 300, 2**31, 2**32 - 1, 2**32, 2**40 + 7, 2**63 + 5):
    for n in (0, 1, 2, 3, 31, 32, 33, 700, 3000):
        items = list(range(n))
        random.seed(seed)
        random.shuffle(items)
        out.append({"seed": seed, "n": n, "items": items})
print(json.dumps(out))
`
	printed, err := exec.CommandContext(t.Context(), python, "-c", program).Output()
	require.NoError(t, err)
	var want []struct {
		Seed  uint64
		N     int
		Items []int
	}
	require.NoError(t, json.Unmarshal(printed, &want))
	require.NotEmpty(t, want)
	for _, w := range want {
		items := make([]int, w.N)
		for i := range items {
			items[i] = i
		}
		harness.PythonShuffle(harness.NewPythonRandom(w.Seed), items)
		assert.Equal(t, w.Items, items, "seed %d, %d items", w.Seed, w.N)
	}
}
