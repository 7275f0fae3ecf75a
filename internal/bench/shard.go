package bench

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is the part Index, from 1, of Count parts of a plan.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// ParseShard reads "i/n", for example "2/4".
func ParseShard(text string) (Shard, error) {
	first, second, found := strings.Cut(text, "/")
	index, err := strconv.Atoi(first)
	count, err2 := strconv.Atoi(second)
	if !found || err != nil || err2 != nil || index < 1 || count < index {
		return Shard{}, fmt.Errorf("shard %q: want i/n with i from 1 to n, for example 2/4", text)
	}
	return Shard{Index: index, Count: count}, nil
}

// String writes "2/4".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Of returns the shard's cells of a plan, in order. The shards of one plan are
// disjoint and together the whole. All modes of one iteration of a scenario
// are in the same shard, so that modes are compared on the same machine.
func (s Shard) Of(plan []Cell) []Cell {
	type pair struct {
		scenario  string
		iteration int
	}
	owner := map[pair]int{}
	var part []Cell
	for _, c := range plan {
		p := pair{c.ScenarioID, c.Iteration}
		index, seen := owner[p]
		if !seen {
			index = len(owner)%s.Count + 1
			owner[p] = index
		}
		if index == s.Index {
			part = append(part, c)
		}
	}
	return part
}
