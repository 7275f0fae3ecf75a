package scene

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// slot is a place in a text that is drawn, such as «noun», «noun:2», «3..40» or
// «n=3..40».
var slot = regexp.MustCompile(`«(?:([a-zA-Z]+)=)?(?:([a-zA-Z]+)(?::(\d))?|(\d+)\.\.(\d+))»`)

// phrases fills in the slots of texts that belong together: what was drawn for a
// name stays.
type phrases struct {
	random *rand.Rand
	words  map[string][]string
	said   map[string]string
}

// apart returns phrases that begin with nothing but what is said here.
func (p *phrases) apart() *phrases {
	said := map[string]string{}
	for name, value := range p.said {
		said[name] = value
	}
	return &phrases{p.random, p.words, said}
}

// fill returns a text with its slots filled in.
func (p *phrases) fill(text string) string {
	return slot.ReplaceAllStringFunc(text, func(found string) string {
		m := slot.FindStringSubmatch(found)
		name, list, nth, low, high := m[1], m[2], m[3], m[4], m[5]
		if list != "" {
			return p.word(list, nth)
		}
		number := strconv.Itoa(p.between(atoi(low), atoi(high)))
		if name != "" {
			if said, known := p.said[name]; known {
				return said
			}
			p.said[name] = number
		}
		return number
	})
}

func atoi(digits string) int {
	// The pattern of a slot has digits alone.
	n, _ := strconv.Atoi(digits)
	return n
}

// between returns a number from low to high.
func (p *phrases) between(low, high int) int { return low + p.random.IntN(high-low+1) }

// word returns what is said for a list, or for the nth name of it, which differs
// from the others.
func (p *phrases) word(list, nth string) string {
	if said, known := p.said[list+nth]; known {
		return said
	}
	words := p.words[list]
	if len(words) == 0 {
		panic(fmt.Sprintf("scene: there are no words of %q", list)) // a test reads all data
	}
	word := one(p.random, words)
	for p.taken(list, word) {
		word = one(p.random, words)
	}
	p.said[list+nth] = word
	return word
}

func (p *phrases) taken(list, word string) bool {
	for name, said := range p.said {
		if strings.HasPrefix(name, list) && said == word {
			return true
		}
	}
	return false
}

// one returns one of some things.
func one[T any](random *rand.Rand, of []T) T { return of[random.IntN(len(of))] }

// some returns so many different ones of some things, in any order.
func some[T any](random *rand.Rand, of []T, count int) []T {
	shuffled := slices.Clone(of)
	random.Shuffle(len(shuffled), func(a, b int) { shuffled[a], shuffled[b] = shuffled[b], shuffled[a] })
	return shuffled[:min(count, len(shuffled))]
}

// deck deals things in random order, each once before any comes again.
type deck[T any] struct {
	random    *rand.Rand
	all, left []T
}

func newDeck[T any](random *rand.Rand, all []T) *deck[T] { return &deck[T]{random: random, all: all} }

func (d *deck[T]) deal() T {
	if len(d.left) == 0 {
		d.left = some(d.random, d.all, len(d.all))
	}
	top := d.left[0]
	d.left = d.left[1:]
	return top
}

// sentence begins a text with a capital letter.
func sentence(text string) string {
	if text == "" || text[0] < 'a' || text[0] > 'z' {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
