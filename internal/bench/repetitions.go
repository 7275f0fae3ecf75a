package bench

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Repetitions says how often each scenario runs in each mode: Most times, or
// where First is less from First times on until the evidence is enough (rule
// V7).
type Repetitions struct{ First, Most int }

// MaxRepetitions is the most that people ask for in settings and commands.
const MaxRepetitions = 100

// rangeSign is between the two numbers of repetitions.
const rangeSign = ".."

// ParseRepetitions reads "4" or "2..12".
func ParseRepetitions(text string) (Repetitions, error) {
	first, most, isRange := strings.Cut(text, rangeSign)
	if !isRange {
		most = first
	}
	var r Repetitions
	var err error
	if r.First, err = strconv.Atoi(first); err == nil {
		r.Most, err = strconv.Atoi(most)
	}
	switch {
	case err != nil || r.First < 1:
		return Repetitions{}, fmt.Errorf("%q is no number of repetitions: want a whole number of 1 or more, for example 4, or a range such as 2..12", text)
	case r.First > r.Most:
		return Repetitions{}, fmt.Errorf("%q is no range of repetitions: the first number is how many there are at least, the second how many at most", text)
	}
	return r, nil
}

// Adapt reports whether the number of repetitions is decided on the way.
func (r Repetitions) Adapt() bool { return r.First < r.Most }

// String writes "4" or "2..12".
func (r Repetitions) String() string {
	if !r.Adapt() {
		return strconv.Itoa(r.Most)
	}
	return strconv.Itoa(r.First) + rangeSign + strconv.Itoa(r.Most)
}

// MarshalJSON writes 4, or "2..12".
func (r Repetitions) MarshalJSON() ([]byte, error) {
	if r.Adapt() {
		return json.Marshal(r.String())
	}
	return json.Marshal(r.Most)
}

// UnmarshalJSON reads a number, or what [ParseRepetitions] reads.
func (r *Repetitions) UnmarshalJSON(data []byte) error {
	var n int
	if err := json.Unmarshal(data, &n); err == nil {
		*r = Repetitions{n, n}
		return nil
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return fmt.Errorf("%s is no number of repetitions", data)
	}
	read, err := ParseRepetitions(text)
	*r = read
	return err
}

// leastOfEvidence is the least number of repetitions that evidence takes.
const leastOfEvidence = 2

// UsualRepetitions returns how often each scenario runs where nobody says it.
func (p GateProfile) UsualRepetitions() Repetitions {
	if p.ByEvidence() {
		return Repetitions{First: leastOfEvidence, Most: 12}
	}
	return Repetitions{First: 4, Most: 4}
}

// UsualModes returns what is run where nobody says it: the baseline, and then the
// candidate.
func (p GateProfile) UsualModes() []Mode {
	if p == ProfileRegression {
		return []Mode{GHXBase, GHX}
	}
	return []Mode{AgentDirect, GHX}
}

// Takes reports whether the profile can judge so many repetitions: a range is
// for those that decide by evidence, which need two.
func (p GateProfile) Takes(r Repetitions) bool {
	if p.ByEvidence() {
		return r.First >= leastOfEvidence
	}
	return r.First > 0 && !r.Adapt()
}
