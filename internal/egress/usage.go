package egress

import "github.com/ghx-dev/bench-action/internal/bench"

// usage is what the protocols call so. Each has names of its own; nil is what an
// answer does not say.
type usage struct {
	// Chat completions: both include the details.
	Prompt            *count   `json:"prompt_tokens"`
	Completion        *count   `json:"completion_tokens"`
	PromptDetails     *details `json:"prompt_tokens_details"`
	CompletionDetails *details `json:"completion_tokens_details"`
	// Responses, where both include the details, and messages, where the input is
	// without what the cache has.
	Input         *count   `json:"input_tokens"`
	Output        *count   `json:"output_tokens"`
	InputDetails  *details `json:"input_tokens_details"`
	OutputDetails *details `json:"output_tokens_details"`
	CacheWritten  *count   `json:"cache_creation_input_tokens"`
	CacheRead     *count   `json:"cache_read_input_tokens"`
}

type details struct {
	Cached    count `json:"cached_tokens"`
	Reasoning count `json:"reasoning_tokens"`
}

// count is a number of tokens.
type count float64

// maxCount is more tokens than an answer can have.
const maxCount = 1e12

func (c *count) value() int64 {
	if c == nil {
		return 0
	}
	return int64(min(max(0, *c), maxCount))
}

// merge takes over what is said later: streams say it in parts, or the same
// again with larger numbers.
func (u *usage) merge(later *usage) {
	if later == nil {
		return
	}
	for _, field := range []struct {
		to   **count
		from *count
	}{
		{&u.Prompt, later.Prompt}, {&u.Completion, later.Completion}, {&u.Input, later.Input}, {&u.Output, later.Output},
		{&u.CacheWritten, later.CacheWritten}, {&u.CacheRead, later.CacheRead},
	} {
		if field.from != nil {
			*field.to = field.from
		}
	}
	for _, field := range []struct {
		to   **details
		from *details
	}{
		{&u.PromptDetails, later.PromptDetails}, {&u.CompletionDetails, later.CompletionDetails},
		{&u.InputDetails, later.InputDetails}, {&u.OutputDetails, later.OutputDetails},
	} {
		if field.from != nil {
			*field.to = field.from
		}
	}
}

// tokens returns what was used, each token in one field alone. Known is false
// where nothing was said.
func (u *usage) tokens() (t bench.Tokens, known bool) {
	switch {
	case u.Prompt != nil || u.Completion != nil:
		t = inclusive(u.Prompt, u.Completion, u.PromptDetails, u.CompletionDetails)
	case u.Input == nil && u.Output == nil:
		return t, false
	case u.InputDetails != nil || u.OutputDetails != nil:
		t = inclusive(u.Input, u.Output, u.InputDetails, u.OutputDetails)
	default:
		t = bench.Tokens{
			Input: u.Input.value(), Output: u.Output.value(), CacheRead: u.CacheRead.value(), CacheWrite: u.CacheWritten.value(),
		}
	}
	t.Total = t.Input + t.Output + t.Reasoning + t.CacheRead + t.CacheWrite
	return t, true
}

// inclusive takes details out of what includes them.
func inclusive(input, output *count, inputDetails, outputDetails *details) bench.Tokens {
	t := bench.Tokens{Input: input.value(), Output: output.value()}
	if inputDetails != nil {
		t.CacheRead = min(t.Input, inputDetails.Cached.value())
	}
	if outputDetails != nil {
		t.Reasoning = min(t.Output, outputDetails.Reasoning.value())
	}
	t.Input -= t.CacheRead
	t.Output -= t.Reasoning
	return t
}
