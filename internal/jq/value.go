package jq

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// errNoJSON is about a text that begins as JSON does, such as a log that begins
// with a year.
var errNoJSON = errors.New("more follows after the first JSON value")

// Decode reads JSON into the types that programs work on: nil, bool, int,
// float64 for numbers that are not whole or too large, string, []any and
// map[string]any. Nothing at all is null.
func Decode(data []byte) (any, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errNoJSON
	}
	return plainNumbers(value), nil
}

// Plain returns a copy of a value that encodes to JSON, with the types that
// [Decode] has.
func Plain(value any) (any, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return Decode(data)
}

// plainNumbers turns the numbers of a decoded value, in place, into int or
// float64.
func plainNumbers(value any) any {
	switch value := value.(type) {
	case json.Number:
		if n, err := value.Int64(); err == nil {
			return int(n)
		}
		f, _ := value.Float64()
		return f
	case []any:
		for i := range value {
			value[i] = plainNumbers(value[i])
		}
	case map[string]any:
		for name := range value {
			value[name] = plainNumbers(value[name])
		}
	}
	return value
}

// copied returns a value that shares no list and no object with this one.
func copied(value any) any {
	switch value := value.(type) {
	case []any:
		list := make([]any, len(value))
		for i := range value {
			list[i] = copied(value[i])
		}
		return list
	case map[string]any:
		object := make(map[string]any, len(value))
		for name := range value {
			object[name] = copied(value[name])
		}
		return object
	default:
		return value
	}
}
