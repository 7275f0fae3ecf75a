package rest

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ghx-dev/bench-action/internal/sandbox/model"
)

// score is how well a result of a search fits; here all fit alike.
type score struct {
	Score float64 `json:"score"`
	// TextMatches show where words were found, to clients that accept it; nil for others.
	TextMatches []textMatch `json:"text_matches,omitzero"`
}

type textMatch struct {
	ObjectURL  string      `json:"object_url"`
	ObjectType string      `json:"object_type"`
	Property   string      `json:"property"`
	Fragment   string      `json:"fragment"`
	Matches    []wordMatch `json:"matches"`
}

// wordMatch is a word in a fragment. Indices are the characters at which it begins and
// behind which it ends.
type wordMatch struct {
	Text    string `json:"text"`
	Indices [2]int `json:"indices"`
}

// searched is a text in which a search looks: a property of what is at an address.
type searched struct{ url, kind, property, text string }

// byID is the address of a part of a repository by the repository's id, which does not
// change when it is renamed.
func (v *view) byID(repo model.ID, part string) string {
	return fmt.Sprintf("%s/repositories/%d%s", apiURL, repo, part)
}

// fits is the score of a result, with where in its texts the words are; those are in
// small letters.
func (c *call) fits(words []string, texts func() []searched) score {
	if !c.accepts("text-match") {
		return score{Score: 1}
	}
	matches := []textMatch{}
	for _, in := range texts() {
		if m := in.matches(words); m != nil {
			matches = append(matches, *m)
		}
	}
	return score{1, matches}
}

// fragmentMargin is how many characters a fragment has around the first word in it.
const fragmentMargin = 100

// matches shows the first of the words with what is around it, and all words in there;
// nil if there is none. Capital letters do not change how many characters a text has.
func (in searched) matches(words []string) *textMatch {
	low := strings.ToLower(in.text)
	first, length := -1, 0
	for _, word := range words {
		if at := strings.Index(low, word); at >= 0 && (first < 0 || at < first) {
			first, length = at, utf8.RuneCountInString(word)
		}
	}
	if first < 0 {
		return nil
	}
	text, at := []rune(in.text), utf8.RuneCountInString(low[:first])
	from, to := max(0, at-fragmentMargin), min(len(text), at+length+fragmentMargin)
	found := &textMatch{ObjectURL: in.url, ObjectType: in.kind, Property: in.property, Fragment: string(text[from:to])}
	part, small := text[from:to], []rune(low)[from:to]
	for n := 0; n < len(part); n++ {
		longest := 0
		for _, word := range words {
			if size := utf8.RuneCountInString(word); size > longest && strings.HasPrefix(string(small[n:min(len(small), n+size)]), word) {
				longest = size
			}
		}
		if longest > 0 {
			found.Matches = append(found.Matches, wordMatch{string(part[n : n+longest]), [2]int{n, n + longest}})
			n += longest - 1
		}
	}
	return found
}
