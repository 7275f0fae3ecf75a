package toolset

import (
	"sync"

	"github.com/tiktoken-go/tokenizer/codec"
)

// Tokenizer is the name of the vocabulary that [Count] counts in: OpenAI's, of
// GPT-4o and later. Those of other models differ; the difference of two counts is
// of the same order in all.
const Tokenizer = "o200k_base"

var tokenizer = sync.OnceValue(codec.NewO200kBase)

// Count returns how many tokens a text is, in [Tokenizer]'s vocabulary. A text
// that cannot be read counts 0.
func Count(text string) int {
	n, err := tokenizer().Count(text)
	if err != nil {
		return 0
	}
	return n
}
