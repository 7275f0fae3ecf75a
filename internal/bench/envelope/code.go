package envelope

// Code is a word for a kind of error, as ghx has them.
type Code struct{ Name, Meaning string }

// The codes of errors.
const (
	CodeAuth       = "AUTH"
	CodeNotFound   = "NOT_FOUND"
	CodeValidation = "VALIDATION"
	CodeRateLimit  = "RATE_LIMIT"
	CodeNetwork    = "NETWORK"
	CodeServer     = "SERVER"
	CodeUnknown    = "UNKNOWN"
)

// Codes returns all codes, each with what it means, in the order in which
// agents are told them. Every prompt has them all, so that none tells which one
// is expected (rule S14).
func Codes() []Code {
	return []Code{
		{CodeAuth, "the token is not accepted, or may not do that"},
		{CodeNotFound, "what is named does not exist, or cannot be seen"},
		{CodeValidation, "what was sent is refused as it is"},
		{CodeRateLimit, "too many requests were made"},
		{CodeNetwork, "GitHub could not be reached"},
		{CodeServer, "GitHub failed"},
		{CodeUnknown, "anything else"},
	}
}
