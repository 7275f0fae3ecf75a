package world

import (
	"regexp"
	"slices"
)

// maxDrawn is how much a drawing makes at most: the bytes of its texts, and
// nodeSize for each value. What placeholders stand for can be much more than what
// is in the file.
const (
	maxDrawn = 32 << 20
	nodeSize = 64
)

// spend notes that so much is drawn, and reports whether there is room for it.
// That there is not is told once.
func (d *drawing) spend(path []string, size int) bool {
	if d.spent += size; d.spent > maxDrawn && !d.over {
		d.over = true
		d.problem(path, "makes a world of more than %d MiB of text: want less", maxDrawn>>20)
	}
	return !d.over
}

// count is [drawing.spend] for objects.
func (d *drawing) count(path []string, objects int) bool {
	if objects > MaxObjects-d.objects && !d.over {
		d.over = true
		d.problem(path, "makes a world of more than %d objects: want less", MaxObjects)
	}
	d.objects += objects
	return !d.over
}

// sizeOf is how much a value comes to with all that is in it, or a bit more than
// the most that is asked about.
func sizeOf(value any, most int) int {
	size := nodeSize
	each := func(inner any) bool {
		size += sizeOf(inner, most-size)
		return size <= most
	}
	switch value := value.(type) {
	case string:
		size += len(value)
	case []any:
		for _, inner := range value {
			if !each(inner) {
				break
			}
		}
	case map[string]any:
		for _, inner := range value {
			if !each(inner) {
				break
			}
		}
	}
	return size
}

// wordReference finds {{word.<list>}}.
var wordReference = regexp.MustCompile(`\{\{\s*word\.([^{}]*?)\s*\}\}`)

// wordCircle returns the lists of words that refer to each other in a circle,
// nil if none do.
func (d *drawing) wordCircle() []string {
	next := map[string][]string{}
	for name, list := range d.words {
		eachText(list, func(text string) {
			for _, found := range wordReference.FindAllStringSubmatch(text, -1) {
				next[name] = append(next[name], found[1])
			}
		})
		slices.Sort(next[name])
	}
	return cycle(next)
}

// eachText calls a function with all texts that are in a value.
func eachText(value any, do func(text string)) {
	switch value := value.(type) {
	case string:
		do(value)
	case []any:
		for _, inner := range value {
			eachText(inner, do)
		}
	case map[string]any:
		for _, inner := range value {
			eachText(inner, do)
		}
	}
}
