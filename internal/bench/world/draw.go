package world

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/jsondoc"
)

// The fields of a world's file that are about drawing; the plan has none of
// them.
const (
	fieldDraw   = "draw"
	fieldWords  = "words"
	fieldRepeat = "repeat"
	fieldLines  = "lines"
	// fieldAt is added to every object: its path in the file.
	fieldAt = "$at"
)

// drawing expands a file for one variation.
type drawing struct {
	doc       *jsondoc.Document
	world     string
	variation bench.Variation
	// words are the world's lists by name; dealt is how many cards of each
	// shuffled list have been dealt.
	words   map[string][]any
	decks   map[string][]any
	dealt   map[string]int
	objects int
	// spent is how much has been drawn, as [drawing.spend] counts it; over is
	// true once that, or the objects, are too many.
	spent    int
	over     bool
	problems jsondoc.Problems
}

// scope is what placeholders may name: drawn values, by name.
type scope map[string]any

// stream returns the random numbers of one place. Each place has numbers of
// its own, so that what is added to a world changes nothing else in it.
func (d *drawing) stream(key string) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d/%d/%s/%s", d.variation.Seed, d.variation.Number, d.world, key))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16]))) //nolint:gosec // the same seed must draw the same world
}

func (d *drawing) problem(path []string, format string, args ...any) {
	if len(d.problems) >= maxProblems {
		return
	}
	d.problems = append(d.problems, d.doc.Problem(path, format, args...))
}

// expand returns the file's value with everything drawn.
func (d *drawing) expand() map[string]any {
	root, _ := d.doc.Value().(map[string]any)
	d.words, d.decks, d.dealt = map[string][]any{}, map[string][]any{}, map[string]int{}
	lists, _ := root[fieldWords].(map[string]any)
	for name, list := range lists {
		d.words[name], _ = list.([]any)
	}
	if circle := d.wordCircle(); circle != nil {
		d.problem([]string{fieldWords, circle[0]}, "goes in a circle: %s", strings.Join(circle, " → "))
		return nil
	}
	rest := maps.Clone(root)
	delete(rest, fieldWords)
	expanded, _ := d.value(rest, nil, "", scope{}).(map[string]any)
	return expanded
}

// value returns a copy of a value of the file with what its placeholders stand
// for. The key tells the copies of a repeated part from each other.
func (d *drawing) value(value any, path []string, key string, in scope) any {
	if !d.spend(path, nodeSize) {
		return nil
	}
	switch value := value.(type) {
	case string:
		return d.text(value, path, key, in)
	case []any:
		list := make([]any, 0, len(value))
		for i, item := range value {
			step := strconv.Itoa(i)
			list = append(list, d.item(item, append(slices.Clone(path), step), key+"/"+step, in)...)
		}
		return list
	case map[string]any:
		if of, isLog := asLines(value); isLog {
			return d.lines(value[fieldLines], of, path, key, in)
		}
		return d.object(value, path, key, in)
	default:
		return value
	}
}

// asLines reports whether a value is a part of a log that is made of lines of
// some kinds, and returns those.
func asLines(value any) (of []any, is bool) {
	part, _ := value.(map[string]any)
	of, is = part["of"].([]any)
	return of, is && part[fieldLines] != nil
}

// lines returns a part of a log that is made of so many lines.
func (d *drawing) lines(wanted any, of []any, path []string, key string, in scope) any {
	count, isNumber := asInt(d.value(wanted, append(slices.Clone(path), fieldLines), key+"/"+fieldLines, in))
	if !isNumber || count < 0 || count > MaxLines {
		d.problem(append(slices.Clone(path), fieldLines), "must be a whole number from 0 to %d, is %s", MaxLines, jsondoc.Show(wanted))
		return ""
	}
	random, own := d.stream(key), maps.Clone(in)
	var log strings.Builder
	for n := range count {
		if d.over {
			return ""
		}
		own["i"] = n + 1
		at := random.IntN(len(of))
		log.WriteString(fmt.Sprint(d.value(of[at], append(slices.Clone(path), "of", strconv.Itoa(at)), fmt.Sprintf("%s#%d", key, n), own)))
		log.WriteByte('\n')
	}
	return log.String()
}

// item returns what an element of a list becomes: itself, or its copies.
func (d *drawing) item(item any, path []string, key string, in scope) []any {
	object, isObject := item.(map[string]any)
	if _, isLog := asLines(item); !isObject || isLog {
		return []any{d.value(item, path, key, in)}
	}
	times, repeated := object[fieldRepeat]
	if !repeated {
		if !d.count(path, 1) {
			return nil
		}
		return []any{d.object(object, path, key, in)}
	}
	count, isNumber := asInt(d.value(times, append(slices.Clone(path), fieldRepeat), key+"/"+fieldRepeat, in))
	if !isNumber || count < 0 {
		d.problem(append(slices.Clone(path), fieldRepeat), "must be a whole number from 0, is %s", jsondoc.Show(times))
		return nil
	}
	if !d.count(append(slices.Clone(path), fieldRepeat), count) {
		return nil
	}
	rest := maps.Clone(object)
	delete(rest, fieldRepeat)
	copies := make([]any, 0, count)
	for n := range count {
		if d.over {
			return nil
		}
		own := maps.Clone(in)
		own["n"] = n + 1
		copies = append(copies, d.object(rest, path, fmt.Sprintf("%s#%d", key, n+1), own))
	}
	return copies
}

