package bench

import "time"

// MaxRequests is how many requests of an attempt are kept.
const MaxRequests = 500

// Request is a request of an agent to GitHub, as GitHub's side has seen it.
type Request struct {
	// At is when it came, by the machine's clock, and MS how many milliseconds its
	// answer took; both are zero where the clock is not known.
	At time.Time `json:"at,omitzero"`
	MS float64   `json:"ms"`
	// What is the method and path, or kind and name of a GraphQL operation, for
	// example "GET /repos/o/r/issues/1" and "mutation PullRequestMerge".
	What string `json:"what"`
	// Status is that of HTTP, and Bytes the size of both bodies together.
	Status int   `json:"status"`
	Bytes  int64 `json:"bytes"`
	// Lacking names what it asked for that GitHub has and the sandbox lacks.
	Lacking []string `json:"lacking,omitempty"`
}
