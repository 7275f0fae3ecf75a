package jsondoc

import (
	"fmt"
	"strings"

	edlib "github.com/hbollon/go-edlib"
)

// maxSuggestable is the longest word, in bytes, for which a likely one is
// looked for.
const maxSuggestable = 100

// DidYouMean returns `: did you mean "prompt"?` if one of the known words is
// so like the given one that it was probably meant, else nothing. It is made
// to be put at the end of a message.
func DidYouMean(word string, known []string) string {
	if meant, is := closest(word, known); is {
		return didYouMean(meant)
	}
	return ""
}

func didYouMean(meant string) string { return fmt.Sprintf(": did you mean %q?", meant) }

// closest returns the known word that the given one was probably meant to be.
func closest(word string, known []string) (meant string, is bool) {
	if len(word) > maxSuggestable {
		return "", false
	}
	least := (len(word)+2)/3 + 1
	for _, candidate := range known {
		distance := edlib.OSADamerauLevenshteinDistance(strings.ToLower(word), strings.ToLower(candidate))
		if distance < least {
			meant, least = candidate, distance
		}
	}
	return meant, meant != ""
}
