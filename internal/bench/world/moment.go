package world

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"time"
)

// Moment is when something happens: at a time of day (RFC 3339), or so long
// after the world's start, such as "12d4h30m". An empty one comes some time
// after what is before it.
type Moment struct {
	// Text is as the file has it.
	Text string
	// Time is set by [World.Draw].
	Time time.Time
}

// UnmarshalJSON reads a text.
func (m *Moment) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &m.Text) }

var offsetForm = regexp.MustCompile(`^(?:(\d{1,5})d)?(?:(\d{1,5})h)?(?:(\d{1,5})m)?$`)

// from returns the time that is meant, the zero time for none.
func (m Moment) from(start time.Time) (time.Time, error) {
	if m.Text == "" {
		return time.Time{}, nil
	}
	if found := offsetForm.FindStringSubmatch(m.Text); found != nil {
		var offset time.Duration
		for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
			// What the pattern lets through is a number, or nothing.
			n, _ := strconv.Atoi(found[i+1])
			offset += time.Duration(n) * unit
		}
		return start.Add(offset), nil
	}
	at, err := time.Parse(time.RFC3339, m.Text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%q is no time: want one like 12d4h30m after the start, or 2025-08-04T09:30:00Z", m.Text)
	}
	return at.UTC(), nil
}
