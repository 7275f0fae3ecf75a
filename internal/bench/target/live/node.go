package live

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
)

// repositoryNodes are the kinds of node whose ids say to which repository they
// belong.
var repositoryNodes = map[string]bool{
	"R": true, "I": true, "PR": true, "IC": true, "PRR": true, "PRRC": true, "PRRT": true, "LA": true, "MI": true, "RE": true, "RA": true,
	"W": true, "WFR": true, "CS": true, "CR": true, "C": true, "REF": true, "T": true, "B": true, "D": true, "DC": true,
}

// repositoryOf returns the number of the repository that a node belongs to, as
// its global id says: a kind and, in base64, a MessagePack array of a zero,
// the repository's number and the object's. ok is false where an id does not
// say, as those from before 2022 do not.
func repositoryOf(id string) (number int64, ok bool) {
	kind, packed, found := strings.Cut(id, "_")
	if !found || !repositoryNodes[kind] {
		return 0, false
	}
	data, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(packed, "="))
	if err != nil || len(data) < 3 || data[1] != 0 {
		return 0, false
	}
	const pair, triple = 0x92, 0x93
	if data[0] != triple && (data[0] != pair || kind != "R") {
		return 0, false
	}
	return wholeNumber(data[2:])
}

// wholeNumber reads a MessagePack number that is not negative.
func wholeNumber(data []byte) (int64, bool) {
	const largestFixed, uint8Mark, uint16Mark, uint32Mark = 0x7f, 0xcc, 0xcd, 0xce
	switch mark := data[0]; {
	case mark <= largestFixed:
		return int64(mark), true
	case mark == uint8Mark && len(data) >= 2:
		return int64(data[1]), true
	case mark == uint16Mark && len(data) >= 3:
		return int64(binary.BigEndian.Uint16(data[1:])), true
	case mark == uint32Mark && len(data) >= 5:
		return int64(binary.BigEndian.Uint32(data[1:])), true
	default:
		return 0, false
	}
}