// object returns an object with its own draws made.
func (d *drawing) object(object map[string]any, path []string, key string, in scope) map[string]any {
	if draws, some := object[fieldDraw].([]any); some {
		in = maps.Clone(in)
		for i, one := range draws {
			step := strconv.Itoa(i)
			d.draw(one, append(slices.Clone(path), fieldDraw, step), key+"/"+fieldDraw+"/"+step, in)
		}
	}
	expanded := make(map[string]any, len(object)+1)
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != fieldDraw {
			expanded[name] = d.value(object[name], append(slices.Clone(path), name), key+"/"+name, in)
		}
	}
	if !free(path) {
		expanded[fieldAt] = path
	}
	return expanded
}

// free reports whether a place is in a part of the file whose fields are the
// author's own: there are no marks in it.
func free(path []string) bool {
	return typed(path) || slices.ContainsFunc(path, func(step string) bool {
		return slices.Contains([]string{"collaborators", "members", "jobs", "inputs", "makes"}, step)
	}) || len(path) == 1 && path[0] == "resources"
}

// typed reports whether a place is in a part of the file where values keep their
// types.
func typed(path []string) bool {
	return slices.ContainsFunc(path, func(step string) bool { return slices.Contains([]string{fieldDraw, "with", "values"}, step) })
}

// draw makes one draw and adds it to a scope.
func (d *drawing) draw(one any, path []string, key string, in scope) {
	how, _ := one.(map[string]any)
	name, _ := how["name"].(string)
	if _, twice := in[name]; twice {
		d.problem(append(path, "name"), "%q is drawn already: use another name", name)
		return
	}
	random := d.stream(key)
	list := func(field string) []any {
		found := d.list(how[field], append(slices.Clone(path), field))
		if expanded, isList := d.value(found, append(slices.Clone(path), field), key+"/"+field, in).([]any); isList {
			return expanded
		}
		return nil
	}
	switch {
	case how["pick"] != nil:
		if from := list("pick"); len(from) > 0 {
			in[name] = from[random.IntN(len(from))]
		}
	case how["shuffle"] != nil:
		from := list("shuffle")
		random.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
		in[name] = from
	case how["number"] != nil:
		bounds := list("number")
		low, lowOK := asInt(bounds[0])
		high, highOK := asInt(bounds[1])
		if !lowOK || !highOK || !isRange(low, high) {
			d.problem(append(path, "number"), "must be the least and the greatest number, is %v", bounds)
			return
		}
		in[name] = low + random.IntN(high-low+1)
	case how["deal"] != nil:
		in[name] = d.deal(how["deal"], append(path, "deal"), key, in)
	case how["text"] != nil:
		in[name] = d.value(how["text"], append(path, "text"), key, in)
	}
}

// list returns a list that is given, or named.
func (d *drawing) list(given any, path []string) []any {
	name, named := given.(string)
	if !named {
		found, _ := given.([]any)
		return found
	}
	found, known := d.words[name]
	if !known {
		d.problem(path, "there is no list %q among the words%s", name, jsondoc.DidYouMean(name, slices.Sorted(maps.Keys(d.words))))
	}
	return found
}

// deal returns the next card of a shuffled list of words, which is dealt out
// once.
func (d *drawing) deal(given any, path []string, key string, in scope) any {
	name, _ := given.(string)
	cards := d.list(given, path)
	if d.decks[name] == nil {
		deck := slices.Clone(cards)
		d.stream("deck/"+name).Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		d.decks[name] = deck
	}
	at := d.dealt[name]
	if d.dealt[name]++; at >= len(cards) {
		if len(cards) > 0 {
			d.problem(path, "the list %q has %d elements, and this is one more: add some, or deal fewer", name, len(cards))
		}
		return ""
	}
	return d.value(d.decks[name][at], path, key, in)
}

// placeholder finds {{…}}, but for the ${{…}} of workflows.
var placeholder = regexp.MustCompile(`\$?\{\{([^{}]*)\}\}`)

