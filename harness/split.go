package harness

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/ghx-dev/bench-action/harness/internal/state"
	"github.com/ghx-dev/bench-action/internal/fault"
)

const (
	// TrainSplit names the part of a benchmark that an agent is trained on.
	TrainSplit = "train"
	// TestSplit names the part that nobody has seen.
	TestSplit = "test"
	// WholeDataset stands, in place of a split's name, for all tasks of a
	// dataset, past the split file.
	WholeDataset = "*"
	// SplitSeed is the seed of the draw of which tasks are for training.
	SplitSeed = 42
	// TrainShare is how many of the tasks are for training.
	TrainShare = 0.7
)

// Split is a benchmark in two parts, as split files have it.
type Split struct {
	Train    []string      `json:"train"`
	Test     []string      `json:"test"`
	Metadata SplitMetadata `json:"metadata"`
}

// SplitMetadata says where a split comes from.
type SplitMetadata struct {
	// Created is RFC 3339 in UTC, in seconds.
	Created    string `json:"created"`
	TotalTasks int    `json:"total_tasks"`
	Seed       uint64 `json:"seed"`
}

// Stratify splits tasks so that those that passed and those that did not are
// in both parts in the same proportion, [TrainShare] of them for training.
// The same results and seed give the same split, and the one that the original
// harness draws: each kind, sorted, is shuffled by one generator, those that
// passed first. Created is left empty.
func Stratify(results Results, seed uint64) Split {
	var passed, failed []string
	for _, id := range slices.Sorted(maps.Keys(results)) {
		if results[id].Passed() {
			passed = append(passed, id)
		} else {
			failed = append(failed, id)
		}
	}
	split := Split{Train: []string{}, Test: []string{}, Metadata: SplitMetadata{TotalTasks: len(results), Seed: seed}}
	random := NewPythonRandom(seed)
	for _, kind := range [][]string{passed, failed} {
		PythonShuffle(random, kind)
		train := int(float64(len(kind)) * TrainShare)
		split.Train = append(split.Train, kind[:train]...)
		split.Test = append(split.Test, kind[train:]...)
	}
	slices.Sort(split.Train)
	slices.Sort(split.Test)
	return split
}

// WriteSplit writes a split file.
func WriteSplit(path string, split Split) error { return state.WriteJSON(path, split) }

// ReadSplit returns the tasks of a part of a split file, nil for
// [WholeDataset], which needs no file. The error is of kind invalid if the
// file or the part is not there.
func ReadSplit(path, name string) ([]string, error) {
	if name == WholeDataset {
		return nil, nil
	}
	var file map[string]json.RawMessage
	found, err := state.ReadJSON(path, &file)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fault.Invalidf("split file %s is not there: make it with `bench harness prepare`", path)
	}
	delete(file, "metadata")
	part, has := file[name]
	if !has {
		return nil, fault.Invalidf("split file %s has no split %q: use %s", path, name, strings.Join(slices.Sorted(maps.Keys(file)), ", "))
	}
	var ids []string
	if err := json.Unmarshal(part, &ids); err != nil {
		return nil, fault.Invalidf("split file %s: split %q is no list of task ids: %w", path, name, err)
	}
	// A part that is there and empty is not the whole dataset.
	return append([]string{}, ids...), nil
}
