package comment

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/bench"
	"github.com/ghx-dev/bench-action/internal/markdown"
)

// Marker is what a sticky comment says to programs, in a hidden comment at its
// very beginning. It finds the comment of a suite again and tells what the
// last run came to.
//
// Anybody may write a comment with a marker in it, so a marker counts only in
// a comment whose author is the one that we write as.
type Marker struct {
	Suite  string `json:"suite"`
	RunID  string `json:"run_id,omitempty"`
	Commit string `json:"commit,omitempty"`
	// Conclusion is empty while the run goes on.
	Conclusion Conclusion `json:"conclusion,omitempty"`
	// Headline is what the comment says first, empty in older ones.
	Headline string `json:"headline,omitempty"`
	// Time is in UTC.
	Time time.Time `json:"time"`
	// Checks are those of the gate, in order, or none.
	Checks []MarkedCheck `json:"checks,omitempty"`
	// Last is what the run before came to while this one goes on. Its own Last
	// is nil.
	Last *Marker `json:"last,omitempty"`
}

// MarkedCheck is what a marker keeps of a check.
type MarkedCheck struct {
	Name   bench.CheckName `json:"name"`
	Passed bool            `json:"passed"`
	// Value is in the check's unit.
	Value float64 `json:"value"`
}

const (
	markerStart = "<!-- bench-action:v1 "
	markerEnd   = " -->"
	// maxMarker is the longest marker that is read, in bytes.
	maxMarker = 16 << 10
	// maxMarked is how much of a text a marker keeps, in characters.
	maxMarked = 100
)

// Marker returns the run's marker.
func (r Run) Marker() Marker {
	m := Marker{
		Suite: markdown.Clean(r.Suite, maxMarked), RunID: markdown.Clean(r.ID, maxMarked), Commit: markdown.Clean(r.Commit, maxMarked),
		Conclusion: r.Conclusion(), Headline: r.headlineText(), Time: r.At.UTC().Truncate(time.Second),
	}
	if m.Conclusion == "" {
		m.Last = r.lastOutcome()
		return m
	}
	for _, c := range r.checks() {
		if slices.Contains(bench.CheckNames(), c.Name) && isFinite(c.Value) {
			m.Checks = append(m.Checks, MarkedCheck{c.Name, c.Passed, c.Value})
		}
	}
	return m
}

// lastOutcome returns what the last run came to that came to an end.
func (r Run) lastOutcome() *Marker {
	last := r.Previous
	if last != nil && last.Conclusion == "" {
		last = last.Last
	}
	if last == nil || last.Conclusion == "" {
		return nil
	}
	outcome := *last
	outcome.Last = nil
	return &outcome
}

// IsOf reports whether the marker is that of a suite.
func (m Marker) IsOf(suite string) bool { return m.Suite == markdown.Clean(suite, maxMarked) }

// SameOutcome reports whether two runs came to the same: conclusion, and which
// checks passed. A comment that is written on change is not written then.
func (m Marker) SameOutcome(other Marker) bool {
	return m.Conclusion == other.Conclusion && slices.EqualFunc(m.Checks, other.Checks, func(a, b MarkedCheck) bool {
		return a.Name == b.Name && a.Passed == b.Passed
	})
}

// String returns the marker as it stands in a comment, without a line end.
// Base64 has neither a hyphen nor a bracket, so nothing in it ends the hidden
// comment.
func (m Marker) String() string {
	// A marker holds nothing that JSON cannot.
	state, _ := json.Marshal(m)
	return markerStart + base64.RawStdEncoding.EncodeToString(state) + markerEnd
}

// ParseMarker reads the marker at the very beginning of a comment. A marker
// anywhere else counts for nothing, so that quoted text cannot forge one.
func ParseMarker(body string) (Marker, bool) {
	rest, found := strings.CutPrefix(body, markerStart)
	if !found {
		return Marker{}, false
	}
	encoded, _, found := strings.Cut(rest[:min(len(rest), maxMarker)], markerEnd)
	if !found {
		return Marker{}, false
	}
	state, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		return Marker{}, false
	}
	var m Marker
	if err := json.Unmarshal(state, &m); err != nil || m.Suite == "" {
		return Marker{}, false
	}
	if m.Last != nil {
		m.Last.Last = nil
	}
	return m, true
}