// text fills in a text. One that is a placeholder and nothing else has the
// type of what it stands for.
func (d *drawing) text(text string, path []string, key string, in scope) any {
	if !d.spend(path, len(text)) {
		return ""
	}
	if !strings.Contains(text, "{{") {
		return text
	}
	found := placeholder.FindAllStringSubmatchIndex(text, -1)
	var filled strings.Builder
	last := 0
	for n, at := range found {
		if text[at[0]] == '$' {
			continue
		}
		value, known := d.meaning(strings.TrimSpace(text[at[2]:at[3]]), path, fmt.Sprintf("%s@%d", key, n), in)
		if !known {
			return ""
		}
		if !d.spend(path, sizeOf(value, maxDrawn-d.spent)) {
			return ""
		}
		if at[0] == 0 && at[1] == len(text) {
			return asPlain(value, path)
		}
		filled.WriteString(text[last:at[0]])
		switch value.(type) {
		case map[string]any, []any:
			d.problem(path, "%s is %s, which a text has no place for: name one of its fields", text[at[0]:at[1]], jsondoc.Show(value))
		default:
			fmt.Fprint(&filled, value)
		}
		last = at[1]
	}
	filled.WriteString(text[last:])
	return filled.String()
}

// asPlain returns what stands for a whole text: itself where it is a list or an
// object, or where types count, else the text of it.
func asPlain(value any, path []string) any {
	switch value.(type) {
	case []any, map[string]any:
		return value
	}
	if typed(path) {
		return value
	}
	return fmt.Sprint(value)
}

const hexDigits = "0123456789abcdef"

// meaning returns what a placeholder stands for.
func (d *drawing) meaning(name string, path []string, key string, in scope) (value any, known bool) {
	how, about, _ := strings.Cut(name, ":")
	switch about = strings.TrimSpace(about); {
	case strings.HasPrefix(name, mentionSign) && mayRefer(path):
		return "{{" + name + "}}", true
	case how == "pick" && about != "":
		from := strings.Split(about, "|")
		return strings.TrimSpace(from[d.stream(key).IntN(len(from))]), true
	case how == "number":
		low, high, err := numberRange(about)
		if err != nil {
			d.problem(path, "{{%s}} is no range of numbers: want one like {{number: 3-90}}", name)
			return nil, false
		}
		return low + d.stream(key).IntN(high-low+1), true
	case how == "hex":
		digits, err := strconv.Atoi(about)
		if err != nil || digits < 1 || digits > maxHex {
			d.problem(path, "{{%s}} has no number of digits from 1 to %d", name, maxHex)
			return nil, false
		}
		random, text := d.stream(key), make([]byte, digits)
		for i := range text {
			text[i] = hexDigits[random.IntN(len(hexDigits))]
		}
		return string(text), true
	case strings.HasPrefix(name, "word."):
		words := d.list(strings.TrimPrefix(name, "word."), path)
		if len(words) == 0 {
			return nil, false
		}
		return d.value(words[d.stream(key).IntN(len(words))], path, key, in), true
	default:
		return d.drawn(name, path, in)
	}
}

const maxHex = 64

func numberRange(text string) (low, high int, err error) {
	first, second, _ := strings.Cut(text, "-")
	if low, err = strconv.Atoi(strings.TrimSpace(first)); err != nil {
		return 0, 0, err
	}
	if high, err = strconv.Atoi(strings.TrimSpace(second)); err != nil {
		return 0, 0, err
	}
	if !isRange(low, high) {
		return 0, 0, fmt.Errorf("%d is above %d, or they are too large", low, high)
	}
	return low, high, nil
}

// isRange reports whether a number can be drawn from one to another: both are
// exact in JSON.
func isRange(low, high int) bool {
	const most = 1 << 53
	return -most <= low && low <= high && high <= most
}

// drawn returns the drawn value at a dotted path.
func (d *drawing) drawn(name string, path []string, in scope) (value any, known bool) {
	steps := strings.Split(name, ".")
	value, known = in[steps[0]]
	if !known {
		kinds := append(slices.Sorted(maps.Keys(in)), "word", "pick", "number", "hex")
		d.problem(path, "{{%s}} stands for nothing%s", name, orKinds(jsondoc.DidYouMean(steps[0], kinds)))
		return nil, false
	}
	for i, step := range steps[1:] {
		switch at := value.(type) {
		case map[string]any:
			value, known = at[step]
		case []any:
			n, err := strconv.Atoi(step)
			if known = err == nil && n >= 0 && n < len(at); known {
				value = at[n]
			}
		default:
			known = false
		}
		if !known {
			d.problem(path, "{{%s}}: %s has no %q", name, strings.Join(steps[:i+1], "."), step)
			return nil, false
		}
	}
	return value, true
}

func orKinds(suggestion string) string {
	if suggestion != "" {
		return suggestion
	}
	return ": want the name of a draw, {{word.<list>}}, {{pick: a | b}}, {{number: 1-9}} or {{hex: 8}}"
}

// asInt returns a whole number that may be written as text.
func asInt(value any) (int, bool) {
	switch value := value.(type) {
	case int:
		return value, true
	case string:
		n, err := strconv.Atoi(value)
		return n, err == nil
	default:
		return 0, false
	}
}
