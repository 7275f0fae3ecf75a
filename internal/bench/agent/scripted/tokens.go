package scripted

import "github.com/ghx-dev/bench-action/internal/bench"

// BytesPerToken is how many bytes count as one token; a part of that counts as
// a whole one.
const BytesPerToken = 4

func tokensOf(bytes int64) int64 { return (bytes + BytesPerToken - 1) / BytesPerToken }

// conversation counts a session's tokens by the rule of the package comment,
// in bytes.
type conversation struct {
	// sent is what the model has been sent or has said up to its last message;
	// fresh has come since.
	sent, fresh int64
}

// hear adds what the model is to read next.
func (c *conversation) hear(bytes int64) { c.fresh += bytes }

// say ends a message and returns its tokens.
func (c *conversation) say(reasoning, output int64) bench.Tokens {
	tokens := bench.Tokens{
		Input: tokensOf(c.fresh), CacheRead: tokensOf(c.sent), Reasoning: tokensOf(reasoning), Output: tokensOf(output),
	}
	tokens.Total = tokens.Input + tokens.CacheRead + tokens.Reasoning + tokens.Output
	c.sent += c.fresh + reasoning + output
	c.fresh = 0
	return tokens
}
