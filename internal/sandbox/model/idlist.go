package model

import (
	"iter"
	"slices"
)

// idList is a sorted list of ids in pieces of at most maxPiece. Pieces are
// replaced and never changed, so that copies of a list share them, and a change
// costs much the same however long the list is.
type idList [][]ID

// maxPiece is how many ids a piece of an [idList] has at most.
const maxPiece = 512

// at returns the number of the piece that an id is in, or belongs into.
func (l idList) at(id ID) int {
	n, _ := slices.BinarySearchFunc(l, id, func(piece []ID, id ID) int {
		if piece[len(piece)-1] < id {
			return -1
		}
		return 1
	})
	return min(n, len(l)-1)
}

// with returns the list with an id that it lacks.
func (l idList) with(id ID) idList {
	if len(l) == 0 {
		return idList{{id}}
	}
	n := l.at(id)
	last := n == len(l)-1
	if last && len(l[n]) == maxPiece && l[n][maxPiece-1] < id {
		return append(slices.Clip(l), []ID{id})
	}
	within, _ := slices.BinarySearch(l[n], id)
	piece := slices.Insert(slices.Clip(l[n]), within, id)
	if len(piece) <= maxPiece {
		return l.replaced(n, piece)
	}
	return l.replaced(n, piece[:len(piece)/2], slices.Clone(piece[len(piece)/2:]))
}

// without returns the list without an id.
func (l idList) without(id ID) idList {
	if len(l) == 0 {
		return nil
	}
	n := l.at(id)
	within, has := slices.BinarySearch(l[n], id)
	switch {
	case !has:
		return l
	case len(l[n]) == 1:
		return l.replaced(n)
	default:
		return l.replaced(n, slices.Delete(slices.Clone(l[n]), within, within+1))
	}
}

// replaced returns the list with other pieces in the place of one.
func (l idList) replaced(n int, pieces ...[]ID) idList {
	return slices.Concat(l[:n], pieces, l[n+1:])
}

func (l idList) len() int {
	n := 0
	for _, piece := range l {
		n += len(piece)
	}
	return n
}

func (l idList) all() iter.Seq[ID] {
	return func(yield func(ID) bool) {
		for _, piece := range l {
			for _, id := range piece {
				if !yield(id) {
					return
				}
			}
		}
	}
}

// equal reports whether two lists have the same ids, whatever their pieces.
func (l idList) equal(other idList) bool {
	return slices.Equal(slices.Concat(l...), slices.Concat(other...))
}
