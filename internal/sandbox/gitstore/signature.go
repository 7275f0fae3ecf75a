package gitstore

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ghx-dev/bench-action/internal/fault"
)

// maxUnixTime bounds the seconds in a signature: the year 36812, far beyond any
// date that calendars here can print.
const maxUnixTime = 1 << 40

// Signature says who did something, and when. Git keeps full seconds and the
// offset from UTC in minutes.
type Signature struct {
	Name, Email string
	When        time.Time
}

// String returns git's form, "Name <email> seconds offset".
func (g Signature) String() string {
	_, offset := g.When.Zone()
	sign := '+'
	if offset < 0 {
		sign, offset = '-', -offset
	}
	minutes := offset / 60
	return fmt.Sprintf("%s <%s> %d %c%02d%02d", g.Name, g.Email, g.When.Unix(), sign, minutes/60, minutes%60)
}

// writeSignature writes a header line. As git does, it leaves out what would
// break the line.
func writeSignature(b *bytes.Buffer, key string, g Signature) error {
	g.Name, g.Email = headerText(g.Name), headerText(g.Email)
	if g.Name == "" {
		return fault.Invalidf("the %s has no name", key)
	}
	if seconds := g.When.Unix(); seconds < 0 || seconds >= maxUnixTime {
		return fault.Invalidf("the %s's time %s is out of git's range", key, g.When)
	}
	fmt.Fprintf(b, "%s %s\n", key, g)
	return nil
}

// headerText removes the bytes that delimit a signature's parts, and space
// around it.
func headerText(text string) string {
	for _, delimiter := range []string{"<", ">", "\n", "\x00"} {
		text = strings.ReplaceAll(text, delimiter, "")
	}
	return strings.TrimSpace(text)
}

// parseSignature reads the form that String writes.
func parseSignature(line string) (Signature, error) {
	bad := fault.Invalidf("the signature %q is not \"name <email> seconds offset\"", line)
	name, rest, ok := strings.Cut(line, "<")
	if !ok {
		return Signature{}, bad
	}
	email, when, ok := strings.Cut(rest, "> ")
	if !ok {
		return Signature{}, bad
	}
	seconds, zone, _ := strings.Cut(when, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil || unix < 0 || unix >= maxUnixTime || len(zone) != 5 || zone[0] != '+' && zone[0] != '-' {
		return Signature{}, bad
	}
	clock, err := strconv.ParseUint(zone[1:], 10, 16)
	if err != nil {
		return Signature{}, bad
	}
	offset := int(clock/100*60+clock%100) * 60
	if zone[0] == '-' {
		offset = -offset
	}
	return Signature{
		Name:  strings.TrimSpace(name),
		Email: email,
		When:  time.Unix(unix, 0).In(location(offset)),
	}, nil
}

// location returns the zone that is offset seconds east of UTC.
func location(offset int) *time.Location {
	if offset == 0 {
		return time.UTC
	}
	return time.FixedZone("", offset)
}
