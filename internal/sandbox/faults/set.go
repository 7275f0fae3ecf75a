package faults

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Set is the rules of a world. Its zero value has none. It is safe for
// concurrent use.
type Set struct {
	mu      sync.Mutex
	rules   []*rule
	added   int
	seed    uint64
	latency time.Duration
}

// rule is a rule with what it has done.
type rule struct {
	Active
	random *rand.Rand
}

// Active is a rule that was added.
type Active struct {
	// Number identifies the rule in its set, from 1.
	Number int
	Rule
	// Seen is how many requests it was about, Held for how many of them it
	// held.
	Seen, Held int
}

// Seed sets what rules that are added from now on draw from. Equal seeds, rules
// and requests make equal faults.
func (s *Set) Seed(seed uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seed = seed
}

// SetLatency makes every request take that long, besides what rules say.
func (s *Set) SetLatency(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latency = max(0, d)
}

// Latency returns how long every request takes besides what rules say.
func (s *Set) Latency() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.latency
}

// Add adds a rule and returns its number. An error of kind invalid says what is
// wrong with the rule.
func (s *Set) Add(r Rule) (int, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	if r.RetryAfter == 0 {
		r.RetryAfter = defaultRetryAfter
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.added++
	// Each rule draws for itself, so that one does not change another's luck.
	random := rand.New(rand.NewPCG(s.seed, uint64(s.added)))
	s.rules = append(s.rules, &rule{Active: Active{Number: s.added, Rule: r}, random: random})
	return s.added, nil
}

// Remove removes a rule and reports whether it was there.
func (s *Set) Remove(number int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := len(s.rules)
	s.rules = slices.DeleteFunc(s.rules, func(r *rule) bool { return r.Number == number })
	return len(s.rules) < before
}

// Clear removes all rules and the latency.
func (s *Set) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules, s.latency = nil, 0
}

// Rules returns the rules in the order in which they are tried.
func (s *Set) Rules() []Active {
	s.mu.Lock()
	defer s.mu.Unlock()
	active := make([]Active, 0, len(s.rules))
	for _, r := range s.rules {
		active = append(active, r.Active)
	}
	return active
}

// Any reports whether anything can go wrong, so that callers need not describe
// their requests if not.
func (s *Set) Any() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.rules) > 0 || s.latency > 0
}

// Lags reports whether there is a rule that needs the state before the last
// write.
func (s *Set) Lags() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.rules, func(r *rule) bool { return r.Kind == StaleList && !r.spent() })
}

// Verdict is what happens to a request.
type Verdict struct {
	// Delay comes first.
	Delay time.Duration
	// Kind is what goes wrong then; empty if nothing.
	Kind Kind
	// RetryAfter is for kinds that ask to wait.
	RetryAfter time.Duration
}

// Decide tells what happens to a request. Delays add up; of other kinds the
// first rule that holds counts.
func (s *Set) Decide(c Call) Verdict {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := Verdict{Delay: s.latency}
	for _, r := range s.rules {
		switch {
		case v.Kind != "" && r.Kind != Slow, !r.about(c), !r.holds():
		case r.Kind == Slow:
			v.Delay += r.Delay
		default:
			v.Kind, v.RetryAfter = r.Kind, r.RetryAfter
		}
	}
	return v
}

// DecideHook tells what happens to a webhook: one of the webhook kinds, or
// empty for nothing. The action may be empty.
func (s *Set) DecideHook(event, action string) Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.rules {
		if r.aboutHook(event, action) && r.holds() {
			return r.Kind
		}
	}
	return ""
}

// holds counts a request that the rule is about, and reports whether it holds
// for it.
func (r *rule) holds() bool {
	r.Seen++
	if r.Seen <= r.After || r.spent() || r.Probability > 0 && r.random.Float64() >= r.Probability {
		return false
	}
	r.Held++
	return true
}

// spent reports whether a rule has held as often as it may.
func (r *rule) spent() bool { return r.Count > 0 && r.Held >= r.Count }
