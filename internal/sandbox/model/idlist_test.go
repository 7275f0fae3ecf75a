package model

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAListOfIDsIsSortedWhateverComesAndGoes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var list, before idList
	var want, was []ID
	for step := range 20_000 {
		// It grows for a while, and shrinks then.
		id := ID(random.IntN(4000))
		if at, has := slices.BinarySearch(want, id); has && step > 6000 {
			list, want = list.without(id), slices.Delete(want, at, at+1)
		} else if !has && step <= 12_000 {
			list, want = list.with(id), slices.Insert(want, at, id)
		}
		if step == 7000 {
			before, was = list, slices.Clone(want)
		}
		for _, piece := range list {
			require.NotEmpty(t, piece)
			require.LessOrEqual(t, len(piece), maxPiece)
		}
	}
	require.Equal(t, want, slices.Collect(list.all()))
	require.Equal(t, len(want), list.len())
	require.Equal(t, was, slices.Collect(before.all()), "a list that was changed is as it was to those who have it")
	for _, id := range want {
		list = list.without(id)
	}
	require.Empty(t, list)
}

func TestAChangeOfALongListLeavesItsOtherPiecesAlone(t *testing.T) {
	var list idList
	for id := range ID(100_000) {
		list = list.with(2 * id)
	}
	for name, changed := range map[string]idList{"with": list.with(99_999), "without": list.without(100_000)} {
		pieces := map[*ID]bool{}
		for _, piece := range list {
			pieces[&piece[0]] = true
		}
		others := 0
		for _, piece := range changed {
			if !pieces[&piece[0]] {
				others++
			}
		}
		require.LessOrEqual(t, others, 2, name)
	}
}
