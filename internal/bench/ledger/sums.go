package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
)

// Line is where a row stands, and the sum of its text.
type Line struct {
	File string
	// Number counts from 1.
	Number int
	Sum    Sum
}

// Sum is the beginning of the SHA-256 of a row's line. The zero value stands for no
// row.
type Sum [8]byte

func sumOf(text []byte) Sum {
	whole := sha256.Sum256(text)
	return Sum(whole[:len(Sum{})])
}

// Sums keep what the rows of a run were, by mode and scenario. Whoever changes a row
// can change its sum too: they find what was done to the ledger alone.
type Sums map[bench.Mode]map[string]iterations

// iterations has the sum of each iteration, from the first.
type iterations []Sum

// mostIterations is far beyond every plan.
const mostIterations = 10_000

// Keep notes what the row of a cell is, unless that is known.
func (s Sums) Keep(cell bench.Cell, sum Sum) {
	if cell.Iteration < 1 || cell.Iteration > mostIterations || s.of(cell) != (Sum{}) {
		return
	}
	scenarios := s[cell.Mode]
	if scenarios == nil {
		scenarios = map[string]iterations{}
		s[bench.Mode(strings.Clone(string(cell.Mode)))] = scenarios
	}
	list := scenarios[cell.ScenarioID]
	for len(list) < cell.Iteration {
		list = append(list, Sum{})
	}
	list[cell.Iteration-1] = sum
	scenarios[strings.Clone(cell.ScenarioID)] = list
}

// Other reports whether another row is known of the cell.
func (s Sums) Other(cell bench.Cell, sum Sum) bool {
	known := s.of(cell)
	return known != (Sum{}) && known != sum
}

func (s Sums) of(cell bench.Cell) Sum {
	list := s[cell.Mode][cell.ScenarioID]
	if cell.Iteration < 1 || cell.Iteration > len(list) {
		return Sum{}
	}
	return list[cell.Iteration-1]
}

// MarshalText writes the sums one after the other, in hexadecimal.
func (all iterations) MarshalText() ([]byte, error) {
	var text []byte
	for _, sum := range all {
		text = hex.AppendEncode(text, sum[:])
	}
	return text, nil
}

// UnmarshalText reads what MarshalText writes.
func (all *iterations) UnmarshalText(text []byte) error {
	data, err := hex.AppendDecode(nil, text)
	if err != nil || len(data)%len(Sum{}) != 0 {
		return fmt.Errorf("%.40q are no sums of rows", text)
	}
	var sums iterations
	for sum := range slices.Chunk(data, len(Sum{})) {
		sums = append(sums, Sum(sum))
	}
	*all = sums
	return nil
}
