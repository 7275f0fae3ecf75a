package graphql

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// scalar reads and writes the values of a scalar type.
type scalar struct {
	// write appends a value of a resolver, reduced by plain, as JSON. It
	// reports false for one that does not fit.
	write func(buf []byte, v any) ([]byte, bool)
	// read turns an input (string, bool or json.Number) into what a resolver
	// gets. It reports false for one that does not fit.
	read func(v any) (any, bool)
	// zeroIsNull says that a zero time and an empty string mean null.
	zeroIsNull bool
}

// Layouts of GitHub's scalars for moments.
const (
	dateTimeLayout     = "2006-01-02T15:04:05Z"
	preciseTimeLayout  = "2006-01-02T15:04:05.000Z"
	gitTimestampLayout = time.RFC3339
	dateLayout         = time.DateOnly
)

// scalarNamed returns the scalar of that name: one of the language, one of
// GitHub's, or for others one that takes strings, numbers and booleans.
func scalarNamed(name string) *scalar {
	switch name {
	case "Int":
		return &scalar{write: writeInt, read: readInt}
	case "Float":
		return &scalar{write: writeFloat, read: readFloat}
	case "Boolean":
		return &scalar{write: writeBool, read: readBool}
	case "ID":
		return &scalar{write: writeID, read: readID}
	case "BigInt":
		return &scalar{write: writeID, read: readBigInt}
	case "DateTime":
		return timeScalar(dateTimeLayout, true)
	case "PreciseDateTime":
		return timeScalar(preciseTimeLayout, true)
	case "GitTimestamp":
		return timeScalar(gitTimestampLayout, false)
	case "Date":
		return timeScalar(dateLayout, true)
	case "URI":
		return textScalar(func(s string) bool { _, err := url.Parse(s); return err == nil })
	case "GitObjectID":
		return textScalar(isObjectID)
	case "Base64String":
		return textScalar(func(s string) bool { _, err := base64.StdEncoding.DecodeString(s); return err == nil })
	case "String", "HTML", "X509Certificate":
		return textScalar(func(string) bool { return true })
	default:
		return &scalar{write: writeAny, read: func(v any) (any, bool) { return v, true }}
	}
}

func textScalar(valid func(string) bool) *scalar {
	return &scalar{write: writeText, read: func(v any) (any, bool) {
		s, ok := v.(string)
		return s, ok && valid(s)
	}}
}

func timeScalar(layout string, utc bool) *scalar {
	write := func(buf []byte, v any) ([]byte, bool) {
		t, ok := v.(time.Time)
		if !ok {
			return writeText(buf, v)
		}
		if utc {
			t = t.UTC()
		}
		buf = append(buf, '"')
		buf = t.AppendFormat(buf, layout)
		return append(buf, '"'), true
	}
	read := func(v any) (any, bool) {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		t, ok := parseTime(s)
		if layout == dateLayout {
			// Clients send a moment of the day too, as gh does.
			return t.Format(dateLayout), ok
		}
		return s, ok && len(s) != len(dateLayout)
	}
	return &scalar{write: write, read: read, zeroIsNull: true}
}

// parseTime reads a moment in one of the layouts of GitHub's scalars.
func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, dateLayout} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// isObjectID reports whether s is a full SHA-1 or SHA-256 in hexadecimal.
func isObjectID(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && (len(s) == 40 || len(s) == 64)
}

// plain reduces a leaf value to nil, string, bool, int64, uint64, float64,
// time.Time or json.Number. Other values stay as they are.
func plain(v any) any {
	switch v := v.(type) {
	case nil, string, bool, int64, uint64, float64, time.Time, json.Number:
		return v
	case int:
		return int64(v)
	}
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Pointer && r.IsNil() {
		return nil
	}
	if s, ok := v.(fmt.Stringer); ok && r.Type() != reflect.TypeFor[*time.Time]() {
		return s.String()
	}
	switch {
	case r.Kind() == reflect.Pointer:
		return plain(r.Elem().Interface())
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return r.Uint()
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.String:
		return r.String()
	case r.Kind() == reflect.Bool:
		return r.Bool()
	default:
		return v
	}
}

func writeText(buf []byte, v any) ([]byte, bool) {
	s, ok := v.(string)
	if !ok {
		return buf, false
	}
	return appendString(buf, s), true
}

// writeInt accepts integers beyond 32 bits: GitHub's databaseId has them.
func writeInt(buf []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(buf, v, 10), true
	case uint64:
		return strconv.AppendUint(buf, v, 10), true
	case json.Number:
		n, err := v.Int64()
		return strconv.AppendInt(buf, n, 10), err == nil
	default:
		return buf, false
	}
}

func writeFloat(buf []byte, v any) ([]byte, bool) {
	f, ok := v.(float64)
	if n, isNumber := v.(json.Number); isNumber {
		var err error
		f, err = n.Float64()
		ok = err == nil
	}
	if !ok {
		return writeInt(buf, v)
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return buf, false
	}
	encoded, err := json.Marshal(f)
	return append(buf, encoded...), err == nil
}

func writeBool(buf []byte, v any) ([]byte, bool) {
	b, ok := v.(bool)
	return strconv.AppendBool(buf, b), ok
}

// writeID writes a string or an integer as a string.
func writeID(buf []byte, v any) ([]byte, bool) {
	if s, ok := v.(string); ok {
		return appendString(buf, s), true
	}
	buf = append(buf, '"')
	buf, ok := writeInt(buf, v)
	return append(buf, '"'), ok
}

func writeAny(buf []byte, v any) ([]byte, bool) {
	switch v := v.(type) {
	case string:
		return appendString(buf, v), true
	case bool:
		return strconv.AppendBool(buf, v), true
	case time.Time:
		return append(v.UTC().AppendFormat(append(buf, '"'), dateTimeLayout), '"'), true
	default:
		return writeFloat(buf, v)
	}
}

// readInt accepts what fits into 32 bits, as the language says.
func readInt(v any) (any, bool) {
	n, ok := v.(json.Number)
	if !ok || !isInteger(n) {
		return nil, false
	}
	i, err := strconv.ParseInt(string(n), 10, 32)
	return int(i), err == nil
}

func readFloat(v any) (any, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return nil, false
	}
	f, err := n.Float64()
	return f, err == nil
}

func readBool(v any) (any, bool) {
	b, ok := v.(bool)
	return b, ok
}

func readID(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case json.Number:
		return string(v), isInteger(v)
	default:
		return nil, false
	}
}

func readBigInt(v any) (any, bool) {
	id, ok := readID(v)
	if !ok {
		return nil, false
	}
	s := id.(string)
	_, err := strconv.ParseInt(s, 10, 64)
	return s, err == nil
}

func isInteger(n json.Number) bool { return !strings.ContainsAny(string(n), ".eE") }
