package command

import (
	"fmt"
	"strings"

	edlib "github.com/hbollon/go-edlib"
)

// maxSuggestable is the longest word, in bytes, for which a likely one is
// looked for.
const maxSuggestable = 64

// didYouMean returns a question in brackets, "(did you mean `run`?)" behind a
// space, if a known word is so like the given one that it was probably meant,
// else nothing. It stands inside a sentence.
func didYouMean(word string, known []string) string {
	if meant := closest(word, known); meant != "" {
		return fmt.Sprintf(" (did you mean `%s`?)", meant)
	}
	return ""
}

// isMisspelt reports whether a word is meant to be one of the known ones.
func isMisspelt(word string, known []string) bool {
	const typingErrors = 2
	meant := closest(word, known)
	return meant != "" && edlib.OSADamerauLevenshteinDistance(word, meant) <= typingErrors
}

func closest(word string, known []string) string {
	if len(word) > maxSuggestable {
		return ""
	}
	meant, least := "", len(word)/3+2
	for _, candidate := range known {
		if distance := edlib.OSADamerauLevenshteinDistance(strings.ToLower(word), candidate); distance < least {
			meant, least = candidate, distance
		}
	}
	return meant
}
