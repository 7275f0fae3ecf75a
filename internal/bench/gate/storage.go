package gate

import (
	"iter"
	"strings"
)

// register numbers texts in order of appearance, from 0.
type register struct {
	names   []string
	numbers map[string]int
}

func (r *register) number(name string) int {
	if n, known := r.numbers[name]; known {
		return n
	}
	if r.numbers == nil {
		r.numbers = map[string]int{}
	}
	own := strings.Clone(name)
	r.numbers[own] = len(r.names)
	r.names = append(r.names, own)
	return len(r.names) - 1
}

// chunkLength is the number of elements that are allocated together.
const chunkLength = 512

// chunks is a list that grows without copying its elements.
type chunks[T any] struct {
	parts [][]T
	count int
}

func (c *chunks[T]) add(element T) {
	if c.count%chunkLength == 0 {
		c.parts = append(c.parts, make([]T, 0, chunkLength))
	}
	last := &c.parts[len(c.parts)-1]
	*last = append(*last, element)
	c.count++
}

// all yields pointers to the elements in the order in which they were added.
func (c *chunks[T]) all() iter.Seq[*T] {
	return func(yield func(*T) bool) {
		for _, part := range c.parts {
			for i := range part {
				if !yield(&part[i]) {
					return
				}
			}
		}
	}
}

// column returns a measure of every element.
func column[T any](c *chunks[T], measure func(*T) float64) []float64 {
	values := make([]float64, 0, c.count)
	for element := range c.all() {
		values = append(values, measure(element))
	}
	return values
}
